"""Verilog that octet export wrote: its parameters, its memories, and its bench."""

import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def require_tools(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            print(f"{tool} is not there: run tools/setup.sh test")
            sys.exit(77)


def run(*command, cwd=None, code=0):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == code, (command, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def models(octet, folder):
    """ResNet8 with int8 and uint8 activations, each with scales per channel and per tensor."""
    made = {"int8": ROOT / "models/resnet8_int8.onnx", "uint8": ROOT / "models/resnet8_uint8.onnx"}
    for activations in ("int8", "uint8"):
        path = folder / f"{activations}_per_tensor.onnx"
        run(octet, "quantize", ROOT / "models/resnet8.onnx", "-o", path, "--ranges", ROOT / "models/resnet8_ranges.json",
            "--activations", activations, "--per-tensor")
        made[f"{activations}_per_tensor"] = path
    return made


def useful_share(report, multipliers):
    """Of all 3x3 layers of ResNet8 together: products over cycles of all multipliers."""
    rows = [line.split() for line in report.splitlines()]
    layers = [row for row in rows if row and (row[0] == "conv" or "_conv" in row[0])]
    assert len(layers) == 7, report
    return sum(int(row[1]) for row in layers) / (sum(int(row[2]) for row in layers) * multipliers)


class Exported:
    """A folder of octet export --verilog."""

    def __init__(self, octet, model, folder, multipliers, bench_images=1):
        self.octet, self.model, self.folder, self.multipliers = octet, model, pathlib.Path(folder), multipliers
        run(octet, "export", model, "--verilog", folder, "--multipliers", multipliers, "--bench-images", bench_images)
        text = (self.folder / "octet_network.v").read_text()
        self.parameters = {name: int(value) for name, value in re.findall(r"\.([A-Z_0-9]+)\((\d+)\)", text)}
        lines = (self.folder / "tensors.txt").read_text().splitlines()[1:]
        self.names = [line.split()[-1] for line in lines]

    @functools.cached_property
    def program(self):
        return json.loads(run(self.octet, "lower", self.model, "--json", "-"))

    def lint(self):
        run("make", "-s", "lint", cwd=self.folder / "bench")

    def build(self):
        run("make", "-s", "simulate", cwd=self.folder / "bench")
        return self

    def simulate(self, *vectors, options=(), folder=None):
        """What the bench prints; its first word is PASS or FAIL."""
        done = subprocess.run([self.folder / "bench/simulate", *options, *vectors], cwd=folder or self.folder,
                              capture_output=True, text=True)
        assert done.returncode in (0, 1), (done.returncode, done.stdout, done.stderr)
        return done.stdout

    def write_vectors(self, images):
        """Of images [n, 3, 32, 32] of bytes: what octet run says of every tensor. Returns the files."""
        np.savez(self.folder / "images.npz", image=images.astype(np.float32) / np.float32(255))
        run(self.octet, "run", self.model, "--input", self.folder / "images.npz", "--all", "--output",
            self.folder / "golden.npz")
        program = self.program
        host = [step for step in program["steps"] if step["kind"] == "quantize"]
        computing = [step for step in program["steps"] if step["integer"] and step["kind"] != "move"]
        assert len(computing) == len(self.names), (len(computing), self.names)
        tensors = [host[0]["outputs"][0]] + [step["outputs"][0] for step in computing]
        files = []
        with np.load(self.folder / "golden.npz") as golden:
            arrays = [golden[name].view(np.uint8) for name in tensors]
        for image in range(len(images)):
            pixels_first = [np.moveaxis(array[image], 0, -1).ravel() for array in arrays]
            files.append(f"vectors/given_{image}.hex")
            (self.folder / files[-1]).write_text("\n".join(f"{byte:02x}" for byte in np.concatenate(pixels_first)) + "\n")
        return files

    # ---- constants, as places of bits

    def channel_fields(self):
        """Of a record of channels.hex: name -> (first bit, bits)."""
        p, at, fields = self.parameters, 0, {}
        for name, bits in (("start", p["ACC_BITS"]), ("m", p["M_BITS"]), ("addend", p["SUM_BITS"]), ("shift", p["SHIFT_BITS"])):
            fields[name] = (at, bits)
            at += bits
        for e in range(p["EXCEPTIONS"]):
            for name, bits in (("first", p["ACC_BITS"]), ("length", p["LENGTH_BITS"]), ("value", 8), ("used", 1)):
                fields[f"{name}_{e}"] = (at, bits)
                at += bits
        return fields, at

    def addition_fields(self):
        p = self.parameters
        m, total, shift = p["ADD_M_BITS"], p["ADD_SUM_BITS"], p["ADD_SHIFT_BITS"]
        return {"ma": (0, m), "mb": (m, m), "addend": (2 * m, total), "shift": (2 * m + total, shift)}


class Memory:
    """A file for $readmemh, as integers."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.lines = self.path.read_text().split()

    def get(self, word, first, bits, signed=False):
        value = int(self.lines[word], 16) >> first & ((1 << bits) - 1)
        return value - (1 << bits) if signed and value >> (bits - 1) else value

    def set(self, word, first, bits, value):
        line = self.lines[word]
        mask = ((1 << bits) - 1) << first
        self.lines[word] = f"{int(line, 16) & ~mask | (value << first & mask):0{len(line)}x}"

    def write(self):
        self.path.write_text("\n".join(self.lines) + "\n")
