"""The pictures of `octet draw`: an XML parser reads every SVG, and what the file holds is what the picture shows.

Usage: draw_test.py OCTET
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
SVG = "{http://www.w3.org/2000/svg}"
VIEWS = ("full", "folded", "pattern", "program")


class Draw(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def octet(self, *arguments, code=0):
        done = subprocess.run([OCTET, *map(str, arguments)], text=True, capture_output=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        if code == 0:
            self.assertEqual(done.stderr, "")
        return done

    def draw(self, model, output, *options):
        self.octet("draw", model, "-o", output, *options)
        return (self.folder / output).read_bytes()

    def texts(self, svg):
        """Every text of an SVG; the parser fails where it is no XML."""
        return [element.text for element in xml.fromstring(svg).iter(SVG + "text")]

    def test_every_view_of_every_model_is_drawn(self):
        for model in sorted(MODELS.glob("*.onnx")):
            for view in VIEWS:
                with self.subTest(model=model.name, view=view):
                    texts = self.texts(self.draw(model, "a.svg", "--view", view))
                    self.assertTrue(any(text.startswith(model.name) for text in texts))

    def test_the_full_view_has_every_node(self):
        model = onnx.load(MODELS / "resnet8_int8.onnx")
        texts = self.texts(self.draw(MODELS / "resnet8_int8.onnx", "a.svg", "--view", "full"))
        for node in model.graph.node:
            shown = node.name if len(node.name) <= 44 else node.name[:21] + "…" + node.name[-22:]
            self.assertIn(shown, texts)

    def test_the_folded_view_has_every_layer_and_the_scale_of_every_activation(self):
        model = onnx.load(MODELS / "resnet8_int8.onnx")
        texts = self.texts(self.draw(MODELS / "resnet8_int8.onnx", "a.svg"))
        stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        for node in model.graph.node:
            if node.op_type == "QuantizeLinear":
                scale, zero_point = stored[node.input[1]], stored[node.input[2]]
                self.assertTrue(any(re.fullmatch(rf"\s*s {re.escape(str(scale))}, z {zero_point}", text) for text in texts),
                                f"{node.name}: s {scale}, z {zero_point}")
                self.assertNotIn(node.name, texts)
            elif node.op_type != "DequantizeLinear":
                self.assertIn(node.name, texts)
        for entry in ("per channel", "int8, uint8", "float32", "residual block 3"):
            self.assertIn(entry, texts)

    def test_the_folded_view_fits_a_screen(self):
        png = self.draw(MODELS / "resnet8_int8.onnx", "a.png")
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", png[16:24])
        self.assertLessEqual(width, 1400)
        self.assertLessEqual(height, 900)

    def test_the_program_shows_the_proven_widths(self):
        bounds = self.octet("bounds", MODELS / "resnet8_int8.onnx").stdout
        texts = self.texts(self.draw(MODELS / "resnet8_int8.onnx", "a.svg", "--view", "program"))
        rows = re.findall(r"^(\S+) +(\d+) +(\d+) +\d+ +\d+ +\d+ ", bounds, re.M)
        self.assertEqual(len(rows), 10)
        for name, products, bits in rows:
            self.assertIn(f"{products} products, accumulator {bits} bits", texts[texts.index(name):][:4])

    def test_a_report_draws_as_its_model_does(self):
        for model in ("resnet8_int8.onnx", "resnet8_int8_qoperator.onnx", "resnet8.onnx"):
            self.octet("inspect", MODELS / model, "--json", "report.json")
            for view in ("full", "folded", "pattern"):
                self.assertEqual(self.draw("report.json", "a.dot", "--view", view),
                                 self.draw(MODELS / model, "b.dot", "--view", view))

    def test_pictures_are_the_same_every_time(self):
        for ending in ("dot", "svg", "png"):
            a, b = (self.draw(MODELS / "resnet8_int8.onnx", f"{name}.{ending}") for name in "ab")
            self.assertEqual(a, b)

    def test_the_pictures_of_the_documentation_are_up_to_date(self):
        script = ROOT / "tools" / "docs" / "pictures.sh"
        subprocess.run([script, OCTET, self.folder], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        kept = ROOT / "docs" / "images"
        drawn = sorted(path.name for path in self.folder.iterdir())
        self.assertIn("resnet8_qdq_architecture.dot", drawn)
        for name in drawn:
            with self.subTest(picture=name):
                new, old = (self.folder / name).read_bytes(), (kept / name).read_bytes()
                self.assertLess(len(old), 300_000)
                if name.endswith(".dot"):
                    self.assertEqual(new, old)
                elif name.endswith(".svg"):  # where things stand depends on Graphviz and its fonts; what stands there does not
                    self.assertEqual(sorted(self.texts(new)), sorted(self.texts(old)))
                else:
                    self.assertEqual(old[:8], b"\x89PNG\r\n\x1a\n")

    def test_blocks_get_files_of_their_own(self):
        done = self.octet("draw", MODELS / "resnet8_int8.onnx", "-o", "graph.svg", "--blocks")
        names = [f"graph_block{i}.svg" for i in (1, 2, 3)]
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), names)
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()], [f"written to {n}" for n in names])
        texts = self.texts((self.folder / names[1]).read_bytes())
        self.assertIn("block2.shortcut", texts)
        self.assertNotIn("block3.conv2", texts)

    def test_hostile_names_are_shown_and_never_read(self):
        names = ['a"b', "<b>&amp;", "two\nlines", "ünïcode 漢字 🦊", "", "\\N \\", "--> <!-- -->", "</TD></TABLE>>", "]]>", "\ufffe"]
        values = [f"v{i}{name}" for i, name in enumerate(names)] + ["y"]
        nodes = [helper.make_node("Relu", [values[i]], [values[i + 1]], name=name) for i, name in enumerate(names)]
        border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in (values[0], "y")]
        graph = helper.make_graph(nodes, "<graph>", border[:1], border[1:])
        path = self.folder / "hostile <&> \"name\".onnx"
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
        for view in VIEWS:
            texts = self.texts(self.draw(path, "a.svg", "--view", view))
            self.assertTrue(any(text.startswith(path.name) for text in texts))
        for shown in ('a"b', "<b>&amp;", "two\\nlines", "ünïcode 漢字 🦊", "\\N \\", "--> <!-- -->", "</TD></TABLE>>"):
            self.assertIn(shown, self.texts(self.draw(path, "a.svg")))

    def test_errors_leave_no_file_behind(self):
        chain = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(10000)]
        border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("v0", "v10000")]
        long = self.folder / "long.onnx"
        onnx.save(helper.make_model(helper.make_graph(chain, "g", border[:1], border[1:]), ir_version=8,
                                    opset_imports=[helper.make_opsetid("", 17)]), long)
        self.octet("inspect", MODELS / "resnet8_int8.onnx", "--json", "report.json")
        (self.folder / "no.json").write_text("{}")
        resnet8 = MODELS / "resnet8_int8.onnx"
        for arguments, message in (
                ((resnet8, "-o", "a.gif"), "a.gif: a picture is .svg, .png or .dot"),
                ((resnet8, "-o", "a.svg", "--view", "nice"), "the views are full, folded, pattern and program"),
                ((resnet8, "-o", "a.svg", "--around", "block1.con"), "the closest are block1.conv1, block1.conv2, "),
                ((resnet8, "-o", "a.svg", "--view", "pattern", "--blocks"), "has no residual block"),
                (("report.json", "-o", "a.svg", "--view", "program"), "a program is made of the .onnx file"),
                (("no.json", "-o", "a.svg"), "its schema is not octet.inspect/1"),
                (("nowhere.onnx", "-o", "a.svg"), "nowhere.onnx"),
                ((long, "-o", "a.svg"), "10,002 nodes and forks, and Graphviz lays out 2,000"),
                ((long, "-o", "a.svg"), "--around NODE draws a part"),
        ):
            with self.subTest(message=message):
                self.assertIn(message, self.octet("draw", *arguments, code=2).stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["long.onnx", "no.json", "report.json"])
        self.assertGreater(len(self.draw(long, "long.dot")), 1_000_000)
        self.assertIn("v5000", self.texts(self.draw(long, "part.svg", "--around", "v5000")))


if __name__ == "__main__":
    OCTET = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
