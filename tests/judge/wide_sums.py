#!/usr/bin/env python3
"""Files of ONNX Runtime's quantizer with activations of 16 bits: octet verify, and what is on integers.

    wide_sums.py OCTET

Convolutions (depthwise and 1x1 ones too), Gemm and MatMul by weights are sums of bytes, each counted once, and agree with
ONNX Runtime; MatMul of two activations stays float and says why.
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

NODE = helper.make_node
OPTIONS = [{}, {"per_channel": True}, {"extra_options": {"ActivationSymmetric": True}}, {"extra_options": {"QuantizeBias": False}},
           {"extra_options": {"UseQDQContribOps": True}}, {"extra_options": {"DedicatedQDQPair": True}}]
SUMS = {"convolutions": {"conv", "depthwise", "pointwise", "gemm"}, "attention": {"q", "k", "v", "out"}}


class Samples(CalibrationDataReader):
    def __init__(self, arrays):
        self.left = iter(arrays)

    def get_next(self):
        return next(self.left, None)


def convolutions(numbers):
    nodes = [NODE("Conv", ["x", "w1", "b1"], ["a"], name="conv", pads=[1, 1, 1, 1]), NODE("Relu", ["a"], ["r"], name="relu"),
             NODE("Conv", ["r", "w2", "b2"], ["d"], name="depthwise", group=8, pads=[1, 1, 1, 1]),
             NODE("Clip", ["d", "low", "high"], ["c"], name="clip"), NODE("Conv", ["c", "w3"], ["p"], name="pointwise"),
             NODE("GlobalAveragePool", ["p"], ["g"], name="mean"), NODE("Flatten", ["g"], ["f"], name="flat"),
             NODE("Gemm", ["f", "w4", "b4"], ["y"], name="gemm", transB=1)]
    constants = {"w1": numbers(8, 3, 3, 3), "b1": numbers(8), "w2": numbers(8, 1, 3, 3), "b2": numbers(8), "w3": numbers(4, 8, 1, 1),
                 "low": np.float32(0), "high": np.float32(6), "w4": numbers(5, 4), "b4": numbers(5)}
    return nodes, constants, [1, 3, 8, 8], [1, 5]


def attention(numbers):
    nodes = [NODE("MatMul", ["x", "w" + name], [name], name=name) for name in "qkv"]
    nodes += [NODE("Transpose", ["k"], ["t"], name="turned", perm=[0, 2, 1]), NODE("MatMul", ["q", "t"], ["s"], name="scores"),
              NODE("Softmax", ["s"], ["p"], name="softmax"), NODE("MatMul", ["p", "v"], ["m"], name="mixed"),
              NODE("MatMul", ["m", "wo"], ["y"], name="out")]
    constants = {"wq": numbers(8, 8), "wk": numbers(8, 8), "wv": numbers(8, 8), "wo": numbers(8, 6)}
    return nodes, constants, [1, 5, 8], [1, 5, 6]


def write(network, path, generator):
    def numbers(*shape):
        return (generator.normal(size=shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)

    nodes, constants, x, y = network(numbers)
    graph = helper.make_graph(nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y)],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    return [{"x": generator.normal(size=x).astype(np.float32)} for _ in range(4)]


def wrong_with(octet, path, data, network):
    environment = {**os.environ, "OCTET_PYTHON": os.environ.get("OCTET_PYTHON", sys.executable)}
    verified = subprocess.run([octet, "verify", path, "--data", data], capture_output=True, text=True, env=environment)
    if verified.returncode != 0:
        yield f"verify ends with {verified.returncode}:\n{verified.stdout}{verified.stderr}"
    facts = json.loads(subprocess.run([octet, "lower", path, "--json", "-"], capture_output=True, text=True, check=True).stdout)
    steps = {step["name"]: step for step in facts["steps"]}
    on_integers = {name for name in steps if steps[name]["integer"] and name in SUMS[network]}
    moves = {name for name in steps if name in ("flat", "turned") and steps[name]["kind"] == "move" and steps[name]["integer"]}
    if on_integers != SUMS[network] or len(moves) != 1 or facts["quantized_steps"] != len(on_integers) + len(moves):
        yield f"on integers are {sorted(on_integers | moves)}, {facts['quantized_steps']} steps, wanted {sorted(SUMS[network])} and a move"
    for name in {"scores", "mixed"} & set(steps):
        if steps[name]["kind"] != "float" or "is not a constant matrix" not in steps[name]["reason"]:
            yield f"{name} is {steps[name]['kind']}: {steps[name]['reason']}"


def main(octet):
    failed = judged = 0
    generator = np.random.default_rng(3)
    kinds = list(itertools.product(["QInt16", "QUInt16"], ["QInt8", "QUInt8", "QInt16"]))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for network in (convolutions, attention):
            samples = write(network, folder / "float.onnx", generator)
            np.savez(folder / "data.npz", **samples[0])
            for (activations, weights), options in zip(kinds, OPTIONS):
                quantize_static(folder / "float.onnx", folder / "wide.onnx", Samples(samples), quant_format=QuantFormat.QDQ,
                                activation_type=QuantType[activations], weight_type=QuantType[weights], **options)
                judged += 1
                for wrong in wrong_with(octet, folder / "wide.onnx", folder / "data.npz", network.__name__):
                    failed += 1
                    print(f"{network.__name__}, {activations}, {weights}, {options}: {wrong}")
    print(f"{judged} files, {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
