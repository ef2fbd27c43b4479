#!/usr/bin/env python3
"""octet verify where ONNX Runtime's own optimizer changes a file's numbers: rewrites.py OCTET

Each network has patterns that optimizers rewrite. The file must be judged without those optimizers and no other, which the
report names, and be equal then; a network that is wrong in earnest must still differ, and one without such a pattern must be
judged as ONNX Runtime runs it.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

OCTET = pathlib.Path(sys.argv[1]).resolve()
JUDGE = pathlib.Path(__file__).resolve().parents[2] / "octet" / "verify" / "support" / "onnxruntime_judge.py"
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


def both(middle, constants):
    """A float result that is transposed and then quantized, before a convolution with a float bias."""
    nodes, shape, result, given = turned(middle, constants)
    nodes = [(op, [*inputs, "b"] if op == "Conv" else inputs, *rest) for op, inputs, *rest in nodes]
    return nodes, shape, result, {**given, "b": random.normal(size=4).astype(f32)}


def clipped(scale):
    """A convolution, a Clip and a QuantizeLinear whose scale is tiny: from -100 to 155 of it, where the Clip is of [0, 6]."""
    given = {**PARAMETERS, **WEIGHTS, "s": f32(1e-9), "t": f32(scale), "tz": np.uint8(100), "low": f32(0), "high": f32(6)}
    nodes = BEGIN + [CONVOLUTION, ("Conv", ["xd", "wd"], "f", {}), ("Clip", ["f", "low", "high"], "c", {})] + END
    return nodes, [1, 4, 5, 5], [1, 4, 5, 5], given


def blocked(dtype, name):
    low, high = {TensorProto.INT4: (-8, 8), TensorProto.INT8: (-128, 128)}[dtype]
    return helper.make_tensor(name, dtype, [32, 16], random.integers(low, high, 512).tolist())


def networks():
    """Name, the optimizers that change its numbers, and how to make it."""
    normal = ("LayerNormalization", ["xd", "gain", "shift"], "l", {})
    yield "layer normalization, transposed", "TransposeOptimizer", turned(normal, {"gain": np.ones(4, f32), "shift": np.zeros(4, f32)})
    yield "softmax, transposed", "TransposeOptimizer", turned(("Softmax", ["xd"], "l", {"axis": -1}), {})
    floats = {"wf": random.normal(size=(4, 3, 2, 2)).astype(f32), "bf": random.normal(size=3).astype(f32)}
    upwards = [("ConvTranspose", ["xd", "wf", "bf"], "c", {"strides": [2, 2]})]
    yield "float weights", "WeightBiasQuantization", (BEGIN + upwards + END, [1, 4, 5, 5], [1, 3, 10, 10], {**PARAMETERS, **floats})
    biased = [CONVOLUTION, ("Conv", ["xd", "wd", "b"], "c", {})]
    yield "float bias", "WeightBiasQuantization", (BEGIN + biased + END, [1, 4, 5, 5], [1, 4, 5, 5],
                                                   {**PARAMETERS, **WEIGHTS, "b": random.normal(size=4).astype(f32)})
    yield "a Clip within epsilon", "ClipQuantRewrite", clipped(1e-9)
    yield "a Clip beyond epsilon", "", clipped(1.2e-9)
    yield "two rewrites", "WeightBiasQuantization, TransposeOptimizer", both(normal, {"gain": np.ones(4, f32), "shift": np.zeros(4, f32)})
    nodes = [("DequantizeLinear", ["wb", "ws"], "wd", {"axis": 0, "block_size": 16}), ("MatMul", ["x", "wd"], "y", {})]
    scales = {"ws": (random.random((2, 16)) * 0.1).astype(f32)}
    for bits, dtype in (4, TensorProto.INT4), (8, TensorProto.INT8):
        yield f"{bits}-bit weights", "QDQSelectorActionTransformer", (nodes, [3, 32], [3, 16], {"wb": blocked(dtype, "wb"), **scales}, 21)
    # Without a zero point: with session.x64quantprecision ONNX Runtime makes one, per tensor whatever the scales are.
    product = [("MatMul", ["xd", "wd"], "c", {})]
    for name, attributes, scale in ("in blocks", {"axis": 0, "block_size": 16}, random.random((2, 16))), ("per axis", {"axis": 0}, random.random(32)):
        weights = {"wb": blocked(TensorProto.INT8, "wb"), "ws": (scale * 0.1).astype(f32)}
        yield f"no zero point {name}", "", (BEGIN + [("DequantizeLinear", ["wb", "ws"], "wd", attributes)] + product + END,
                                            [3, 32], [3, 16], {**PARAMETERS, **weights}, 21)
    # ONNX Runtime makes MatMulIntegerToFloat of it, which does not take blocks: then it is judged as it is.
    weights = {"wb": blocked(TensorProto.INT8, "wb"), "ws": scales["ws"], "wz": random.integers(-9, 9, (2, 16)).astype(np.int8)}
    nodes = BEGIN + [("DequantizeLinear", ["wb", "ws", "wz"], "wd", {"axis": 0, "block_size": 16}), ("MatMul", ["xd", "wd"], "y", {})]
    yield "a rewrite that can't be run", "", (nodes, [3, 32], [3, 16], {**PARAMETERS, **weights}, 21)
    plain = [CONVOLUTION, ("Conv", ["xd", "wd"], "c", {})]
    yield "nothing of that kind", "", (BEGIN + plain + END, [1, 4, 5, 5], [1, 4, 5, 5], {**PARAMETERS, **WEIGHTS})


def mistaken_python(folder):
    """An interpreter whose judge gets one element wrong, with every optimizer and without."""
    mistake = folder / "mistake.py"
    mistake.write_text("import sys, numpy\narrays = dict(numpy.load(sys.argv[1]))\narrays['cq'].flat[0] ^= 64\n"
                       "numpy.savez(open(sys.argv[1], 'wb'), **arrays)\n")
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{sys.executable} \"$@\" || exit 1\nfor last; do :; done\n{sys.executable} {mistake} \"$last\"\n")
    python.chmod(0o755)
    return python


def verify(path, *options, python=sys.executable):
    done = subprocess.run([OCTET, "verify", path, "--python", python, "--json", "-", *options], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"octet verify ended with {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def operators(path):
    return dict(collections.Counter(node.op_type for node in onnx.load(path).graph.node))


def weights(path):
    return sorted(initializer.data_type for initializer in onnx.load(path).graph.initializer)


def without_an_optimizer(folder):
    """What the judge does where ONNX Runtime can't make a session: int8 activations have no kernel with --precision. Without
    optimizations it answers and says so; told to leave one out, it must not leave out all and answer as if it were that one."""
    path, inputs, outputs = folder / "network.onnx", folder / "inputs.npz", folder / "outputs.npz"
    names = ["xq", "s", "zero", "w", "ws", "wz", "t", "zero"]
    nodes = [("QuantizeLinear", ["x", "s", "zero"], "xq", {}), ("QLinearConv", names, "c", {}), ("DequantizeLinear", ["c", "t", "zero"], "y", {})]
    save(path, nodes, [1, 4, 5, 5], [1, 4, 5, 5], {"s": f32(0.03), "t": f32(0.05), "zero": np.int8(0), **WEIGHTS})
    np.savez(inputs, x=np.zeros((1, 4, 5, 5), f32))

    def ask(*options):
        return subprocess.run([sys.executable, JUDGE, "--precision", *options, path, inputs, outputs], capture_output=True, text=True)

    plain, left_out = ask(), ask("--without", "ReluQuantRewrite")
    said = json.loads(outputs.with_suffix(".npz.json").read_text())["runtime"] if plain.returncode == 0 else plain.stderr
    return "without optimizations, because" in said and left_out.returncode == 1 and "NotImplemented" in left_out.stderr, said


def clamps(folder, count=100):
    """Whether Octet, told to do as ONNX Runtime does, leaves out the same clamps: bounds around the ends of the type and around
    epsilon, given or not, parameters with an axis and without. Returns that, and how many were left out or what differs."""
    path, graph, dropped = folder / "clamp.onnx", folder / "clamp_graph.onnx", 0
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED, 4
    options.optimized_model_filepath = str(graph)

    def pick(*things):
        return things[random.integers(len(things))]

    for _ in range(count):
        kind, qmin, qmax = pick((np.uint8, 0, 255), (np.int8, -128, 127))
        scale, zero = pick(0.03, 6 / 255, 5, 1e-8, 1e-9, 3e-10), pick(qmin, qmin, qmin + 1, (qmin + qmax) // 2, qmax)
        least, greatest = (float(f32(scale) * f32(end - zero)) for end in (qmin, qmax))
        low = pick(None, 0, least, least + 0.3 * scale, least - scale, least + 1e-7, least + 1.5e-7, -np.inf, np.nan)
        high = pick(None, 6, greatest, greatest - 0.3 * scale, greatest + scale, greatest - 1e-7, np.inf)
        shape, op = pick([], [], [1]), pick("Clip", "Clip", "Clip", "Relu")
        given = {"s": f32(0.05), "z": kind(0), "t": np.full(shape, scale, f32), "tz": np.full(shape, zero, kind), "low": f32(low or 0), "high": f32(high or 0)}
        bounds = ["low" if low is not None else "", "high" if high is not None else ""] if op == "Clip" else []
        # ONNX Runtime can't load a QLinearAdd that it made with such parameters.
        middle = ("Conv", ["xd", "wd"]) if shape else pick(("Conv", ["xd", "wd"]), ("Add", ["xd", "xd"]))
        nodes = BEGIN + [CONVOLUTION, (*middle, "f", {}), (op, ["f", *bounds], "c", {})] + END
        save(path, nodes, [1, 4, 5, 5], [1, 4, 5, 5], {**WEIGHTS, **given}, pick(13, 17, 19, 21))
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        theirs = any(op.startswith("QLinear") for op in operators(graph))
        lowered = subprocess.run([OCTET, "lower", path, "--policy", "onnxruntime", "--json", "-"], capture_output=True, text=True, check=True)
        ours = any(step["kind"] in ("convolution", "addition") for step in json.loads(lowered.stdout)["steps"])
        if ours != theirs:
            return False, f"{op} of {middle[0]}, {kind.__name__}, scale {scale}, zero point {zero} {shape}, bounds {low}, {high}: ONNX Runtime {theirs}, Octet {ours}"
        dropped += ours
    return 0 < dropped < count, f"{dropped} of {count}"


def main():
    failed = 0

    def check(good, what):
        nonlocal failed
        failed += not good
        print(f"{'ok' if good else 'FAILED'}: {what}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, graph = folder / "network.onnx", folder / "graph.onnx"
        for what, optimizers, parts in networks():
            save(path, *parts)
            code, found = verify(path, "--save-graph", graph)
            file, program = found["runs"]
            left_out = ", ".join(one["optimizer"] for one in file["left_out"])
            good = code == 0 and left_out == optimizers and program["left_out"] == [] and file["verdict"] != "differs"
            good &= all(one["differing"] > 0 for one in file["left_out"])
            check(good, f"{what}: {file['verdict']}, left out {left_out or 'nothing'}")
            check(operators(graph) == file["executed"], f"{what}: the graph that was judged is saved")
            if "Clip" in what:
                code, found = verify(path, "--policy", "onnxruntime")
                check(code == 0 and "Clip" not in found["runs"][0]["executed"], f"{what}: as ONNX Runtime, {found['runs'][0]['verdict']}")
        good, said = clamps(folder)
        check(good, f"the clamps that ONNX Runtime leaves out: {said}")
        # The last one may saturate: what it does without the option that is against that is no graph of the verdict.
        exact = folder / "exact.onnx"
        np.savez(folder / "inputs.npz", x=np.zeros((1, 4, 5, 5), f32))
        subprocess.run([sys.executable, JUDGE, "--precision", "--save-graph", exact, path, folder / "inputs.npz", folder / "outputs.npz"], check=True)
        check(weights(graph) == weights(exact), "the graph is the one with exact weights")
        # What no rewrite explains stays a difference, and is judged with all of them.
        save(path, *next(parts for what, _, parts in networks() if what == "two rewrites"))
        code, found = verify(path, "--save-graph", graph, python=mistaken_python(folder))
        file = found["runs"][0]
        check(code == 1 and file["verdict"] == "differs" and file["left_out"] == [], f"a mistake: {file['summary']}")
        check(operators(graph) == file["executed"], "a mistake: the graph that was judged is saved")
        good, said = without_an_optimizer(folder)
        check(good, f"a judge that can't leave out one optimizer alone: {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
