"""Runs the code of a page, block by block.

python    the blocks of a page are one program, and run in one namespace, in an empty folder with models/ in it and octet
          in reach
c         the blocks of a page are one library, compiled as C11 with warnings as errors. A block that defines main is a
          program on top of the blocks before it, and runs; so does tests/docs/STEM.c, which tests the whole library
verilog   the blocks of a page are modules, and tests/docs/STEM.v is their test bench, run by Icarus Verilog

The tests find numbers of the networks, which vectors() of tools/docs/pages/STEM.py returns as arrays by name, in
vectors.h and, for $readmemh, in NAME.hex. A test passes if its last line is "N checks passed".
"""

import contextlib
import io
import math
import pathlib
import re
import subprocess
import sys

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests/docs"
C_TYPES = {"int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
           "float32": "float"}


class Programs:
    def __init__(self, page, folder):
        self.page, self.folder = page, folder
        self.names = {"__name__": page.stem}  # of the page's Python
        self.c, self.verilog = [], []
        self.printed = None  # by the last program
        self.counts = {}

    def run(self, tag, code, line):
        kinds = {"python": self.run_python, "c": self.run_c, "verilog": self.add_verilog}
        if tag in kinds:
            self.counts[tag] = self.counts.get(tag, 0) + 1
            kinds[tag](code, line)

    def finish(self, vectors):
        """Lets the tests judge the C and Verilog of the page, which they may not lack."""
        write_vectors(self.folder, vectors)
        if self.c:
            test = TESTS / f"{self.page.stem}.c"
            self.check(test, self.compile_and_run([*self.c, (test, 1, test.read_text())]))
        if self.verilog:
            test = TESTS / f"{self.page.stem}.v"
            sources = self.write("page.v", [*self.verilog, (test, 1, test.read_text())], '`line {1} "{0}" 0\n')
            self.execute(["iverilog", "-g2005", "-Wall", "-Wno-timescale", "-o", "bench", sources], quiet=True)
            self.check(test, self.execute(["vvp", "-n", "bench"]))

    def place(self, path, text):
        """A file that the page's code can read."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def summary(self):
        return ", ".join(f"{count} {tag}" for tag, count in self.counts.items()) or "no code"

    def run_python(self, code, line):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile("\n" * (line - 1) + code, self.page, "exec"), self.names)
        self.printed = output.getvalue()

    def run_c(self, code, line):
        block = (self.page, line, code)
        if re.search(r"\bmain\(", code):
            self.printed = self.compile_and_run([*self.c, block])
        else:
            self.c.append(block)

    def add_verilog(self, code, line):
        self.verilog.append((self.page, line, code))

    def compile_and_run(self, blocks):
        source = self.write("page.c", blocks, '#line {1} "{0}"\n')
        self.execute(["gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", source, "-o", "program", "-lm"], quiet=True)
        return self.execute(["./program"])

    def write(self, name, blocks, line_directive):
        text = "".join(line_directive.format(path, line) + code for path, line, code in blocks)
        (self.folder / name).write_text(text)
        return name

    def execute(self, command, quiet=False):
        try:
            done = subprocess.run(command, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except FileNotFoundError:
            print(f"{command[0]} is not installed: run tools/setup.sh test")
            sys.exit(77)  # skipped
        if done.returncode != 0 or (quiet and done.stdout):
            raise SystemExit(f"{self.page}: {' '.join(command)} ended with {done.returncode}\n{done.stdout}")
        return done.stdout

    def check(self, test, printed):
        passed = re.search(r"^([1-9]\d*) checks passed\n\Z", printed, re.M)
        if not passed:
            raise SystemExit(f"{test}: does not end with \"N checks passed\":\n{printed}")
        self.counts[f"checks in {test.name}"] = int(passed[1])


def float_literal(value):
    return value.hex() + "f" if math.isfinite(value) else "NAN" if math.isnan(value) else f"{'-' if value < 0 else ''}INFINITY"


def write_vectors(folder, vectors):
    header = ["#pragma once", "#include <math.h>", "#include <stdint.h>"]
    for name, array in vectors.items():
        array = np.asarray(array)
        is_float = array.dtype == np.float32
        literals = [float_literal(v) if is_float else str(v) for v in array.ravel().tolist()]
        value, extent = ("{\n" + ",\n".join(literals) + "}", f"[{array.size}]") if array.ndim else (literals[0], "")
        header.append(f"static const {C_TYPES[array.dtype.name]} {name}{extent} = {value};")
        bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.itemsize}")
        digits = 2 * array.itemsize
        (folder / f"{name}.hex").write_text("".join(f"{v:0{digits}x}\n" for v in bits.tolist()))
    (folder / "vectors.h").write_text("\n".join(header) + "\n")
