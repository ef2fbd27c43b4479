"""Numbers of docs/quantization/01-boundary-operations.md."""

import numpy as np

import directed
from resnet8 import *

TYPES = ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16"]


def quantize(x, scale, zero_point, low=-128, high=127):
    """The formula in numpy, independent of Octet."""
    t = np.fmin(np.fmax(np.float32(x) / np.float32(scale), np.float32(low - zero_point)), np.float32(high - zero_point))
    return np.rint(t).astype(np.int32) + zero_point


def parameters(tensor):
    return tensors()[f"{tensor}_scale"][()], int(tensors()[f"{tensor}_zero_point"][()])


def types():
    def row(name):
        bits, signed = int(name.strip("uint")), name[0] == "i"
        low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        since = {2: 25, 4: 21, 8: 10, 16: 21}[bits]
        return f"`{name}`", whole(low), whole(high), since
    return table(["type", "qmin:", "qmax:", "since opset:"], [row(name) for name in TYPES])


ACTIVATIONS = [name.removesuffix("_quantized") for step in steps().values() for name in step["outputs"]
               if name.endswith("_quantized")]


def activations():
    """The range that each activation's parameters can hold, and the error on the sample image of its float numbers."""
    def row(name):
        scale, zero_point = parameters(name)
        x = tensors(FLOAT)[name]
        q = quantize(x, scale, zero_point)
        inside = (q > -128) & (q < 127)
        error = np.abs(x.astype(np.float64) - float(scale) * (q - zero_point))
        return (f"`{name}`", real(scale), zero_point, f"{(-128 - zero_point) * float(scale):.4g}",
                f"{(127 - zero_point) * float(scale):.4g}", f"{error[inside].max() / float(scale):.4f}")
    return table(["activation", "scale:", "zero point:", "from:", "to:", "largest error / scale:"],
                 [row(name) for name in ACTIVATIONS if name in tensors(FLOAT)])


def weights():
    names = [step["operations"][0]["inputs"][3] for step in accumulating()]
    rows = [(f"`{name.removesuffix('_quantized')}`", "x".join(map(str, tensors()[name].shape)),
             tensors()[name.replace("_quantized", "_scale")].size,
             f"{tensors()[name.replace('_quantized', '_scale')].min():.4g}",
             f"{tensors()[name.replace('_quantized', '_scale')].max():.4g}") for name in names]
    return table(["weights", "shape:", "scales:", "smallest:", "largest:"], rows)


def count(operator):
    counted = facts("inspect", QDQ)["summary"]["operators"]
    return sum(entry["nodes"] for entry in counted if entry["op_type"] == operator)


def logits():
    q, y = tensors()["logits_quantized"][0], tensors()["logits_dequantized"][0]
    classes = "airplane automobile bird cat deer dog frog horse ship truck".split()
    return table(["class", "q:", "q - z:", "y:"],
                 [(name, a, a - parameters("logits")[1], real(b)) for name, a, b in zip(classes, q, y)])


def weight_examples():
    q, scale = (tensors()[f"conv.weight_folded_{part}"] for part in ("quantized", "scale"))
    return table(["channel c:", "q:", "scale:", "weight = q * scale:"],
                 [(c, q[c, 0, 1, 1], real(scale[c]), real(np.float32(q[c, 0, 1, 1]) * scale[c])) for c in (0, 2, 3, 5)])


def thresholds(name):
    """For each q but the smallest the smallest float32 that becomes q or more, found by bisection."""
    scale, zero_point = parameters(name)
    q = np.arange(-127, 128)
    low = np.full(255, ordered(np.float32(-1e9)), np.int64)
    high = np.full(255, ordered(np.float32(1e9)), np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        reached = quantize(number(middle), scale, zero_point) >= q
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return number(high)


def ordered(x):
    """float32 as integers of the same order."""
    bits = np.asarray(x, np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def number(integers):
    integers = np.asarray(integers, np.int64)
    return np.where(integers < 0, -integers | 0x80000000, integers).astype(np.uint32).view(np.float32)


def vectors():
    """Pixels and logits of the sample image; floats at and beside every threshold of `block3.bn2`; all integers back."""
    steps, (scale, zero_point) = thresholds("block3.bn2"), parameters("block3.bn2")
    floats = np.concatenate([np.nextafter(steps, -np.inf, dtype=np.float32), steps, tensors(FLOAT)["block3.bn2"].ravel(),
                             np.float32([np.inf, -np.inf, 1e30, -1e30, 0.0])])
    every = np.arange(-128, 128)
    logits_scale, logits_zero_point = parameters("logits")
    x = directed.cells("quantize.csv", "x")
    number = ~np.isnan(x)  # C has no literal for the others
    return {
        "directed_x": x[number], "directed_scale": directed.cells("quantize.csv", "scale")[number],
        "directed_zero_point": directed.cells("quantize.csv", "zero_point")[number], "directed_q": directed.cells("quantize.csv", "q")[number],
        "image": tensors()["image"], "image_quantized": tensors()["image_quantized"],
        "image_scale": parameters("image")[0], "image_zero_point": np.int32(parameters("image")[1]),
        "bytes": np.rint(tensors()["image"] * 255).astype(np.uint8),
        "logits_quantized": tensors()["logits_quantized"], "logits_dequantized": tensors()["logits_dequantized"],
        "logits_scale": logits_scale, "logits_zero_point": np.int32(logits_zero_point),
        "scale": scale, "zero_point": np.int32(zero_point), "thresholds": steps,
        "floats": floats, "floats_quantized": quantize(floats, scale, zero_point).astype(np.int8),
        "every": every.astype(np.int8), "every_dequantized": (every - zero_point).astype(np.float32) * scale,
    }
