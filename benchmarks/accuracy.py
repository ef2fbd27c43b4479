"""Measures what quantization costs in accuracy, beside ONNX Runtime's quantizer, and writes docs/accuracy.md.

Usage: accuracy.py OCTET PAGE

Static models of Octet are made in operator format and run by ONNX Runtime, which computes the same integers as Octet's
reference engine (tests/judge/quantizer.py) and is faster. ONNX Runtime's quantizer gets the float model as its own
quant_pre_process prepares it, the same calibration samples and the same options; its models are QDQ files. Every session is
exact: no pair of products saturates.
"""

import json
import logging
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.calibrate import CalibrationDataReader, CalibrationMethod, create_calibrator
from onnxruntime.quantization.qdq_quantizer import QDQQuantizer
from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry
from onnxruntime.quantization.shape_inference import quant_pre_process

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
TYPES = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}
OPERATORS = sorted(set(QLinearOpsRegistry) | set(QDQRegistry))

# Calibrations of Octet, and how to ask ONNX Runtime's quantizer for the same; it has none for the squared error.
CALIBRATIONS = {
    "minmax": (CalibrationMethod.MinMax, {}),
    "moving-average": (CalibrationMethod.MinMax, {"moving_average": True}),
    "percentile": (CalibrationMethod.Percentile, {}),
    "entropy": (CalibrationMethod.Entropy, {}),
    "mse": None,
}
# For hardware, beside the default: options of Octet, and extra options of ONNX Runtime's quantizer where it has the same.
HARDWARE = {
    "symmetric activations": (("--symmetric-activations",), {"ActivationSymmetric": True}),
    "power-of-two scales": (("--scales", "power-of-two"), None),
    "restricted zero points": (("--zero-points", "restricted"), {"ActivationRestrictedAsymmetric": True}),
    "shared scale": (("--residual", "shared-scale"), None),
    **{f"average pools with {form}": (("--average-pool", form, "--global-average-pool", form), None)
       for form in ("own-scale", "shared-scale", "shifted-scale")},
    "power-of-two scales, restricted zero points, shared scale": (
        ("--scales", "power-of-two", "--zero-points", "restricted", "--residual", "shared-scale"), None),
}
# ONNX Runtime's dynamic quantizer has asymmetric uint8 activations only.
DYNAMIC = {
    "symActivation,symWeight": QuantType.QInt8,
    "symActivation,asymWeight": QuantType.QUInt8,
    "asymActivation,symWeight": QuantType.QInt8,
    "asymActivation,asymWeight": QuantType.QUInt8,
}


class Network:
    """A float model with calibration samples, and labelled ones to score it on; the samples that the ranges beside the
    model were measured on, where it has such."""

    def __init__(self, title, path, calibration, samples, labels, data, box=None):
        self.title, self.path, self.data, self.box = title, path, data, box
        self.calibration, self.samples, self.labels = calibration, samples, labels
        self.input = onnx.load(path).graph.input[0].name


def cifar(name, count=None):
    raw = np.fromfile(SHARED / "data/cifar10" / name, np.uint8).reshape(-1, 3073)[:count]
    return raw[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32), raw[:, 0]


def networks():
    training, _ = cifar("train.bin")
    calibration = training[:256]
    images, labels = cifar("test.bin")
    data = "calibrated on the first 256 images of `train.bin`, scored on the 1,017 of `test.bin`"
    yield Network("ResNet8 (models/resnet8.onnx)", ROOT / "models/resnet8.onnx", calibration / np.float32(255),
                  images / np.float32(255), labels,
                  "CIFAR-10: " + data + "; the ranges in the box are those of all 5,085 images of `train.bin`",
                  training / np.float32(255))
    yield Network("ResNet8 of MLPerf Tiny", SHARED / "models/mlperf_tiny_resnet8.onnx", calibration, images, labels,
                  "CIFAR-10, bytes 0 to 255: " + data)
    words = np.load(SHARED / "data/kws01_inputs.npz")
    yield Network("Keyword spotter of MLPerf Tiny (DS-CNN)", SHARED / "models/mlperf_tiny_kws_dscnn.onnx",
                  words["x_nchw"][:256], words["x_nchw"], words["y"],
                  "`kws01_inputs.npz`: calibrated on the first 256 samples, whose labels are not looked at, scored on all "
                  "1,000; there are no others")


