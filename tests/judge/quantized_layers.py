"""Layers of unusual form that octet quantize turns into integer steps, judged by ONNX Runtime.

Usage: quantized_layers.py OCTET

Each small network is quantized in several ways. Its program must have the integer operators expected, be equal to ONNX
Runtime's by `octet verify`, and be close to the float network.
"""

import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from quantizer import run, unoptimized


STATIC = ("--format qdq", "--format qoperator", "--activations uint8")
DYNAMIC = ("--dynamic", "--dynamic --per-channel", "--dynamic=asymWeight", "--dynamic=asymWeight --per-channel", "--dynamic --activations uint8")


class Network:
    """x through nodes (operator, inputs, output, attributes), the last of which makes y."""

    def __init__(self, title, steps, x, nodes, ways=STATIC, **shapes):
        self.title, self.steps, self.nodes, self.ways = title, steps, nodes, ways
        random = np.random.default_rng(4)
        self.x = random.normal(size=x).astype(np.float32)
        self.constants = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}

    def save(self, path, data):
        nodes = [helper.make_node(op, inputs, [output], name=output, **attributes) for op, inputs, output, attributes in self.nodes]
        graph = helper.make_graph(
            nodes, "layers", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.x.shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(np.asarray(value), name) for name, value in self.constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)
        np.save(data, self.x)


NETWORKS = [
    # Nothing is rounded to 8 bits between the product and the bias, or before the Relu.
    Network("MatMul and the Add of a row", {"QGemm": 2}, (32, 5, 16),
            [("MatMul", ["x", "w"], "p", {}), ("Add", ["p", "b"], "s", {}), ("Relu", ["s"], "r", {}), ("MatMul", ["r", "v"], "q", {}),
             ("Add", ["c", "q"], "y", {})], w=(16, 16), v=(16, 8), b=16, c=8),
    Network("Conv with computed weights", {"QLinearConv": 1, "QLinearMatMul": 1}, (8, 3, 9, 9),
            [("MatMul", ["x", "w"], "p", {}), ("Slice", ["p", "begin", "end", "axes"], "kernels", {}),
             ("Conv", ["x", "kernels", "b"], "y", {"pads": [1, 1, 1, 1]})], w=(9, 3), b=4),
    Network("MatMul of a constant and an activation", {"QLinearMatMul": 1}, (32, 16, 5), [("MatMul", ["w", "x"], "y", {})], w=(8, 16)),
    Network("LSTM", {"DynamicQuantizeLSTM": 1}, (6, 4, 5),
            [("LSTM", ["x", "w", "r", "b"], "y", {"hidden_size": 3, "direction": "bidirectional", "layout": 0})], DYNAMIC,
            w=(2, 12, 5), r=(2, 12, 3), b=(2, 24)),
]
NETWORKS[1].constants.update(begin=np.array([0, 0], np.int64), end=np.array([4, 3], np.int64), axes=np.array([0, 2], np.int64))


def is_fine(octet, work, network, way):
    model, data, quantized = work / "float.onnx", work / "x.npy", work / "quantized.onnx"
    network.save(model, data)
    run(octet, "quantize", model, "-o", quantized, *way.split(), *(() if "--dynamic" in way else ("--data", data)))
    run(octet, "verify", quantized, "--input", data, "--python", sys.executable)
    program = json.loads(run(octet, "lower", quantized, "--json", "-"))
    found = [operation["operator"] for step in program["steps"] for operation in step["operations"]]
    # By Octet, which verify has found equal: ONNX Runtime saturates DynamicQuantizeLSTM on CPUs without VNNI unless told otherwise.
    run(octet, "run", quantized, "--input", data, "-o", work / "y.npz")
    real, ours = unoptimized(model).run(None, {"x": network.x})[0], np.load(work / "y.npz")["y"]
    noise = np.linalg.norm(ours - real) / np.linalg.norm(real)
    fine = all(found.count(op) == count for op, count in network.steps.items()) and noise < 0.02
    print(f"{'ok' if fine else 'FAILED'}: {network.title}, {way}: {noise:.4f} of the signal is noise; {', '.join(found)}")
    return fine


def main(octet):
    with tempfile.TemporaryDirectory() as folder:
        results = [is_fine(octet, pathlib.Path(folder), network, way) for network in NETWORKS for way in network.ways]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
