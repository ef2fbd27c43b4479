"""Networks of many nodes: no command takes time with the square of their number.

The processor time of a chain is compared with that of one with four times as many nodes: 4 times is linear, 16 times
quadratic.

Usage: scaling_test.py OCTET
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OCTET = pathlib.Path(sys.argv[1]).resolve()
SMALL, LARGE = 2_500, 10_000
MOST = 9  # times as long: between linear and quadratic
FLOOR = 0.7  # seconds: below, noise decides


def value(name, shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def save(path, nodes, inputs, outputs, constants=()):
    for number, node in enumerate(nodes):
        node.name = f"node{number}"
    arrays = [numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()]
    graph = helper.make_graph(nodes, "chain", inputs, outputs, arrays)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def float_chain(path, count):
    nodes = [helper.make_node(("Relu", "Sigmoid", "Abs")[i % 3], [f"v{i}"], [f"v{i + 1}"]) for i in range(count)]
    save(path, nodes, [value("v0", [1, 4])], [value(f"v{count}", [1, 4])])
    return f"v{count}[0,0]"


def quantized_chain(path, count):
    nodes = [helper.make_node("QLinearConv", [f"v{i}", "s", "z", "w", "s", "wz", "s", "z"], [f"v{i + 1}"]) for i in range(count)]
    shape = [1, 2, 2, 2]
    save(path, nodes, [value("v0", shape, TensorProto.UINT8)], [value(f"v{count}", shape, TensorProto.UINT8)],
         {"s": np.float32(0.1), "z": np.uint8(10), "wz": np.int8(0), "w": np.ones((2, 2, 1, 1), np.int8)})
    return f"v{count}[0,0,0,0]"


def fused_chain(path, count):
    """DequantizeLinear, Add, Relu and QuantizeLinear in turns."""
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["v0"]),
             helper.make_node("DequantizeLinear", ["c", "s", "z"], ["b"])]
    links = count // 4
    for i in range(links):
        nodes += [helper.make_node("DequantizeLinear", [f"v{i}", "s", "z"], [f"d{i}"]),
                  helper.make_node("Add", [f"d{i}", "b"], [f"a{i}"]),
                  helper.make_node("Relu", [f"a{i}"], [f"r{i}"]),
                  helper.make_node("QuantizeLinear", [f"r{i}", "s", "z"], [f"v{i + 1}"])]
    nodes.append(helper.make_node("DequantizeLinear", [f"v{links}", "s", "z"], ["y"]))
    save(path, nodes, [value("x", [1, 4])], [value("y", [1, 4])],
         {"s": np.float32(0.1), "z": np.uint8(10), "c": np.uint8([10, 20, 30, 40])})
    return f"v{links}[0,0]"


def dynamic_chain(path, count):
    nodes, links = [], count // 5
    for i in range(links):
        nodes += [helper.make_node("DynamicQuantizeLinear", [f"v{i}"], [f"q{i}", f"s{i}", f"z{i}"]),
                  helper.make_node("MatMulInteger", [f"q{i}", "w", f"z{i}"], [f"a{i}"]),
                  helper.make_node("Cast", [f"a{i}"], [f"f{i}"], to=TensorProto.FLOAT),
                  helper.make_node("Mul", [f"s{i}", "t"], [f"u{i}"]),
                  helper.make_node("Mul", [f"f{i}", f"u{i}"], [f"v{i + 1}"])]
    save(path, nodes, [value("v0", [1, 4])], [value(f"v{links}", [1, 4])],
         {"w": np.ones((4, 4), np.int8), "t": np.float32(0.1)})
    return f"v{links}[0,0]"


def epilogue_chain(path, count):
    """Clips that the fast engine applies to the results of a convolution before it stores them."""
    nodes = [helper.make_node("QLinearConv", ["x", "s", "z", "w", "s", "wz", "s", "z"], ["v0"])]
    nodes += [helper.make_node("Clip", [f"v{i}", "low", "high"], [f"v{i + 1}"]) for i in range(count - 1)]
    shape = [1, 2, 2, 2]
    save(path, nodes, [value("x", shape, TensorProto.UINT8)], [value(f"v{count - 1}", shape, TensorProto.UINT8)],
         {"s": np.float32(0.1), "z": np.uint8(10), "wz": np.int8(0), "w": np.ones((2, 2, 1, 1), np.int8),
          "low": np.uint8(5), "high": np.uint8(200)})
    return f"v{count - 1}[0,0,0,0]"


def residual_chain(path, count):
    """Convolutions with an addition behind each, every addition by the same scales."""
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["v0"]),
             helper.make_node("DequantizeLinear", ["w", "s", "wz"], ["wd"])]
    links, shape = count // 6, [1, 2, 2, 2]
    for i in range(links):
        nodes += [helper.make_node("DequantizeLinear", [f"v{i}", "s", "z"], [f"d{i}"]),
                  helper.make_node("Conv", [f"d{i}", "wd"], [f"c{i}"]),
                  helper.make_node("QuantizeLinear", [f"c{i}", "s", "z"], [f"q{i}"]),
                  helper.make_node("DequantizeLinear", [f"q{i}", "s", "z"], [f"e{i}"]),
                  helper.make_node("Add", [f"e{i}", f"d{i}"], [f"a{i}"]),
                  helper.make_node("QuantizeLinear", [f"a{i}", "s", "z"], [f"v{i + 1}"])]
    nodes.append(helper.make_node("DequantizeLinear", [f"v{links}", "s", "z"], ["y"]))
    save(path, nodes, [value("x", shape)], [value("y", shape)],
         {"s": np.float32(0.1), "z": np.uint8(10), "wz": np.int8(0), "w": np.ones((2, 2, 1, 1), np.int8)})
    return f"v{links}[0,0,0,0]"


def many_outputs(path, count):
    nodes = [helper.make_node(("Relu", "Sigmoid", "Abs")[i % 3], ["x"], [f"v{i}"]) for i in range(count)]
    save(path, nodes, [value("x", [1, 4])], [value(f"v{i}", [1, 4]) for i in range(count)])
    return "v0[0,0]"


def commands(chain, folder, model, element):
    """Every command that does something with the chain."""
    random, data = ("--random", "1"), ("--data", "data.npy", "--batch", "1")
    values, quantized = f"{model}.npz", f"8bit_{model}"
    if chain is epilogue_chain:
        yield ("run", model, *random)
        yield ("bench", model, "--seconds", "0.1")
        return
    yield ("inspect", model)
    yield ("inspect", model, "--json", "/dev/null")
    yield ("run", model, *random)
    yield ("run", model, *random, "--engine", "reference")
    yield ("run", model, *random, "--all", "-o", values)
    yield ("lower", model, "-o", "lowered.onnx")
    yield ("lower", model, "--policy", "onnxruntime")
    yield ("explain", model, element, *random)
    yield ("draw", model, "-o", "a.dot")
    yield ("draw", model, "--view", "program", "-o", "a.dot")
    yield ("bench", model, "--seconds", "0.1")
    yield ("compare", values, values, "--model", model)
    # A judge that takes no time: what the run above wrote.
    yield ("verify", model, *random, "--against", f"sh -c 'cp {folder / values} \"$3\"' judge")
    if chain in (float_chain, many_outputs):
        yield ("quantize", model, "-o", quantized, *data)
        yield ("loss", model, quantized, *data)
    if chain is not dynamic_chain and chain is not quantized_chain:
        yield ("loss", model, model, *data)
    if chain in (quantized_chain, residual_chain):
        yield ("bounds", model)
        yield ("export", model, "--c", "c")
        yield ("export", model, "--vectors", "vectors")


def processor_time(words, folder):
    process = subprocess.Popen([OCTET, *map(str, words)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{words}: exit {process.returncode}, {said}"
    return usage.ru_utime + usage.ru_stime


def main():
    wrong = 0
    for chain in (float_chain, quantized_chain, fused_chain, dynamic_chain, epilogue_chain, residual_chain, many_outputs):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sample = [1, 2, 2, 2] if chain in (quantized_chain, residual_chain) else [1, 4]
            np.save(folder / "data.npy", np.linspace(0, 1, np.prod(sample), dtype=np.float32).reshape(sample))
            elements = {count: chain(folder / f"{count}.onnx", count) for count in (SMALL, LARGE)}
            both = ((commands(chain, folder, f"{count}.onnx", elements[count])) for count in (SMALL, LARGE))
            for small, large in zip(*both):
                times = [processor_time(words, folder) for words in (small, large)]
                grown = times[1] / times[0]
                quadratic = times[1] > FLOOR and grown > MOST
                wrong += quadratic
                print(f"{chain.__name__}: {' '.join(large)}: {times[0]:.2f} s, {times[1]:.2f} s, {grown:.1f} times"
                      f"{': more than ' + str(MOST) + ' times' if quadratic else ''}", flush=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
