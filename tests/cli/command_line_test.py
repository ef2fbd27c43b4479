"""What every command takes alike: models from standard input, --threads, inputs that nearly fit and say so.

Usage: command_line_test.py OCTET
"""

import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOAT, UINT8 = ROOT / "models" / "resnet8.onnx", ROOT / "models" / "resnet8_uint8.onnx"
SOME = ("--random", "1", "--dim", "N=1")
DATA = ("--data", "samples.npz")


class CommandLine(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        images = np.random.default_rng(1).random((2, 3, 32, 32), np.float32)
        np.savez(self.folder / "samples.npz", image=images, y=np.arange(2))

    def octet(self, *arguments, stdin=subprocess.DEVNULL, **options):
        return subprocess.run([OCTET, *map(str, arguments)], capture_output=True, cwd=self.folder, stdin=stdin,
                              env={**os.environ, "OCTET_PYTHON": sys.executable}, **options)

    def refuse(self, *arguments, **options):
        done = self.octet(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
        self.assertEqual(done.stderr.count(b"\n"), 1)
        return done.stderr.decode().removeprefix("octet: ").rstrip("\n")

    def model(self, file, **inputs):
        """The sum of its inputs' elements: float32 of these shapes."""
        nodes = [helper.make_node("ReduceSum", [name], [f"sum_{name}"], keepdims=0) for name in inputs]
        nodes.append(helper.make_node("Sum", [node.output[0] for node in nodes], ["total"]))
        graph = helper.make_graph(nodes, "sums", [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                                                  for name, shape in inputs.items()],
                                  [helper.make_tensor_value_info("total", TensorProto.FLOAT, [])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / file)
        return file

    # What can't be read is named

    def test_samples_that_are_no_files_are_named(self):
        samples = self.folder / "samples"
        samples.mkdir()
        image = np.zeros((1, 3, 32, 32), np.float32)
        np.save(samples / "a.npy", image)
        command = ("quantize", FLOAT, "-o", "q.onnx", "--data", samples, "--save-ranges", "r.json")
        for name, make, why in (("b.npy", lambda path: path.symlink_to("nowhere.npy"), "a link that leads nowhere"),
                                ("c.png", os.mkfifo, "no regular file"),
                                ("d.npz", lambda path: path.symlink_to("/dev/zero"), "no regular file"),
                                ("e.jpg", lambda path: path.symlink_to("e.jpg"), "a link that leads nowhere")):
            with self.subTest(name=name):
                make(samples / name)
                self.assertEqual(self.refuse(*command),
                                 f"samples can't be read: {samples / name} ({why}); remove them from the folder")
                self.assertFalse((self.folder / "r.json").exists())
                (samples / name).unlink()
        (samples / "notes.txt").symlink_to("nowhere")  # has no sample's name
        self.assertEqual(self.octet(*command).returncode, 0)

    def test_classes_and_test_data_that_are_not_there_are_named(self):
        classes = self.folder / "classes"
        (classes / "0").mkdir(parents=True)
        Image.new("RGB", (32, 32)).save(classes / "0" / "a.png")
        for make, why in ((lambda path: path.symlink_to("nowhere"), "a link that leads nowhere"), (os.mkfifo, "no regular file")):
            make(classes / "1")
            self.assertEqual(self.refuse("evaluate", FLOAT, "--data", classes),
                             f"samples can't be read: {classes / '1'} ({why}); remove them from the folder")
            (classes / "1").unlink()
        (classes / "LICENSE").write_text("of the images")
        self.assertEqual(self.octet("evaluate", FLOAT, "--data", classes).returncode, 0)

        sets = self.folder / "sets"
        for name in ("a", "b"):
            (sets / name).mkdir(parents=True)
        (sets / "a" / "input_0.pb").write_bytes(numpy_helper.from_array(np.zeros((1, 3, 32, 32), np.float32)).SerializeToString())
        (sets / "b" / "input_0.pb").symlink_to("nowhere.pb")
        self.assertEqual(self.refuse("quantize", FLOAT, "-o", "q.onnx", "--data", sets),
                         f"there is no {sets}/b/input_0.pb for input image")

    def test_labels_with_a_nul_are_no_text(self):
        (self.folder / "images").mkdir()
        (self.folder / "labels.txt").write_bytes(b"a.png 1\na.png\0.jpg 1\n")
        self.assertEqual(self.refuse("evaluate", FLOAT, "--data", "images", "--labels", "labels.txt"),
                         "labels.txt: line 2 holds a NUL: this is no text")

    def test_a_nul_does_not_cut_a_message_off(self):
        (self.folder / "answers.txt").write_bytes(b"x\0y and the rest\n")
        self.assertIn("the rest", self.refuse("conformance", "--answers", "answers.txt"))

    def test_what_is_no_python_is_named(self):
        for answer in ("no JSON at all", "[1]", "1"):
            fake = self.folder / "python"
            fake.write_text(f"#!/bin/sh\nread question\necho '{answer}'\nread question\n")
            fake.chmod(0o755)
            said = self.refuse("bench", UINT8, "--seconds", "0.1", "--against", "onnxruntime", "--python", "./python")
            self.assertIn("and not with a JSON object: does --python or $OCTET_PYTHON name a Python?", said)

    # Loops

    def loop(self, file):
        """Adds 1 as often as M says."""
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Add", ["state", "one"], ["next"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
             helper.make_tensor_value_info("state", TensorProto.FLOAT, [])],
            [helper.make_tensor_value_info("go_on", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, [])],
            [onnx.numpy_helper.from_array(np.float32(1), "one")])
        graph = helper.make_graph([helper.make_node("Loop", ["M", "", "x"], ["y"], name="loop", body=body)], "loops",
                                  [helper.make_tensor_value_info("M", TensorProto.INT64, []),
                                   helper.make_tensor_value_info("x", TensorProto.FLOAT, [])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / file)

    def test_trips_of_a_loop_are_limited(self):
        self.loop("loop.onnx")
        for trips, most, code in ((2**62, 1000, 2), (1001, 1000, 2), (1000, 1000, 0)):
            np.savez(self.folder / "in.npz", M=np.int64(trips), x=np.float32(0))
            for engine in ("fast", "reference"):
                done = self.octet("run", "loop.onnx", "--input", "in.npz", "--max-trips", most, "--engine", engine)
                self.assertEqual(done.returncode, code, done.stderr)
                if code:
                    self.assertEqual(done.stderr.decode(), "octet: loop (Loop): the loop goes on after 1000 trips, the most "
                                     "that are allowed\n")

    def test_every_command_that_runs_networks_limits_trips(self):
        runs = "run quantize evaluate loss sensitivity tune explain verify compare bounds simulate sweep bench export compile".split()
        for command in "inspect lower draw conformance ops version help completion".split() + runs:
            text = self.octet(command, "--help").stdout.decode()
            self.assertEqual("--max-trips" in text, command in runs, command)

    def test_trips_of_a_loop_are_shown(self):
        self.loop("loop.onnx")
        np.savez(self.folder / "in.npz", M=np.int64(2**62), x=np.float32(0))
        terminal, other = pty.openpty()
        process = subprocess.Popen([OCTET, "run", "loop.onnx", "--input", "in.npz"], cwd=self.folder, stderr=other,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(other)
        shown = b""
        while shown.count(b"trips of a Loop: ") < 2:
            shown += os.read(terminal, 4096)
        process.terminate()
        self.assertEqual(process.wait(60), 143)
        os.close(terminal)
        self.assertRegex(shown, rb"trips of a Loop: \d+/4611686018427387904")

    # Judging

    def verified(self, *arguments):
        done = self.octet("verify", *arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["runs"]

    def test_groups_of_steps_are_judged_as_all_at_once(self):
        np.savez(self.folder / "many.npz", image=np.random.default_rng(2).random((16, 3, 32, 32), np.float32))
        many = (UINT8, "--data", "many.npz", "--batch", "16", "--memory")
        for whole, parts in zip(self.verified(*many, "1G"), self.verified(*many, "4M")):
            self.assertEqual(whole.pop("runs"), 1)
            self.assertGreater(parts.pop("runs"), 2)
            self.assertEqual(parts, whole)

    def test_infinite_scales_of_weights_are_fused_as_in_onnx_runtime(self):
        arrays = {"xs": np.float32(0.01), "xz": np.uint8(128), "w": np.int8([[1, -1, 0], [2, 3, 0], [-3, 1, 0]]),
                  "ws": np.float32(np.inf), "wz": np.int8(0), "ys": np.float32(0.1), "yz": np.uint8(100)}
        nodes = [helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
                 helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
                 helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"]),
                 helper.make_node("MatMul", ["xd", "wd"], ["m"]),
                 helper.make_node("QuantizeLinear", ["m", "ys", "yz"], ["y"])]
        graph = helper.make_graph(nodes, "infinite", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
                                  [helper.make_tensor_value_info("y", TensorProto.UINT8, [2, 3])],
                                  [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "m.onnx")
        np.savez(self.folder / "x.npz", x=np.float32([[0.5, -0.3, 0.2], [0, 0, 0]]))
        for run in self.verified("m.onnx", "--input", "x.npz", "--policy", "onnxruntime"):
            self.assertEqual(run["verdict"], "equal")
            self.assertEqual(run["executed"]["QLinearMatMul"], 1)
        self.assertNotIn(b"QLinearMatMul", self.octet("lower", "m.onnx").stdout)  # exact: float makes infinities and NaN of it

    # Models from standard input

    def commands(self, model):
        """Every command that takes a model, with text that does not name it."""
        yield ("inspect", model)
        yield ("run", model, *SOME)
        yield ("lower", model)
        yield ("explain", model, "logits_QuantizeLinear_Output[0,3]", *SOME)
        yield ("verify", model, "--run", "program")
        yield ("verify", model, "--against", f'"{OCTET}" run --all >/dev/null "$1" --input "$2" -o "$3" #')
        yield ("bounds", model)
        yield ("simulate", model, *DATA, "--rounding", "floor")
        yield ("sweep", model, *DATA, "--rounding", "floor,ties-up")
        yield ("evaluate", model, *DATA)
        yield ("draw", model, "-o", "a.dot")

    def test_every_command_takes_a_model_from_standard_input(self):
        for named, given in zip(self.commands(UINT8), self.commands("-")):
            with self.subTest(command=given):
                want = self.octet(*named)
                with open(UINT8, "rb") as file:
                    found = self.octet(*given, stdin=file)
                self.assertEqual((found.returncode, found.stderr), (0, b""))
                self.assertEqual((want.returncode, want.stderr), (found.returncode, b""))
                self.assertEqual(found.stdout, want.stdout.replace(str(UINT8).encode(), b"standard input"))

    def test_quantize_is_a_filter(self):
        calibration = ("--data", "samples.npz")
        self.octet("quantize", FLOAT, "-o", "q.onnx", *calibration, check=True)
        piped = self.octet("quantize", "-", "-o", "-", *calibration, input=FLOAT.read_bytes(), stdin=None)
        self.assertEqual(piped.returncode, 0)
        self.assertEqual(piped.stderr, b"octet: warning: conv (Conv): 2 weight scale(s) raised so that the bias fits int32\n")
        self.assertEqual(piped.stdout, (self.folder / "q.onnx").read_bytes())
        self.assertFalse((self.folder / "-").exists())

    def test_one_model_is_all_that_standard_input_gives(self):
        message = self.refuse("evaluate", "-", "--baseline", "-", *DATA, input=UINT8.read_bytes(), stdin=None)
        self.assertEqual(message, "standard input: only one model can be read from it")

    def test_a_pipe_that_comes_in_parts_is_read_whole(self):
        with subprocess.Popen(f'for k in 0 1 2; do dd if="{UINT8}" bs=40000 skip=$k count=1 2>/dev/null; sleep 0.1; done | "{OCTET}" inspect -',
                              shell=True, stdout=subprocess.PIPE) as process:
            self.assertTrue(process.stdout.read().startswith(f"standard input: {UINT8.stat().st_size:,} bytes".encode()))
        self.assertEqual(process.returncode, 0)

    def test_external_data_has_no_folder_on_standard_input(self):
        onnx.save(onnx.load(UINT8), self.folder / "m.onnx", save_as_external_data=True, location="weights.bin", size_threshold=64)
        self.octet("inspect", "m.onnx", check=True)
        message = self.refuse("inspect", "-", input=(self.folder / "m.onnx").read_bytes(), stdin=None)
        self.assertRegex(message, r"^standard input: .*another file \(weights.bin\), which is read for a model in a file beside it$")

    def test_terminals_neither_give_nor_take_a_model(self):
        ours, theirs = pty.openpty()
        message = self.refuse("inspect", "-", stdin=theirs)
        self.assertEqual(message, "standard input: this is a terminal: redirect a model, such as octet inspect - <model.onnx")
        for command in (("lower", UINT8, "-o", "-"), ("quantize", FLOAT, *DATA, "-o", "-")):
            done = subprocess.run([OCTET, *map(str, command)], stdout=theirs, stderr=subprocess.PIPE, cwd=self.folder, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"standard output is a terminal", done.stderr)
        os.close(ours)
        os.close(theirs)

    # --threads

    def test_threads_mean_the_same_everywhere_and_change_no_result(self):
        self.octet("run", UINT8, *SOME, "--all", "-o", "all.npz", check=True)
        for command in (*(c for c in self.commands(UINT8) if c[0] not in ("inspect", "lower", "draw")),
                        ("quantize", FLOAT, *DATA, "-o", "q.onnx"),
                        ("compare", "all.npz", "all.npz", "--model", UINT8)):
            with self.subTest(command=command):
                done = [self.octet(*command, "--threads", number) for number in (0, 1, 3)]
                self.assertEqual((done[0].returncode, done[0].stderr), (0, b""))
                self.assertEqual(len({(d.returncode, d.stdout, d.stderr) for d in done}), 1)
                self.assertIn("--threads: 1025: wanted a whole number from 0 to 1024", self.refuse(*command, "--threads", 1025))

    # Inputs that nearly fit

    def hint(self, model, array, name="x"):
        """Does what the message says, and the model runs."""
        np.savez(self.folder / "given.npz", **{name: array})
        message = self.refuse("run", model, "--input", "given.npz")
        expression = re.search(r"fits? as (array[^:]*):", message)
        if expression:
            fitting = eval(expression[1], {"array": array})
            np.savez(self.folder / "fitting.npz", x=fitting)
            done = self.octet("run", model, "--input", "fitting.npz")
            self.assertEqual((done.returncode, done.stderr), (0, b""), message)
        return message

    def test_arrays_of_another_layout_say_what_would_fit(self):
        first, last = self.model("first.onnx", x=["N", 3, 32, 24]), self.model("last.onnx", x=[1, 32, 24, 3])
        plain, matrix = self.model("plain.onnx", x=[3, 32, 24]), self.model("matrix.onnx", x=["N", 10])
        zeros = lambda *shape, dtype=np.float32: np.zeros(shape, dtype)
        found = "input x is float32[32,24,3], and the model wants float32[N,3,32,24]; in NumPy, it fits as "
        self.assertEqual(self.hint(first, zeros(32, 24, 3)),
                         found + "array.transpose(2, 0, 1)[None]: channels first, a batch axis in front")
        for model, array, expression in (
                (first, zeros(5, 32, 24, 3), "array.transpose(0, 3, 1, 2)"),
                (first, zeros(3, 32, 24), "array[None]"),
                (first, zeros(2, 3, 32, 24, dtype=np.float64), "array.astype('float32')"),
                (first, zeros(32, 24, 3, dtype=np.uint8), "array.transpose(2, 0, 1)[None].astype('float32')"),
                (last, zeros(1, 3, 32, 24), "array.transpose(0, 2, 3, 1)"),
                (last, zeros(3, 32, 24), "array.transpose(1, 2, 0)[None]"),
                (plain, zeros(1, 3, 32, 24), "array[0]"),
                (plain, zeros(1, 32, 24, 3), "array[0].transpose(2, 0, 1)"),
                (matrix, zeros(10), "array[None]")):
            with self.subTest(model=model, shape=array.shape):
                self.assertIn(f"it fits as {expression}: ", self.hint(model, array))
        for dtype, fitting, words in ((TensorProto.INT4, "int8", "the values of int4"), (TensorProto.UINT2, "uint8", "the values of uint2"),
                                      (TensorProto.BFLOAT16, "float32", "the values of bfloat16"),
                                      (TensorProto.FLOAT8E4M3FN, "uint8", "the bits of float8e4m3fn")):
            value = lambda name: helper.make_tensor_value_info(name, dtype, [2, 3])
            graph = helper.make_graph([helper.make_node("Reshape", ["x", "shape"], ["y"])], "types", [value("x")], [value("y")],
                                      [numpy_helper.from_array(np.int64([2, 3]), "shape")])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13), self.folder / "types.onnx")
            for array, expression in ((zeros(2, 3, dtype=np.float64), f"array.astype('{fitting}')"),
                                      (zeros(1, 2, 3, dtype=np.float64), f"array[0].astype('{fitting}')")):
                message = self.hint("types.onnx", array)
                self.assertIn(f"it fits as {expression}: ", message)
                self.assertIn(f"{words}, which NumPy lacks", message)
            self.assertIn("it fits as array[0]: without the first axis", self.hint("types.onnx", zeros(1, 2, 3, dtype=fitting)))
        for model, array in ((first, zeros(5, 3, 32, 25)), (plain, zeros(2, 3, 32, 24)), (matrix, zeros(11))):
            self.assertNotIn("fits", self.hint(model, array))

    def test_an_npy_file_of_another_layout_says_what_would_fit(self):
        model = self.model("first.onnx", x=["N", 3, 32, 24])
        np.save(self.folder / "x.npy", np.zeros((32, 24, 3), np.float32))
        self.assertIn("array.transpose(2, 0, 1)[None]", self.refuse("run", model, "--input", "x.npy"))

    def test_an_array_of_another_name_is_named_and_not_taken(self):
        model = self.model("m.onnx", x=["N", 3, 32, 24])
        wanted = "no value for input x (float32[N,3,32,24]): give it with --input FILE, or make it up with --random SEED"
        self.assertEqual(self.hint(model, np.zeros((2, 3, 32, 24), np.float32), name="image"),
                         wanted + "; given.npz holds image (float32[2,3,32,24]), which would fit if its name were x")
        self.assertEqual(self.hint(model, np.zeros((32, 24, 3), np.float32), name="image"),
                         wanted + "; given.npz holds image (float32[32,24,3]), which under the name x would fit as "
                         "array.transpose(2, 0, 1)[None]: channels first, a batch axis in front")
        self.assertEqual(self.hint(model, np.zeros(7, np.int8), name="image"), wanted + "; given.npz holds image (int8[7])")
        np.savez(self.folder / "many.npz", **{f"a{i}": np.zeros(i) for i in range(11)})
        self.assertRegex(self.refuse("run", model, "--input", "many.npz"), r"; many.npz holds a0 \(float64\[0\]\), .*, a7 \(float64\[7\]\) and 3 more$")
        np.savez(self.folder / "none.npz")
        self.assertEqual(self.refuse("run", model, "--input", "none.npz"), wanted + "; none.npz holds no arrays")

    def test_all_missing_dimensions_are_named_at_once(self):
        model = self.model("m.onnx", a=["N", "T", 3], b=["N", "H"], c=[2, "W"])
        self.assertEqual(self.refuse("run", model, "--random", 1),
                         "inputs a, b, c have the symbolic dimensions N, T, H, W: give them sizes with --dim N=1 --dim T=1 --dim H=1 --dim W=1")
        self.assertEqual(self.refuse("run", model, "--random", 1, "--dim", "T=2", "--dim", "N=2", "--dim", "W=1"),
                         "input b has the symbolic dimension H: give it a size with --dim H=1")
        model = self.model("m.onnx", a=[None, "T"], b=[None], c=[2])
        self.assertEqual(self.refuse("run", model, "--random", 1),
                         "the model does not say dimension 0 of input a, dimension 0 of input b: give those inputs with --input; "
                         "input a has the symbolic dimension T: give it a size with --dim T=1")

    # Names that are something else

    def test_a_step_a_node_or_a_tensor_in_place_of_the_other_is_said_to_be_one(self):
        self.assertEqual(self.refuse("explain", UINT8, "block1.conv1[0,0,0,0]", *SOME),
                         "there is no tensor block1.conv1, but a step of that name: ask for block1.relu1_QuantizeLinear_Output")
        self.assertEqual(self.refuse("explain", UINT8, "block1.add[0,0,0,0]", *SOME),
                         "the program does not compute block1.add: block1.add (Add) is part of step block1.add (addition); "
                         "ask for block1.relu2_QuantizeLinear_Output, or keep every node with the policy as-written")
        self.assertEqual(self.refuse("explain", UINT8, "relu_QuantizeLinear[0,0,0,0]", *SOME),
                         "there is no tensor relu_QuantizeLinear, but a node (QuantizeLinear) of that name in step conv: "
                         "ask for relu_QuantizeLinear_Output")
        self.assertEqual(self.refuse("draw", UINT8, "-o", "a.dot", "--view", "full", "--around", "relu_QuantizeLinear_Output"),
                         "relu_QuantizeLinear_Output is a tensor, and no node has that name: relu_QuantizeLinear (QuantizeLinear) makes it")


if __name__ == "__main__":
    OCTET = sys.argv.pop(1)
    unittest.main()
