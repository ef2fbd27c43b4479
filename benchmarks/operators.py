"""Measures operators alone, most of them on 65,536 elements, in Octet beside ONNX Runtime, and prints a table, worst ratio first.

Usage: operators.py OCTET [--as CPU] [--seconds SECONDS] [--only TEXT ...] [--save FOLDER]

Every row is one `octet bench` on one thread, in which both run by turns on the same random inputs; the least times count. With
`--as avx2` both believe that the CPU has AVX2 and neither AVX-512 nor VNNI (tools/as_cpu). `--only` takes the operators whose
names contain one of the texts. `--save` keeps the networks and their inputs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[1]
MICROSOFT = {"Gelu": "com.microsoft", "MatMulNBits": "com.microsoft"}
IMAGE = (1, 64, 32, 32)  # 65,536 elements, as all of these shapes have
WIDE = (256, 256)
TOKENS = (1, 128, 512)
HEADS = (1, 8, 128, 64)


class Network:
    """Nodes are added by calling their operators: network.Add(a, b). An array among the inputs is a constant."""

    def __init__(self):
        self.random = np.random.default_rng(30)
        self.nodes, self.constants, self.inputs = [], [], {}

    def input(self, array):
        array = np.asarray(array)
        self.inputs[f"x{len(self.inputs)}"] = array
        return f"x{len(self.inputs) - 1}"

    def floats(self, *shape):
        return self.random.standard_normal(shape, dtype=np.float32)

    def bytes(self, *shape, type=np.uint8):
        info = np.iinfo(type)
        return self.random.integers(info.min, info.max + 1, shape, dtype=type)

    def image(self, *shape):
        return self.input(self.floats(*(shape or IMAGE)))

    def named(self, argument):
        if argument is None or isinstance(argument, str):
            return argument or ""
        self.constants.append(numpy_helper.from_array(np.asarray(argument), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def __getattr__(self, operator):
        def add(*arguments, results=1, domain=None, **attributes):
            names = [f"y{len(self.nodes)}_{k}" for k in range(results)]
            domain = MICROSOFT.get(operator, "") if domain is None else domain
            inputs = [self.named(argument) for argument in arguments]
            self.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
            return names[0] if results == 1 else names

        return add

    def save(self, outputs, stem):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                  for name, array in self.inputs.items()]
        results = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, stem.name, inputs, results, self.constants)
        model = helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)])
        model = onnx.shape_inference.infer_shapes(model)
        for output in model.graph.output:  # of operators that the onnx package does not know
            if not output.type.HasField("tensor_type"):
                output.type.tensor_type.elem_type = TensorProto.FLOAT
        onnx.save(model, stem.with_suffix(".onnx"))
        np.savez(stem.with_suffix(".npz"), **self.inputs)


def unary(operator, **attributes):
    return lambda n: getattr(n, operator)(n.image(), **attributes)


def quantized(n, x, scale=0.02, zero_point=np.uint8(128)):
    """x, quantized and dequantized."""
    parameters = np.float32(scale), zero_point
    return n.DequantizeLinear(n.QuantizeLinear(x, *parameters), *parameters)


def weights(n, *shape, type=np.int8, **attributes):
    return n.DequantizeLinear(n.bytes(*shape, type=type), np.float32(0.01), np.zeros((), type), **attributes)


def silu(n, x):
    return n.Mul(x, n.Sigmoid(x))


def quantized_silu(n):
    return n.QuantizeLinear(silu(n, n.image()), np.float32(0.02), np.uint8(10))


def dynamic_convolution(n):
    """As in a YOLO network that was quantized dynamically: convolution, bias, SiLU."""
    x, scale, zero_point = n.DynamicQuantizeLinear(n.image(), results=3)
    acc = n.Cast(n.ConvInteger(x, n.bytes(64, 64, 3, 3, type=np.int8), zero_point, np.int8(0), pads=[1] * 4), to=TensorProto.FLOAT)
    return silu(n, n.Add(n.Mul(acc, n.Mul(scale, np.float32(0.001))), n.floats(1, 64, 1, 1)))


def dynamic_product(n, k, m):
    x, scale, zero_point = n.DynamicQuantizeLinear(n.image(1, k), results=3)
    acc = n.Cast(n.MatMulInteger(x, n.bytes(k, m, type=np.int8), zero_point, np.int8(0)), to=TensorProto.FLOAT)
    return n.Mul(acc, n.Mul(scale, np.float32(0.001)))


def greater_where(n):
    x = n.image()
    return n.Where(n.Greater(x, np.float32(0.1)), x, n.image())


def qlinear_matmul(n):
    a, b = n.input(n.bytes(8, 128, 64)), n.input(n.bytes(8, 64, 128, type=np.int8))
    return n.QLinearMatMul(a, np.float32(0.02), np.uint8(128), b, np.float32(0.02), np.int8(0), np.float32(0.1), np.uint8(128))


def mat_mul_n_bits(n, rows, bits, size=512, block=32):
    return n.MatMulNBits(n.image(rows, size), n.bytes(size, size // block, block * bits // 8),
                         np.abs(n.floats(size * size // block)), K=size, N=size, bits=bits, block_size=block)


def recurrent(operator, gates):
    def add(n):
        hidden, size, steps = 64, 64, 32
        return getattr(n, operator)(n.image(steps, 1, size), n.floats(1, gates * hidden, size) / 8,
                                    n.floats(1, gates * hidden, hidden) / 8, n.floats(1, 2 * gates * hidden), hidden_size=hidden)
    return add


def masked_softmax(n):
    return n.Softmax(n.Add(n.image(1, 4, 128, 128), n.input(np.where(np.tri(128) > 0, 0, -1e9).astype(np.float32))))


def sixteen_bit_product(n):
    x = quantized(n, n.image(128, 512), 1e-4, np.uint16(32768))
    return quantized(n, n.MatMul(x, weights(n, 512, 512)), 0.01, np.uint16(32768))


def sixteen_bit_convolution(n):
    x = quantized(n, n.image(), 1e-4, np.uint16(32768))
    return quantized(n, n.Conv(x, weights(n, 64, 64, 3, 3), pads=[1] * 4), 0.01, np.uint16(32768))


def resize(mode, **attributes):
    return lambda n: n.Resize(n.image(1, 64, 16, 16), None, np.float32([1, 1, 2, 2]), mode=mode, **attributes)


def reduced(operator, shape, axes, **attributes):
    return lambda n: getattr(n, operator)(n.image(*shape), np.int64(axes), **attributes)


def normalized(operator, *extra, shape=IMAGE, channels=64, **attributes):
    return lambda n: getattr(n, operator)(n.image(*shape), n.floats(channels), *[n.floats(channels) for _ in extra], **attributes)


OPERATORS = {
    **{name: unary(name) for name in ("Exp", "Sigmoid", "Tanh", "Erf", "Gelu", "Sqrt", "Abs", "HardSwish", "HardSigmoid", "Relu",
                                      "Neg", "Softplus", "Mish", "Elu", "Log", "Reciprocal")},
    "LeakyRelu": unary("LeakyRelu", alpha=0.1),
    "Clip": lambda n: n.Clip(n.image(), np.float32(0), np.float32(6)),
    "SiLU": lambda n: silu(n, n.image()),
    "SiLU, QuantizeLinear": quantized_silu,
    "HardSwish, QuantizeLinear": lambda n: n.QuantizeLinear(n.HardSwish(n.image()), np.float32(0.02), np.uint8(10)),
    "ConvInteger, SiLU": dynamic_convolution,
    "Pow(x, 2)": lambda n: n.Pow(n.image(), np.float32(2)),
    "Pow(|x|, 0.5)": lambda n: n.Pow(n.input(np.abs(n.floats(*IMAGE))), np.float32(0.5)),
    "Add": lambda n: n.Add(n.image(), n.image()),
    "Mul by channel": lambda n: n.Mul(n.image(), n.input(n.floats(1, 64, 1, 1))),
    "Mul by last axis": lambda n: n.Mul(n.image(*TOKENS), n.input(n.floats(512))),
    "Div by a number": lambda n: n.Div(n.image(), np.float32(3)),
    "PRelu by channel": lambda n: n.PRelu(n.image(), n.floats(64, 1, 1)),
    "Greater, Where": greater_where,
    "Where by a mask": lambda n: n.Where(n.input(n.bytes(128, 512) > 127), n.image(*TOKENS), np.float32(-1)),
    "Equal": lambda n: n.Equal(n.image(), n.image()),
    "Cast from uint8": lambda n: n.Cast(n.input(n.bytes(*IMAGE)), to=TensorProto.FLOAT),
    "BatchNormalization": lambda n: n.BatchNormalization(n.image(), n.floats(64), n.floats(64), n.floats(64), np.abs(n.floats(64))),
    "LayerNormalization": normalized("LayerNormalization", 1, shape=TOKENS, channels=512),
    "RMSNormalization": normalized("RMSNormalization", shape=TOKENS, channels=512),
    "InstanceNormalization": normalized("InstanceNormalization", 1),
    "GroupNormalization": normalized("GroupNormalization", 1, num_groups=8),
    "Softmax": lambda n: n.Softmax(n.image(*WIDE)),
    "Softmax with a mask": masked_softmax,
    "Softmax over channels": lambda n: n.Softmax(n.image(), axis=1),
    "LogSoftmax": lambda n: n.LogSoftmax(n.image(*WIDE)),
    **{f"{name}, last axis": reduced(name, WIDE, [-1]) for name in ("ReduceMax", "ReduceMean", "ReduceSum", "ReduceL2")},
    **{f"{name}, channels": reduced(name, IMAGE, [1]) for name in ("ReduceMax", "ReduceMean")},
    "ReduceMean, image": reduced("ReduceMean", IMAGE, [2, 3]),
    "GlobalAveragePool": unary("GlobalAveragePool"),
    "ArgMax, last axis": lambda n: n.ArgMax(n.image(*WIDE), axis=-1),
    "ArgMax, channels": lambda n: n.ArgMax(n.image(), axis=1),
    "TopK": lambda n: n.TopK(n.image(*WIDE), np.int64([10]), results=2),
    "CumSum": lambda n: n.CumSum(n.image(*WIDE), np.int64(1)),
    "Transpose to NHWC": lambda n: n.Transpose(n.image(), perm=[0, 2, 3, 1]),
    "Transpose of heads": lambda n: n.Transpose(n.image(1, 128, 8, 64), perm=[0, 2, 1, 3]),
    "Transpose of keys": lambda n: n.Transpose(n.image(1, 128, 8, 64), perm=[0, 2, 3, 1]),
    "Pad": lambda n: n.Pad(n.image(), np.int64([0, 0, 1, 1, 0, 0, 1, 1])),
    "Pad, reflect": lambda n: n.Pad(n.image(), np.int64([0, 0, 1, 1, 0, 0, 1, 1]), mode="reflect"),
    "Concat, channels": lambda n: n.Concat(n.image(1, 32, 32, 32), n.image(1, 32, 32, 32), axis=1),
    "Concat, last axis": lambda n: n.Concat(n.image(1024, 32), n.image(1024, 32), axis=1),
    "Split, channels": lambda n: n.Split(n.image(), axis=1, num_outputs=2, results=2),
    "Split, last axis": lambda n: n.Split(n.image(*TOKENS), axis=2, num_outputs=4, results=4),
    "Slice": lambda n: n.Slice(n.image(), np.int64([0, 0]), np.int64([32, 16]), np.int64([1, 3])),
    "Slice by two": lambda n: n.Slice(n.image(), np.int64([0, 0]), np.int64([32, 32]), np.int64([2, 3]), np.int64([2, 2])),
    "Gather, rows": lambda n: n.Gather(n.floats(1000, 512), n.input(n.random.integers(0, 1000, (1, 128)))),
    "Gather, last axis": lambda n: n.Gather(n.image(*TOKENS), n.random.permutation(512), axis=2),
    "Expand": lambda n: n.Expand(n.image(1, 64, 1, 1), np.int64(IMAGE)),
    "Tile": lambda n: n.Tile(n.image(1, 16, 32, 32), np.int64([1, 4, 1, 1])),
    "DepthToSpace": lambda n: n.DepthToSpace(n.image(), blocksize=2),
    "Resize, nearest": resize("nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    "Resize, linear": resize("linear"),
    "MaxPool": lambda n: n.MaxPool(n.image(), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    "Conv": lambda n: n.Conv(n.image(), n.floats(64, 64, 3, 3), pads=[1] * 4),
    "ConvTranspose": lambda n: n.ConvTranspose(n.image(1, 32, 16, 16), n.floats(32, 16, 2, 2), strides=[2, 2]),
    "LSTM": recurrent("LSTM", 4),
    "GRU": recurrent("GRU", 3),
    "Attention": lambda n: n.Attention(n.image(*HEADS), n.image(*HEADS), n.image(*HEADS)),
    "MatMul, constant": lambda n: n.MatMul(n.image(128, 512), n.floats(512, 512)),
    "MatMul, run time": lambda n: n.MatMul(n.image(1, 8, 128, 64), n.image(1, 8, 64, 128)),
    "Gemm, one row": lambda n: n.Gemm(n.image(1, 1024), n.floats(1024, 1024), n.floats(1024), transB=1),
    "QLinearMatMul, run time": qlinear_matmul,
    "MatMulInteger, one row": lambda n: dynamic_product(n, 1024, 1024),
    "MatMulNBits, 4 bits, one row": lambda n: mat_mul_n_bits(n, 1, 4),
    "MatMulNBits, 4 bits": lambda n: mat_mul_n_bits(n, 128, 4),
    "MatMulNBits, 8 bits, one row": lambda n: mat_mul_n_bits(n, 1, 8),
    "DequantizeLinear, MatMul": lambda n: n.MatMul(n.image(128, 512), weights(n, 512, 512)),
    "DequantizeLinear in blocks, MatMul, one row": lambda n: n.MatMul(n.image(1, 512), n.DequantizeLinear(
        n.bytes(512, 512, type=np.int8), np.abs(n.floats(16, 512)), axis=0, block_size=32)),
    "DequantizeLinear": lambda n: n.DequantizeLinear(n.input(n.bytes(*IMAGE)), np.float32(0.02), np.uint8(128)),
    "DequantizeLinear, last axis": lambda n: n.DequantizeLinear(
        n.input(n.bytes(*TOKENS)), np.abs(n.floats(512)), n.bytes(512), axis=2),
    "QuantizeLinear": lambda n: n.QuantizeLinear(n.image(), np.float32(0.02), np.uint8(128)),
    "QDQ MatMul, 16 bits": sixteen_bit_product,
    "QDQ Conv, 16 bits": sixteen_bit_convolution,
}


def measure(octet, way, stem, seconds):
    """Nanoseconds of a run in Octet and in ONNX Runtime, and why Octet has no kernel for a step, where it has none."""
    command = [*way, octet, "bench", stem.with_suffix(".onnx"), "--against", "onnxruntime", "--input", stem.with_suffix(".npz"),
               "--seconds", seconds, "--json", "-"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, "OCTET_PYTHON": sys.executable})
    if done.returncode:
        return None, None, done.stderr.strip().splitlines()[-1]
    measurement, = json.loads(done.stdout)["measurements"]
    ours, theirs = measurement["contenders"][:2]
    if "refusal" in theirs:
        return ours["least_ns"], None, theirs["refusal"]
    slowest = max(measurement["steps"], key=lambda step: step["nanoseconds"], default={"kernel": ""})
    return ours["least_ns"], theirs["least_ns"], slowest["kernel"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--as", dest="cpu")
    parser.add_argument("--seconds", default="0.1")
    parser.add_argument("--only", nargs="+", default=[""])
    parser.add_argument("--save", type=pathlib.Path)
    chosen = parser.parse_args()
    way = [sys.executable, ROOT / "tools/as_cpu/as_cpu.py", chosen.cpu] if chosen.cpu else []
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.save or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for title, build in OPERATORS.items():
            if not any(text in title for text in chosen.only):
                continue
            network, stem = Network(), folder / "".join(letter if letter.isalnum() else "_" for letter in title)
            network.save(build(network), stem)
            rows.append((title, *measure(chosen.octet.resolve(), way, stem, chosen.seconds)))
    rows.sort(key=lambda row: -row[1] / row[2] if row[1] and row[2] else float("-inf"))
    print("| operator | Octet, us | ONNX Runtime, us | Octet / ONNX Runtime | slowest step |\n|---|--:|--:|--:|---|")
    for title, ours, theirs, kernel in rows:
        times = [f"{ns / 1000:.1f}" if ns else "" for ns in (ours, theirs)]
        print(f"| {title} | {times[0]} | {times[1]} | {f'{ours / theirs:.2f}' if ours and theirs else ''} | {kernel} |")


if __name__ == "__main__":
    main()
