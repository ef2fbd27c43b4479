"""docs/quantization/vectors/manifest.json: the conformance suite that `octet conformance` runs (docs/conformance.md).

The manifest says what the tables beside it are: operations with their operands, results and mistakes, and every file with its
size and hash. A version stands for its rows: whoever changes a row names a new one here.
"""

import csv
import hashlib
import json
import re

import directed
import dynamic
import operator_vectors
import rom
from resnet8 import MODELS, facts

VECTORS = MODELS.parent / "docs/quantization/vectors"
VERSION, ROWS = "4", "e39b23f3aad8"  # and the hash of all tables

REAL, TEXT = "float32", "text"
SUMS = ["QLinearConv", "QLinearMatMul", "QGemm"]
# name: operators, what is computed, operands, results, mistakes. Integers but where a type is named; a list ends in "...".
OPERATIONS = {
    "quantize": (["QuantizeLinear"], "a float32 becomes a byte", "x:float32 scale:float32 zero_point", "q", directed.MISTAKES),
    "requantize": (SUMS, "an accumulator becomes a byte", "acc multiplier:float32 zero_point", "q", directed.MISTAKES),
    "multiplier": (SUMS, "the same from the three scales", "x_scale:float32 w_scale:float32 y_scale:float32 acc zero_point", "q", directed.MISTAKES),
    "pool": (["QLinearGlobalAveragePool"], "the sum of all pixels, less their zero point, becomes a byte",
             "x_scale:float32 y_scale:float32 pixels acc zero_point", "q", directed.MISTAKES),
    "add": (["QLinearAdd"], "two bytes become one", "a_scale:float32 a_zero_point b_scale:float32 b_zero_point c_scale:float32 c_zero_point a b", "c", directed.MISTAKES),
    "dynamic": (["DynamicQuantizeLinear"], "a tensor of float32 becomes scale, zero point and bytes: uint8 is the operator, asymmetric and symmetric are chapter 6's int8",
                "kind:text x:float32...", "scale:float32 zero_point q...", dynamic.MISTAKES),
    "dequantize": (["DequantizeLinear"], "a byte becomes a float32", "scale:float32 zero_point q", "y:float32", operator_vectors.MISTAKES),
    "sum": (["QLinearConv", "QLinearMatMul", "QGemm", "ConvInteger", "MatMulInteger"], "two lists of bytes become an accumulator of 32 bits", "x_zero_point w_zero_point start x... w...", "acc",
            operator_vectors.MISTAKES),
    "multiply": (["QLinearMul"], "two bytes become one", "a_scale:float32 a_zero_point b_scale:float32 b_zero_point c_scale:float32 c_zero_point a b", "c", operator_vectors.MISTAKES),
    "concat": (["QLinearConcat"], "a byte of a part becomes one of the result", "x_scale:float32 x_zero_point y_scale:float32 y_zero_point x", "y", operator_vectors.MISTAKES),
    "softmax": (["QLinearSoftmax"], "a list of bytes becomes one of the same length", "x_scale:float32 y_scale:float32 y_zero_point x...", "y...", operator_vectors.MISTAKES),
    "steps": (["QLinearConv", "QGemm", "QLinearAdd", "QLinearGlobalAveragePool", "QuantizeLinear"],
              "ResNet8 in integers alone, with constants.csv: an accumulator, two bytes a/b or a float32 becomes a byte; a step without channels has an empty one, - in a question",
              "step:text channel:text input:text", "y", rom.MISTAKES),
}


def columns(text):
    def column(word):
        name, _, kind = word.removesuffix("...").partition(":")
        return {"column": name, "type": kind or "integer", "list": word.endswith("...")}
    return [column(word) for word in text.split()]


def rows(name):
    with open(VECTORS / f"{name}.csv") as file:
        return list(csv.DictReader(file))


def operation(name):
    operators, what, operands, results, mistakes = OPERATIONS[name]
    every = rows(name)
    caught = [row["catches"].split() for row in every]
    shown = {mistake: sum(mistake in names for names in caught) for mistake in mistakes}
    return {"name": name, "operators": operators, "what": what, "file": f"{name}.csv", "rows": len(every), "operands": columns(operands), "results": columns(results),
            "mistakes": [{"name": mistake, "meaning": mistakes[mistake], "rows": count} for mistake, count in shown.items() if count]}


def hashed(*contents):
    return hashlib.sha256(b"".join(contents)).hexdigest()


def on_one_line(text, first):
    """The innermost objects whose first field has one of these names take one line each."""
    return re.sub(rf'\{{\s+("(?:{"|".join(first)})": [^{{}}\[\]]*?)\s+\}}', lambda match: "{" + re.sub(r"\n\s+", " ", match[1]) + "}", text)


def manifest():
    tables = {path.name: path.read_bytes() for path in sorted(VECTORS.glob("*.csv"))}
    found = hashed(*tables.values())[:12]
    assert found == ROWS, f"the rows are not those of version {VERSION}: name another in tools/docs/suite.py, with the hash {found}"
    document = {"schema": "octet.suite/1", "octet": facts("version")["octet"], "version": VERSION, "arithmetic": "onnxruntime",
                "operations": [operation(name) for name in OPERATIONS],
                "files": [{"file": name, "bytes": len(contents), "sha256": hashed(contents)} for name, contents in tables.items()]}
    return on_one_line(json.dumps(document, indent=2), ("column", "name")) + "\n"


def files():
    return {"quantization/vectors/manifest.json": manifest()}
