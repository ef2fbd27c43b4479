"""Numbers of docs/quantization/operators.md: the quantized operators, from the registry and the headers that open with their meaning."""

import functools
import re

from resnet8 import *

SOURCES = MODELS.parent / "octet/spec"
VECTORS = {"QuantizeLinear": ["quantize.csv"], "QLinearConv": ["requantize.csv", "multiplier.csv", "steps.csv"], "QGemm": ["requantize.csv", "steps.csv"],
           "QLinearMatMul": ["requantize.csv"], "QLinearAdd": ["add.csv", "steps.csv"], "QLinearGlobalAveragePool": ["pool.csv", "steps.csv"],
           "DynamicQuantizeLinear": ["dynamic.csv"]}


def source(operator):
    """Where its meaning is written: the header, or the file of one that has none; or nothing, where that is not among the quantized ones."""
    for constraint in operator["constraints"]:
        name = re.sub(r"_c\d+$", "", constraint["label"])
        for ending in ("h", "cc"):
            file = SOURCES / f"quantized/{name}.{ending}"
            if file.exists():
                return file
    return None


def meaning(file):
    """The comment that it opens with, without the constraints, which the registry has too."""
    lines = []
    for line in file.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    text = "\n".join(lines[1:] if re.match(r"\w+\.(h|cc):", lines[0]) else lines)
    return re.sub(r"\n* +\w+_c\d+  .*", "", text, flags=re.S).strip("\n")


@functools.cache
def signatures():
    """Inputs and outputs by domain and operator, of the newest version."""
    found = re.findall(r'\{(k\w+),\s*"(\w+)",\s*(\d+),\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)', (SOURCES / "signature.cc").read_text())
    names = lambda text: ", ".join("".join(re.findall(r'"([^"]*)"', text)).split())
    return {("ai.onnx" if domain == "kStandard" else "com.microsoft", name): (names(inputs), names(outputs)) for domain, name, _, inputs, outputs in found}


def page_of(operator):
    if operator["domain"] == "ai.onnx":
        return f"https://onnx.ai/onnx/operators/onnx__{operator['name']}.html"
    return f"https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.{operator['name']}"


def quantized():
    return [operator for operator in facts("ops")["operators"] if source(operator)]


def one(operator):
    file = source(operator)
    title = operator["name"] if operator["domain"] == "ai.onnx" else f"{operator['name']} of {operator['domain']}"
    inputs, outputs = signatures()[operator["domain"], operator["name"]]
    numbers = sorted({int(n) for part in re.findall(r"[Ee]quations? ([^;.]*)", meaning(file).replace("\n", " ")) for n in re.findall(r"\((\d+)\)", part)})
    rows = [("inputs", inputs), ("outputs", outputs), ("versions", "opset " + ", ".join(map(str, operator["opsets"]))),
            ("the standard's page", f"[{operator['name']}]({page_of(operator)})")]
    if numbers:
        rows.append(("equations", ", ".join(f"[({n})](derivation.md#eq-{n})" for n in numbers)))
    if operator["name"] in VECTORS:
        rows.append(("vectors", ", ".join(f"[{name}](vectors/{name})" for name in VECTORS[operator["name"]])))
    rows.append(("written in", f"[`octet/spec/quantized/{file.name}`](../../octet/spec/quantized/{file.name})"))
    return "\n\n".join([f"## {title}", table(["", ""], rows), fenced("text", meaning(file)),
                        table(["constraint", "or the model is refused"], [(f"`{c['label']}`", c["text"].replace("|", "\\|")) for c in operator["constraints"]])])


def operators():
    return "\n\n".join(map(one, quantized()))
