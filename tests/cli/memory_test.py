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
from PIL import Image

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


def large_values(path):
    """Three values of 48 MiB, one after the other."""
    nodes = [helper.make_node("Expand", ["x", "shape"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Neg", ["b"], ["c"]), helper.make_node("ReduceSum", ["c"], ["y"], keepdims=0)]
    shape = numpy_helper.from_array(np.array([12 * MIB], dtype=np.int64), "shape")
    save(path, nodes, [value("x", [1])], [value("y", [])], [shape])


def long_lists(octet, folder):
    """What is no tensor counts, too: labels, lists, JSON, answers, a model that comes through a pipe."""
    identity(folder / "m.onnx")
    np.savez_compressed(folder / "labels.npz", x=np.zeros((1, 3), np.float32), y=np.zeros(300 * MIB, np.int8))
    assert (folder / "labels.npz").stat().st_size < MIB
    yield check("300 Mi labels of one sample",
                Peak([octet, "evaluate", folder / "m.onnx", "--data", folder / "labels.npz", "--memory", "400M"]), 2,
                "314572800 labels for 1 samples", 150)

    save(folder / "image.onnx", [helper.make_node("Flatten", ["x"], ["y"])], [value("x", [1, 3, 1, 1])], [value("y", [1, 3])], [])
    (folder / "images").mkdir()
    Image.new("RGB", (1, 1)).save(folder / "images" / "a.png")
    (folder / "list.txt").write_text("a.png 1\n" * (2 * MIB))
    yield check("a list of 2 Mi images",
                Peak([octet, "evaluate", folder / "image.onnx", "--data", folder / "images", "--labels", folder / "list.txt",
                      "--memory", "100M"]), 2, "memory", 200)

    (folder / "big.json").write_text("[" + "0," * (10 * MIB) + "0]")
    yield check("20 MiB of JSON", Peak([octet, "draw", folder / "big.json", "-o", folder / "a.dot", "--memory", "100M"]), 2,
                "memory", 200)

    (folder / "answers.txt").write_text("1\n" * (30 * MIB))
    yield check("30 Mi answers", Peak([octet, "conformance", "--answers", folder / "answers.txt", "--memory", "100M"]), 2,
                "memory", 200)

    zeros = subprocess.Popen(["head", "-c", str(600 * MIB), "/dev/zero"], stdout=subprocess.PIPE)
    yield check("600 MiB of standard input", Peak([octet, "inspect", "-", "--memory", "200M"], stdin=zeros.stdout), 2,
                "memory are wanted", 250)
    zeros.stdout.close()
    zeros.wait()

    # One array of an archive is wanted: the others are not unpacked.
    np.savez_compressed(folder / "x.npz", x=np.zeros((1, 3), np.float32), other=np.zeros(1000 * MIB, np.int8))
    np.savez(folder / "small.npz", x=np.zeros((1, 3), np.float32))
    for command, code, text in ((["run", "m.onnx", "--input", "x.npz"], 0, "other"),
                                (["evaluate", "m.onnx", "--data", "x.npz"], 2, "no labels"),
                                (["compare", "small.npz", "x.npz"], 0, ""),
                                (["export", "m.onnx", "--c", "c", "--c-vectors", "x.npz"], 2, "the model has no input other")):
        words = [folder / word if word.endswith((".onnx", ".npz")) or word == "c" else word for word in command]
        yield check(f"{command[0]} of one array of 1000 MiB", Peak([octet, *words]), code, text, 150)


def limits_are_kept(octet, folder):
    """Commands that run a network, with room for what is alive at one time and not for everything."""
    large_values(folder / "m.onnx")
    for words in (["run", "--random", "1"], ["run", "--random", "1", "--engine", "reference"], ["bench", "--seconds", "0.1"],
                  ["explain", "y[]", "--random", "1"]):
        yield check(" ".join(words), Peak([octet, words[0], folder / "m.onnx", *words[1:], "--memory", "200M"]), 0, "", 250)


class Peak:
    """Runs a command and says its exit code, its messages and the most memory it had, in MiB."""

    def __init__(self, command, address_space=None, stdin=subprocess.DEVNULL):
        def limit():
            if address_space:
                resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
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
        wrong |= any([*long_lists(octet, folder), *limits_are_kept(octet, folder)])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
