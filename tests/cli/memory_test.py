"""Small files that ask for much memory: the command ends with an error, and stays small.

Usage: memory_test.py OCTET
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MIB = 1 << 20


def save(path, nodes, inputs, outputs, initializers):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def value(name, shape=None):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def many_constants(path):
    """200 constants of 60 MiB each, added to the input."""
    names = [f"c{i}" for i in range(200)]
    nodes = [helper.make_node("ConstantOfShape", ["shape"], [name]) for name in names]
    nodes.append(helper.make_node("Sum", ["x", *names], ["y"]))
    shape = numpy_helper.from_array(np.array([15 * MIB], dtype=np.int64), "shape")
    save(path, nodes, [value("x", [1])], [value("y")], [shape])
    assert path.stat().st_size < 10000


def one_constant(path):
    """One constant of 8 GiB."""
    shape = numpy_helper.from_array(np.array([2048 * MIB], dtype=np.int64), "s")
    save(path, [helper.make_node("ConstantOfShape", ["s"], ["y"])], [], [value("y")], [shape])
    assert path.stat().st_size < 150


def identity(path):
    save(path, [helper.make_node("Identity", ["x"], ["y"])], [value("x", ["N", 3])], [value("y")], [])


def one_file_of_many_names(path):
    """60 tensors of 48 MiB from one sparse file, each by another name."""
    with open(path.parent / "s.bin", "wb") as file:
        file.truncate(48 * MIB)
    tensors = []
    for i in range(60):
        tensor = TensorProto(name=f"w{i}", dims=[48 * MIB], data_type=TensorProto.UINT8,
                             data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="./" * i + "s.bin")
        tensors.append(tensor)
    save(path, [helper.make_node("Identity", ["x"], ["y"])], [value("x", [1])], [value("y")], tensors)


class Peak:
    """Runs a command and says its exit code, its messages and the most memory it had, in MiB."""

    def __init__(self, command, address_space=None):
        def limit():
            if address_space:
                resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=limit)
        self.text = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
        self.code = os.waitstatus_to_exitcode(status)
        self.mebibytes = usage.ru_maxrss / 1024


def check(what, peak, code, text, mebibytes):
    wrong = peak.code != code or text not in peak.text or peak.mebibytes > mebibytes
    print(f"{what}: exit {peak.code}, {peak.mebibytes:.0f} MiB, {peak.text.strip()[:120]}")
    if wrong:
        print(f"  wanted exit {code}, at most {mebibytes} MiB, a message with: {text}")
    return wrong


def main():
    octet = sys.argv[1]
    wrong = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "m.onnx"

        many_constants(model)
        wrong |= check("inspect 200 constants", Peak([octet, "inspect", model]), 0, "", 150)
        for policy in ["exact", "onnxruntime", "as-written"]:
            wrong |= check(f"lower 200 constants, {policy}", Peak([octet, "lower", model, "--policy", policy]), 0, "",
                           250)
        wrong |= check("run 200 constants", Peak([octet, "run", model, "--random", "1", "--memory", "256M"]), 2,
                       "(ConstantOfShape)", 450)

        one_constant(model)
        wrong |= check("run a constant of 8 GiB", Peak([octet, "run", model, "--memory", "1G"]), 2,
                       "8 GiB of memory are wanted", 150)
        wrong |= check("the same without the address space for it", Peak([octet, "run", model], 4096 * MIB), 2,
                       "memory", 150)

        identity(model)
        np.savez_compressed(folder / "x.npz", x=np.zeros((1, 250 * MIB), dtype=np.float32))
        assert (folder / "x.npz").stat().st_size < 1.1 * MIB
        wrong |= check("run with 1000 MiB of another shape", Peak([octet, "run", model, "--input", folder / "x.npz"]),
                       2, "the model wants float32[N,3]", 150)

        one_file_of_many_names(model)
        wrong |= check("load one file under many names", Peak([octet, "inspect", model]), 2, "external data", 500)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
