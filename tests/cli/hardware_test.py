"""Holds octet bounds, simulate and sweep to what ResNet8 does on drawn pictures, and on photos where they are at hand.

Usage: hardware_test.py OCTET

The photos are in $OCTET_SHARED/data/cifar10, ../shared/data/cifar10 unless set.
"""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import numpy as np
import onnx
import onnx.numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures, write_cifar  # noqa: E402

SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
PHOTOS = SHARED / "data/cifar10/test.bin"
INT8, UINT8 = ROOT / "models/resnet8_int8.onnx", ROOT / "models/resnet8_uint8.onnx"
FLOAT = ROOT / "models/resnet8.onnx"


def octet(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bounds_hold_what_images_show(images):
    for model in (INT8, UINT8):
        steps = json.loads(octet("bounds", model, "--data", images, "--samples", "16", "--json", "-"))["steps"]
        assert len(steps) == 10, len(steps)
        for step in steps:
            for channel in step["channels"]:
                proven, seen = channel["final"], channel["observed"]
                assert proven["least"] <= seen["least"] <= seen["greatest"] <= proven["greatest"], (step["name"], channel)
            assert step["observed"]["bits"] <= step["final"]["bits"] <= step["any_order"]["bits"] <= 32


def written_exceptions(text):
    """Accumulators, or pairs, with a result of their own."""
    found = {}
    for one in text.split():
        where, result = one.split(":")
        a, _, run = where.rpartition("/")
        first, _, last = run.partition("..")
        for number in range(int(first), int(last or first) + 1):
            found[(int(a), number) if a else number] = int(result)
    return found


def thresholds_quantize(row, model, program, limits):
    """Beside each threshold and far from all: how many are not above x is what a division and a rounding give."""
    thresholds = np.array([int(bits, 16) for bits in row["thresholds"].split()], np.uint32).view(np.float32)
    assert (row["kind"], thresholds.size) == ("quantize", 255) and (np.diff(thresholds) > 0).all()
    constants = {c.name: onnx.numpy_helper.to_array(c) for c in onnx.load(model).graph.initializer}
    scale, zero_point = (constants[name] for name in program[row["step"]]["operations"][0]["inputs"][1:])
    x = np.concatenate([thresholds, np.nextafter(thresholds, np.float32(-np.inf)), np.nextafter(thresholds, np.float32(np.inf)),
                        np.float32([-np.inf, -1e30, 0, 1e30, np.inf])])
    wanted = np.clip(np.rint(x / scale) + zero_point, limits.min, limits.max)
    assert ((thresholds <= x[:, None]).sum(axis=1) + limits.min == wanted).all()


def table_requantizes_as_float32(folder):
    """The constants of every channel on thousands of its accumulators, those beside the steps of the float32 rule among them, and of every
    addition on every pair."""
    table = pathlib.Path(folder, "constants.csv")
    for model, count in ((INT8, 346), (UINT8, 346)):
        octet("bounds", model, "--table", table)
        program = {step["name"]: step for step in json.loads(octet("lower", model, "--json", "-"))["steps"]}
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        limits = np.iinfo(np.int8 if model == INT8 else np.uint8)
        assert [sum(row["kind"] == kind for row in rows) for kind in ("convolution", "addition", "pool")] == [count - 10, 3, 1]
        quantizes, *rows = rows
        thresholds_quantize(quantizes, model, program, limits)
        for row in rows:
            constants = program[row["step"]]["constants"]
            m, addend, shift = (int(row[name]) for name in ("m", "addend", "shift"))
            exceptions = written_exceptions(row["exceptions"])
            if row["kind"] not in ("convolution", "matrix product"):
                continue
            channel = int(row["channel"])
            assert int(row["start"]) == constants["starts"][channel]
            least, greatest = int(row["least"]), int(row["greatest"])
            assert (least, greatest) == (constants["least"][channel], constants["greatest"][channel])
            z, multiplier = constants["y"]["zero_point"], np.float32(constants["multipliers"][channel])
            steps = np.rint((np.arange(limits.min, limits.max) - z + 0.5) / np.float64(multiplier)).astype(np.int64)
            beside = (steps[:, None] + np.arange(-2, 3)).ravel()
            acc = np.unique(np.clip(np.concatenate([beside, np.linspace(least, greatest, 1000).astype(np.int64)]), least, greatest))
            t = np.clip(acc.astype(np.float32) * multiplier, np.float32(limits.min - z), np.float32(limits.max - z))
            wanted = np.rint(t).astype(np.int64) + z
            got = np.clip((acc * m + addend) >> shift, limits.min, limits.max)
            got = np.array([exceptions.get(int(a), int(q)) for a, q in zip(acc, got)])
            assert (got == wanted).all(), row
            ends = [int(end) * m + extra for end in (least, greatest) for extra in (0, addend)]
            wide = [max(v.bit_length() if v >= 0 else (~v).bit_length() for v in some) + 1 for some in (ends[::2], ends[1::2])]
            assert wide == [int(row["product_bits"]), int(row["sum_bits"])] and m.bit_length() == int(row["m_bits"]), row


def pitfalls(model, folder, images, *arguments):
    picture = pathlib.Path(folder, "pitfalls.svg")
    found = json.loads(octet("simulate", model, "--pitfalls", "--data", images, "--samples", "16", "--plot", picture,
                             "--json", "-", *arguments))
    texts = [t.text for t in xml.etree.ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    rows = {row["name"]: row for row in found["rows"]}
    assert len(rows) == len(found["rows"]) > 20
    for name in rows:
        assert name in texts, name
    return rows


def pitfalls_are_what_they_must_be(folder, images):
    int8 = pitfalls(INT8, folder, images, "--float", FLOAT)
    uint8 = pitfalls(UINT8, folder, images)
    for rows in (int8, uint8):
        # Below what the images need, and above.
        assert rows["accumulator of 16 bits wraps"]["differing"] > 0
        assert rows["accumulator of 16 bits saturates"]["differing"] > 0
        assert rows["accumulator of 20 bits wraps"]["differing"] == 0
        assert rows["first channel's scale for all"]["first_step"] == "conv"
        assert rows["rounding down"]["largest"] > rows["ties up"]["largest"] > 0
    # uint8 has zero point 0 before every convolution, int8 has -128; int8 never meets the instruction that saturates.
    for name in ("zero-point correction left out", "padding with the byte 0"):
        assert "note" in uint8[name] and int8[name]["differing"] > 0, name
    pairs = "pairs of products saturate at 16 bits"
    assert "note" in int8[pairs] and uint8[pairs]["differing"] > 0
    unfused = "8 bits between Conv, BatchNormalization and Relu"
    assert "note" in uint8[unfused] and int8[unfused]["same_prediction"] > 10
    per_tensor = pathlib.Path(folder, "per_tensor.onnx")
    octet("quantize", FLOAT, "-o", per_tensor, "--per-tensor")
    assert "one scale per tensor" in pitfalls(per_tensor, folder, images)["first channel's scale for all"]["note"]


def every_option_does_something(images):
    options = ["--scales float16", "--zero-point before-rounding", "--no-zero-point-correction", "--first-scale",
               "--zero-padding", "--tile-rows 64 --adc-bits 8", "--tile-rows 64 --adc-bits 8 --adc-range 0.5",
               "--tile-rows 64 --weight-noise 0.01", "--rounding floor", "--rounding stochastic", "--multiplier float16",
               "--multiplier bfloat16", "--multiplier power-of-two", "--multiplier fixed:8", "--accumulator 15"]
    found = {}
    for option in options:
        samples = "128" if "zero-point" in option else "8"  # where zero points are even, only float32's last bit tells
        rows = json.loads(octet("simulate", INT8, *option.split(), "--data", images, "--samples", samples, "--json", "-"))["rows"]
        found[option] = rows[0]["differing"], rows[0]["largest"]
        assert rows[0]["differing"] > 0, option
    assert len(set(found.values())) == len(options), found  # and each something else


def sweep_agrees_with_simulate(folder, images):
    picture = pathlib.Path(folder, "sweep.svg")
    table = octet("sweep", INT8, "--accumulator", "17..19,wrap,saturate", "--data", images, "--samples", "16", "--plot",
                  picture)
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(r["accumulator"], r["overflow"]) for r in rows] == [
        (bits, rule) for bits in ("17", "18", "19") for rule in ("wrap", "saturate")]
    svg = xml.etree.ElementTree.parse(picture)
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}circle"))) == 6
    one = json.loads(octet("simulate", INT8, "--accumulator", "17,saturate", "--data", images, "--samples", "16", "--json",
                           "-"))["rows"][0]
    assert int(rows[1]["differing"]) == one["differing"] > 0
    assert int(rows[1]["right"]) == one["right"]
    # For machines the same, in the words of simulate; the table is then written only where it is told to.
    file = pathlib.Path(folder, "sweep.csv")
    found = json.loads(octet("sweep", INT8, "--accumulator", "17..19,wrap,saturate", "--data", images, "--samples", "16", "-o", file,
                             "--json", "-"))
    assert file.read_text() == table
    assert [row["setting"] for row in found["rows"]] == [{k: r[k] for k in ("accumulator", "overflow")} for r in rows]
    assert [row["differing"] for row in found["rows"]] == [int(r["differing"]) for r in rows]
    assert found["rows"][1] == {**one, "setting": {"accumulator": "17", "overflow": "saturate"}}
    assert [c["number"] for c in found["axes"][0]["choices"]] == [17, 18, 19] and found["axes"][0]["unit"] == "bits"
    # Results depend neither on threads nor on batches, drawn ones included.
    drawn = ["simulate", INT8, "--rounding", "stochastic", "--data", images, "--samples", "8", "--json", "-"]
    assert octet(*drawn, "--threads", "1", "--batch", "1") == octet(*drawn, "--threads", "2", "--batch", "8")
    assert octet(*drawn) != octet(*drawn, "--seed", "2")


def main():
    with tempfile.TemporaryDirectory() as folder:
        table_requantizes_as_float32(folder)
        drawn = pathlib.Path(folder, "drawn.bin")
        write_cifar(drawn, pictures(128), [i % 10 for i in range(128)])
        sets = [drawn, PHOTOS] if PHOTOS.exists() else [drawn]
        for images in sets:
            bounds_hold_what_images_show(images)
            pitfalls_are_what_they_must_be(folder, images)
            every_option_does_something(images)
            sweep_agrees_with_simulate(folder, images)
    print("bounds, pitfalls and sweeps of ResNet8 hold, on drawn pictures" + (" and photos" if len(sets) > 1 else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
