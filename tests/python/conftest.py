"""What all tests of the Python package share. They run in the project's root, on the networks in models/."""

import os
import pathlib
import subprocess
import sys

import pytest
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.chdir(ROOT)

FLOAT, QDQ, UINT8 = "models/resnet8.onnx", "models/resnet8_int8.onnx", "models/resnet8_uint8.onnx"
SAMPLES = "models/samples.npz"


@pytest.fixture(scope="session")
def command():
    """The command in the package that is tested."""
    import octet

    return os.path.join(os.path.dirname(octet.__file__), "octet")


@pytest.fixture(scope="session")
def ask(command):
    """What the command prints."""

    def asked(*words, code=0):
        environment = {**os.environ, "OCTET_PYTHON": sys.executable}
        done = subprocess.run([command, *map(str, words)], capture_output=True, text=True, env=environment)
        assert done.returncode == code, done.stderr
        return done.stdout

    return asked


def identity(values, op="Identity"):
    """A model with an operator from each name to name + "_out"."""
    inputs = [helper.make_tensor_value_info(name, *value) for name, value in values.items()]
    outputs = [helper.make_tensor_value_info(name + "_out", *value) for name, value in values.items()]
    nodes = [helper.make_node(op, [name], [name + "_out"]) for name in values]
    graph = helper.make_graph(nodes, "model", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def endless_loop():
    """A model that runs as long as it may."""
    state = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64])
    flag = lambda name: helper.make_tensor_value_info(name, TensorProto.BOOL, [])
    body = helper.make_graph(
        [helper.make_node("MatMul", ["s", "s"], ["t"]), helper.make_node("Identity", ["c"], ["d"])],
        "body", [helper.make_tensor_value_info("i", TensorProto.INT64, []), flag("c"), state("s")], [flag("d"), state("t")])
    most = helper.make_tensor("most", TensorProto.INT64, [], [2**60])
    always = helper.make_tensor("always", TensorProto.BOOL, [], [1])
    graph = helper.make_graph([helper.make_node("Loop", ["most", "always", "x"], ["y"], body=body)], "loop",
                              [state("x")], [state("y")], [most, always])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
