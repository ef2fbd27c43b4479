"""How much of a network is quantized is one number: quantize, inspect, lower and draw say the same of a model, and the boxes
that draw shows as float are the steps that lower shows as float.

Usage: quantized_share_test.py OCTET
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARE = re.compile(r"(\d+) of (\d+) computing steps?\b")


def transformer(path):
    """One block: LayerNormalization, attention with Softmax, LayerNormalization, MatMul, Gelu, MatMul."""
    rng = np.random.default_rng(1)
    width, heads = 16, 2
    nodes, constants = [], {"g": np.ones(width), "b": np.zeros(width), "scale": np.array(0.35)}

    def add(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=f"{output}_node", **attributes))
        return output

    def dense(x, output, rows, columns):
        constants[output + "_w"] = rng.normal(size=(rows, columns)) / np.sqrt(rows)
        return add("MatMul", [x, output + "_w"], output)

    def split(x, output, order):
        add("Reshape", [x, "heads"], output + "_h")
        return add("Transpose", [output + "_h"], output, perm=order)

    norm = add("LayerNormalization", ["x", "g", "b"], "norm1", axis=-1)
    q = split(dense(norm, "q", width, width), "qh", [0, 2, 1, 3])
    k = split(dense(norm, "k", width, width), "kh", [0, 2, 3, 1])
    v = split(dense(norm, "v", width, width), "vh", [0, 2, 1, 3])
    scores = add("Mul", [add("MatMul", [q, k], "qk"), "scale"], "scores")
    mixed = add("MatMul", [add("Softmax", [scores], "attention", axis=-1), v], "mixed")
    back = add("Reshape", [add("Transpose", [mixed], "mixed_t", perm=[0, 2, 1, 3]), "rows"], "joined")
    first = add("Add", ["x", dense(back, "projected", width, width)], "first")
    norm = add("LayerNormalization", [first, "g", "b"], "norm2", axis=-1)
    hidden = add("Gelu", [dense(norm, "hidden", width, 4 * width)], "gelu")
    add("Add", [first, dense(hidden, "shrunk", 4 * width, width)], "y")
    initializers = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in constants.items()]
    initializers += [numpy_helper.from_array(np.array([0, 0, heads, width // heads]), "heads"),
                     numpy_helper.from_array(np.array([0, 0, width]), "rows")]
    shape = ["N", 8, width]
    graph = helper.make_graph(nodes, "transformer", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    np.savez(path.with_suffix(".npz"), x=rng.normal(size=(4, 8, width)).astype(np.float32))


class Checker:
    def __init__(self, octet, folder):
        self.octet, self.folder, self.wrong, self.checked = octet, folder, [], 0

    def run(self, *arguments):
        done = subprocess.run([self.octet, *arguments], text=True, capture_output=True, cwd=self.folder)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def said(self, *arguments):
        found = SHARE.findall(self.run(*arguments))
        assert len(found) == 1, (arguments, found)
        return tuple(map(int, found[0]))

    def written(self, *arguments):
        facts = json.loads(self.run(*arguments, "--json", "-"))
        facts = facts.get("summary", facts)
        return facts["quantized_steps"], facts["computing_steps"]

    def floats_drawn(self, *arguments):
        """Names of the boxes that are drawn as float: dashed."""
        self.run("draw", *arguments, "-o", "picture.dot")
        lines = (self.folder / "picture.dot").read_text().splitlines()
        boxes = [line for line in lines if re.match(r"\s+n\d+ \[label=<", line) and ",dashed" in line]
        return len(boxes)

    def check(self, label, model, shares=()):
        """`shares` are what quantize said."""
        report = self.folder / "report.json"
        self.run("inspect", model, "--json", report)
        shares = {**dict(shares),
                  "inspect": self.said("inspect", model), "inspect --json": self.written("inspect", model),
                  "lower": self.said("lower", model), "lower --json": self.written("lower", model),
                  **{f"draw {view}": self.said("draw", model, "-o", "a.dot", "--view", view)
                     for view in ("full", "folded", "pattern", "program")},
                  "draw report": self.said("draw", report, "-o", "a.dot")}
        program = json.loads(self.run("lower", model, "--json", "-"))
        quantized, computing = shares["lower"]
        if len(set(shares.values())) != 1:
            self.wrong.append(f"{label}: {shares}")
        if (drawn := self.floats_drawn(model, "--view", "program")) != computing - quantized:
            self.wrong.append(f"{label}: draw --view program has {drawn} boxes of float, not {computing - quantized}")
        forms = {node["name"] or node["outputs"][0]["name"]: node["form"]
                 for node in json.loads(report.read_text())["nodes"]}
        for step in program["steps"]:
            for source in step["sources"]:
                form = forms.get(source["name"], "call")
                if step["integer"] and form == "float":
                    self.wrong.append(f"{label}: {source['name']} is float in inspect, a step on integers in lower")
                if step["kind"] == "float" and form in ("integer", "qdq"):
                    self.wrong.append(f"{label}: {source['name']} is {form} in inspect, a step on floats in lower")
        floats = sum(form == "float" for form in forms.values())
        if (drawn := self.floats_drawn(model, "--view", "full")) != floats:
            self.wrong.append(f"{label}: draw --view full has {drawn} boxes of float, inspect {floats} nodes")
        print(f"{label}: {quantized} of {computing}")
        self.checked += 1
        return quantized, computing

    def quantize(self, label, model, *options):
        shares = {"quantize": self.said("quantize", model, "-o", "q.onnx", *options),
                  "quantize --json": self.written("quantize", model, "-o", "q.onnx", *options)}
        nodes = json.loads(self.run("quantize", model, "-o", "q.onnx", *options, "--json", "-"))["nodes"]
        own = [node for node in nodes if not node["merged"]]
        rows = sum(node["quantized"] for node in own)
        if rows != shares["quantize"][0]:
            self.wrong.append(f"{label}: {rows} rows of quantize say yes, its last line {shares['quantize'][0]}")
        return self.check(label, "q.onnx", shares)


def main(octet):
    shared = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared")) / "models"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checker = Checker(octet, folder)
        transformer(folder / "transformer.onnx")
        resnet8 = ROOT / "models/resnet8.onnx"
        assert checker.check("resnet8", resnet8) == (0, 29)
        assert checker.quantize("resnet8, static", resnet8) == (15, 16)
        assert checker.quantize("resnet8, operators", resnet8, "--format", "qoperator") == (15, 16)
        assert checker.quantize("resnet8, symmetric", resnet8, "--symmetric-activations")[0] == 15
        for kinds in ("--dynamic", "--dynamic=symActivation", "--dynamic --activations uint8"):
            assert checker.quantize(f"resnet8, {kinds}", resnet8, *kinds.split())[0] == 10
        block = folder / "transformer.onnx"
        data = ["--data", block.with_suffix(".npz")]
        checker.check("transformer", block)
        checker.quantize("transformer, static", block, *data)
        checker.quantize("transformer, uint8", block, *data, "--activations", "uint8")
        checker.quantize("transformer, operators", block, *data, "--format", "qoperator")
        assert checker.quantize("transformer, int16", block, *data, "--activations", "int16") == (13, 23)
        checker.quantize("transformer, dynamic", block, "--dynamic")
        for model in sorted(shared.glob("*.onnx")):
            checker.check(model.name, model)
        print("\n".join(checker.wrong) or f"{checker.checked} models: one number each")
        if not shared.is_dir():
            print(f"without third-party models: there are none in {shared}; set OCTET_SHARED")
    return bool(checker.wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
