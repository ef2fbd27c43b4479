"""Names, patterns and JSON made to break what reads them end with a short message and exit code 2, at once.

Usage: hostile_text_test.py OCTET
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

DEEP = "lists and objects lie in one another more than 64 deep"
LONG = "a regular expression of 100000 bytes"


def two_products(folder, name):
    """Two MatMul, the first with this name."""
    weights = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], name=name), helper.make_node("MatMul", ["a", "w"], ["y"], name="y")]
    values = [helper.make_tensor_value_info(value, TensorProto.FLOAT, [2, 4]) for value in ("x", "y")]
    graph = helper.make_graph(nodes, "products", values[:1], values[1:], [weights])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "m.onnx")
    np.savez(folder / "s.npz", x=np.ones((2, 4), np.float32))


def main(octet):
    wrong = []

    def expect(what, code, text, *arguments):
        try:
            done = subprocess.run([octet, *arguments], cwd=folder, text=True, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            wrong.append(f"{what}: does not end")
            return
        said = done.stderr + done.stdout
        if done.returncode != code or text not in said:
            wrong.append(f"{what}: exit {done.returncode}, wanted {code}: {said[:300]!r}, wanted {text!r}")
        if code == 2 and len(said) > 1000:
            wrong.append(f"{what}: a message of {len(said)} characters")

    quantize = ["quantize", "m.onnx", "-o", "q.onnx"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        two_products(folder, "x" * 100_000 + "MatMul")
        expect("a name of 100 kB", 0, "1 of 2 computing steps", *quantize, "--dynamic", "--exclude", ".*Mat.*")
        expect("its rule", 2, "takes a regular expression of 100008 bytes", *quantize, "--dynamic", "--save-rules", "r.json")
        two_products(folder, "x" * 2_000_000)
        expect("a name of 2 MB", 2, "a node has a name of 2000000 bytes", *quantize, "--dynamic", "--exclude", "Mat")
        two_products(folder, "first")
        expect("a long pattern", 2, LONG, *quantize, "--dynamic", "--exclude", "x" * 100_000)
        expect("parentheses", 2, LONG, *quantize, "--dynamic", "--exclude", "(" * 50_000 + ")" * 50_000)
        expect("fewer parentheses", 2, "nothing in this model can be quantized", *quantize, "--dynamic", "--exclude",
               "(" * 2_000 + ")" * 2_000)
        expect("stars", 2, '--exclude "(.*)*(.*)*(.*)*!" matches no node', *quantize, "--dynamic", "--exclude",
               "(.*)*(.*)*(.*)*!")
        two_products(folder, "a" * 100_000)
        expect("stars on a long name", 2, "matches no node", *quantize, "--dynamic", "--exclude", "(.*)*(.*)*(.*)*!")

        files = {"brackets": "[" * 100_000, "objects": '{"a":' * 100_000,
                 "deep rules": '[{"quantize": ' + "[" * 100_000, "closed": "[" * 100_000 + "]" * 100_000,
                 "deep ranges": '{"schema": "octet.ranges/1", "ranges": {"x": ' + "[" * 100_000,
                 "deep report": '{"schema": "octet.inspect/1", "file": ' + "[" * 100_000}
        answer = folder / "judge.sh"
        answer.write_text("cp bad.json \"$3.json\"; cp out.npz \"$3\"\n")
        two_products(folder, "first")
        expect("an answer for the judge", 0, "", "run", "m.onnx", "--input", "s.npz", "--all", "--output", "out.npz")
        for label, text in files.items():
            (folder / "bad.json").write_text(text)
            expect(f"rules, {label}", 2, f"bad.json: {DEEP}", *quantize, "--dynamic", "--rules", "bad.json")
            expect(f"ranges, {label}", 2, f"bad.json: {DEEP}", *quantize, "--ranges", "bad.json")
            expect(f"report, {label}", 2, f"bad.json: {DEEP}", "draw", "bad.json", "-o", "a.svg")
            expect(f"judge, {label}", 2, DEEP, "verify", "m.onnx", "--input", "s.npz", "--against", f"sh {answer}")
        long = "x" * 1_000_000
        for label, rules in {"value": [{"quantize": long}], "field": [{long: 1}], "type": [
                {"match": {"inputs": {"0": {"type": long}}}, "quantize": True}], "index": [
                {"match": {"inputs": {long: {}}}, "quantize": True}], "condition": [
                {"match": {"inputs": {"0": {"rank": long}}}, "quantize": True}], "pattern": [
                {"match": {"name": long}, "quantize": True}], "entry": [long]}.items():
            (folder / "bad.json").write_text(json.dumps(rules))
            expect(f"a rule with a long {label}", 2, "bad.json: rule 1: ", *quantize, "--dynamic", "--rules", "bad.json")
    print("\n".join(wrong) or "names, patterns and JSON end with a message")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
