"""The pictures of `octet draw`: an XML parser reads every SVG, and what the file holds is what the picture shows.

Usage: draw_test.py OCTET
"""

import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import numpy
import onnx
from jsonschema import Draft202012Validator
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
SVG = "{http://www.w3.org/2000/svg}"
VIEWS = ("full", "folded", "pattern", "program")


class Dynamic:
    """A network whose convolutions are quantized as it runs: each is six nodes."""

    def __init__(self):
        self.nodes, self.stored = [], []

    def store(self, name, values):
        self.stored.append(numpy_helper.from_array(values, name))
        return name

    def op(self, op_type, *inputs, outputs=1, **attributes):
        name = f"/{op_type}_{len(self.nodes)}"
        made = [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op_type, inputs, made, name=name, **attributes))
        return made[0] if outputs == 1 else made

    def conv(self, x, channels, to):
        name = f"w{len(self.nodes)}"
        x, scale, zero_point = self.op("DynamicQuantizeLinear", x, outputs=3)
        weights = self.store(name, numpy.ones((to, channels, 3, 3), numpy.int8))
        total = self.op("ConvInteger", x, weights, zero_point, kernel_shape=[3, 3], pads=[1] * 4)
        scales = self.op("Mul", scale, self.store(name + "_scale", numpy.float32(0.5)))
        scaled = self.op("Mul", self.op("Cast", total, to=TensorProto.FLOAT), scales)
        return self.op("Add", scaled, self.store(name + "_bias", numpy.ones((1, to, 1, 1), numpy.float32)))

    def layer(self, x, channels=4, to=4):
        x = self.conv(x, channels, to)
        return self.op("Mul", x, self.op("Sigmoid", x))

    def block(self, x):
        return self.op("Add", x, self.layer(self.layer(x)))

    def save(self, path, output):
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], self.stored)
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)


def u_net(path, depth):
    """What each level of the way down makes is read again on the way up: wires over the whole length."""
    net = Dynamic()
    x, skips = net.layer("x", 3), []
    for _ in range(depth):
        x = net.layer(net.block(net.block(x)))
        skips.append(x)
    for skip in reversed(skips):
        x = net.block(net.layer(net.op("Concat", x, skip, axis=1), 8))
    net.save(path, net.op("GlobalAveragePool", x))