class Reader(CalibrationDataReader):
    def __init__(self, name, samples):
        self.samples = iter([{name: sample[None]} for sample in samples])

    def get_next(self):
        return next(self.samples, None)


def predictions(network, path, precise, batch=128):
    """The class of every sample. Signed operator files are exact as they are and don't take the option."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if precise else levels.ORT_DISABLE_ALL
    if precise:
        options.add_session_config_entry("session.x64quantprecision", "1")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    batches = [network.samples[i : i + batch] for i in range(0, len(network.samples), batch)]
    scores = np.concatenate([session.run(None, {network.input: samples})[0] for samples in batches])
    return np.argmax(scores.reshape(len(scores), -1), axis=1)


def rounding_first(add, constants):
    """sat(rne(s_a (a - z_a) / s_c) + rne(s_b (b - z_b) / s_c) + z_c) in the place of a QLinearAdd to int8."""
    name, (a, a_scale, a_zero, b, b_scale, b_zero, c_scale, c_zero) = add.output[0], add.input
    limits = [f"{name}_{limit}" for limit in ("low", "high")]
    constants.extend(numpy_helper.from_array(np.float32(value), limit) for value, limit in zip((-128, 127), limits))
    nodes = []
    for operand, *parameters in ((a, a_scale, a_zero), (b, b_scale, b_zero)):
        nodes += [helper.make_node("DequantizeLinear", [operand, *parameters], [f"{name}_{operand}_real"]),
                  helper.make_node("Div", [f"{name}_{operand}_real", c_scale], [f"{name}_{operand}_steps"]),
                  helper.make_node("Round", [f"{name}_{operand}_steps"], [f"{name}_{operand}_rounded"])]
    return nodes + [helper.make_node("Add", [f"{name}_{a}_rounded", f"{name}_{b}_rounded"], [f"{name}_sum"]),
                    helper.make_node("Cast", [c_zero], [f"{name}_zero"], to=onnx.TensorProto.FLOAT),
                    helper.make_node("Add", [f"{name}_sum", f"{name}_zero"], [f"{name}_shifted"]),
                    helper.make_node("Clip", [f"{name}_shifted", *limits], [f"{name}_clipped"]),
                    helper.make_node("Cast", [f"{name}_clipped"], [name], to=onnx.TensorProto.INT8)]


BLOCKS = (32, 16)  # input channels that share a scale of 4-bit weights
# What a number of IBM's dlfloat16 is: sign, 6 bits of exponent, 9 of fraction; no subnormals, and the patterns of all zeros and all
# ones are 0 and NaN.
SMALL_FLOATS_OF = "symActivation,symWeight"
FRACTION, SMALLEST, LARGEST = 9, (1 + 2.0**-9) * 2.0**-31, (2 - 2.0**-8) * 2.0**32
EXACT = {"Relu", "MaxPool", "Flatten", "Reshape", "Clip", "ReduceMin", "ReduceMax", "Min", "Max", "Abs", "Where"}  # give one of their operands


def dlfloat16(values):
    """The nearest dlfloat16 numbers, ties to even, as float32: x * 2^14 less its own rounding error keeps 10 bits."""
    x = np.asarray(values, np.float32)
    large = x * np.float32(2**(23 - FRACTION) + 1)
    rounded = large - (large - x)
    return np.where(np.abs(rounded) < SMALLEST, np.float32(0), np.clip(rounded, np.float32(-LARGEST), np.float32(LARGEST)))


def rounded_nodes(name):
    """The same as nodes: NAME_wide to NAME."""
    n = lambda operator, operands, result: helper.make_node(operator, operands, [f"{name}{result}"])  # noqa: E731
    return [n("Mul", [f"{name}_wide", "dlfloat16_factor"], "_large"), n("Sub", [f"{name}_large", f"{name}_wide"], "_error"),
            n("Sub", [f"{name}_large", f"{name}_error"], "_kept"), n("Clip", [f"{name}_kept", "dlfloat16_lowest", "dlfloat16_largest"], "_clipped"),
            n("Abs", [f"{name}_clipped"], "_size"), n("Less", [f"{name}_size", "dlfloat16_smallest"], "_vanishes"),
            n("Where", [f"{name}_vanishes", "dlfloat16_zero", f"{name}_clipped"], "")]


def in_dlfloat16(model):
    """A network whose float tensors, stored and computed, are rounded to dlfloat16. Sums inside an operator are not."""
    types = {value.name: value.type.tensor_type.elem_type for value in onnx.shape_inference.infer_shapes(model).graph.value_info}
    types |= {value.name: value.type.tensor_type.elem_type for value in model.graph.output}
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(dlfloat16(numpy_helper.to_array(tensor)), tensor.name))
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        if node.op_type in EXACT:
            continue
        for number, name in enumerate(node.output):
            if types.get(name) == onnx.TensorProto.FLOAT:
                node.output[number] = f"{name}_wide"
                nodes += rounded_nodes(name)
    del model.graph.node[:], model.graph.value_info[:]
    model.graph.node.extend(nodes)
    constants = {"factor": 2**(23 - FRACTION) + 1, "lowest": -LARGEST, "largest": LARGEST, "smallest": SMALLEST, "zero": 0}
    model.graph.initializer.extend(numpy_helper.from_array(np.float32(value), f"dlfloat16_{name}") for name, value in constants.items())
    return model


def narrow(weights, block):
    """Weights [outputs, inputs, ...] on a symmetric grid of 4 bits, -7 to 7: one scale for each output channel, or for each `block` input channels of it
    at each place of the kernel, as DequantizeLinear's block_size along axis 1 has it."""
    parts = [weights] if block is None else np.split(weights, range(block, weights.shape[1], block), axis=1)
    axes = 1 if block is not None else tuple(range(1, weights.ndim))
    def rounded(part):
        scale = np.abs(part).max(axis=axes, keepdims=True) / np.float32(7)
        return np.rint(part / np.where(scale == 0, 1, scale)) * scale
    return np.concatenate([rounded(part) for part in parts], axis=1).astype(np.float32)


