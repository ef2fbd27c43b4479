#!/usr/bin/env python3
"""octet verify where ONNX Runtime's own optimizer changes a file's numbers: rewrites.py OCTET

Each network has a pattern that one optimizer rewrites. The file must be judged without that optimizer, which the report
names, and be equal then; a network that is wrong in earnest must still differ, and one without such a pattern must be
judged as ONNX Runtime runs it.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401, the judge
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

OCTET = pathlib.Path(sys.argv[1]).resolve()
random = np.random.default_rng(1)
f32 = np.float32
PARAMETERS = {"s": f32(0.03), "z": np.uint8(120), "t": f32(0.05), "tz": np.uint8(130)}
WEIGHTS = {"w": random.integers(-127, 128, (4, 4, 1, 1)).astype(np.int8), "ws": f32(0.01), "wz": np.int8(0)}
BEGIN = [("QuantizeLinear", ["x", "s", "z"], "xq", {}), ("DequantizeLinear", ["xq", "s", "z"], "xd", {})]
END = [("QuantizeLinear", ["c", "t", "tz"], "cq", {}), ("DequantizeLinear", ["cq", "t", "tz"], "y", {})]
CONVOLUTION = ("DequantizeLinear", ["w", "ws", "wz"], "wd", {})


def save(path, nodes, shape, result, constants, opset=17):
    initializers = [v if isinstance(v, onnx.TensorProto) else numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    graph = helper.make_graph([helper.make_node(op, inputs, [output], name=output, **attributes) for op, inputs, output, attributes in nodes],
                              "rewritten", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), path)


def turned(middle, constants):
    """A float result that is transposed and then quantized, as in ConvNeXt and Swin."""
    nodes = BEGIN + [middle, ("Transpose", ["l"], "p", {"perm": [0, 3, 1, 2]}), ("QuantizeLinear", ["p", "t", "tz"], "pq", {}),
                     ("DequantizeLinear", ["pq", "t", "tz"], "pd", {}), CONVOLUTION, ("Conv", ["pd", "wd"], "c", {})] + END
    return nodes, [1, 6, 6, 4], [1, 4, 6, 6], {**PARAMETERS, **WEIGHTS, **constants}


def networks():
    """Name, the optimizer that changes its numbers, and how to make it."""
    normal = ("LayerNormalization", ["xd", "gain", "shift"], "l", {})
    yield "layer normalization, transposed", "TransposeOptimizer", turned(normal, {"gain": np.ones(4, f32), "shift": np.zeros(4, f32)})
    yield "softmax, transposed", "TransposeOptimizer", turned(("Softmax", ["xd"], "l", {"axis": -1}), {})
    floats = {"wf": random.normal(size=(4, 3, 2, 2)).astype(f32), "bf": random.normal(size=3).astype(f32)}
    upwards = [("ConvTranspose", ["xd", "wf", "bf"], "c", {"strides": [2, 2]})]
    yield "float weights", "WeightBiasQuantization", (BEGIN + upwards + END, [1, 4, 5, 5], [1, 3, 10, 10], {**PARAMETERS, **floats})
    biased = [CONVOLUTION, ("Conv", ["xd", "wd", "b"], "c", {})]
    yield "float bias", "WeightBiasQuantization", (BEGIN + biased + END, [1, 4, 5, 5], [1, 4, 5, 5],
                                                   {**PARAMETERS, **WEIGHTS, "b": random.normal(size=4).astype(f32)})
    few = helper.make_tensor("w4", TensorProto.INT4, [32, 16], random.integers(-8, 8, 512).tolist())
    nodes = [("DequantizeLinear", ["w4", "ws"], "wd", {"axis": 0, "block_size": 16}), ("MatMul", ["x", "wd"], "y", {})]
    yield "4-bit weights", "QDQSelectorActionTransformer", (nodes, [3, 32], [3, 16], {"w4": few, "ws": (random.random((2, 16)) * 0.1).astype(f32)}, 21)
    plain = [CONVOLUTION, ("Conv", ["xd", "wd"], "c", {})]
    yield "nothing of that kind", None, (BEGIN + plain + END, [1, 4, 5, 5], [1, 4, 5, 5], {**PARAMETERS, **WEIGHTS})


def mistaken_python(folder):
    """An interpreter whose judge gets one element wrong, with every optimizer and without."""
    mistake = folder / "mistake.py"
    mistake.write_text("import sys, numpy\narrays = dict(numpy.load(sys.argv[1]))\narrays['cq'].flat[0] ^= 64\n"
                       "numpy.savez(open(sys.argv[1], 'wb'), **arrays)\n")
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{sys.executable} \"$@\" || exit 1\nfor last; do :; done\n{sys.executable} {mistake} \"$last\"\n")
    python.chmod(0o755)
    return python


def verify(path, python=sys.executable):
    done = subprocess.run([OCTET, "verify", path, "--python", python, "--json", "-"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"octet verify ended with {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "network.onnx"
        for name, optimizer, parts in networks():
            save(path, *parts)
            code, found = verify(path)
            file, program = found["runs"]
            left_out = file["left_out"]["optimizer"] if file["left_out"] else None
            good = code == 0 and left_out == optimizer and program["left_out"] is None and file["verdict"] != "differs"
            good &= optimizer is None or file["left_out"]["differing"] > 0
            failed += not good
            print(f"{'ok' if good else 'FAILED'}: {name}: {file['verdict']}, left out {left_out}")
        # What no rewrite explains stays a difference.
        code, found = verify(path, python=mistaken_python(pathlib.Path(folder)))
        good = code == 1 and found["runs"][0]["verdict"] == "differs" and found["runs"][0]["left_out"] is None
        failed += not good
        print(f"{'ok' if good else 'FAILED'}: a mistake: {found['runs'][0]['summary']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
