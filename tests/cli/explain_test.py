"""Holds octet explain to ONNX Runtime and to Python's fractions.

The results of random layers must be the runtime's, and every exact value that an explanation states must be the rational
number that the parameters give.

Usage: explain_test.py OCTET
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

MICROSOFT = "com.microsoft"
checked = {"elements": 0, "exact values": 0}


def fraction(text):
    """Reads "-3 / 7 * 2^-12"."""
    value, _, power = text.partition(" * 2^")
    top, _, bottom = value.partition(" / ")
    return Fraction(int(top), int(bottom or 1)) * Fraction(2) ** int(power or 0)


def exact(value):
    return Fraction(float(value))


class Layer:
    """One node on random tensors, as a model, with the runtime's answer."""

    def __init__(self, folder, op, inputs, attributes, exact_values):
        self.exact_values = exact_values
        self.model, self.data = folder / f"{op}.onnx", folder / f"{op}.npz"
        graph_inputs = {name: array for name, array in inputs if name in ("x", "a", "b")}
        node = helper.make_node(op, [name for name, _ in inputs], ["y"], name="node",
                                domain="" if op in ("QLinearConv", "QLinearMatMul", "QuantizeLinear") else MICROSOFT,
                                **attributes)
        graph = helper.make_graph(
            [node], "layer",
            [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
             for n, a in graph_inputs.items()],
            [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)],
            [onnx.numpy_helper.from_array(a, n) for n, a in inputs if n not in graph_inputs])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)],
                                  ir_version=8)
        # The output's type is the operator's own business.
        model.graph.output[0].type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(
            dict(inputs)["z" if op == "QuantizeLinear" else "yz"].dtype)
        onnx.save(model, self.model)
        np.savez(self.data, **graph_inputs)
        self.want = onnxruntime.InferenceSession(self.model, providers=["CPUExecutionProvider"]).run(None, graph_inputs)[0]

    def explain(self, octet, index):
        done = subprocess.run([octet, "explain", self.model, f"y[{','.join(map(str, index))}]", "--input", self.data,
                               "--json", "-"], text=True, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def check(self, octet, index):
        told = self.explain(octet, index)
        assert told["result"] == self.want[index], (self.model.name, index, told["result"], self.want[index])
        checked["elements"] += 1
        lines = {}
        for section in told["operations"][-1]["sections"]:
            for line in section["lines"]:
                if line["label"]:
                    lines[line["label"]] = line
        for label, value in self.exact_values(index, told).items():
            found = lines[label]["exact"]
            assert fraction(found["fraction"]) == value, (self.model.name, index, label, found, value)
            digits = found["decimal"].replace("…", "")
            assert abs(Fraction(digits) - value) <= abs(value) / 10**15, (label, found)
            checked["exact values"] += 1


def integers(rng, dtype, shape=()):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def scale(rng, low, high, shape=()):
    return rng.uniform(low, high, shape).astype(np.float32)


def convolution(folder, rng, largest=64):
    x, w = integers(rng, np.uint8, (1, 3, 6, 6)), rng.integers(-largest, largest + 1, (4, 3, 3, 3)).astype(np.int8)
    xs, ws, ys = scale(rng, .01, .1), scale(rng, .001, .02, (4,)), scale(rng, .1, .6)
    xz, yz = integers(rng, np.uint8), integers(rng, np.uint8)
    bias = rng.integers(-3000, 3000, 4).astype(np.int32)
    padded = np.pad(x.astype(np.int64) - int(xz), ((0, 0), (0, 0), (1, 1), (1, 1)))

    def values(index, _):
        n, m, i, j = index
        acc = int((padded[n, :, i:i + 3, j:j + 3] * w[m]).sum() + bias[m])
        multiplier = exact(xs) * exact(ws[m]) / exact(ys)
        return {"M": multiplier, "t": acc * multiplier, "x_scale": exact(xs)}

    return Layer(folder, "QLinearConv", [("x", x), ("xs", xs), ("xz", xz), ("w", w), ("ws", ws), ("wz", np.zeros(4, np.int8)),
                                         ("ys", ys), ("yz", yz), ("bias", bias)], {"pads": [1, 1, 1, 1]}, values)


def binary(op, folder, rng):
    a, b = integers(rng, np.int8, (3, 4)), integers(rng, np.int8, (3, 4))
    sa, sb, sc = scale(rng, .01, .1), scale(rng, .01, .1), scale(rng, .01, .1)
    za, zb, zc = (integers(rng, np.int8) for _ in range(3))

    def values(index, _):
        p, q = exact(sa) * (int(a[index]) - int(za)), exact(sb) * (int(b[index]) - int(zb))
        if op == "QLinearAdd":
            return {"t": (p + q) / exact(sc) + int(zc), "MA": exact(sa) / exact(sc)}
        return {"M": exact(sa) * exact(sb) / exact(sc), "t": p * q / exact(sc)}

    return Layer(folder, op, [("a", a), ("sa", sa), ("za", za), ("b", b), ("sb", sb), ("zb", zb), ("sc", sc), ("yz", zc)],
                 {}, values)


def pool(op, folder, rng):
    x = integers(rng, np.uint8, (1, 2, 4, 4))
    xs, ys, xz, yz = scale(rng, .01, .1), scale(rng, .01, .1), integers(rng, np.uint8), integers(rng, np.uint8)

    def values(index, _):
        n, c, i, j = index
        window = x[n, c] if op == "QLinearGlobalAveragePool" else x[n, c, 2 * i:2 * i + 2, 2 * j:2 * j + 2]
        total = int((window.astype(np.int64) - int(xz)).sum())
        return {"t": exact(xs) * total / window.size / exact(ys)}

    attributes = {} if op == "QLinearGlobalAveragePool" else {"kernel_shape": [2, 2], "strides": [2, 2]}
    return Layer(folder, op, [("x", x), ("xs", xs), ("xz", xz), ("ys", ys), ("yz", yz)], attributes, values)


def quantize(folder, rng):
    x, s, z = rng.normal(0, 2, (3, 4)).astype(np.float32), scale(rng, .01, .1), integers(rng, np.int8)
    return Layer(folder, "QuantizeLinear", [("x", x), ("s", s), ("z", z)], {},
                 lambda index, _: {"t": exact(x[index]) / exact(s)})


def matmul(folder, rng, largest=64):
    a, b = integers(rng, np.uint8, (3, 31)), rng.integers(-largest, largest + 1, (31, 4)).astype(np.int8)
    sa, sb, ys = scale(rng, .01, .1), scale(rng, .01, .1, (4,)), scale(rng, 1, 3)
    za, yz = integers(rng, np.uint8), integers(rng, np.uint8)

    def values(index, _):
        acc = int((a[index[0]].astype(np.int64) - int(za)) @ b[:, index[1]].astype(np.int64))
        multiplier = exact(sa) * exact(sb[index[1]]) / exact(ys)
        return {"M": multiplier, "t": acc * multiplier}

    return Layer(folder, "QLinearMatMul", [("a", a), ("sa", sa), ("za", za), ("b", b), ("sb", sb), ("zb", np.zeros(4, np.int8)),
                                           ("ys", ys), ("yz", yz)], {}, values)


def check_saturation(octet, layer, picks):
    """On this processor the runtime saturates pairs of products, or it does not: one rule explains every element."""
    runtime, exact_rule, saturating = [], [], []
    for index in picks.sample(list(np.ndindex(layer.want.shape)), 12):
        told = layer.explain(octet, index)
        runtime.append(layer.want[index])
        exact_rule.append(told["result"])
        saturating += [a["result"] for a in told["operations"][-1]["alternatives"] if a["rule"].startswith("AVX2")]
    assert exact_rule != saturating, (layer.model.name, "no pair saturates: another seed is needed")
    assert runtime in (exact_rule, saturating), (layer.model.name, runtime, exact_rule, saturating)
    return "saturates" if runtime == saturating else "is exact"


def main():
    octet, rng = sys.argv[1], np.random.default_rng(1)
    kinds = [convolution, matmul, quantize] + [
        lambda f, r, op=op, make=make: make(op, f, r)
        for make, op in ((binary, "QLinearAdd"), (binary, "QLinearMul"), (pool, "QLinearAveragePool"),
                         (pool, "QLinearGlobalAveragePool"))]
    picks = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            for kind in kinds:
                layer = kind(pathlib.Path(folder), rng)
                for index in picks.sample(list(np.ndindex(layer.want.shape)), min(4, layer.want.size)):
                    layer.check(octet, index)
        layers = [make(pathlib.Path(folder), rng, 127) for make in (convolution, matmul)]
        print("ONNX Runtime", ", ".join(f"{check_saturation(octet, layer, picks)} in {layer.model.stem}" for layer in layers))
    print(", ".join(f"{count} {what}" for what, count in checked.items()), "agree")


if __name__ == "__main__":
    main()
