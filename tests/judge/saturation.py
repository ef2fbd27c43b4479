#!/usr/bin/env python3
"""octet verify where ONNX Runtime saturates: uint8 times int8 with the int8 side computed at run time.

    saturation.py OCTET

ONNX Runtime saturates pairs of products on x86 without VNNI. tools/as_cpu runs it as on such a CPU; where that is not possible a
judge of NumPy alone takes its place, and the test says so. Every operator that saturates must be named with its pair, the
program must be equal, and a mistake must not pass for saturation.
"""

import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
OCTET = pathlib.Path(sys.argv[1]).resolve()
DEPTH = 32

# What vpmaddubsw makes of MatMulInteger, without a line of Octet's.
NUMPY_JUDGE = """#!{python}
import sys
import numpy
with numpy.load(sys.argv[2]) as arrays:
    a, b = arrays["a"].astype(numpy.int64), arrays["b"].astype(numpy.int64)
products = a[..., :, :, None] * b[..., None, :, :]
pairs = products.reshape(*products.shape[:-2], -1, 2, products.shape[-1]).sum(axis=-2)
y = numpy.clip(pairs, -32768, 32767).sum(axis=-2)
y.flat[0] += {mistake}
with open(sys.argv[3], "wb") as file:
    numpy.savez(file, y=y.astype(numpy.int32))
"""


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs, constants=()):
    initializers = [numpy_helper.from_array(array, name) for name, array in constants]
    graph = helper.make_graph(nodes, "saturation", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def bytes_of(generator, shape, kind):
    """Large ones, so that most pairs leave 16 bits."""
    if kind == numpy.uint8:
        return generator.integers(128, 256, shape).astype(kind)
    return generator.choice([-128, -127, -100, 100, 127], shape).astype(kind)


def every_operator(folder):
    """One network with each operator that saturates, their int8 operands given at run time."""
    u8, s8, f32 = TensorProto.UINT8, TensorProto.INT8, TensorProto.FLOAT
    constants = [("one", numpy.float32(0.01)), ("az", numpy.uint8(3)), ("bz", numpy.int8(-7)), ("ys", numpy.float32(3)),
                 ("yz", numpy.uint8(120))]
    quantized = ["one", "az", "b", "one", "bz", "ys", "yz"]
    make = lambda op, inputs, output, domain="", **rest: helper.make_node(op, inputs, [output], name=op + output,
                                                                          domain=domain, **rest)
    microsoft = "com.microsoft"
    nodes = [make("MatMulInteger", ["a", "b"], "product"),
             make("MatMulInteger", ["a", "b", "az", "bt"], "shifted"),
             make("MatMulInteger", ["a", "b3", "az", "bz"], "stacked"),
             make("QLinearMatMul", ["a", *quantized], "requantized"),
             make("QLinearConv", ["x", "one", "az", "w", "one", "wz", "ys", "yz"], "convolved"),
             make("QGemm", ["a2", "one", "az", "b", "one", "bz", "", "ys", "yz"], "gemm", microsoft),
             make("MatMulIntegerToFloat", ["a", "b", "one", "one", "az", "bz"], "real", microsoft),
             make("DynamicQuantizeMatMul", ["r", "b", "one", "bz"], "dynamic", microsoft)]
    shapes = {"a": (2, 3, DEPTH), "a2": (3, DEPTH), "b": (DEPTH, 5), "b3": (2, DEPTH, 5), "x": (1, 6, 5, 5),
              "w": (4, 6, 3, 3), "r": (3, DEPTH), "bt": ()}
    kinds = {"a": u8, "a2": u8, "x": u8, "r": f32}
    inputs = [value(name, kinds.get(name, s8), shape) for name, shape in shapes.items()]
    outputs = [value("product", TensorProto.INT32, None), value("shifted", TensorProto.INT32, None),
               value("stacked", TensorProto.INT32, None), value("requantized", u8, None), value("convolved", u8, None),
               value("gemm", u8, None), value("real", f32, None), value("dynamic", f32, None)]
    save(folder / "operators.onnx", nodes, inputs, outputs, [*constants, ("wz", numpy.int8(0))])
    generator = numpy.random.default_rng(1)
    arrays = {name: bytes_of(generator, shape, numpy.uint8 if kinds.get(name) == u8 else numpy.int8)
              for name, shape in shapes.items() if name != "r"}
    arrays["r"] = generator.uniform(0.5, 1, shapes["r"]).astype(numpy.float32)
    arrays["bt"] = numpy.int8(-7)
    numpy.savez(folder / "operators.npz", **arrays)
    return arrays, [output.name for output in outputs]


def verify(folder, model, *options):
    facts = folder / "facts.json"
    facts.unlink(missing_ok=True)
    result = subprocess.run([OCTET, "verify", model, "--input", f"{pathlib.Path(model).stem}.npz", "--json", facts, *options],
                            cwd=folder, capture_output=True, text=True, check=False)
    assert facts.exists(), result.stderr
    return result.returncode, json.loads(facts.read_text())["runs"]


def check_pair(note, a, b):
    """The note of element [0, ..., 0] of a @ b names a pair that leaves 16 bits."""
    k, partner, total = map(int, re.search(r"k = (\d+) and (\d+) sum to (-?\d+)", note).groups())
    row, column = a.reshape(-1, DEPTH)[0].astype(int), b.reshape(-1, DEPTH, b.shape[-1])[0, :, 0].astype(int)
    assert partner == k + 1 and k % 2 == 0, note
    assert total == row[k] * column[k] + row[partner] * column[partner] and not -32768 <= total <= 32767, note


def with_numpy(folder):
    save(folder / "product.onnx", [helper.make_node("MatMulInteger", ["a", "b"], ["y"], name="product")],
         [value("a", TensorProto.UINT8, [2, 3, DEPTH]), value("b", TensorProto.INT8, [2, DEPTH, 5])],
         [value("y", TensorProto.INT32, [2, 3, 5])])
    generator = numpy.random.default_rng(2)
    a = bytes_of(generator, (2, 3, DEPTH), numpy.uint8)
    b = bytes_of(generator, (2, DEPTH, 5), numpy.int8)
    numpy.savez(folder / "product.npz", a=a, b=b)
    judge = folder / "numpy_judge.py"
    for mistake, verdict in ((0, "saturation"), (1, "differs")):
        judge.write_text(NUMPY_JUDGE.format(python=sys.executable, mistake=mistake))
        judge.chmod(0o755)
        code, (run,) = verify(folder, "product.onnx", "--against", f"{judge}")
        (step,) = run["steps"]
        assert code == 1 and run["verdict"] == verdict, (code, run["verdict"])
        assert step["differing"] > 20 and step["saturated"] == (0 if mistake else step["differing"]), step
        assert run["witnesses"][0]["saturated"] == (mistake == 0), run["witnesses"]
        if mistake == 0:
            check_pair(run["witnesses"][0]["note"], a, b)
            assert "differs by saturation alone" in run["summary"], run["summary"]


def python_without_vnni(folder):
    """A Python that runs as on an x86 CPU without VNNI; None where this CPU has no AVX2."""
    if platform.machine() != "x86_64" or "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        return None
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT / "tools/as_cpu/as_cpu.py"} avx2 {sys.executable} "$@"\n')
    python.chmod(0o755)
    return str(python)


def with_onnxruntime(folder, python):
    arrays, outputs = every_operator(folder)
    code, (file, program) = verify(folder, "operators.onnx", "--python", python, "--time-limit", "300")
    assert code == 1 and file["verdict"] == "saturation", (code, file["summary"])
    for step in file["steps"]:
        if step["tensor"] in outputs:
            assert step["differing"] == step["saturated"] > 0, step
    notes = {witness["tensor"]: witness["note"] for witness in file["witnesses"]}
    assert set(notes) == set(outputs), notes.keys()
    for tensor, b in (("product", "b"), ("stacked", "b3"), ("shifted", "b")):
        check_pair(notes[tensor], arrays["a"], arrays[b])
    assert program["verdict"] == "equal", program["summary"]
    return len(outputs)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with_numpy(folder)
        python = python_without_vnni(folder)
        if python:
            print(f"{with_onnxruntime(folder, python)} operators saturate in ONNX Runtime, named; their program is equal")
        else:
            print("not an x86 CPU with AVX2: ONNX Runtime was not tried, a judge of NumPy was")


if __name__ == "__main__":
    main()
