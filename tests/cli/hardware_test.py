"""Holds octet bounds, simulate and sweep to what ResNet8 does on real images.

Usage: hardware_test.py OCTET

The images are in $OCTET_SHARED/data/cifar10, ../shared/data/cifar10 unless set; without them the test is skipped.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
IMAGES = SHARED / "data/cifar10/test.bin"
INT8, UINT8 = ROOT / "models/resnet8_int8.onnx", ROOT / "models/resnet8_uint8.onnx"
FLOAT = ROOT / "models/resnet8.onnx"


def octet(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bounds_hold_what_images_show():
    for model in (INT8, UINT8):
        steps = json.loads(octet("bounds", model, "--data", IMAGES, "--samples", "16", "--json", "-"))["steps"]
        assert len(steps) == 10, len(steps)
        for step in steps:
            for channel in step["channels"]:
                proven, seen = channel["final"], channel["observed"]
                assert proven["least"] <= seen["least"] <= seen["greatest"] <= proven["greatest"], (step["name"], channel)
            assert step["observed"]["bits"] <= step["final"]["bits"] <= step["any_order"]["bits"] <= 32


def pitfalls(model, folder, *arguments):
    picture = pathlib.Path(folder, "pitfalls.svg")
    found = json.loads(octet("simulate", model, "--pitfalls", "--data", IMAGES, "--samples", "16", "--plot", picture,
                             "--json", "-", *arguments))
    texts = [t.text for t in xml.etree.ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    rows = {row["name"]: row for row in found["rows"]}
    assert len(rows) == len(found["rows"]) > 20
    for name in rows:
        assert name in texts, name
    return rows


def pitfalls_are_what_they_must_be(folder):
    int8 = pitfalls(INT8, folder, "--float", FLOAT)
    uint8 = pitfalls(UINT8, folder)
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
    assert "one scale per tensor" in pitfalls(per_tensor, folder)["first channel's scale for all"]["note"]


def every_option_does_something():
    options = ["--scales float16", "--zero-point before-rounding", "--no-zero-point-correction", "--first-scale",
               "--zero-padding", "--tile-rows 64 --adc-bits 8", "--tile-rows 64 --adc-bits 8 --adc-range 0.5",
               "--tile-rows 64 --weight-noise 0.01", "--rounding floor", "--rounding stochastic", "--multiplier float16",
               "--multiplier bfloat16", "--multiplier power-of-two", "--multiplier fixed:8", "--accumulator 15"]
    found = {}
    for option in options:
        samples = "128" if "zero-point" in option else "8"  # where zero points are even, only float32's last bit tells
        rows = json.loads(octet("simulate", INT8, *option.split(), "--data", IMAGES, "--samples", samples, "--json", "-"))["rows"]
        found[option] = rows[0]["differing"], rows[0]["largest"]
        assert rows[0]["differing"] > 0, option
    assert len(set(found.values())) == len(options), found  # and each something else


def sweep_agrees_with_simulate(folder):
    picture = pathlib.Path(folder, "sweep.svg")
    table = octet("sweep", INT8, "--accumulator", "17..19,wrap,saturate", "--data", IMAGES, "--samples", "16", "--plot",
                  picture)
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(r["accumulator"], r["overflow"]) for r in rows] == [
        (bits, rule) for bits in ("17", "18", "19") for rule in ("wrap", "saturate")]
    svg = xml.etree.ElementTree.parse(picture)
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}circle"))) == 6
    one = json.loads(octet("simulate", INT8, "--accumulator", "17,saturate", "--data", IMAGES, "--samples", "16", "--json",
                           "-"))["rows"][0]
    assert int(rows[1]["differing"]) == one["differing"] > 0
    assert int(rows[1]["right"]) == one["right"]
    # Results depend neither on threads nor on batches, drawn ones included.
    drawn = ["simulate", INT8, "--rounding", "stochastic", "--data", IMAGES, "--samples", "8", "--json", "-"]
    assert octet(*drawn, "--threads", "1", "--batch", "1") == octet(*drawn, "--threads", "2", "--batch", "8")
    assert octet(*drawn) != octet(*drawn, "--seed", "2")


def main():
    if not IMAGES.exists():
        print(f"SKIPPED: there is no {IMAGES}; OCTET_SHARED says where the shared data is")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        bounds_hold_what_images_show()
        pitfalls_are_what_they_must_be(folder)
        every_option_does_something()
        sweep_agrees_with_simulate(folder)
    print("bounds, pitfalls and sweeps of ResNet8 hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
