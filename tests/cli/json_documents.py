"""Runs every command of octet with --json in many forms, on small models and drawn pictures."""

import collections
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures, write_cifar  # noqa: E402

INT8, UINT8, FLOAT, OPERATORS = (ROOT / f"models/{name}.onnx" for name in
                                 ("resnet8_int8", "resnet8_uint8", "resnet8", "resnet8_int8_qoperator"))

Document = collections.namedtuple("Document", "command arguments code text")

# A judge that is Octet itself, told apart from it by what it does to the tensors afterwards.
JUDGE = """
import json, subprocess, sys
import numpy
how, octet, model, inputs, outputs = sys.argv[1:]
subprocess.run([octet, "run", model, "--input", inputs, "--output", outputs, "--all"], check=True, stdout=subprocess.DEVNULL)
tensors = dict(numpy.load(outputs))
if how == "off":
    tensors["relu_q"] = tensors["relu_q"] ^ 1
    tensors["scores"] = numpy.full_like(tensors["scores"], numpy.inf)
if how == "typed":
    tensors["sum_q"] = tensors["sum_q"].astype(numpy.int16)
if how == "silent":
    del tensors["scores"]
numpy.savez(outputs, **tensors)
json.dump({"runtime": "Octet itself", "made_by": {"sum_q": "Add"}, "operators": {"Conv": 1}}, open(outputs + ".json", "w"))
"""


def save(path, nodes, inputs, outputs, initializers=(), functions=(), **more):
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1), helper.make_opsetid("com.microsoft", 1)]
    values = [[helper.make_tensor_value_info(*value) for value in values] for values in (inputs, outputs)]
    graph = helper.make_graph(nodes, path.stem, *values, list(initializers))
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions), **more)
    helper.set_model_props(model, {"color": "gr\u00fcn", "quoted \"\n": "\\"})
    onnx.save(model, path)


def write_constants(path, more=()):
    """A constant of every kind of number that Octet computes with, and `more`."""
    values = {"float": (TensorProto.FLOAT, [0.1, float("nan"), float("inf"), float("-inf"), -0.0]),
              "double": (TensorProto.DOUBLE, [0.1, float("nan")]), "half": (TensorProto.FLOAT16, [65504, float("-inf")]),
              "largest": (TensorProto.UINT64, [2**64 - 1]), "smallest": (TensorProto.INT64, [-2**63]),
              "flags": (TensorProto.BOOL, [True, False]), "nothing": (TensorProto.FLOAT, []),
              "all nan": (TensorProto.FLOAT, [float("nan")]), **dict(more)}
    save(path, [helper.make_node("Identity", [name], [name + " out"]) for name in values], [],
         [(name + " out", kind, [len(elements)]) for name, (kind, elements) in values.items()],
         [helper.make_tensor(name, kind, [len(elements)], elements) for name, (kind, elements) in values.items()])


def write_rare(path):
    """What few models have: a function, graphs in attributes, blocks, tensors and strings in attributes, absent inputs."""
    branch = lambda name: helper.make_graph(  # noqa: E731
        [helper.make_node("Constant", [], [name], value_float=1.0)], name,
        [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, [])])
    function = helper.make_function("local", "Twice", ["x"], ["y"], [helper.make_node("Add", ["x", "x"], ["y"])],
                                    [helper.make_opsetid("", 21)])
    nodes = [helper.make_node("If", ["choice"], ["chosen"], then_branch=branch("a"), else_branch=branch("b")),
             helper.make_node("Twice", ["x"], ["twice"], domain="local"),
             helper.make_node("Clip", ["x", "", "chosen"], ["clipped"]),
             helper.make_node("DequantizeLinear", ["w", "w_scale"], ["w_real"], axis=0, block_size=2),
             helper.make_node("MatMul", ["clipped", "w_real"], ["product"]),
             helper.make_node("Constant", [], ["large"], value=helper.make_tensor("t", TensorProto.FLOAT, [1025], [0.0] * 1025)),
             helper.make_node("Constant", [], ["words"], value_strings=["a", "b"]),
             helper.make_node("Constant", [], ["few"], value=helper.make_tensor("t", TensorProto.FLOAT, [2], [float("nan"), 1])),
             helper.make_node("Constant", [], ["reals"], value_floats=[float("inf"), 1.5]),
             helper.make_node("Mystery", ["x"], ["unknown"], domain="local", table=[helper.make_tensor("t", TensorProto.INT8, [1], [1])])]
    save(path, nodes, [("choice", TensorProto.BOOL, []), ("x", TensorProto.FLOAT, ["N", 4])],
         [("product", TensorProto.FLOAT, ["N", 2]), ("twice", TensorProto.FLOAT, None), ("unknown", TensorProto.FLOAT, None)],
         [helper.make_tensor("w", TensorProto.INT8, [4, 2], range(8)),
          helper.make_tensor("w_scale", TensorProto.FLOAT, [2, 2], [0.5, 0.25, 1.0, 2.0])], [function])