class Octet:
    def __init__(self, program, network, work):
        self.program, self.network, self.path = program, network, work / "octet.onnx"
        self.data, self.ranges = work / "calibration.npy", work / "ranges.json"
        np.save(self.data, network.calibration)

    def predictions(self, *options, precise, batch=128):
        done = subprocess.run([self.program, "quantize", self.network.path, "-o", self.path, *options],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return predictions(self.network, self.path, precise, batch)

    def static(self, activations, *options):
        options = ("--data", self.data, "--format", "qoperator", "--activations", activations, *options)
        return self.predictions(*options, precise=activations == "uint8")

    def wide(self, activations):
        return self.predictions("--data", self.data, "--activations", activations, precise=False)

    def dynamic(self, kinds):
        return self.predictions(f"--dynamic={kinds}", precise=False, batch=1)  # parameters are those of a batch

    def rounded_operands(self):
        """Each operand of a residual addition rounded to the step of the sum, then added; None without additions."""
        self.static("int8")
        model = onnx.load(self.path)
        if not any(node.op_type == "QLinearAdd" for node in model.graph.node):
            return None
        nodes = []
        for node in model.graph.node:
            nodes += rounding_first(node, model.graph.initializer) if node.op_type == "QLinearAdd" else [node]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        onnx.save(model, self.path)
        return predictions(self.network, self.path, False)

    def shared_operands(self, *options):
        """Both operands of every residual addition with the range of the two together, the sum with its own; None without additions."""
        additions = [node.input for node in onnx.load(self.network.path).graph.node if node.op_type == "Add"]
        self.static("int8", "--save-ranges", self.ranges)
        document = json.loads(self.ranges.read_text())
        ranges, found = document["ranges"], False
        for a, b in additions:
            if a in ranges and b in ranges:
                ranges[a] = ranges[b] = [min(ranges[a][0], ranges[b][0]), max(ranges[a][1], ranges[b][1])]
                found = True
        self.ranges.write_text(json.dumps(document))
        return self.predictions("--ranges", self.ranges, "--format", "qoperator", *options, precise=False) if found else None

    def additions_behind_sums(self):
        """The sum of the convolution before a residual addition goes there without being rounded to 8 bits: its Q and DQ are left out; None without additions."""
        self.predictions("--data", self.data, precise=True)
        model, found = onnx.load(self.path), False
        makers = {output: (number, node) for number, node in enumerate(model.graph.node) for output in node.output}
        def source(operand):
            """The place and the node of what was quantized."""
            return makers[makers[makers[operand][1].input[0]][1].input[0]]
        for node in model.graph.node:
            if node.op_type == "Add":
                last = max((0, 1), key=lambda k: source(node.input[k])[0])
                convolution = source(node.input[last])[1]
                assert convolution.op_type == "Conv"
                node.input[last], found = convolution.output[0], True
        onnx.save(model, self.path)
        return predictions(self.network, self.path, False) if found else None

    def narrow_weights(self, block=None):
        """The float network with weights of 4 bits."""
        model = onnx.load(self.network.path)
        outputs_first = {node.input[1]: node.op_type == "Conv" or any(a.name == "transB" and a.i for a in node.attribute)
                         for node in model.graph.node if node.op_type in ("Conv", "Gemm", "MatMul")}
        for tensor in model.graph.initializer:
            if tensor.name in outputs_first:
                weights = numpy_helper.to_array(tensor)
                weights = narrow(weights, block) if outputs_first[tensor.name] else narrow(weights.T, block).T
                tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(weights), tensor.name))
        onnx.save(model, self.path)
        return predictions(self.network, self.path, False)

    def small_floats(self, kinds=None):
        """Every float result rounded to dlfloat16, and so are weights: of the float network, or of a dynamic one, whose sums stay integers."""
        if kinds:
            self.dynamic(kinds)
        model = onnx.load(self.path if kinds else self.network.path)
        onnx.save(in_dlfloat16(model), self.path)
        return predictions(self.network, self.path, False, batch=1 if kinds else 128)


