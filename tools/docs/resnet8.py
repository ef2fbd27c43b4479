"""What the pages say of the ResNet8 in models/: facts that Octet prints, tensors that it computes, and how both are written."""

import atexit
import functools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
OPERATORS = MODELS / "resnet8_int8_qoperator.onnx"  # what the pages speak of where they don't say more
QDQ = MODELS / "resnet8_int8.onnx"
FLOAT = MODELS / "resnet8.onnx"
IMAGE = MODELS / "sample_image.npy"


def octet(*arguments):
    return subprocess.run(["octet", *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout


@functools.cache
def facts(*arguments):
    """What a command of Octet says with --json."""
    return json.loads(octet(*arguments, "--json", "-"))


@functools.cache
def steps(model=OPERATORS):
    """The steps of the integer program by name."""
    return {step["name"]: step for step in facts("lower", model)["steps"]}


@functools.cache
def bounds(model=OPERATORS):
    """The proven widths of the accumulating steps by name."""
    return {step["name"]: step for step in facts("bounds", model)["steps"]}


@functools.cache
def tensors(model=OPERATORS, policy="exact"):
    """Every value of a network's program on the sample image, and its constants, by name."""
    constants = {c.name: numpy_helper.to_array(c) for c in onnx.load(model).graph.initializer}
    with tempfile.TemporaryDirectory() as folder:
        results = f"{folder}/results.npz"
        octet("run", model, "--policy", policy, "--input", IMAGE, "--all", "--output", results)
        with np.load(results) as archive:
            return constants | {name: archive[name] for name in archive.files}


def temporary_folder():
    """A folder that lives as long as this program."""
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return folder


@functools.cache
def quantized(*options):
    """ResNet8 as `octet quantize` makes it with `options`, operators on integers."""
    model = temporary_folder() / "model.onnx"
    octet("quantize", FLOAT, "--format", "qoperator", *options, "-o", model)
    return model


@functools.cache
def accuracy(row):
    """What docs/accuracy.md says of ResNet8 in a row: top-1, and how many predictions are those of the float model."""
    section = (MODELS.parent / "docs/accuracy.md").read_text().split("## ResNet8 (models/resnet8.onnx)")[1].split("\n## ")[0]
    rows = {cells[1]: cells[2:] for cells in (re.split(r" *\| *", line) for line in section.splitlines() if line.startswith("|"))}
    return rows[row]


@functools.cache
def pitfalls():
    """What docs/pitfalls.md says of each mistake: by its name the change of top-1 in each network, by the network's name."""
    section = re.search(r"<!-- overview -->\n(.*?)\n<!-- end -->", (MODELS.parent / "docs/pitfalls.md").read_text(), re.S)[1]
    (_, *networks), _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()]
    return {mistake: dict(zip(networks, cells)) for mistake, *cells in rows}


def accumulating(model=OPERATORS):
    """The steps that sum products."""
    return [step for step in steps(model).values() if step["kind"] in ("convolution", "matrix product")]


ROLES = {"QLinearConv": "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point bias".split(),
         "QGemm": "x x_scale x_zero_point w w_scale w_zero_point bias y_scale y_zero_point".split()}


def operands(name, model=OPERATORS):
    """The inputs of an accumulating step, by role; the zero points are integers."""
    operation = steps(model)[name]["operations"][0]
    found = {role: tensors(model)[tensor] for role, tensor in zip(ROLES[operation["operator"]], operation["inputs"])}
    return {role: array.astype(np.int32) if role.endswith("zero_point") else array for role, array in found.items()}


def accumulators(name, model=OPERATORS):
    """The accumulators of a step on the sample image, in numpy and independent of Octet: equation (8)."""
    o, attributes = operands(name, model), steps(model)[name]["operations"][0]["attributes"]
    x = o["x"].astype(np.int64) - o["x_zero_point"]
    w = o["w"].astype(np.int64) - o["w_zero_point"].reshape((-1,) + (1,) * (o["w"].ndim - 1))
    if x.ndim == 2:
        return o["bias"] + x @ w.T
    top, left, bottom, right = attributes["pads"]
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    windows = windows[:, :, ::attributes["strides"][0], ::attributes["strides"][1]]
    return o["bias"].reshape(-1, 1, 1) + np.einsum("ncyxij,mcij->nmyx", windows, w)


def product_bits(weights_have_a_zero_point):
    """Bits of (x - z_x)(w - z_w), two's complement with the sign, over all bytes and zero points."""
    byte = range(-128, 128)
    differences = {a - z for a in byte for z in byte}
    weights = differences if weights_have_a_zero_point else byte
    ends = [x * w for x in (min(differences), max(differences)) for w in (min(weights), max(weights))]
    return max(end.bit_length() if end >= 0 else (~end).bit_length() for end in ends) + 1


# How numbers are written.

def whole(number):
    """9,290,304"""
    return f"{number:,}"


def real(number):
    """The shortest decimal that float32 reads back: 0.003921569"""
    return str(np.float32(number))


def table(columns, rows):
    """A table. Columns whose name ends in ":" are numbers, and lie to the right."""
    lines = ["| " + " | ".join(name.removesuffix(":") for name in columns) + " |",
             "|" + "|".join("--:" if name.endswith(":") else "---" for name in columns) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def fenced(tag, text):
    return f"```{tag}\n{text.rstrip()}\n```"
