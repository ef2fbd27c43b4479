"""Numbers of docs/quantization/operators.md: the quantized operators, from the registry and the headers that open with their meaning."""

import functools
import re

import onnx.defs
from onnx import helper

import operator_vectors
from resnet8 import *

files = operator_vectors.files

REQUIRED = "required"
SOURCES = MODELS.parent / "octet/spec"
VECTORS = {"QuantizeLinear": ["quantize.csv"], "QLinearConv": ["sum.csv", "requantize.csv", "multiplier.csv", "steps.csv"], "QGemm": ["sum.csv", "requantize.csv", "steps.csv"],
           "QLinearMatMul": ["requantize.csv", "sum.csv"], "ConvInteger": ["sum.csv"], "MatMulInteger": ["sum.csv"], "DequantizeLinear": ["dequantize.csv"],
           "QLinearMul": ["multiply.csv"], "QLinearConcat": ["concat.csv"], "QLinearSoftmax": ["softmax.csv"], "QLinearAdd": ["add.csv", "steps.csv"], "QLinearGlobalAveragePool": ["pool.csv", "steps.csv"],
           "DynamicQuantizeLinear": ["dynamic.csv"]}
# Where an operator has no table of its own: which tables have its parts.
PARTS = {"DynamicQuantizeMatMul": ["dynamic.csv", "sum.csv"], "DynamicQuantizeLSTM": ["dynamic.csv", "sum.csv"], "MatMulIntegerToFloat": ["sum.csv"], "QAttention": ["sum.csv"],
         "QLinearWhere": ["concat.csv"], "QLinearLeakyRelu": ["dequantize.csv", "quantize.csv"], "QLinearSigmoid": ["dequantize.csv", "quantize.csv"],
         "QLinearReduceMean": ["dequantize.csv", "quantize.csv"], "QLinearAveragePool": ["dequantize.csv", "pool.csv"], "MatMulNBits": [], "NhwcMaxPool": [],
         "GatherBlockQuantized": ["dequantize.csv"], "QEmbedLayerNormalization": ["dequantize.csv"]}
# Operators whose header cites no equation of the derivation: those of it that hold, or where theirs stand.
EQUATIONS = {"ConvInteger": [8], "MatMulInteger": [8], "MatMulIntegerToFloat": [8], "DynamicQuantizeMatMul": [8], "DynamicQuantizeLSTM": [8], "QAttention": [8], "QLinearMul": [13],
             "QLinearConcat": [3, 2], "QLinearWhere": [3, 2], "QLinearLeakyRelu": [3, 2], "QLinearSigmoid": [3, 2], "QLinearReduceMean": [3, 2], "QLinearAveragePool": [3], "GatherBlockQuantized": [3], "QEmbedLayerNormalization": [3]}
ELSEWHERE = {"DynamicQuantizeLinear": "[chapter 6](06-dynamic-quantization.md#the-equations)"}

