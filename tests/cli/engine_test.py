"""Which program runs, what runs it, and with how many threads: --policy, --engine and --threads.

Usage: engine_test.py OCTET ONE_THREAD, where ONE_THREAD is the library of one_thread.cc
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOAT, UINT8 = ROOT / "models" / "resnet8.onnx", ROOT / "models" / "resnet8_uint8.onnx"
CLASSES, TAPS = 8, 64


def write_many_ties(path):
    """Bytes to scores through a QDQ convolution whose multiplier is nearly a half: every other accumulator is next to a tie, and
    in float the order of the additions decides."""
    rng = np.random.default_rng(1)
    constants = {"x_scale": np.float32(0.1), "w_scale": np.float32(0.1), "y_scale": np.float32(0.02), "zero": np.int8(0),
                 "w": rng.integers(-9, 10, (CLASSES, TAPS, 1, 1)).astype(np.int8)}
    nodes = [helper.make_node("DequantizeLinear", ["x", "x_scale", "zero"], ["x_real"]),
             helper.make_node("DequantizeLinear", ["w", "w_scale", "zero"], ["w_real"]),
             helper.make_node("Conv", ["x_real", "w_real"], ["t"]),
             helper.make_node("QuantizeLinear", ["t", "y_scale", "zero"], ["y_q"]),
             helper.make_node("DequantizeLinear", ["y_q", "y_scale", "zero"], ["y_real"]),
             helper.make_node("Flatten", ["y_real"], ["scores"])]
    graph = helper.make_graph(nodes, "ties", [helper.make_tensor_value_info("x", TensorProto.INT8, ["N", TAPS, 1, 1])],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", CLASSES])],
                              [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        write_many_ties(self.folder / "ties.onnx")
        x = np.random.default_rng(2).integers(-3, 4, (256, TAPS, 1, 1)).astype(np.int8)
        np.savez(self.folder / "x.npz", x=x)
        np.savez(self.folder / "labelled.npz", x=x, labels=np.arange(256) % CLASSES)

    def octet(self, *arguments, code=0, **variables):
        done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "OCTET_PYTHON": sys.executable, **variables})
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        return done

    def facts(self, *arguments):
        return json.loads(self.octet(*arguments, "--json", "-").stdout)

    def tensors(self, *options, name="y"):
        self.octet("run", "ties.onnx", "--input", "x.npz", "-o", f"{name}.npz", *options)
        return dict(np.load(self.folder / f"{name}.npz"))


class Policy(Case):
    def scores_of_the_program(self):
        """The scores by ONNX Runtime on the program that `octet verify` proves equal to it."""
        self.octet("lower", "ties.onnx", "-o", "program.onnx", "--unsigned-weights")
        session = onnxruntime.InferenceSession(self.folder / "program.onnx", providers=["CPUExecutionProvider"])
        return session.run(["scores"], {"x": np.load(self.folder / "x.npz")["x"]})[0]

    def test_run_computes_the_program_that_verify_proves(self):
        self.assertIn("verdict     equal", self.octet("verify", "ties.onnx", "--input", "x.npz", "--run", "program").stdout)
        want = self.scores_of_the_program()
        self.assertTrue(np.array_equal(self.tensors()["scores"], want))
        self.assertTrue(np.array_equal(self.tensors("--policy", "exact")["scores"], want))
        self.assertFalse(np.array_equal(self.tensors("--policy", "as-written")["scores"], want))

    def test_evaluate_measures_that_program(self):
        def predictions(*options):
            return self.facts("evaluate", "ties.onnx", "--data", "labelled.npz", *options)["model"]["predictions"]
        want = self.scores_of_the_program().argmax(axis=1).tolist()
        self.assertEqual(predictions(), want)
        self.assertNotEqual(predictions("--policy", "as-written"), want)

    def test_all_shows_the_values_of_the_program(self):
        self.assertEqual(set(self.tensors("--all")), {"x", "y_q", "scores_integers", "scores"})  # Flatten is before DequantizeLinear
        self.assertEqual(set(self.tensors("--all", "--policy", "as-written")),
                         {"x", "x_real", "w_real", "t", "y_q", "y_real", "scores"})

    def test_what_run_writes_is_golden_for_compare(self):
        for options in ((), ("--policy", "as-written"), ("--policy", "onnxruntime")):
            with self.subTest(options=options):
                self.tensors("--all", *options, name="golden")
                done = self.octet("compare", "golden.npz", "golden.npz", "--model", "ties.onnx", *options)
                self.assertEqual(done.stderr, "")
                self.assertIn("verdict     equal", done.stdout)

    def test_compare_says_what_the_program_does_not_compute(self):
        self.tensors("--all", "--policy", "as-written", name="golden")
        done = self.octet("compare", "golden.npz", "golden.npz", "--model", "ties.onnx", code=1)
        self.assertEqual(done.stderr, "octet: note: golden.npz holds 4 arrays that the program does not compute: t, w_real, x_real, …; "
                                      "--policy as-written keeps every tensor of the file\n")
        np.savez(self.folder / "t.npz", t=np.zeros(1))
        done = self.octet("compare", "t.npz", "t.npz", "--model", "ties.onnx", code=2)
        self.assertIn("the other has t. The policy as-written computes every tensor of the file", done.stderr)

    def test_constants_are_quantized_with_the_arithmetic_asked_for(self):
        """Weights that the file itself quantizes, as integers that whoever lowers it may compute beforehand."""
        weights = np.random.default_rng(3).normal(size=(8, 8)).astype(np.float32)
        weights[0] = np.array([1.4, 1.6, 0, 0, 0, 0, 0, 0]) / 16  # rounded the second is the largest, cut off the first
        constants = {"f": weights, "s": np.float32(0.0625), "z": np.int8(0)}
        nodes = [helper.make_node("QuantizeLinear", ["f", "s", "z"], ["q"]), helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
                 helper.make_node("DequantizeLinear", ["x", "s", "z"], ["a"]), helper.make_node("MatMul", ["a", "d"], ["scores"])]
        graph = helper.make_graph(nodes, "quantizes_weights", [helper.make_tensor_value_info("x", TensorProto.INT8, ["N", 8])],
                                  [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", 8])],
                                  [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "ties.onnx")
        np.savez(self.folder / "x.npz", x=np.eye(8, dtype=np.int8) * 16)  # 1.0: the weights themselves come out
        np.savez(self.folder / "labelled.npz", x=np.eye(8, dtype=np.int8) * 16, labels=np.arange(8))
        for policy in ("exact", "as-written", "onnxruntime"):
            for arithmetic, rounded in ("onnxruntime", np.rint), ("truncate", np.trunc):
                scores = self.tensors("--policy", policy, "--arithmetic", arithmetic)["scores"]
                self.assertTrue(np.array_equal(scores, rounded(weights * 16) / 16), (policy, arithmetic))
                found = self.facts("evaluate", "ties.onnx", "--data", "labelled.npz", "--policy", policy, "--arithmetic", arithmetic)
                self.assertEqual(found["model"]["predictions"][0], scores[0].argmax())

    def test_json_names_policy_and_engine(self):
        for policy in ("exact", "as-written", "onnxruntime"):
            for command in (("run", "ties.onnx", "--input", "x.npz"), ("evaluate", "ties.onnx", "--data", "labelled.npz")):
                facts = self.facts(*command, "--policy", policy)
                self.assertEqual((facts["policy"], facts["engine"]), (policy, "fast"))


class Engine(Case):
    def commands(self):
        """Every command that runs a program."""
        np.savez(self.folder / "images.npz", image=np.random.default_rng(1).random((2, 3, 32, 32), np.float32), y=np.arange(2))
        self.octet("run", UINT8, "--random", 1, "--dim", "N=1", "--all", "-o", "all.npz")
        self.octet("run", FLOAT, "--random", 1, "--dim", "N=1", "--all", "-o", "float.npz")
        judge = self.folder / "judge.sh"  # that is wrong everywhere, and says that it computed one tensor in float: near ties are looked for
        judge.write_text(f'#!/bin/sh\nexport LD_PRELOAD="{os.environ.get("LD_PRELOAD", "")}"\necho \'{{"made_by": {{"relu_QuantizeLinear_Output": "QuantizeLinear"}}}}\' >"$3.json"\n'
                         f'exec "{OCTET}" run "$1" --input "$2" -o "$3" --all --arithmetic truncate >/dev/null\n')
        judge.chmod(0o755)
        wrong = dict(np.load(self.folder / "all.npz"))
        wrong["relu_QuantizeLinear_Output"] = wrong["relu_QuantizeLinear_Output"] ^ 1
        np.savez(self.folder / "wrong.npz", **wrong)
        data, some = ("--data", "images.npz"), ("--random", 1, "--dim", "N=1")
        yield 0, ("run", UINT8, *some)
        yield 0, ("evaluate", UINT8, *data, "--baseline", FLOAT)
        yield 0, ("explain", UINT8, "logits_QuantizeLinear_Output[0,3]", *some)
        yield 1, ("verify", UINT8, "--against", "./judge.sh")
        yield 1, ("compare", "all.npz", "wrong.npz", "--model", UINT8)
        yield 0, ("compare", "float.npz", "float.npz", "--model", FLOAT)
        yield 0, ("bounds", UINT8, *data)
        yield 0, ("simulate", UINT8, "--pitfalls", *data, "--float", FLOAT)
        yield 0, ("sweep", UINT8, *data, "--rounding", "floor,ties-up")
        yield 0, ("loss", FLOAT, UINT8, *data)
        yield 0, ("sensitivity", FLOAT, *data, "--per-tensor")
        yield 0, ("tune", FLOAT, "-o", "t.onnx", *data, "--same-samples", "--min-sqnr", "10")
        yield 0, ("quantize", FLOAT, "-o", "q.onnx", *data, "--force")

    def test_every_command_takes_every_engine(self):
        engines = [engine["name"] for engine in self.facts("version")["engines"]]
        self.assertEqual(engines[0], "reference")
        for _, command in self.commands():
            help_text = self.octet(command[0], "--help").stdout
            self.assertIn("--engine NAME", help_text)
            for engine in engines:
                with self.subTest(command=command, engine=engine):
                    self.assertIn(engine, help_text)
                    done = [subprocess.run([OCTET, *map(str, command), *options], capture_output=True, cwd=self.folder)
                            for options in ((), ("--engine", engine))]
                    self.assertEqual((done[0].returncode, done[0].stdout), (done[1].returncode, done[1].stdout))

    def test_unknown_engines_are_refused_before_anything_is_read(self):
        for _, command in self.commands():
            with self.subTest(command=command):
                command = ["none.onnx" if word in (UINT8, FLOAT) else word for word in command]
                message = self.octet(*command, "--engine", "refrence", code=2).stderr
                self.assertEqual(message, "octet: there is no engine refrence; did you mean reference? known are reference, fast\n")

    def test_version_lists_them(self):
        text = self.octet("version").stdout
        for engine in self.facts("version")["engines"]:
            self.assertIn(f"  {engine['name']} ", text)
            self.assertIn(engine["meaning"], text)

    @staticmethod
    def preloaded():
        """ONE_THREAD, beside what is preloaded already (tools/as_cpu)."""
        return ":".join(filter(None, [ONE_THREAD, os.environ.get("LD_PRELOAD")]))

    def test_one_thread_is_one_thread(self):
        """But for the one that waits for signals; without the limit, a second one is tried."""
        for code, command in self.commands():
            with self.subTest(command=command):
                self.octet(*command, "--threads", "1", code=code, LD_PRELOAD=self.preloaded())
                self.octet(*command, "--threads", "3", code=2, LD_PRELOAD=self.preloaded())

    def test_commands_without_threads_have_one(self):
        for command in (("inspect", UINT8), ("lower", UINT8), ("ops",), ("version",), ("help",)):
            with self.subTest(command=command):
                self.octet(*command, LD_PRELOAD=self.preloaded())


if __name__ == "__main__":
    OCTET, ONE_THREAD = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
