"""What docs/quantization/operators.md says of operators of com.microsoft, whose attributes the onnx package does not know, held to ONNX Runtime.

Usage: operators_test.py
"""

import importlib.util
import pathlib
import re
import sys
import unittest

import numpy as np
import onnx
from onnx import helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/docs"), str(ROOT / "tests/docs")]
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


def run(operator, inputs, domain="com.microsoft", **attributes):
    """What ONNX Runtime makes of one node, each input an array."""
    import vectors_test
    named = {f"i{k}": np.asarray(array) for k, array in enumerate(inputs)}
    graph = helper.make_graph([helper.make_node(operator, list(named), ["y"], domain=domain, **attributes)], operator,
                              [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in named.items()],
                              [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    return vectors_test.run_onnx_runtime(model, named)["y"].ravel().tolist()


class Operators(unittest.TestCase):
    def test_sums_wrap_where_the_page_says(self):
        for products, wanted in ((33025, 33025 * 65025), (33026, 33026 * 65025 - 2**32)):
            ones = np.full(products, 255, np.uint8)
            self.assertEqual(run("MatMulInteger", [ones[None], ones[:, None]], domain=""), [wanted])
        for pixels, wanted in ((8421504, 255), (8421505, 0)):
            x = np.full((1, 1, 1, pixels), 255, np.uint8)
            self.assertEqual(run("QLinearGlobalAveragePool", [x, np.float32(1), np.uint8(0), np.float32(1), np.uint8(0)], channels_last=0), [wanted])

    @unittest.skipUnless("avx2" in pathlib.Path("/proc/cpuinfo").read_text(), "no AVX2: ONNX Runtime converts otherwise")
    def test_what_int32_cannot_hold_becomes_the_lowest_byte(self):
        small, one, zero = np.float32(1e-9), np.float32(1), np.int8(0)
        for x, wanted in ((1, -128), (-1, -128)):
            a = np.full(2, x, np.int8)
            self.assertEqual(run("QLinearAdd", [a, one, zero, 0 * a, one, zero, small * np.float32(0.1), zero]), [wanted] * 2)
            self.assertEqual(run("QLinearMul", [a, one, zero, a * 0 + np.int8(1), one, zero, small * np.float32(0.1), zero]), [wanted] * 2)
            self.assertEqual(run("QLinearAveragePool", [np.full((1, 1, 2, 2), x, np.int8), one, zero, small * np.float32(0.1), zero], kernel_shape=[1, 1]), [wanted] * 4)
            self.assertEqual(run("QLinearAdd", [a, one, zero, 0 * a, one, zero, small, zero]), [127 if x > 0 else -128] * 2)
            self.assertEqual(run("QLinearConcat", [small * np.float32(0.1), zero, a, one, zero], axis=0), [127 if x > 0 else -128] * 2)

    def test_attributes_are_those_of_onnx_runtime(self):
        schemas = {schema.name: Schema(schema) for schema in get_all_operator_schema() if schema.domain == "com.microsoft"}
        for name, wanted in operators.ATTRIBUTES.items():
            found = {key: float(f"{value:.6g}") if isinstance(value, float) else value for key, value in operators.attributes_of(schemas[name]).items()}
            self.assertEqual(found, wanted, name)

    def test_every_operator_of_the_page_is_among_them(self):
        page = (ROOT / "docs/quantization/operators.md").read_text()
        self.assertEqual(set(re.findall(r"^## (\w+) of com\.microsoft$", page, re.M)), set(operators.ATTRIBUTES))

    def test_every_operator_has_every_row(self):
        page = (ROOT / "docs/quantization/operators.md").read_text()
        sections = re.split(r"^## ", page, flags=re.M)[2:]
        self.assertGreater(len(sections), 25)
        for section in sections:
            for row in ("inputs", "outputs", "types", "attributes", "versions", "the standard's page", "special values", "overflow", "equations", "vectors", "written in"):
                self.assertIn(f"\n| {row} | ", section)
            self.assertIn("\n```text\n", section)
            self.assertIn("\n| constraint | or the model is refused |\n", section)


if __name__ == "__main__":
    unittest.main()
