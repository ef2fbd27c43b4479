"""What docs/quantization/operators.md says of operators of com.microsoft, whose attributes the onnx package does not know, held to ONNX Runtime.

Usage: operators_test.py
"""

import importlib.util
import pathlib
import re
import sys
import unittest

import onnx
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/docs"))
specification = importlib.util.spec_from_file_location("operators", ROOT / "tools/docs/pages/operators.py")
operators = importlib.util.module_from_spec(specification)
specification.loader.exec_module(operators)


class Default:
    """An attribute of ONNX Runtime's schemas as the onnx package has them."""

    def __init__(self, attribute):
        self.required = attribute.required
        self.default_value = onnx.AttributeProto.FromString(attribute._default_value)


class Schema:
    def __init__(self, schema):
        self.attributes = {name: Default(attribute) for name, attribute in schema.attributes.items()}


class Operators(unittest.TestCase):
    def test_attributes_are_those_of_onnx_runtime(self):
        schemas = {schema.name: Schema(schema) for schema in get_all_operator_schema() if schema.domain == "com.microsoft"}
        for name, wanted in operators.ATTRIBUTES.items():
            found = {key: round(value, 6) if isinstance(value, float) else value for key, value in operators.attributes_of(schemas[name]).items()}
            self.assertEqual(found, wanted, name)

    def test_every_operator_of_the_page_is_among_them(self):
        page = (ROOT / "docs/quantization/operators.md").read_text()
        self.assertEqual(set(re.findall(r"^## (\w+) of com\.microsoft$", page, re.M)), set(operators.ATTRIBUTES))

    def test_every_operator_has_every_row(self):
        page = (ROOT / "docs/quantization/operators.md").read_text()
        sections = re.split(r"^## ", page, flags=re.M)[2:]
        self.assertGreater(len(sections), 25)
        for section in sections:
            for row in ("inputs", "outputs", "attributes", "versions", "the standard's page", "written in"):
                self.assertIn(f"\n| {row} | ", section)
            self.assertIn("\n```text\n", section)
            self.assertIn("\n| constraint | or the model is refused |\n", section)


if __name__ == "__main__":
    unittest.main()
