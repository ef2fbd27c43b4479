"""ResNet8 in Verilog, under Verilator: every byte of every tensor is what octet run says.

Usage: network_test.py OCTET [--images 3]

int8 and uint8, per channel and per tensor; drawn pictures, which octet run computes, and one image of random bytes, which
the exporter computes. The modules are lint clean, and the 3x3 layers use their multipliers.
"""

import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from exported import Exported, models, require_tools, useful_share  # noqa: E402
from pictures import pictures  # noqa: E402

MULTIPLIERS = {"int8": 64, "uint8": 32, "int8_per_tensor": 16, "uint8_per_tensor": 128}
LEAST_USEFUL = 0.85


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=3)
    options = parser.parse_args()
    require_tools("verilator", "make", "g++")
    octet = options.octet.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, model in models(octet, folder).items():
            multipliers = MULTIPLIERS[name]
            exported = Exported(octet, model, folder / name, multipliers)
            exported.lint()
            exported.build()
            files = exported.write_vectors(pictures(options.images, seed=multipliers))
            report = exported.simulate("vectors/image_0.hex", *files)
            assert report.startswith(f"PASS: 14 tensors and the result of {options.images + 1} images"), report
            share = useful_share(report, multipliers)
            assert share >= LEAST_USEFUL, report
            report = exported.simulate("vectors/image_0.hex", files[0], options=["--stall"])
            assert report.startswith("PASS: 14 tensors and the result of 2 images"), report
            print(f"{name}: {multipliers} multipliers, {options.images + 1} images equal, 3x3 layers use {share:.1%}")


main()