def write_table(path):
    """A function of one byte."""
    save(path, [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["a"]), helper.make_node("Sigmoid", ["a"], ["b"]),
                helper.make_node("QuantizeLinear", ["b", "t", "z"], ["y"])],
         [("x", TensorProto.UINT8, [2])], [("y", TensorProto.UINT8, [2])],
         [helper.make_tensor("s", TensorProto.FLOAT, [], [0.05]), helper.make_tensor("t", TensorProto.FLOAT, [], [0.004]),
          helper.make_tensor("z", TensorProto.UINT8, [], [3])])


def write_channel_tables(path):
    """A function of one byte for each channel."""
    save(path, [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["a"]), helper.make_node("PRelu", ["a", "slopes"], ["b"]),
                helper.make_node("QuantizeLinear", ["b", "s", "z"], ["y"])],
         [("x", TensorProto.UINT8, [1, 2, 3])], [("y", TensorProto.UINT8, [1, 2, 3])],
         [helper.make_tensor("s", TensorProto.FLOAT, [], [0.05]), helper.make_tensor("z", TensorProto.UINT8, [], [100]),
          helper.make_tensor("slopes", TensorProto.FLOAT, [2, 1], [0.1, 0.25])])


def write_every_kind(path):
    """Each kind of step that an integer program can have, and what few of them have: clamps, tables behind sums, fills."""
    rng = np.random.default_rng(5)
    constants = {"s": np.float32(0.05), "t": np.float32(0.04), "u": np.float32(0.03), "z": np.uint8(100), "v": np.uint8(90),
                 "w": rng.integers(-127, 128, (4, 2, 3, 3), np.int8), "ws": rng.random(4).astype(np.float32) / 50 + np.float32(0.01),
                 "wz": np.zeros(4, np.int8), "one": np.float32(0.02), "k": rng.integers(0, 256, (100, 3), np.uint8),
                 "kz": np.uint8(120), "slopes": np.array([[[0.1]], [[0.2]], [[0.3]], [[0.4]]], np.float32),
                 "six": np.float32(2), "nil": np.float32(0.5), "pads": np.array([0, 0, 1, 0, 0, 0, 0, 1]), "flag": np.array([[True]])}
    node, microsoft = helper.make_node, {"domain": "com.microsoft"}
    real = lambda x, y: node("DequantizeLinear", [x, "s", "z"], [y])  # noqa: E731
    byte = lambda x, y, scale="s": node("QuantizeLinear", [x, scale, "z"], [y])  # noqa: E731
    nodes = [
        real("x", "x0"), node("DequantizeLinear", ["w", "ws", "wz"], ["w0"], axis=0),
        node("Conv", ["x0", "w0"], ["c0"], pads=[1, 1, 1, 1], name="conv"), node("Clip", ["c0", "nil", "six"], ["c1"]),
        byte("c1", "clipped"),
        node("MaxPool", ["clipped"], ["largest"], kernel_shape=[2, 2], strides=[1, 1], name="largest"),
        real("largest", "l0"), node("Sigmoid", ["l0"], ["l1"]), byte("l1", "sigmoid", "one"),
        node("DequantizeLinear", ["sigmoid", "one", "z"], ["p0"]), node("PRelu", ["p0", "slopes"], ["p1"]), byte("p1", "prelu"),
        node("QLinearAdd", ["largest", "s", "z", "prelu", "s", "z", "t", "v"], ["sum"], name="add", **microsoft),
        node("QLinearMul", ["sum", "t", "v", "largest", "s", "z", "u", "z"], ["product"], name="mul", **microsoft),
        node("QLinearConcat", ["t", "v", "sum", "t", "v", "product", "u", "z"], ["both"], axis=1, name="concat", **microsoft),
        node("Pad", ["both", "pads", "v"], ["padded"], name="pad"),
        node("QLinearWhere", ["flag", "sum", "t", "v", "product", "u", "z", "t", "v"], ["chosen"], name="where", **microsoft),
        node("QLinearGlobalAveragePool", ["padded", "t", "v", "t", "v"], ["mean"], channels_last=0, name="mean", **microsoft),
        node("Flatten", ["chosen"], ["flat"]),
        node("QLinearMatMul", ["flat", "t", "v", "k", "one", "kz", "t", "v"], ["y"], name="dense"),
        node("MatMulInteger", ["flat", "k", "v", "kz"], ["sums"], name="sums"),
    ]
    save(path, nodes, [("x", TensorProto.UINT8, [1, 2, 6, 6])],
         [("y", TensorProto.UINT8, [1, 3]), ("sums", TensorProto.INT32, [1, 3]), ("mean", TensorProto.UINT8, [1, 8, 1, 1])],
         [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])


