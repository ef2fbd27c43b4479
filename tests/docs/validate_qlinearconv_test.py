"""Runs scripts/validate_qlinearconv.py on the networks in models/ and on convolutions of other forms, and shows that it fails where it must.

Usage: validate_qlinearconv_test.py OCTET
"""

import contextlib
import io
import pathlib
import sys
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import validate_qlinearconv as script

OPERATORS = ROOT / "models/resnet8_int8_qoperator.onnx"
OCTET = pathlib.Path(sys.argv.pop(1)).resolve()


def convolution(dtype, kernel, per_channel, bias, weight_scales=(0.001, 0.01), **attributes):
    """A file with one QLinearConv of 6 input and 4 output channels, both in two groups. Two equal scales of weights make its multiplier that over 2."""
    rng, limits = np.random.default_rng(5), np.iinfo(dtype)
    w = rng.integers(limits.min, limits.max, (4, 3, *kernel), dtype=dtype, endpoint=True)
    scales = np.float32(rng.uniform(*weight_scales, 4 if per_channel else ()))
    zeros = rng.integers(limits.min, limits.max, scales.shape, dtype=dtype) if dtype == np.uint8 else np.zeros(scales.shape, dtype)
    constants = [("s", np.float32(0.025)), ("z", dtype(7)), ("w", w), ("sw", np.array(scales)), ("zw", np.array(zeros)), ("sy", np.float32(0.05)), ("zy", dtype(3))]
    constants += [("B", rng.integers(-9999, 9999, 4, dtype=np.int32))] if bias else []
    node = helper.make_node("QLinearConv", ["x", *(name for name, _ in constants)], ["y"], group=2, **attributes)
    value = lambda name: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None)
    graph = helper.make_graph([node], "g", [value("x")], [value("y")], [numpy_helper.from_array(np.array(array), name) for name, array in constants])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


class Validate(unittest.TestCase):
    def run_script(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = script.main(list(map(str, arguments)))
        return code, out.getvalue(), err.getvalue()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_passes_the_network_and_prints_its_parameters(self):
        code, out, err = self.run_script(OPERATORS)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("w_scale        float32 [16]", out)
        self.assertIn("PASS: 4,096 elements, 0 differing, largest difference 0", out)

    def test_takes_a_qdq_file_as_the_operator_file_of_it(self):
        code, out, err = self.run_script(ROOT / "models/resnet8_int8.onnx")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("PASS: 4,096 elements, 0 differing", out)
        self.assertEqual(out.splitlines()[1:], self.run_script(OPERATORS)[1].splitlines()[1:])

    def test_passes_unsigned_activations(self):
        program = self.folder / "uint8.onnx"
        subprocess.run([OCTET, "lower", ROOT / "models/resnet8_uint8.onnx", "-o", program], check=True, stdout=subprocess.DEVNULL)
        self.assertIn("largest difference 0", self.run_script(program)[1])

    def test_passes_other_forms(self):
        for number, model in enumerate([
                convolution(np.int8, (3, 3), True, True, strides=[2, 1], pads=[1, 0, 2, 1]), convolution(np.uint8, (3, 2), False, False, dilations=[2, 3]),
                convolution(np.uint8, (1, 1), True, True), convolution(np.int8, (3,), True, True, pads=[1, 1]),
                convolution(np.int8, (1, 1), True, True, weight_scales=(2.0**-6, 2.0**-6))]):
            path = self.folder / f"{number}.onnx"
            onnx.save(model, path)
            code, out, err = self.run_script(path, "--seed", 3)
            self.assertEqual((code, err), (0, ""), out)
            self.assertIn("largest difference 0", out)

    def test_fails_where_the_computation_is_another(self):
        for name, wrong in {"requantized": lambda acc, m, z: right(acc + 40, m, z),
                            "accumulators": lambda *given: right(*given[:2], given[2] * 0, *given[3:])}.items():
            right = getattr(script, name)
            setattr(script, name, wrong)
            try:
                code, out, _ = self.run_script(OPERATORS)
            finally:
                setattr(script, name, right)
            self.assertEqual(code, 1)
            self.assertIn("FAIL: 4,096 elements", out)

    def test_says_what_is_missing(self):
        self.assertEqual(self.run_script("absent.onnx"), (2, "", "absent.onnx is not there; models/resnet8_int8_qoperator.onnx is in the box\n"))
        code, _, err = self.run_script(ROOT / "models/resnet8.onnx")
        self.assertEqual((code, "has no QLinearConv" in err), (2, True))
        self.assertEqual(self.run_script(ROOT / "README.md")[0], 2)

    def test_helps(self):
        with self.assertRaises(SystemExit) as ended:
            self.run_script("--help")
        self.assertEqual(ended.exception.code, 0)


if __name__ == "__main__":
    unittest.main()
