"""Every table and every --help fits the terminal, and no word is broken.

All commands run at 60, 80 and 120 columns, as COLUMNS says and as a terminal says, and without a terminal.

Usage: width_test.py OCTET
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
import unittest

import numpy as np
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOAT, INT8, UINT8 = (ROOT / "models" / name for name in ("resnet8.onnx", "resnet8_int8.onnx", "resnet8_uint8.onnx"))
COMMANDS = ("inspect run quantize evaluate loss sensitivity tune lower explain verify compare conformance bounds simulate sweep draw bench export compile ops version help completion").split()
WIDTHS = (60, 80, 120)


def columns(line):
    """As terminals count them."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def environment(width=None):
    others = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return {**others, "OCTET_PYTHON": sys.executable, **({"COLUMNS": str(width)} if width else {})}


class Width(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        random = np.random.default_rng(1)
        np.savez(cls.folder / "samples.npz", image=random.random((3, 3, 32, 32), np.float32), y=np.arange(3))
        judge = cls.folder / "judge.sh"
        judge.write_text(f'#!/bin/sh\nexec "{OCTET}" run "$1" --input "$2" -o "$3" --all --arithmetic truncate >/dev/null\n')
        judge.chmod(0o755)
        for name, arithmetic in (("golden", "onnxruntime"), ("mine", "truncate")):
            cls.octet("run", UINT8, "--random", 1, "--dim", "N=1", "--all", "-o", f"{name}.npz", "--arithmetic", arithmetic)
        # The same network under long names, some of them of wide letters and of letters with accents.
        model = onnx.load(UINT8)
        for i, node in enumerate(model.graph.node):
            node.name = ("特徴量/畳み込み層/" * 4 if i % 2 else "a\u0308usgang/" * 9) + f"{i}"
        onnx.save(model, cls.folder / "names.onnx")

    @classmethod
    def octet(cls, *arguments, width=None):
        done = subprocess.run([OCTET, *map(str, arguments)], text=True, capture_output=True, cwd=cls.folder,
                              env=environment(width), stdin=subprocess.DEVNULL)
        assert done.returncode in (0, 1) and not done.stderr, (arguments, done.returncode, done.stderr)
        return done.stdout

    def terminal(self, width, *arguments):
        """What a terminal of this width shows."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        process = subprocess.Popen([OCTET, *map(str, arguments)], stdout=theirs, stderr=subprocess.PIPE, cwd=self.folder,
                                   env=environment(), stdin=subprocess.DEVNULL)
        os.close(theirs)
        shown = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            shown += chunk
        os.close(ours)
        self.assertEqual((process.wait(), process.stderr.read()), (0, b""))
        process.stderr.close()
        return shown.decode().replace("\r\n", "\n")

    def texts(self):
        """Every command whose output is for people."""
        some = ("--random", "1", "--dim", "N=1")
        data = ("--data", "samples.npz")
        yield ("inspect", INT8)
        yield ("inspect", UINT8, "--layers", "--attributes", "--values")
        yield ("inspect", "names.onnx")
        yield ("run", INT8, *some, "--all")
        yield ("run", "names.onnx", *some)
        yield ("quantize", FLOAT, "-o", "q.onnx")
        yield ("quantize", FLOAT, "-o", "q.onnx", "--dynamic")
        yield ("evaluate", INT8, *data, "--baseline", FLOAT, "--confusion")
        yield ("loss", FLOAT, INT8, *data, "--weights")
        yield ("sensitivity", FLOAT, *data)
        yield ("tune", FLOAT, "-o", "q.onnx", *data, "--same-samples", "--min-sqnr", "10")
        yield ("lower", INT8)
        yield ("lower", "names.onnx", "--policy", "onnxruntime")
        for tensor in ("image_QuantizeLinear_Output[0,0,0,4]", "relu_QuantizeLinear_Output[0,0,0,4]", "probabilities[0,3]"):
            yield ("explain", UINT8, tensor, *some)
        yield ("explain", INT8, "relu_QuantizeLinear_Output[0,0,0,4]", *some, "--policy", "as-written")
        yield ("verify", "names.onnx", "--all", "--run", "file")
        yield ("verify", UINT8, "--against", self.folder / "judge.sh")
        yield ("compare", "golden.npz", "mine.npz")
        yield ("compare", "golden.npz", "mine.npz", "--model", UINT8, "--all")
        yield ("conformance", "--list")
        yield ("conformance", "--against", "sed s/.*/-128/", "--only", "pool", "--only", "add", "--only", "quantize")
        yield ("bounds", UINT8, *data)
        yield ("bounds", "names.onnx")
        yield ("simulate", UINT8, *data, "--pitfalls", "--float", FLOAT)
        yield ("simulate", "names.onnx", *data, "--accumulator", "16,saturate")
        yield ("draw", INT8, "-o", "a.dot")
        yield ("export", INT8, "--vectors", "golden", "--random", "1", "--directed", "--c", "firmware", "--verilog", "rtl")
        yield ("export", "names.onnx", "--c", "named")
        yield ("compile", INT8, "-o", "network.so")
        yield ("ops",)
        yield ("version",)
        yield ("--help",)
        for command in COMMANDS:
            yield ("help", command)

    def check(self, text, width, arguments):
        for line in text.splitlines():
            self.assertLessEqual(columns(line), width, f"{arguments} at {width}: {line}")

    def test_no_line_is_longer_than_columns_and_no_word_is_broken(self):
        for arguments in self.texts():
            whole = set(self.octet(*arguments, width=100000).split())
            for width in WIDTHS:
                with self.subTest(arguments=arguments, width=width):
                    text = self.octet(*arguments, width=width)
                    self.check(text, width, arguments)
                    for word in text.split():
                        self.assertTrue(word in whole or "…" in word or word == "\\",
                                        f"{arguments} at {width}: {word}")

    def test_tables_of_times_fit(self):
        for width in WIDTHS:
            arguments = ("bench", "names.onnx", "--seconds", "0.01", "--steps", "--against", "onnxruntime")
            self.check(self.octet(*arguments, width=width), width, arguments)

    def test_a_terminal_says_how_wide_it_is(self):
        for arguments in (("bounds", UINT8), ("inspect", INT8), ("help", "quantize"), ("ops",)):
            for width in WIDTHS:
                with self.subTest(arguments=arguments, width=width):
                    self.assertEqual(self.terminal(width, *arguments), self.octet(*arguments, width=width))

    def test_without_a_terminal_tables_have_120_columns(self):
        for arguments in self.texts():
            with self.subTest(arguments=arguments):
                # Sentences stay on one line, for those who search them.
                at_120 = self.octet(*arguments, width=120)
                joined = re.compile(r"\s+")
                text = self.octet(*arguments)
                self.assertEqual(joined.sub(" ", text), joined.sub(" ", at_120))
                self.check("".join(l for l in text.splitlines(True) if "  " in l.strip()), 120, arguments)

    def test_what_is_no_number_of_columns_is_not_obeyed(self):
        want = self.octet("bounds", UINT8)
        for nonsense in ("0", "-60", "sixty", "60x", "", " 60", "99999999999999999999"):
            self.assertEqual(self.octet("bounds", UINT8, width=nonsense or None), want, nonsense)
        self.assertEqual(self.octet("bounds", UINT8, width="1"), self.octet("bounds", UINT8, width="20"))

    def test_every_command_is_here(self):
        listed = re.findall(r"^  (\w+) {2,}", self.octet("--help", width=200).split("Subcommands:")[1], re.M)
        self.assertEqual(listed, COMMANDS)
        self.assertEqual({arguments[0] for arguments in self.texts()}, {*COMMANDS, "--help"} - {"sweep", "bench", "completion"})
        # sweep prints CSV; bench prints times, which are others in every run


if __name__ == "__main__":
    OCTET = sys.argv.pop(1)
    unittest.main()