class Judge:
    """ONNX Runtime's quantizer."""

    def __init__(self, network, samples, work):
        self.network, self.samples = network, samples
        self.prepared, self.path = work / "prepared.onnx", work / "judge.onnx"
        quant_pre_process(str(network.path), str(self.prepared), skip_symbolic_shape=True)
        self.ranges = {}

    def ranges_for(self, calibration):
        if calibration not in self.ranges:
            method, extra = CALIBRATIONS[calibration]
            calibrator = create_calibrator(str(self.prepared), OPERATORS, str(self.path), method, extra_options=extra)
            calibrator.collect_data(Reader(self.network.input, self.samples))
            self.ranges[calibration] = calibrator.compute_data()
        return self.ranges[calibration]

    def static(self, activations, weights="int8", calibration="minmax", per_channel=True, extra=None):
        quantizer = QDQQuantizer(onnx.load(self.prepared), per_channel, False, TYPES[weights], TYPES[activations],
                                 self.ranges_for(calibration), [], [], OPERATORS, extra or {})
        onnx.save(quantizer.quantize_model(), self.path)
        return predictions(self.network, self.path, True)

    def dynamic(self, weights):
        quantize_dynamic(str(self.prepared), str(self.path), weight_type=weights)
        return predictions(self.network, self.path, False, batch=1)