def written(file):
    """What a command wrote beside what --json says."""
    return Document(None, (file,), 0, file.read_text())


class Runner:
    def __init__(self, octet, folder):
        self.octet, self.folder = octet, folder

    def __call__(self, command, *arguments, code=0, json_to="-"):
        done = subprocess.run([self.octet, command, *arguments, "--json", json_to], cwd=self.folder, capture_output=True,
                              env={**os.environ, "OCTET_PYTHON": sys.executable})
        shown = " ".join(map(str, (command, *arguments)))
        assert done.returncode == code, f"octet {shown} ended with {done.returncode}: {done.stderr.decode()}"
        return Document(command, arguments, code, done.stdout.decode())

    def octet_run(self, *arguments):
        subprocess.run([self.octet, "run", *arguments], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)


def dumps(run):
    """Pairs of dumps: of arrays without a model, and of the tensors of qdq.onnx."""
    folder = run.folder
    golden = {"same": np.arange(3, dtype=np.int8), "off": np.array([1, np.nan], np.float32),
              "typed": np.zeros(2, np.uint8), "lost": np.zeros(1)}
    np.savez(folder / "golden.npz", **golden)
    np.savez(folder / "mine.npz", same=golden["same"], off=np.array([np.inf, np.nan], np.float32), typed=np.zeros(2, np.int8))
    run.octet_run("qdq.onnx", "--random", "1", "--dim", "N=1", "--all", "--output", "right.npz")
    tensors = dict(np.load(folder / "right.npz"))
    tensors["relu_q"] = tensors["relu_q"] ^ 1
    np.savez(folder / "wrong.npz", **tensors)


