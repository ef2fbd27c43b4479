"""Names of a file are shown and never obeyed: no command prints a control character, turns the direction of writing, or
lets a name begin a line or a cell of its own.

Usage: hostile_names_test.py OCTET
"""

import itertools
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FORGED = "FORGED"
# Colours and a title for the terminal in both forms of their introducer, text that runs backwards, letters that nobody
# sees, every way to begin a line, and markup.
HOSTILE = ("\x1b[31m\x1b]0;title\x07\x9b31m\u202eback\u2066wards\u200b\u00ad\ufeff\u2028" + FORGED + "\u0085" + FORGED + "\n" + FORGED +
           "\r" + FORGED + "\t`code` | cell | <script>alert(1)</script> [a](b) *x* _y_ $z$ \\ & \U000e0041\ue000\U0010fffe")
LONG = "very_long_name/" * 7000  # 105 kB
# What the names of an .npz archive can be: libzip takes no control characters but line breaks and tabs, and 65,535 bytes.
STORED, STORED_LONG = HOSTILE.replace("\x1b", "").replace("\x07", ""), LONG[:60000]
NAMES = {"hostile": HOSTILE, "long": LONG, "stored": STORED, "stored_long": STORED_LONG}
DOMAIN = "com.microsoft"


def hidden(text):
    """Characters that must not reach a terminal, by Unicode's own categories."""
    return sorted({f"U+{ord(c):04X}" for c in text
                   if c != "\n" and (unicodedata.category(c) in ("Cc", "Cf", "Co", "Zl", "Zp") or ord(c) & 0xFFFE == 0xFFFE)})


def tensor(name, values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def integer_model(path, name):
    """x -> QuantizeLinear -> QLinearConv -> QLinearAdd with itself -> DequantizeLinear -> y, everything named by name()."""
    x, q, c, s, y = (name(k) for k in ("x", "q", "c", "s", "y"))
    constants = {k: name(k) for k in ("scale", "zero", "w", "wscale", "wzero")}
    scale, zero = constants["scale"], constants["zero"]
    nodes = [
        helper.make_node("QuantizeLinear", [x, scale, zero], [q], name=name("quantize")),
        helper.make_node("QLinearConv", [q, scale, zero, constants["w"], constants["wscale"], constants["wzero"], scale, zero],
                         [c], name=name("conv")),
        helper.make_node("QLinearAdd", [c, scale, zero, c, scale, zero, scale, zero], [s], name=name("add"), domain=DOMAIN),
        helper.make_node("DequantizeLinear", [s, scale, zero], [y], name=name("dequantize")),
    ]
    graph = helper.make_graph(
        nodes, name("graph"),
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, [name("N"), 1, 4, 4])],
        [helper.make_tensor_value_info(y, TensorProto.FLOAT, [name("N"), 2, 4, 4])],
        [tensor(scale, 0.1, np.float32), tensor(zero, 3, np.uint8),
         tensor(constants["w"], [[[[5]]], [[[-7]]]], np.int8), tensor(constants["wscale"], 0.2, np.float32),
         tensor(constants["wzero"], 0, np.int8)])
    model = helper.make_model(graph, producer_name=name("producer"), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)])
    onnx.save(model, path)


def float_model(path, name):
    x, c, y = name("x"), name("c"), name("y")
    weights = np.linspace(-1, 1, 18).reshape(2, 1, 3, 3)
    nodes = [helper.make_node("Conv", [x, name("w")], [c], name=name("conv"), pads=[1, 1, 1, 1]),
             helper.make_node("Relu", [c], [y], name=name("relu"))]
    graph = helper.make_graph(nodes, name("graph"), [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, 1, 4, 4])],
                              [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 2, 4, 4])],
                              [tensor(name("w"), weights, np.float32)])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)


def wrong_model(path, name):
    """A node that breaks a constraint, one of an operator that nobody knows, with an attribute of a hostile name."""
    nodes = [helper.make_node(name("Operator"), [name("x")], [name("c")], name=name("unknown"), domain=name("domain"), **{name("a"): name("b")}),
             helper.make_node("Conv", [name("x"), name("w")], [name("y")], name=name("conv"))]
    graph = helper.make_graph(nodes, name("graph"), [helper.make_tensor_value_info(name("x"), TensorProto.FLOAT, [1, 3, 4, 4])],
                              [helper.make_tensor_value_info(name("y"), TensorProto.FLOAT, None)],
                              [tensor(name("w"), np.zeros((2, 2, 3, 3)), np.float32)])
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(name("domain"), 1)]), path)


class HostileNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        np.save(cls.folder / "x.npy", np.linspace(-3, 3, 16, dtype=np.float32).reshape(1, 1, 4, 4))
        judge = cls.folder / "judge.sh"
        judge.write_text(f'#!/bin/sh\nexec "{OCTET}" run "$1" --input "$2" -o "$3" --all --arithmetic truncate >/dev/null\n')
        judge.chmod(0o755)
        for kind, text in NAMES.items():
            name = lambda k: k + text
            integer_model(cls.folder / f"{kind}.onnx", name)
            float_model(cls.folder / f"{kind}_float.onnx", name)
            wrong_model(cls.folder / f"{kind}_wrong.onnx", name)
            for run, arithmetic in (("golden", "onnxruntime"), ("mine", "truncate")) if kind.startswith("stored") else ():
                cls.run_octet("run", f"{kind}.onnx", "--input", "x.npy", "--all", "-o", f"{kind}_{run}.npz", "--arithmetic", arithmetic, check=True)

    @classmethod
    def run_octet(cls, *arguments, width=80, **options):
        return subprocess.run([OCTET, *map(str, arguments)], capture_output=True, cwd=cls.folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, "OCTET_PYTHON": sys.executable, "COLUMNS": str(width)}, **options)

    def check(self, printed, arguments, width=None):
        text = printed.decode()  # it is UTF-8
        self.assertEqual(hidden(text), [], arguments)
        for line in text.splitlines():
            self.assertFalse(line.startswith(FORGED), f"{arguments}: {line}")
            if width:
                self.assertLessEqual(len(line), width, f"{arguments}: {line[:200]}")
        return text

    def commands(self, kind, name):
        model, given = f"{kind}.onnx", ("--input", "x.npy")
        yield 0, ("inspect", model)
        yield 0, ("inspect", f"{kind}_wrong.onnx", "--attributes", "--layers", "--values")
        yield 0, ("run", model, *given, "--all")
        yield 0, ("quantize", f"{kind}_float.onnx", "--data", "x.npy", "-o", f"{kind}_q.onnx")
        yield 0, ("quantize", f"{kind}_float.onnx", "--dynamic", "-o", f"{kind}_q.onnx")
        yield 0, ("lower", model)
        yield 0, ("lower", f"{kind}_q.onnx", "--policy", "as-written")
        if kind != "long":  # a word of a command line has at most 128 kB
            for step in ("q", "c", "s", "y"):
                yield 0, ("explain", model, f"{name(step)}[0,0,1,1]", *given)
        if kind.startswith("stored"):
            yield 1, ("verify", model, "--against", self.folder / "judge.sh", "--all")
            yield 0, ("verify", model, "--run", "program", "--all", "--random", "1")
            yield 1, ("compare", f"{kind}_golden.npz", f"{kind}_mine.npz")
            yield 1, ("compare", f"{kind}_golden.npz", f"{kind}_mine.npz", "--model", model)
        yield 0, ("bounds", model)
        yield 0, ("simulate", model, "--data", "x.npy", "--accumulator", "8,saturate")
        yield 0, ("simulate", model, "--data", "x.npy", "--pitfalls")
        yield 0, ("draw", model, "-o", f"{kind}.svg")

    def test_every_command_shows_hostile_names_and_obeys_none(self):
        for kind, text in NAMES.items():
            for code, arguments in self.commands(kind, lambda k: k + text):
                with self.subTest(arguments=[a if len(str(a)) < 100 else "…" for a in arguments]):
                    for width in (80, 2000):  # where names are shortened, and where they are not
                        done = self.run_octet(*arguments, width=width)
                        self.assertEqual((done.returncode, done.stderr[:300]), (code, b""))
                        self.check(done.stdout, arguments, width)

    def test_errors_show_hostile_names_in_one_line(self):
        for kind in NAMES:
            model = f"{kind}.onnx"
            for arguments in (("run", model), ("run", model, "--random", "1"), ("run", model, "--random", "1", "--dim", "M=1"),
                              ("run", f"{kind}_wrong.onnx", "--random", "1"), ("lower", f"{kind}_wrong.onnx"),
                              ("run", model, "--input", f"{kind}_float.npz"),
                              ("run", model, "--input", "x.npy", "-o", "one.npy", "--all"),
                              ("explain", model, "conv[0]", "--input", "x.npy"), ("draw", model, "--around", "conv", "-o", "a.svg"),
                              ("bounds", f"{kind}_float.onnx"), ("simulate", f"{kind}_float.onnx", "--data", "x.npy", "--pitfalls"),
                              ("inspect", HOSTILE), ("run", model, "--arithmetic", HOSTILE), (HOSTILE,), ("inspect", "--" + HOSTILE)):
                with self.subTest(kind=kind, arguments=arguments):
                    np.savez(self.folder / f"{kind}_float.npz", **{"other" + HOSTILE: np.zeros(3, np.int8)})
                    done = self.run_octet(*arguments)
                    self.assertEqual((done.returncode, done.stdout), (2, b""))
                    text = self.check(done.stderr, arguments)
                    self.assertTrue(text.startswith("octet: ") and text.count("\n") == 1, text)
                    self.assertLess(len(text), 5000)

    def test_markdown_holds_no_markup_of_a_name(self):
        for step in ("q", "c", "s", "y"):
            done = self.run_octet("explain", "hostile.onnx", f"{step}{HOSTILE}[0,0,1,1]", "--input", "x.npy", "--format", "markdown")
            text = self.check(done.stdout, step)
            self.assertIn("alert(1)", text)
            for markup in ("<script", "`code`", "[a]", "*x*", "_y_", "$z$", "|cell", "| cell"):
                self.assertNotRegex(text, r"(?<!\\)" + re.escape(markup), markup)
            for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
                bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table.splitlines()}
                self.assertEqual(len(bars), 1, table)

    def test_json_has_the_names_themselves_and_no_hidden_characters(self):
        for kind, text in (("hostile", HOSTILE), ("long", LONG)):
            done = self.run_octet("inspect", f"{kind}.onnx", "--json", "-")
            self.assertEqual(hidden(done.stdout.decode()), [])
            self.assertEqual([node["name"] for node in json.loads(done.stdout)["nodes"]],
                             [k + text for k in ("quantize", "conv", "add", "dequantize")])

    def test_a_terminal_gets_no_hidden_characters_of_data(self):
        arguments = ["sweep", "hostile.onnx", "--data", "x.npy", "--accumulator", "8..9"]
        raw = self.run_octet(*arguments).stdout.decode()
        self.assertIn(HOSTILE.replace('"', '""'), raw)
        ours, theirs = pty.openpty()
        with subprocess.Popen([OCTET, *arguments], stdout=theirs, cwd=self.folder, stdin=subprocess.DEVNULL) as process:
            os.close(theirs)
            shown = b""
            try:
                while chunk := os.read(ours, 65536):
                    shown += chunk
            except OSError:  # the other end is closed
                pass
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(hidden(shown.decode().replace("\r\n", "\n")), [])

    def test_every_code_point_is_shown_or_escaped(self):
        """Through error messages, as many at a time as one holds. Planes 2 to 13 have ideographs, and nothing yet."""
        planes = (range(1, 0xD800), range(0xE000, 0x20000), range(0xE0000, 0xE1100), range(0xEFF00, 0xF0100), range(0x10FF00, 0x110000))
        points = [chr(p) for p in itertools.chain(*planes)]
        for begin in range(0, len(points), 350):
            part = points[begin:begin + 350]
            shown = self.run_octet("x" + "".join(part)).stderr.decode()
            self.assertEqual(hidden(shown), [])
            for character in part:
                if not hidden(character) and unicodedata.category(character) != "Cn":
                    escape = f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
                    if character not in shown:  # then it is one of those that have no shape of their own
                        self.assertIn(escape, shown, f"U+{ord(character):04X}")
                        self.assertIn(unicodedata.category(character), ("Mn", "Lo"), escape)


if __name__ == "__main__":
    OCTET = sys.argv.pop(1)
    unittest.main()