class Table:
    def __init__(self, network):
        self.labels, self.float = network.labels, predictions(network, network.path, False)
        right = self.right(self.float)
        self.lines = ["| | Octet | as float | ONNX Runtime's quantizer | as float |", "|---|---|---|---|---|",
                      f"| float | {100 * right / len(self.labels):.2f} % ({right}) | | | |"]

    def right(self, classes):
        return int(np.count_nonzero(classes == self.labels))

    def cells(self, classes):
        """Top-1, and how many predictions are those of the float model."""
        if classes is None:
            return " | "
        count, total = self.right(classes), len(self.labels)
        points = 100 * (count - self.right(self.float)) / total
        return f"{100 * count / total:.2f} % ({count}, {points:+.2f}) | {np.count_nonzero(classes == self.float)}"

    def add(self, title, octet, judge=None):
        self.lines.append(f"| {title} | {self.cells(octet)} | {self.cells(judge)} |")
        print(self.lines[-1], flush=True)


def chance(a, b):
    """How likely a difference at least as large is by chance when a samples are right in one model only and b in the other:
    McNemar's test, exact."""
    a, b = int(a), int(b)  # numpy's integers would overflow
    tail = sum(math.comb(a + b, i) for i in range(min(a, b) + 1)) / 2 ** (a + b)
    return min(1.0, 2 * tail)


def summary(network, table, octet, judge):
    """The line of the default in the first table."""
    ours, theirs = octet == network.labels, judge == network.labels
    alone = np.count_nonzero(ours & ~theirs), np.count_nonzero(theirs & ~ours)
    right = " | ".join(str(table.right(classes)) for classes in (table.float, octet, judge))
    return f"| {network.title} | {len(ours)} | {right} | {alone[0]} | {alone[1]} | {chance(*alone):.2f} |"


def measure(network, program, work):
    """The network's line in the first table, and its section."""
    print(network.title, flush=True)
    octet, judge, table = Octet(program, network, work), Judge(network, network.calibration, work), Table(network)
    line = None
    if network.box is not None:
        table.add("**default**, the ranges in the box", octet.predictions("--format", "qoperator", precise=False),
                  Judge(network, network.box, work).static("int8"))
    for activations in TYPES:
        for calibration in CALIBRATIONS:
            for per in ("channel", "tensor"):
                flags = ("--calibration", calibration, *(("--per-tensor",) if per == "tensor" else ()))
                ours, theirs = octet.static(activations, *flags), None
                if CALIBRATIONS[calibration]:
                    theirs = judge.static(activations, calibration=calibration, per_channel=per == "channel")
                table.add(f"{activations}, {calibration}, weights per {per}", ours, theirs)
                line = line or summary(network, table, ours, theirs)  # the first is the default
    for activations in TYPES:
        for title, (flags, extra) in HARDWARE.items():
            known = extra and not (activations == "int8" and "Restricted" in str(extra))
            theirs = judge.static(activations, extra=extra) if known else None
            table.add(f"{activations}, {title}", octet.static(activations, *flags), theirs)
    rounded_operands = octet.rounded_operands()
    if rounded_operands is not None:
        table.add("int8, operands of additions rounded first", rounded_operands)
        table.add("int8, operands of additions with one scale", octet.shared_operands())
        table.add("int8, the same with symmetric activations", octet.shared_operands("--symmetric-activations"))
        table.add("int8, additions behind the sum of a convolution", octet.additions_behind_sums())
    table.add("uint8, uint8 weights", octet.static("uint8", "--weights", "uint8"), judge.static("uint8", "uint8"))
    table.add("int8, reduced range of the weights", octet.static("int8", "--reduce-range"))
    table.add("int16 activations", octet.wide("int16"))
    for kinds, weights in DYNAMIC.items():
        table.add(f"dynamic, {kinds}", octet.dynamic(kinds), judge.dynamic(weights))
    table.add("4-bit weights per channel, float activations", octet.narrow_weights())
    for block in BLOCKS:
        table.add(f"4-bit weights in blocks of {block} input channels, float activations", octet.narrow_weights(block))
    table.add("dlfloat16", octet.small_floats())
    table.add(f"dynamic, {SMALL_FLOATS_OF}, dlfloat16 between layers", octet.small_floats(SMALL_FLOATS_OF))
    return line, [f"## {network.title}", "", f"Data: {network.data}.", "", *table.lines, ""]


