"""Numbers of docs/QUANTIZATION_OPERATIONS.md."""

import functools
import tempfile

import numpy as np

import directed
from resnet8 import *

files = directed.directed_files


def width_range(kind):
    widths = [bounds()[step["name"]]["final"]["bits"] for step in accumulating() if step["kind"] == kind]
    return f"{min(widths)} to {max(widths)}" if len(set(widths)) > 1 else str(widths[0])


def network():
    def row(number, step):
        output, = step["outputs"]
        array = tensors()[output]
        scale, zero_point = (tensors().get(f"{output.removesuffix('_quantized')}_{part}") for part in ("scale", "zero_point"))
        inputs = ", ".join(f"`{name}`" for name in step["inputs"])
        return (number, step["operations"][0]["operator"], inputs, f"`{output}`", f"{array.dtype} {'x'.join(map(str, array.shape[1:]))}",
                "" if scale is None else real(scale), "" if zero_point is None else zero_point)
    return table(["#:", "operator", "reads", "writes", "type, C x H x W", "scale:", "zero point:"],
                 [row(number, step) for number, step in enumerate(steps().values())])


def layers():
    def row(step):
        operation = step["operations"][0]
        w, bias = (operation["inputs"][ROLES[operation["operator"]].index(role)] for role in ("w", "bias"))
        shape = lambda name: "x".join(map(str, tensors()[name].shape))
        geometry = operation["attributes"]
        return (f"`{step['outputs'][0]}`", f"`{w}`", shape(w), f"`{bias}`", shape(bias),
                f"{geometry['strides'][0]}, {geometry['pads'][0]}" if "strides" in geometry else "")
    return table(["layer that writes", "weights, int8", "shape", "bias, int32", "shape", "stride, pad"], [row(step) for step in accumulating()])


ON_SAMPLE, ON_RANDOM = ("--input", IMAGE), ("--random", "1", "--dim", "N=16")


@functools.cache
def integers(model, *options):
    """The int8 tensors of a run."""
    with tempfile.TemporaryDirectory() as folder:
        octet("run", model, *options, "--all", "--output", f"{folder}/y.npz")
        with np.load(f"{folder}/y.npz") as archive:
            return {name: archive[name] for name in archive.files if archive[name].dtype == np.int8}


def differing(a, b):
    return sum(int((a[name] != b[name]).sum()) for name in a)


def mistakes():
    names = {"truncate": "the fraction dropped", "ties-away": "ties away from zero", "onnx-reference": "products in float64, zero point before rounding",
             "fixed-single": "31-bit multiplier and shift, ties up", "fixed-double": "the same with two roundings, as TFLite",
             "onnxruntime-sse2": "QLinearAdd without fma, in another order"}
    def counts(name):
        return [whole(differing(integers(OPERATORS, *inputs), integers(OPERATORS, *inputs, "--arithmetic", name)))
                for inputs in (ON_SAMPLE, ON_RANDOM)]
    return table(["arithmetic", "what it does", "sample image:", "16 random images:"],
                 [(f"`{name}`", what, *counts(name)) for name, what in names.items()])


def other_names():
    """Activations and biases: in the operator file, and in the QDQ file."""
    rows, biases = [], {name: roles.index("bias") for name, roles in ROLES.items()}
    for ours, theirs in zip(steps(OPERATORS).values(), steps(QDQ).values(), strict=True):
        assert ours["name"] == theirs["name"] and len(ours["operations"]) == len(theirs["operations"]) == 1
        place = biases.get(ours["operations"][0]["operator"])
        names = [name for step in (ours, theirs) for name in (step["outputs"][0], step["operations"][0]["inputs"][place] if place else "")]
        rows.append([f"`{name}`" if name else "" for name in (ours["name"], *names)])
    return table(["step", "writes", "bias", "in the QDQ file: writes", "bias"], rows)


def directed_files():
    purposes = {"quantize.csv": "QuantizeLinear: x and scale to q", "requantize.csv": "accumulator, multiplier and zero point to q: QLinearConv, QLinearMatMul, QGemm",
                "multiplier.csv": "the same from the three scales", "pool.csv": "QLinearGlobalAveragePool: from the sum of x - z_x of all pixels",
                "add.csv": "QLinearAdd"}
    return table(["file", "rows:", "operation", "columns"],
                 [(f"[{name}](quantization/vectors/{name})", whole(len(directed.vectors(name)[1])), purpose,
                   ", ".join(f"`{column}`" for column in directed.vectors(name)[0])) for name, purpose in purposes.items()])


def directed_mistakes():
    counts = {mistake: [len(directed.caught(name, mistake)) or "" for name in directed.FILES] for mistake in directed.MISTAKES}
    assert all(any(row) for row in counts.values())
    return table(["mistake", "what it is", *(f"{name.removesuffix('.csv')}:" for name in directed.FILES)],
                 [(f"`{mistake}`", directed.MISTAKES[mistake], *row) for mistake, row in counts.items()])


@functools.cache
def as_written():
    """The QDQ file, node by node, against its integer program."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program.onnx"
        octet("lower", QDQ, "-o", program)
        of_program, of_file = integers(program, *ON_RANDOM), integers(QDQ, *ON_RANDOM, "--policy", "as-written")
    return {"differing": differing(of_program, of_file), "elements": sum(array.size for array in of_program.values())}