WRAPS = "the accumulator is an int32 that wraps; whatever the bytes, it is exact for up to 33,025 products and a start of 0, and `octet bounds` proves more of a network"
TO_QMIN = "results saturate, but what is rounded becomes qmin from 2^31 on, as in ONNX Runtime on x86"
SATURATES = "none inside; results saturate"
OVERFLOW = {
    **dict.fromkeys(["ConvInteger", "MatMulInteger", "MatMulIntegerToFloat", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "QAttention"], WRAPS),
    **dict.fromkeys(["QLinearConv", "QLinearMatMul", "QGemm"], f"{WRAPS}; results saturate"),
    "QLinearGlobalAveragePool": "the accumulator is an int32 that wraps, exact for up to 8,421,504 pixels; results saturate",
    **dict.fromkeys(["QLinearAdd", "QLinearMul", "QLinearAveragePool"], TO_QMIN),
    **dict.fromkeys(["QLinearConcat", "QLinearWhere", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearReduceMean", "QuantizeLinear"], SATURATES),
    "DequantizeLinear": "an int32 less its zero point wraps; a product beyond the type of y is an infinity", "DynamicQuantizeLinear": "a range beyond float32 makes the scale an infinity; results saturate",
    "QLinearSoftmax": "a row of one element at a y_scale of 1/256: see below; other results saturate", "MatMulNBits": "float32's; integer sums of a block are exact", "NhwcMaxPool": "none: nothing is computed",
    "GatherBlockQuantized": "float32's; a difference of two integers is exact", "QEmbedLayerNormalization": "float32's",
}
BYTES = "none: it reads bytes; of scales see above"
OF_DYNAMIC = "as those of DynamicQuantizeLinear"
SPECIAL = {
    "QuantizeLinear": "NaN gives qmin, infinities saturate", "DynamicQuantizeLinear": "NaN is left out of the range and becomes 0; of infinities, zeros and subnormal ranges see [chapter 6](06-dynamic-quantization.md#the-equations)",
    "DynamicQuantizeMatMul": OF_DYNAMIC, "DynamicQuantizeLSTM": OF_DYNAMIC, "DequantizeLinear": "none among integers; NaN and infinity of float8 stay",
    "MatMulIntegerToFloat": "none among bytes; the bias is added as float32 adds", "MatMulNBits": "those of A and bias as in MatMul", "QAttention": "none among bytes; NaN where no key counts and mask_filter_value is -inf",
}

WINDOW = {"auto_pad": "NOTSET", "pads": None, "strides": None, "kernel_shape": REQUIRED}
# Attributes and defaults of com.microsoft, which the onnx package does not have; tests/docs/operators_test.py compares them with ONNX Runtime's.
ATTRIBUTES = {
    "DequantizeLinear": {"axis": None}, "QuantizeLinear": {"axis": None}, "DynamicQuantizeMatMul": {}, "MatMulIntegerToFloat": {},
    "DynamicQuantizeLSTM": {"activation_alpha": None, "activation_beta": None, "activations": None, "clip": None, "direction": "forward", "hidden_size": None, "input_forget": 0},
    "GatherBlockQuantized": {"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1}, "QEmbedLayerNormalization": {"epsilon": 1e-12},
    "MatMulNBits": {"K": REQUIRED, "N": REQUIRED, "accuracy_level": 0, "bits": 4, "block_size": REQUIRED, "weight_prepacked": 0},
    "NhwcMaxPool": {**WINDOW, "ceil_mode": 0, "dilations": None},
    "QAttention": {"do_rotary": None, "mask_filter_value": None, "num_heads": REQUIRED, "past_present_share_buffer": None, "scale": None, "unidirectional": 0},
    "QGemm": {"alpha": 1.0, "transA": 0, "transB": 0}, "QLinearAdd": {}, "QLinearAveragePool": {**WINDOW, "ceil_mode": 0, "channels_last": 0, "count_include_pad": 0},
    "QLinearConcat": {"axis": REQUIRED}, "QLinearConv": {**WINDOW, "kernel_shape": None, "channels_last": 0, "dilations": None, "group": 1},
    "QLinearGlobalAveragePool": {"channels_last": 0}, "QLinearLeakyRelu": {"alpha": 0.01}, "QLinearMul": {}, "QLinearReduceMean": {"axes": REQUIRED, "keepdims": REQUIRED},
    "QLinearSigmoid": {}, "QLinearSoftmax": {"axis": -1, "opset": REQUIRED}, "QLinearWhere": {},
}


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
    text = "\n".join(lines[lines.index(""):] if re.match(r"\w+\.(h|cc):", lines[0]) else lines)
    return re.sub(r"\n* +\w+_c\d+  .*", "", text, flags=re.S).strip("\n")


@functools.cache
def signatures():
    """Inputs and outputs by domain and operator, of the newest version."""
    found = re.findall(r'\{(k\w+),\s*"(\w+)",\s*(\d+),\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)', (SOURCES / "signature.cc").read_text())
    names = lambda text: ", ".join("".join(re.findall(r'"([^"]*)"', text)).split())
    return {("ai.onnx" if domain == "kStandard" else "com.microsoft", name): (names(inputs), names(outputs)) for domain, name, _, inputs, outputs in found}


def attributes_of(schema):
    """Attributes by name, each with its default, None where it has none, or REQUIRED."""
    def default(attribute):
        if attribute.required:
            return REQUIRED
        value = helper.get_attribute_value(attribute.default_value) if attribute.default_value.name else None
        return value.decode() if isinstance(value, bytes) else value
    return {name: default(attribute) for name, attribute in schema.attributes.items()}


def attributes(operator):
    """The attributes of the newest version: "axis = 1, block_size = 0", alone where there is no default."""
    known = ATTRIBUTES[operator["name"]] if operator["domain"] != "ai.onnx" else attributes_of(onnx.defs.get_schema(operator["name"]))
    return ", ".join(name + (" (required)" if value == REQUIRED else "" if value is None else f" = {value}") for name, value in sorted(known.items())) or "none"


def page_of(operator):
    if operator["domain"] == "ai.onnx":
        return f"https://onnx.ai/onnx/operators/onnx__{operator['name']}.html"
    return f"https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.{operator['name']}"


def types(operator):
    """What the registry says of types: its constraints that name one."""
    found = [c["text"] for c in operator["constraints"] if re.search(r"\b(u?int\d+|b?float\d+|type)\b|\bbits\b", c["text"])]
    assert found, operator["name"]
    return "; ".join(found).replace("|", "\\|")


def quantized():
    return [operator for operator in facts("ops")["operators"] if source(operator)]


def vectors_of(name):
    """Links to its tables, or to those of its parts; or what to do where there is none."""
    def links(names):
        return ", ".join(f"[{file}](vectors/{file})" for file in names)
    if name in VECTORS:
        return links(VECTORS[name])
    parts = f"of its parts: {links(PARTS[name])}; of the whole " if PARTS[name] else ""
    return f"{parts}every tensor that `octet run --all` writes of a network that has it"


def one(operator):
    file = source(operator)
    title = operator["name"] if operator["domain"] == "ai.onnx" else f"{operator['name']} of {operator['domain']}"
    inputs, outputs = signatures()[operator["domain"], operator["name"]]
    numbers = EQUATIONS.get(operator["name"]) or sorted({int(n) for part in re.findall(r"[Ee]quations? ([^;.]*)", meaning(file).replace("\n", " ")) for n in re.findall(r"\((\d+)\)", part)})
    rows = [("inputs", inputs), ("outputs", outputs), ("types", types(operator)), ("attributes", attributes(operator)), ("versions", "opset " + ", ".join(map(str, operator["opsets"]))),
            ("the standard's page", f"[{operator['name']}]({page_of(operator)})"), ("special values", SPECIAL.get(operator["name"], BYTES)), ("overflow", OVERFLOW[operator["name"]]),
            ("equations", ", ".join(f"[({n})](derivation.md#eq-{n})" for n in numbers) or ELSEWHERE.get(operator["name"], "those below")), ("vectors", vectors_of(operator["name"]))]
    rows.append(("written in", f"[`octet/spec/quantized/{file.name}`](../../octet/spec/quantized/{file.name})"))
    return "\n\n".join([f"## {title}", table(["", ""], rows), fenced("text", meaning(file)),
                        table(["constraint", "or the model is refused"], [(f"`{c['label']}`", c["text"].replace("|", "\\|")) for c in operator["constraints"]])])


def operators():
    return "\n\n".join(map(one, quantized()))


def moves():
    """The operators that move bytes and compute nothing: those that call an input moved (spec/role.h)."""
    files = [file for file in sorted(SOURCES.glob("*/*.cc")) if "Role::kMoved" in file.read_text()]
    names = {name for file in files for name in re.findall(r'\.name = "(\w+)"', file.read_text())}
    rows = [operator for operator in facts("ops")["operators"] if operator["name"] in names and operator["domain"] == "ai.onnx"]
    return table(["operator", "versions", "inputs", "attributes", "meaning"],
                 [(f"[{operator['name']}]({page_of(operator)})", ", ".join(map(str, operator["opsets"])), signatures()["ai.onnx", operator["name"]][0], attributes(operator),
                   operator["formula"].replace("|", "\\|")) for operator in rows])