PREFACE = """# What quantization costs in accuracy

> For those who quantize networks: how many right answers does each way to quantize cost?

Made by `make accuracy` (benchmarks/accuracy.py); ONNX Runtime {version}. A cell says top-1, the number of samples that are
right, and the difference from float in points; beside it, how many predictions are those of the float model. One sample is
about 0.1 points, and a quantized network may well get a few more right by chance: how often it agrees with float says
more. `octet evaluate --baseline` tests whether a difference means anything.

- Octet: `octet quantize` with the options that the row names; what is not named is the default: int8 activations and
  weights, weights symmetric and per channel, minmax. The files are in operator format and run by ONNX Runtime, which computes
  the same integers as Octet's reference engine ([quantize.md](quantize.md#how-it-is-judged)); int16 is QDQ. Rows about the
  operands of additions, and about additions behind a sum, are the default with another residual addition
  ([chapter 5](quantization/05-residual-connections.md#2-match-the-scales)). dlfloat16 is IBM's 16-bit float, simulated: every float tensor rounded to it
  ([chapter 6](quantization/06-dynamic-quantization.md#a-16-bit-float-between-layers)). 4-bit weights are rounded to -7 to 7 steps of a scale, and nothing else
  ([chapter 7](quantization/07-hardware-guide.md#four-bits-and-blocks)).
- ONNX Runtime's quantizer: `quant_pre_process`, then QDQ with the same options on the same samples, run fused and exact. It has
  no counterpart where the cell is empty. Its dynamic quantizer has uint8 activations only: beside symWeight it has int8
  weights, beside asymWeight uint8 ones.

With the same options on the same samples the parameters are ONNX Runtime's, but for the differences that
[quantize.md](quantize.md#differences-from-onnx-runtimes-quantizer) explains. Here they are three:

- **Entropy and percentile** are other methods under the same name. ONNX Runtime's entropy, with the 128 bins that it takes
  unless told otherwise, has one candidate, the whole range: it is min-max. Its percentile cuts magnitudes, at one threshold
  for both signs; Octet's cuts either end by itself. Where Octet has fewer right in those rows, it is up to {behind} samples.
- **AveragePool**, in the two networks of MLPerf Tiny, has the scale of its input over a power of two, and in ONNX Runtime's files
  that of its input ([quantize.md](quantize.md#parameters)). Rows of pools with shared-scale have the latter too.
- **Float sums** of calibration are rounded in another order, which changes ranges in their last digit, and now and then a sample.

The default, int8 with min-max and weights per channel, on the same calibration samples: samples that are right, those that
only one of the two quantizers got right, and the probability that chance alone makes such a difference (McNemar's test).

| network | samples | float | Octet | ONNX Runtime's quantizer | Octet alone | ONNX Runtime's alone | p |
|---|---|---|---|---|---|---|---|
{summary}
"""


def most_behind(lines):
    """By how many samples Octet is behind ONNX Runtime's quantizer at most, in rows of entropy and percentile."""
    counts = [[int(n) for n in re.findall(r"\((\d+),", line)] for line in lines if re.search("entropy|percentile", line)]
    return max(0, *(judge - octet for octet, judge in counts))


def main():
    program, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    logging.getLogger().setLevel(logging.ERROR)
    if not SHARED.exists():
        sys.exit(f"there is no {SHARED}: set OCTET_SHARED to a folder with the data sets and models")
    summaries, sections = [], []
    with tempfile.TemporaryDirectory() as folder:
        for network in networks():
            line, section = measure(network, program, pathlib.Path(folder))
            summaries.append(line)
            sections += section
    preface = PREFACE.format(version=ort.__version__, behind=most_behind(sections), summary="\n".join(summaries))
    page.write_text("\n".join([preface, *sections]))


if __name__ == "__main__":
    main()