def write_detector(path):
    """Boxes [N,1,4] and scores [N,1,4] of a vector."""
    nodes = [helper.make_node("Unsqueeze", ["x", "axis"], ["boxes"]), helper.make_node("Sigmoid", ["boxes"], ["scores"])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 1, 4]) for name in ("boxes", "scores")]
    graph = helper.make_graph(nodes, "detector", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])], outputs,
                              [helper.make_tensor("axis", TensorProto.INT64, [1], [1])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def documents(octet, model_writer, folder, more_models):
    """Every document; the first of each command is the one that is also written to a file."""
    run = Runner(octet, folder)
    subprocess.run([model_writer, folder], check=True)
    write_constants(folder / "constants.onnx")
    others = {"words": (TensorProto.STRING, [b"a", "\u202e\"\n".encode()]), "complex": (TensorProto.COMPLEX64, [1 + 2j]),
              "small": (TensorProto.FLOAT8E4M3FN, [1.0, 2.0])}
    write_constants(folder / "others.onnx", others)
    write_rare(folder / "rare.onnx")
    write_table(folder / "table.onnx")
    write_channel_tables(folder / "channel_tables.onnx")
    images = pictures(6)
    write_cifar(folder / "labelled.bin", images, [3, 8, 8, 0, 6, 1])
    np.save(folder / "unlabelled.npy", images.astype(np.float32) / 255)
    np.save(folder / "samples.npy", np.random.default_rng(1).standard_normal((4, 1, 4, 4), np.float32))
    labelled, unlabelled = ("--data", "labelled.bin", "--samples", "4"), ("--data", "unlabelled.npy", "--samples", "2")
    dumps(run)
    (folder / "judge.py").write_text(JUDGE)

    yield run("version")
    yield run("help")
    yield run("ops")

    yield run("inspect", "qdq.onnx")
    for model in sorted(folder.glob("*.onnx")) + [FLOAT, INT8, *more_models]:
        yield run("inspect", model)
    yield run("inspect", "qdq.onnx", "--dim", "N=2")
    yield run("inspect", INT8, "--node", "block1.conv1$")
    yield run("inspect", FLOAT, "--node", "relu", "--ranges", ROOT / "models/resnet8_ranges.json")

    yield run("lower", "qdq.onnx", "--policy", "onnxruntime")
    cannot_run = ("strange.onnx", "wrong.onnx", "rare.onnx", "others.onnx")  # what holds what Octet does not compute with
    for model in sorted(folder.glob("*.onnx")) + [INT8, UINT8, *more_models]:
        if model.name not in cannot_run:
            yield run("lower", model)

    yield run("run", "qdq.onnx", "--random", "1", "--dim", "N=1", "--all")
    yield run("run", "constants.onnx")
    yield run("run", "nan.onnx", "--random", "1", "--dim", "N=2", "--all", "--arithmetic", "truncate")
    yield run("run", "dynamic.onnx", "--random", "1", "--all")
    yield run("run", INT8, *labelled)

    yield run("evaluate", INT8, *labelled, "--baseline", FLOAT)
    yield run("evaluate", INT8, *labelled)
    yield run("evaluate", INT8, *labelled, "--baseline", FLOAT, "--max-drop", "100")
    yield run("evaluate", INT8, *labelled, "--baseline", FLOAT, "--max-drop", "-100", code=1)

    yield run("verify", "qdq.onnx", "--dim", "N=1")
    yield run("verify", UINT8, "--run", "file", "--policy", "onnxruntime")
    yield run("verify", "dynamic.onnx", "--run", "program")
    yield run("verify", "rewritten.onnx")
    for how, code in (("honest", 0), ("off", 1), ("typed", 1), ("silent", 1)):
        yield run("verify", "qdq.onnx", "--dim", "N=1", "--against", f"{sys.executable} judge.py {how} {octet}", code=code)

    yield run("compare", "golden.npz", "mine.npz", code=1)
    yield run("compare", "golden.npz", "golden.npz")
    yield run("compare", "right.npz", "wrong.npz", "--model", "qdq.onnx", code=1)
    yield run("compare", "right.npz", "right.npz", "--model", "qdq.onnx")

    yield run("conformance", "--list")
    rows = subprocess.run([octet, "conformance", "--rows", "-"], check=True, capture_output=True, text=True).stdout.splitlines()
    (folder / "answers.txt").write_text("".join("1\n" if row.startswith(("quantize", "requantize", "steps")) else "-\n" for row in rows))
    yield run("conformance", "--answers", "answers.txt", code=1)
    yield run("conformance", "--against", "sed 's/.*/-128/'", "--only", "quantize", "--only", "steps", code=1)

    random = ("--random", "1", "--dim", "N=1")
    yield run("explain", "qdq.onnx", "relu_q[0,0,0,0]", *random)
    for element in ("image_q[0,0,0,0]", "sum_q[0,1,2,3]", "scores[0,1]", "pooled[0,0,0,0]"):
        yield run("explain", "qdq.onnx", element, *random, "--policy", "as-written")
    yield run("explain", "dynamic.onnx", "y[1,2]", "--random", "1")
    yield run("explain", "nan.onnx", "probabilities[0,0]", *random)

    yield run("bounds", "qdq.onnx")
    yield run("bounds", "qdq.onnx", "--max-bits", "64")
    yield run("bounds", "qdq.onnx", "--max-bits", "2", code=1)
    yield run("bounds", UINT8, *unlabelled)
    yield run("bounds", INT8, "--rounding", "ties-up")
    yield run("bounds", "dynamic.onnx", "--table", "constants.csv")

    yield run("simulate", INT8, "--accumulator", "16,saturate", *unlabelled)
    noise = ("--tile-rows", "64", "--weight-noise", "0.1", "--seeds", "1..3")
    yield run("simulate", INT8, *noise, *labelled)
    yield run("sweep", INT8, *noise, *labelled)
    yield run("simulate", INT8, "--pitfalls", "--data", "labelled.bin", "--samples", "1")
    yield run("simulate", INT8, "--float", FLOAT, *labelled)

    yield run("loss", FLOAT, INT8, *unlabelled, "--threshold", "0.5")
    write_detector(folder / "detector.onnx")
    np.save(folder / "vectors.npy", np.random.default_rng(2).standard_normal((3, 4), np.float32))
    yield run("loss", "detector.onnx", "detector.onnx", "--data", "vectors.npy", "--boxes", "boxes", "--scores", "scores")
    yield run("loss", FLOAT, OPERATORS, *labelled, "--min-sqnr", "200", code=1)

    yield run("sensitivity", "float.onnx", "--data", "samples.npy")
    yield run("sensitivity", FLOAT, "--data", "labelled.bin", "--samples", "1", "--save-rules", "rules.json", "--keep", "2")

    yield run("tune", "float.onnx", "-o", "tuned.onnx", "--data", "samples.npy", "--min-sqnr", "1")
    yield run("tune", FLOAT, "-o", "tuned.onnx", "--data", "labelled.bin", "--min-sqnr", "1")
    yield run("tune", FLOAT, "-o", "tuned.onnx", "--same-samples", "--data", "labelled.bin", "--samples", "1", "--max-loss=-200", "--per-tensor", code=1)

    yield run("sweep", INT8, "--accumulator", "16..17,wrap,saturate", *labelled)
    yield run("sweep", INT8, "--multiplier", "fixed:8,float16", "--first-scale", *unlabelled, "-o", "table.csv")

    write_every_kind(folder / "every.onnx")
    made = ("every.onnx", "--vectors", "every", "--random", "1")
    yield run("export", *made)
    for more in (("--directed",), ("--format", "hex", "--layout", "hwc", "--directed"), ("--format", "c", "--step", "conv")):
        yield run("export", *made, *more)
        yield written(folder / "every/manifest.json")
    run("export", UINT8, "--vectors", "resnet8", "--format", "raw", "--directed", "--input", ROOT / "models/sample_image.npy")
    yield written(folder / "resnet8/manifest.json")
    yield run("compare", "every.onnx", "--against", "every/vectors.npz", "--random", "1")
    yield run("compare", UINT8, "--against", "resnet8", "--random", "1", code=1)
    yield run("compare", UINT8, "--against", "resnet8")
    np.save(folder / "dark.npy", np.zeros((1, 3, 32, 32), np.float32))
    two = ("--input", ROOT / "models/sample_image.npy", "--input", "dark.npy")
    run("export", UINT8, "--vectors", "two", *two)
    yield run("compare", UINT8, "--against", "two", *two)

    yield run("compile", "qdq.onnx", "-o", "qdq.so")
    yield run("verify", "qdq.so", "--run", "file")
    yield run("compile", "float.onnx", "-o", "dynamic.so", "--dynamic", "--op-types", "Conv")

    yield run("bench", OPERATORS, "--seconds", "0.01", "--against", "onnxruntime")
    yield run("bench", "qdq.onnx", "--seconds", "0.01")

    yield run("draw", "qdq.onnx", "-o", "qdq.svg")
    yield run("draw", INT8, "-o", "program.dot", "--view", "program")
    yield run("draw", "strange.onnx", "-o", "strange.svg")
    run("lower", INT8, json_to="program.json")
    yield run("draw", "program.json", "-o", "program.svg", "--view", "program", "--direction", "right")

    yield run("quantize", "float.onnx", "-o", "int8.onnx", "--data", "samples.npy")
    yield run("quantize", "float.onnx", "-o", "int8.onnx", "--data", "samples.npy", "--calibration", "percentile")
    (folder / "mse.json").write_text('[{"match": {"op_type": "Conv"}, "quantize": true, "calibration": "mse"}]')
    yield run("quantize", "float.onnx", "-o", "int8.onnx", "--data", "samples.npy", "--rules", "mse.json")
    yield run("quantize", "zeros.onnx", "-o", "zeros8.onnx", "--data", "samples.npy", "--per-tensor", "--op-types", "Conv,LSTM")
    yield run("quantize", "float.onnx", "-o", "dynamic8.onnx", "--dynamic", "--op-types", "Conv")
    yield run("quantize", FLOAT, "-o", "resnet8.onnx")
    yield run("quantize", FLOAT, "-o", "repaired.onnx", *unlabelled, "--equalize", "--optimize-rounding", "--bias-correction", "analytic")


# What is wrong with the command line or its files: nothing may come out but a message.
def failures(octet, folder):
    for arguments in (("inspect", "none.onnx"), ("run", "qdq.onnx"), ("lower", "strange.onnx"), ("explain", "qdq.onnx", "x[0"),
                      ("verify", "qdq.onnx", "--against", "false"), ("compare", "golden.npz", "right.npz"),
                      ("bounds", "float.onnx"), ("simulate", INT8), ("sweep", INT8, "--data", "labelled.bin"),
                      ("quantize", "float.onnx", "-o", "x.onnx"), ("bench", INT8, "--batch", "0"),
                      ("evaluate", INT8, "--data", "unlabelled.npy"), ("loss", FLOAT, INT8), ("sensitivity", FLOAT), ("tune", FLOAT, "-o", "x.onnx"), ("export", INT8), ("export", FLOAT, "--vectors", "v"), ("compile", "none.onnx", "-o", "x.so"),
                      ("compare", INT8, "--against", "golden.npz", "--random", "1"), ("conformance", "--against", "true")):
        done = subprocess.run([octet, *arguments, "--json", "-"], cwd=folder, capture_output=True)
        yield arguments, done.returncode, done.stdout
