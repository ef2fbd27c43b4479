"""Networks whose channels differ by powers of two between layers (tests/support/hard_twin.py): the same function in float, ruined
by one scale per tensor, and brought back by --equalize to the bits of the original's.

Usage: hard_twin_test.py OCTET

Where the photos are, in $OCTET_SHARED/data/cifar10, ../shared/data/cifar10 unless set, right answers are counted too.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
sys.path.insert(0, str(ROOT / "tests/support"))
from hard_twin import write_twin  # noqa: E402
from pictures import pictures, write_cifar  # noqa: E402

OCTET = pathlib.Path(sys.argv[1]).resolve()
MODEL = ROOT / "models/resnet8.onnx"


def octet(*arguments):
    done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def constants(path):
    model = onnx.load(path)
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def quantized(work, model, data, *options):
    path = work / f"{model.stem}{len(list(work.iterdir()))}.onnx"
    octet("quantize", model, "-o", path, "--data", data, *options)
    return path


def outputs(work, model):
    octet("run", model, "--input", work / "image.npy", "--output", work / "y.npz")
    return dict(np.load(work / "y.npz"))


def error(work, model, want):
    """Of the outputs, beside those of the float model."""
    found = outputs(work, model)
    return max(float(np.max(np.abs(found[name] - want[name]))) for name in want)


def check_bits(work, data):
    """The equalized twin is the equalized original, in every constant; so are their quantized forms."""
    twin = work / "twin.onnx"
    pairs = write_twin(MODEL, twin)
    assert len(pairs) == 3, pairs
    want = outputs(work, MODEL)
    for name, value in outputs(work, twin).items():
        assert np.array_equal(value, want[name]), f"{name} of the twin is another in float"
    for form in ("qdq", "qoperator"):
        options = ("--per-tensor", "--format", form)
        ours = constants(quantized(work, MODEL, data, "--equalize", *options))
        theirs = constants(quantized(work, twin, data, "--equalize", *options))
        assert ours.keys() == theirs.keys()
        for name, value in ours.items():
            assert np.array_equal(value, theirs[name]), f"{form}: {name} is another in the twin"
    plain, ruined = (error(work, quantized(work, model, data, "--per-tensor"), want) for model in (MODEL, twin))
    mended = error(work, quantized(work, twin, data, "--per-tensor", "--equalize"), want)
    assert ruined > 4 * max(plain, mended), f"errors: original {plain}, twin {ruined}, equalized {mended}"
    return twin


def check_report(work, twin, data):
    path = work / "report.json"
    octet("quantize", twin, "-o", work / "r.onnx", "--data", data, "--equalize", "--bias-correction", "empirical", "--json", path)
    report = json.loads(path.read_text())
    assert len(report["equalized"]) == 3 and all(pair["scaled"] > 0 for pair in report["equalized"]), report["equalized"]
    assert len(report["corrected"]) == 10 and all(layer["channels"] > 0 for layer in report["corrected"])
    assert report["how"].endswith("equalized, biases corrected (empirical)"), report["how"]


def means(work, model, data, names):
    """The mean of each channel of tensors, over a batch."""
    octet("run", model, "--input", data, "--output", work / "all.npz", "--all")
    values = np.load(work / "all.npz")
    return {name: values[name].astype(np.float64).mean(axis=tuple(i for i in range(values[name].ndim) if i != 1)) for name in names}


def check_biases(work, images):
    """After empirical correction every layer's mean is that of the float network, but for the rounding of biases and of the
    layers behind; without, it is not. Measured on the tensor that the last layer makes, which has no Relu behind it."""
    data = work / "batch.npy"
    np.save(data, images.astype(np.float32) / np.float32(255))
    flat = work / "flat.onnx"
    octet("quantize", MODEL, "-o", work / "b.onnx", "--data", data, "--per-tensor", "--save-simplified", flat)
    want = means(work, flat, data, ["logits"])["logits"]
    shift = {}
    for options in ((), ("--bias-correction", "analytic"), ("--bias-correction", "empirical")):
        octet("quantize", flat, "-o", work / "b.onnx", "--data", data, "--per-tensor", *options)
        model = onnx.load(work / "b.onnx")
        gemm = next(node for node in model.graph.node if node.op_type == "Gemm").output[0]
        octet("run", work / "b.onnx", "--input", data, "--output", work / "all.npz", "--all", "--policy", "as-written")
        shift[options[-1] if options else "none"] = np.abs(np.load(work / "all.npz")[gemm].mean(0) - want).max()
    assert shift["empirical"] < 1e-3 < shift["none"], shift
    assert shift["analytic"] < shift["none"], shift


def check_right_answers(work, twin):
    """Equalized, the twin has as many right as the original's int8, within 0.3 points, per channel and per tensor; and octet tune
    finds that by itself, from what it calibrates with."""
    photos = SHARED / "data/cifar10"
    if not photos.exists():
        print(f"right answers are not counted: there is no {photos}")
        return
    training = np.fromfile(photos / "train.bin", np.uint8)[:3073 * 256]
    training.tofile(work / "train.bin")

    def right(model, *options):
        path = quantized(work, model, work / "train.bin", *options)
        score = json.loads(octet("evaluate", path, "--data", photos / "test.bin", "--json", "-"))["model"]
        return score["top1"], score["samples"]

    for grain in ("--per-channel", "--per-tensor"):
        (plain, samples), (ruined, _) = right(MODEL, grain), right(twin, grain)
        mended, _ = right(twin, grain, "--equalize")
        print(f"{grain}: right of {samples}: original {plain}, twin {ruined}, equalized {mended}")
        assert 100 * abs(plain - mended) <= 0.3 * samples
        assert 100 * (plain - ruined) > 2 * samples
    octet("tune", twin, "-o", work / "tuned.onnx", "--data", work / "train.bin", "--same-samples", "--max-loss", "0.5", "--json", work / "tuned.json")
    found = json.loads((work / "tuned.json").read_text())
    chosen = found["tried"][found["chosen"]]
    score = json.loads(octet("evaluate", work / "tuned.onnx", "--data", photos / "test.bin", "--json", "-"))["model"]["top1"]
    print(f"tune: {score} right; {chosen}")
    assert found["met"] and chosen["equalized"] == "plain" and chosen["weights"] == "per tensor", chosen
    assert 100 * (plain - score) <= samples, "the last plain one is that per tensor"


def main():
    images = pictures(24)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        data = work / "pictures.bin"
        write_cifar(data, images, [0] * len(images))
        np.save(work / "image.npy", images[:4].astype(np.float32) / np.float32(255))
        twin = check_bits(work, data)
        check_report(work, twin, data)
        check_biases(work, images)
        check_right_answers(work, twin)
    print("the twin is as good as the original")


if __name__ == "__main__":
    main()
