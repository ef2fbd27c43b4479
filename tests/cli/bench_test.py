"""octet bench: what its report holds, and whose results are exact. How long anything takes is not tested.

Usage: bench_test.py OCTET
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOAT, UINT8, OPERATORS = (ROOT / "models" / f"{name}.onnx" for name in ("resnet8", "resnet8_uint8", "resnet8_int8_qoperator"))
SHORT = ("--seconds", "0.01")


class Bench(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def octet(self, *arguments, **variables):
        return subprocess.run([OCTET, "bench", *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "OCTET_PYTHON": sys.executable, **variables})

    def facts(self, *arguments):
        done = self.octet(*arguments, *SHORT, "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def refuse(self, message, *arguments, **variables):
        done = self.octet(*arguments, **variables)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^octet: " + message)

    def test_onnx_runtime_in_its_exact_mode_is_exact_and_a_float_network_is_not(self):
        (measurement,) = self.facts(UINT8, "--against", f"onnxruntime,float={FLOAT}", "--batch", 4)["measurements"]
        found = {contender["name"]: contender for contender in measurement["contenders"]}
        self.assertEqual(list(found), ["Octet, fast", "ONNX Runtime", "ONNX Runtime, exact", "ONNX Runtime, float"])
        for contender in found.values():
            self.assertEqual((contender["elements"], contender["rows"]), (40, 4))
            self.assertGreaterEqual(contender["runs"], 3)
            times = [contender[time + "_ns"] for time in ("least", "median", "p90", "p99")]
            self.assertEqual(times, sorted(times))
        for name in ("Octet, fast", "ONNX Runtime, exact"):
            self.assertEqual((found[name]["exact_elements"], found[name]["exact_rows"]), (40, 4))
        self.assertEqual(found["ONNX Runtime, float"]["exact_rows"], 0)
        self.assertIn("session.x64quantprecision=1", found["ONNX Runtime, exact"]["settings"])
        self.assertEqual(found["Octet, fast"]["ratio"], 1)

    def test_every_batch_runs_with_every_number_of_threads(self):
        measurements = self.facts(UINT8, "--threads", "1,2", "--batch", "1,3")["measurements"]
        self.assertEqual([(m["batch"], m["threads"]) for m in measurements], [(1, 1), (1, 2), (3, 1), (3, 2)])
        self.assertEqual({len(m["contenders"]) for m in measurements}, {1})

    def test_steps_have_their_multiply_adds(self):
        (measurement,) = self.facts(UINT8, "--batch", 2)["measurements"]
        products = {step["name"]: step["multiply_adds"] for step in measurement["steps"]}
        self.assertEqual(products["conv"], 2 * 32 * 32 * 16 * 27)
        self.assertEqual(products["logits"], 2 * 10 * 64)
        self.assertEqual(products["probabilities"], 0)
        shares = [step["of_peak"] for step in measurement["steps"] if step["multiply_adds"]]
        self.assertTrue(all(share > 0 for share in shares) if measurement["peak"] else not any(shares))

    def test_inputs_come_from_a_file(self):
        np.save(self.folder / "images.npy", np.zeros((5, 3, 32, 32), np.float32))
        (measurement,) = self.facts(UINT8, "--input", "images.npy")["measurements"]
        self.assertEqual((measurement["batch"], measurement["contenders"][0]["rows"]), (5, 5))

    def test_a_runtime_that_can_not_run_the_model_says_why(self):
        (measurement,) = self.facts(OPERATORS, "--against", "onnxruntime")["measurements"]
        octet, default, exact = measurement["contenders"]
        self.assertEqual(default["exact_rows"], 1)
        self.assertRegex(exact["refusal"], "QGemm")
        text = self.octet(OPERATORS, "--against", "onnxruntime", *SHORT).stdout
        self.assertRegex(text, r"\nONNX Runtime, exact +none *\n")
        self.assertIn("\nONNX Runtime, exact can't run it: ", text)

    def test_text_has_contenders_settings_and_steps(self):
        text = self.octet(UINT8, "--against", "onnxruntime", "--steps", *SHORT).stdout
        self.assertRegex(text, r"^1 thread, batch 1\n\ncontender +median +p90 +p99 +least +runs +samples/s +Octet is +exact elements +exact rows\n")
        self.assertRegex(text, r"\nONNX Runtime, exact .* x (fast|slow)er +all 10 +all 1\n")
        self.assertIn("intra_op_num_threads=1, inter_op_num_threads=1", text)
        self.assertRegex(text, r"\nblock3.conv2 +QLinearConv .* 2,359,296 ")
        self.assertRegex(text, r"\nall steps  \d")

    def test_the_picture_has_a_bar_for_each_contender_and_setting(self):
        self.octet(UINT8, "--against", "onnxruntime", "--batch", "1,2", "--plot", "bars.svg", *SHORT)
        picture = xml.etree.ElementTree.parse(self.folder / "bars.svg")
        titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(sum(title.startswith("1 thread, batch 2: ") for title in titles), 3)

    def test_what_is_not_installed_is_named_with_what_to_do(self):
        self.refuse("/none/python can't be run: No such file", UINT8, "--against", "onnxruntime", "--python", "/none/python")
        (self.folder / "onnxruntime.py").write_text("import not_there")
        self.refuse(r".*No module named 'not_there'. Install the package there, .* make python .*", UINT8, "--against", "onnxruntime",
                    PYTHONPATH=str(self.folder))
        if not importlib.util.find_spec("openvino"):
            self.refuse(r".*No module named 'openvino'. Install the package there, .* tools/setup.sh bench", UINT8, "--against", "openvino")

    def test_a_runtime_that_dies_is_told_with_its_last_words(self):
        (self.folder / "onnxruntime.py").write_text("import os\nos.write(2, b'out of luck')\nos._exit(3)")
        self.refuse(".*python.* ended with code 3 instead of an answer; it said: out of luck$", UINT8, "--against", "onnxruntime",
                    PYTHONPATH=str(self.folder))

    def test_wrong_words_are_refused(self):
        self.refuse("there is no contender openvin; did you mean openvino", UINT8, "--against", "openvin")
        self.refuse("there is no contender float=; ", UINT8, "--against", "float=")
        for wrong in ("0", "x", "-1", "2.5"):
            self.refuse(f"--threads wants numbers from 1 on, such as 1,2, and not {wrong}", UINT8, f"--threads=1,{wrong}")
        self.refuse("--batch wants numbers", UINT8, "--batch", "0")
        self.refuse("--batch 2 has no place: ", UINT8, "--batch", "2", "--dim", "N=1")
        self.refuse("--seconds wants a time above 0", UINT8, "--seconds", "0")
        self.refuse("there is no engine quick", UINT8, "--engine", "quick")
        self.refuse("--plot: a.txt: wanted NAME.svg", UINT8, "--plot", "a.txt")


if __name__ == "__main__":
    OCTET = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
