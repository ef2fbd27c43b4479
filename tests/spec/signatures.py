"""Holds the table of octet/spec/signature.cc to the schemas of the onnx package and of ONNX Runtime.

Usage: signatures.py
"""

import pathlib
import re
import sys

from onnx import defs
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r'\{(kStandard|kMicrosoft), "(\w+)", (\d+),\s*"([^"]*)",\s*"([^"]*)"\}')
# Files of opset 11 leave these empty, and every runtime takes that.
LENIENT = {("Resize", 11): ("X roi? scales? sizes?", "Y")}


def text(parameters, fewest):
    marks = {"single": "", "optional": "?", "variadic": "..."}
    words = [re.sub(r"\W", "", p.name) + marks[str(p.option).rsplit(".", 1)[-1].lower()] for p in parameters]
    if words and words[-1].endswith("...") and fewest < len(words):
        words[-1] += "?"
    return " ".join(words)


def schemas():
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            yield "kStandard", schema
    for schema in onnxruntime.get_all_operator_schema():
        if schema.domain == "com.microsoft":
            yield "kMicrosoft", schema


def main():
    table = {}
    for domain, op, since, inputs, outputs in ROW.findall((ROOT / "octet/spec/signature.cc").read_text()):
        table.setdefault((domain, op), {})[int(since)] = (inputs, outputs)
    wrong = compared = 0
    for domain, schema in schemas():
        rows = table.get((domain, schema.name))
        versions = [v for v in rows or () if v <= schema.since_version]
        if not versions:
            continue  # an operator, or a version of it, that Octet does not have
        wanted = LENIENT.get((schema.name, schema.since_version), (text(schema.inputs, schema.min_input), text(schema.outputs, schema.min_output)))
        compared += 1
        if rows[max(versions)] != wanted:
            print(f"{schema.name} {schema.since_version}: {rows[max(versions)]}, wanted {wanted}")
            wrong += 1
    print(f"{compared} versions of {len(table)} operators compared, {wrong} differ")
    sys.exit(1 if wrong or compared < 300 or len(table) < 150 else 0)


if __name__ == "__main__":
    main()