def dense_net(path, layers):
    """Every layer reads what all before it made."""
    net = Dynamic()
    made = [net.layer("x", 3)]
    for _ in range(layers):
        x = net.op("Concat", *made, axis=1) if len(made) > 1 else made[0]
        made.append(net.layer(x, 4 * len(made)))
    net.save(path, net.op("Concat", *made, axis=1))


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

    def test_a_program_draws_from_its_json_as_from_the_model(self):
        for model in ("resnet8_int8.onnx", "resnet8_int8_qoperator.onnx", "resnet8.onnx"):
            self.octet("lower", MODELS / model, "--json", "program.json")
            for more in ((), ("--direction", "right"), ("--around", "block2.conv2", "--depth", "1"), ("--blocks",)):
                self.assertEqual(self.octet("draw", "program.json", "-o", "a.dot", "--view", "program", *more).stdout,
                                 self.octet("draw", MODELS / model, "-o", "a.dot", "--view", "program", *more).stdout)
            self.assertEqual(self.draw("program.json", "a.dot", "--view", "program"), self.draw(MODELS / model, "b.dot", "--view", "program"))

    def test_wires_lead_where_they_are_told(self):
        """Of two nodes, the second stands below the first, or right of it."""
        def places(*more):
            svg = self.draw(MODELS / "resnet8_int8.onnx", "a.svg", "--view", "program", "--around", "block2.conv2", "--depth", "1", *more).decode()
            def place(name):
                return tuple(map(float, re.search(rf'<title>{re.escape(name)}</title>.*?<text [^>]*x="([-\d.]+)" y="([-\d.]+)"', svg, re.S).groups()))
            return {name: place(name) for name in ("block2.conv1", "block2.conv2")}
        down, right = places(), places("--direction", "right")
        self.assertLess(down["block2.conv1"][1], down["block2.conv2"][1])
        self.assertLess(right["block2.conv1"][0], right["block2.conv2"][0])
        self.assertLess(abs(right["block2.conv1"][1] - right["block2.conv2"][1]), abs(down["block2.conv1"][1] - down["block2.conv2"][1]))
        self.assertEqual(self.octet("draw", MODELS / "resnet8_int8.onnx", "-o", "a.dot", "--direction", "down").stdout, self.octet("draw", MODELS / "resnet8_int8.onnx", "-o", "a.dot").stdout)

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
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()[:-1]], [f"written to {n}" for n in names])
        texts = self.texts((self.folder / names[1]).read_bytes())
        self.assertIn("block2.shortcut", texts)
        self.assertNotIn("block3.conv2", texts)

    def titles(self, svg):
        """What a browser shows of each kind of thing while the pointer rests on it."""
        found = {}
        for element in xml.fromstring(svg).iter(SVG + "g"):
            found.setdefault(element.get("class"), []).extend(title.text for title in element.findall(SVG + "title"))
        return found

    def test_titles_are_names(self):
        model = onnx.load(MODELS / "resnet8_int8.onnx")
        tensors = {name for node in model.graph.node for name in (*node.input, *node.output)}
        names = {node.name for node in model.graph.node} | {value.name for value in (*model.graph.input, *model.graph.output)}
        for view in ("folded", "full"):
            found = self.titles(self.draw(MODELS / "resnet8_int8.onnx", "a.svg", "--view", view))
            self.assertLessEqual(set(found["node"]), names | tensors)
            self.assertLessEqual(set(found["edge"]), tensors)
            self.assertEqual(set(found["cluster"]), {f"residual block {i}" for i in (1, 2, 3)})
        self.assertIn("block2.shortcut", found["node"])

    def test_a_tall_network_is_cut_into_pages(self):
        u_net(self.folder / "net.onnx", 12)
        nodes = {node.name for node in onnx.load(self.folder / "net.onnx").graph.node}
        whole = json.loads(self.octet("draw", "net.onnx", "-o", "a.dot", "--json", "-").stdout)["files"]
        self.assertEqual(len(whole), 1)
        self.assertEqual((whole[0]["pages"], whole[0]["layout"]), (1, None))
        for view in ("folded", "program"):
            for ending in ("svg", "png"):
                done = self.octet("draw", "net.onnx", "-o", f"a.{ending}", "--view", view)
                lines = done.stdout.splitlines()[:-1]
                self.assertGreater(len(lines), 2)
                for i, line in enumerate(lines, 1):
                    file = f"a.{ending}" if i == 1 else f"a_page{i}.{ending}"
                    self.assertRegex(line, rf"^written to {re.escape(file)}: \d+ nodes, page {i} of {len(lines)}$")
                    self.assertTrue((self.folder / file).exists())
        pages = json.loads(self.octet("draw", "net.onnx", "-o", "a.svg", "--json", "-").stdout)["files"]
        drawn = [node["name"] for page in pages for node in page["nodes"] if node["kind"] == "convolution"]
        self.assertEqual(len(drawn), 97)
        self.assertEqual(len(set(drawn)), 97)
        self.assertLessEqual(set(drawn), nodes)
        leaving, arriving = set(), set()
        for page in pages:
            for node in page["nodes"]:
                if node["kind"] != "on another page":
                    continue
                words = node["title"].replace(",", "").split()
                for other in words[2:]:
                    way = (page["page"], int(other)) if words[0] == "to" else (int(other), page["page"])
                    (leaving if words[0] == "to" else arriving).add((node["name"], *way))
        self.assertEqual(leaving, arriving)
        self.assertGreaterEqual(len(leaving), 12)

    def test_what_graphviz_cannot_lay_out_in_time_is_laid_out_simpler(self):
        dense_net(self.folder / "net.onnx", 70)
        done = self.octet("draw", "net.onnx", "-o", "a.svg", "--time-limit", "4", "--json", "facts.json")
        self.assertEqual(done.stdout, "")
        files = json.loads((self.folder / "facts.json").read_text())["files"]
        simpler = [file for file in files if file["layout"] != "full"]
        self.assertTrue(simpler)
        for file in files:
            self.assertEqual(bool(file["notes"]), file["layout"] != "full")
            self.assertTrue(self.texts((self.folder / file["file"]).read_bytes()))
        # Half of what two pages leave to the first one.
        self.assertRegex(simpler[0]["notes"][0], r"because Graphviz failed in the full layout: it took longer than (1|0\.\d+) s")

    def test_the_time_limit_holds_for_all_layouts_together(self):
        """43,200 wires, which no layout draws in a minute: each layer reads all of the layer before."""
        before, nodes = ["x"], []
        for layer in range(4):
            made = [f"v{layer}_{i}" for i in range(120)]
            nodes += [helper.make_node("Sum", before, [name], name=name) for name in made]
            before = made
        graph = helper.make_graph([*nodes, helper.make_node("Sum", before, ["y"])], "wires",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "net.onnx")
        done = subprocess.run([OCTET, "draw", "net.onnx", "-o", "a.svg", "--time-limit", "1"], cwd=self.folder, timeout=45,
                              capture_output=True)
        self.assertIn(done.returncode, (0, 2))

    def test_no_process_stays_when_it_is_ended(self):
        dense_net(self.folder / "net.onnx", 70)
        command = [OCTET, "draw", "net.onnx", "-o", "a.svg"]

        def children(process):
            return [path.name for path in pathlib.Path("/proc").glob("[0-9]*")
                    if self.state_and_parent(path.name)[1] == str(process)]

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number):
                process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL)
                end = time.monotonic() + 60
                while not (layout := children(process.pid)) and time.monotonic() < end and process.poll() is None:
                    time.sleep(0.01)
                self.assertTrue(layout)
                process.send_signal(number)
                process.wait()
                while any(map(self.runs, layout)) and time.monotonic() < end:
                    time.sleep(0.01)
                self.assertFalse(list(filter(self.runs, layout)))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["net.onnx"])

    def state_and_parent(self, process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended
            return "Z", "0"

    def runs(self, process):
        return self.state_and_parent(process)[0] not in "ZX"

    def test_the_facts_keep_to_their_schema(self):
        schema = json.loads((ROOT / "docs" / "schemas" / "draw.schema.json").read_text())
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        u_net(self.folder / "net.onnx", 8)
        resnet8 = MODELS / "resnet8_int8.onnx"
        kinds = set()
        for arguments in (("net.onnx", "-o", "a.svg"), (resnet8, "-o", "a.png", "--view", "program"),
                          (resnet8, "-o", "a.svg", "--blocks"), (resnet8, "-o", "a.dot", "--view", "full"),
                          (resnet8, "-o", "a.svg", "--view", "pattern"), (resnet8, "-o", "a.svg", "--around", "block2.conv2")):
            facts = json.loads(self.octet("draw", *arguments, "--json", "-").stdout)
            self.assertEqual([error.message for error in validator.iter_errors(facts)], [])
            for file in facts["files"]:
                self.assertTrue((self.folder / file["file"]).exists())
                kinds.update(node["kind"] for node in file["nodes"])
                for index in [wire[end] for wire in file["wires"] for end in ("from", "to")] + sum((f["nodes"] for f in file["frames"]), []):
                    self.assertLess(index, len(file["nodes"]))
            for wrong in ({**facts, "files": []}, {**facts, "view": "nice"}, {**facts, "more": 1},
                          {**facts, "files": [{**facts["files"][0], "layout": "nice"}]}):
                self.assertFalse(validator.is_valid(wrong))
        self.assertGreaterEqual(kinds, {"convolution", "fork", "on another page", "not drawn further", "stored in the file"})
        page = (ROOT / "docs" / "draw.md").read_text()
        fields = set(schema["properties"]).union(*(part["properties"] for part in schema["$defs"].values()))
        self.assertEqual([field for field in sorted(fields) if f"`{field}`" not in page], [])

    def test_a_frame_of_which_something_is_missing_says_so(self):
        resnet8 = MODELS / "resnet8_int8.onnx"
        for node, depth, frames in (("block2.conv2", 0, ["residual block 2, in part"]),
                                    ("block2.conv2", 9, ["residual block 1", "residual block 2", "residual block 3"]),
                                    ("logits", 0, [])):
            facts = json.loads(self.octet("draw", resnet8, "-o", "a.svg", "--around", node, "--depth", depth, "--json", "-").stdout)
            self.assertEqual([frame["title"] for frame in facts["files"][0]["frames"]], frames)
            shown = [text for text in self.texts((self.folder / "a.svg").read_bytes()) if text.startswith("residual block")]
            self.assertEqual(sorted(shown), frames)

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
        self.octet("lower", MODELS / "resnet8_int8.onnx", "--json", "program.json")
        (self.folder / "no.json").write_text("{}")
        resnet8 = MODELS / "resnet8_int8.onnx"
        for arguments, message in (
                ((resnet8, "-o", "a.gif"), "--output: a.gif: wanted NAME.svg, NAME.png or NAME.dot"),
                ((resnet8, "-o", "a.svg", "--view", "nice"), "the views are full, folded, pattern and program"),
                ((resnet8, "-o", "a.svg", "--around", "block1.con"), "the closest are block1.conv1, block1.conv2, "),
                ((resnet8, "-o", "a.svg", "--view", "pattern", "--blocks"), "has no residual block"),
                (("report.json", "-o", "a.svg", "--view", "program"), "report.json: not the JSON of octet lower: its schema is not octet.program/1"),
                (("program.json", "-o", "a.svg"), "its schema is not octet.inspect/1"),
                (("program.json", "-o", "a.svg", "--view", "program", "--policy", "exact"), "--policy is not used: it is about the .onnx file, not a .json file"),
                (("program.json", "-o", "a.svg", "--view", "program", "--dim", "N=1"), "--dim is not used: it is about the .onnx file"),
                (("program.json", "-o", "a.svg", "--view", "program", "--around", "block1.con"), "the closest are block1.conv1, block1.conv2, "),
                ((resnet8, "-o", "a.svg", "--direction", "up"), "there is no direction up; the directions are down and right"),
                (("no.json", "-o", "a.svg"), "its schema is not octet.inspect/1"),
                (("nowhere.onnx", "-o", "a.svg"), "nowhere.onnx"),
                ((long, "-o", "a.svg"), "10,002 nodes and forks, and would take more than 20 pages"),
                ((long, "-o", "a.svg"), "--around NODE draws a part"),
                ((resnet8, "-o", "a.svg", "--time-limit", "0"), "--time-limit"),
        ):
            with self.subTest(message=message):
                self.assertIn(message, self.octet("draw", *arguments, code=2).stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["long.onnx", "no.json", "program.json", "report.json"])
        self.assertGreater(len(self.draw(long, "long.dot")), 1_000_000)
        self.assertIn("v5000", self.texts(self.draw(long, "part.svg", "--around", "v5000")))


if __name__ == "__main__":
    OCTET = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
