"""Small networks of every step that the accelerator has, under Icarus Verilog, with every number of multipliers.

Usage: small_networks_test.py OCTET

Channels that fill no group, odd sizes, strides, kernels with and without padding, depthwise convolutions, weights with zero
points, names that nobody should have to read. And what must be refused is, with every step and reason, and nothing is written.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from exported import Exported, ROOT, require_tools, run

OCTET = pathlib.Path(sys.argv.pop(1)).resolve()
HOSTILE = "*/ endmodule `define x \\ \" \n $finish; /* // \u202e"


def network(path, rng, name=lambda n: n, pool="GlobalAveragePool"):
    """Float: a convolution with a stride, one of 1x1, a depthwise one, a residual addition, a pool, a dense layer."""
    first, inner, classes = (int(n) for n in rng.integers((3, 17, 2), (9, 40, 12)))
    kernel, stride, pad = int(rng.integers(2, 4)), int(rng.integers(1, 3)), int(rng.integers(0, 2))
    constants = {"w0": (first, 3, kernel, kernel), "b0": (first,), "w1": (inner, first, 1, 1), "w2": (inner, 1, 3, 3), "b2": (inner,),
                 "w3": (classes, inner), "b3": (classes,)}
    nodes = [
        ("Conv", ["x", "w0", "b0"], "t0", dict(strides=[stride, 1], pads=[pad, 1, 0, pad])),
        ("Relu", ["t0"], "t1", {}),
        ("Conv", ["t1", "w1"], "t2", {}),
        ("Conv", ["t2", "w2", "b2"], "t3", dict(group=inner, pads=[1, 1, 1, 1])),
        ("Add", ["t3", "t2"], "t4", {}),
        (pool, ["t4"], "t5", {} if pool == "GlobalAveragePool" else dict(kernel_shape=[2, 2])),
        ("Flatten", ["t5"], "t6", {}),
        ("Gemm", ["t6", "w3", "b3"], "y", dict(transB=1)),
    ]
    if pool != "GlobalAveragePool":
        nodes = nodes[:6]
        nodes[-1] = (pool, ["t4"], "y", nodes[-1][3])
    shape = [int(n) for n in rng.integers(5, 10, 2)]
    graph = helper.make_graph(
        [helper.make_node(op, [name(i) for i in inputs], [name(output)], name=name(f"step_{output}"), **attributes)
         for op, inputs, output, attributes in nodes], name("graph"),
        [helper.make_tensor_value_info(name("x"), TensorProto.FLOAT, ["N", 3, *shape])],
        [helper.make_tensor_value_info(name("y"), TensorProto.FLOAT, None)],
        [numpy_helper.from_array(rng.normal(0.1, 0.5, size).astype(np.float32), name(n)) for n, size in constants.items()
         if any(n in inputs for _, inputs, _, _ in nodes)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return name("x"), [4, 3, *shape]


class SmallNetworks(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def quantized(self, seed, *options, **network_options):
        rng = np.random.default_rng(seed)
        x, shape = network(self.folder / "float.onnx", rng, **network_options)
        np.savez(self.folder / "data.npz", **{"x": rng.normal(0, 1, shape).astype(np.float32)})
        run(OCTET, "quantize", self.folder / "float.onnx", "-o", self.folder / "quantized.onnx", "--data", self.folder / "data.npz",
            *options)
        return self.folder / "quantized.onnx"

    def passes(self, model, multipliers):
        exported = Exported(OCTET, model, self.folder / f"rtl{multipliers}", multipliers)
        report = run("make", "-s", "icarus", cwd=exported.folder / "bench")
        self.assertTrue(report.startswith("PASS: 6 tensors and the result"), report)
        return exported

    def test_every_number_of_multipliers_gives_the_same_bytes(self):
        kinds = [[], ["--activations", "uint8"], ["--per-tensor", "--asymmetric-weights", "--weights", "uint8", "--activations", "uint8"], ["--per-tensor", "--symmetric-activations"]]
        for power in range(9):
            with self.subTest(multipliers=2**power):
                exported = self.passes(self.quantized(power, *kinds[power % 4]), 2**power)
                self.assertEqual(exported.parameters["LANES"] * exported.parameters["COLUMNS"], 2**power)

    def test_weights_with_zero_points_are_as_wide_as_they_must_be(self):
        exported = self.passes(self.quantized(20, "--per-tensor", "--asymmetric-weights", "--weights", "uint8", "--activations", "uint8"), 8)
        self.assertEqual(exported.parameters["W_BITS"], 9)

    def test_hostile_names_stay_names(self):
        names = {}
        model = self.quantized(21, name=lambda n: names.setdefault(n, n + HOSTILE + "x" * 1000))
        exported = self.passes(model, 16)
        for path in exported.folder.glob("**/*"):
            if path.is_file():
                self.assertTrue(path.read_text().isascii(), path)

    def test_refuses_with_every_step_and_writes_nothing(self):
        model = self.quantized(22, pool="MaxPool")
        done = subprocess.run([OCTET, "export", model, "--verilog", self.folder / "none"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("step_y: it takes the largest of a window", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_refuses_numbers_of_multipliers_that_are_no_power_of_two(self):
        for number in ("0", "3", "512", "-4"):
            done = subprocess.run([OCTET, "export", ROOT / "models/resnet8_int8.onnx", "--verilog", self.folder / "none",
                                   "--multipliers", number], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, number)
            self.assertIn("a power of two from 1 to 256 is wanted", done.stderr)
            self.assertFalse((self.folder / "none").exists())


require_tools("iverilog", "make")
unittest.main()
