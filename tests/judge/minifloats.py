#!/usr/bin/env python3
"""float8, float4 and powers of two (float8e8m0) in Cast, QuantizeLinear and DequantizeLinear: minifloats.py OCTET

Judged to the last bit by the onnx package's evaluator (which computes with ml_dtypes) and by ONNX Runtime where it has a kernel: every
code of every type, every number at a border of rounding and one float32 to either side of it, subnormal numbers, both ends of the
range, infinities, NaN, both zeros, and random bits; with and without saturation, by every round_mode; per tensor, per axis and
blocked, under scales of every type. NaNs are equal whatever their bits.
"""

import ctypes
import itertools
import pathlib
import subprocess
import sys
import tempfile

try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

OCTET = pathlib.Path(sys.argv[1]).resolve()
FLOAT8 = {TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
          TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2, TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz}
SMALL = {**FLOAT8, TensorProto.FLOAT4E2M1: ml_dtypes.float4_e2m1fn}
POWERS = {TensorProto.FLOAT8E8M0: ml_dtypes.float8_e8m0fnu}
random = np.random.default_rng(5)


def codes(kind):
    """Every number of a type."""
    dtype = {**SMALL, **POWERS}[kind]
    return np.arange(16 if kind == TensorProto.FLOAT4E2M1 else 256, dtype=np.uint8).view(dtype)


def around(numbers):
    numbers = np.asarray(numbers, np.float32)
    return np.concatenate([numbers, np.nextafter(numbers, np.float32(-np.inf)), np.nextafter(numbers, np.float32(np.inf))])


def borders(kind):
    """Numbers of the type and those in the middle between two of them, and what lies around these."""
    numbers = codes(kind).astype(np.float32)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    last = numbers[-1] + (numbers[-1] - numbers[-2]) * np.array([0.5, 1, 1.5, 2, 100], np.float32)
    middle = (numbers[1:] / 2 + numbers[:-1] / 2).astype(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38], np.float32)
    anything = random.integers(0, 1 << 32, 4096, dtype=np.uint32).view(np.float32)
    return np.concatenate([around(numbers), around(middle), around(last), around(-last), special, anything])


def model(op, inputs, kind, opset, **attributes):
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in inputs.items()]
    node = helper.make_node(op, list(inputs), ["y"], **attributes)
    graph = helper.make_graph([node], "small", values, [helper.make_tensor_value_info("y", kind, next(iter(inputs.values())).shape)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11 if opset < 25 else 13)
    onnx.checker.check_model(made, full_check=True)
    return made


def stored(array):
    """As Octet has it in files: bits of what NumPy lacks, and bfloat16 as float32."""
    if array.dtype == ml_dtypes.bfloat16:
        return array.astype(np.float32)
    return array.view(np.uint8) if array.dtype.name.startswith(("float8", "float4")) else array


def run_octet(made, inputs, engine):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        onnx.save(made, folder / "m.onnx")
        np.savez(folder / "x.npz", **{key: stored(array) for key, array in inputs.items()})
        done = subprocess.run([OCTET, "run", folder / "m.onnx", "--input", folder / "x.npz", "-o", folder / "y.npz", "--engine", engine], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        with np.load(folder / "y.npz") as answer:
            return answer["y"]


def run_runtime(made, inputs, kind):
    """The bits of its result; None where it has no kernel."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception:
        return None
    values = {}
    for name, array in inputs.items():
        element = helper.np_dtype_to_tensor_dtype(array.dtype)
        array = np.ascontiguousarray(array)
        if element in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE):
            values[name] = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        elif element == TensorProto.FLOAT4E2M1:
            return None
        else:
            values[name] = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16 if array.itemsize == 2 else np.uint8), element)
    result = session.run_with_ort_values(["y"], values)[0]
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    shape = next(iter(inputs.values())).shape
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer((ctypes.c_uint8 * size).from_address(result.data_ptr()), dtype).reshape(shape).copy()


def same(mine, theirs, kind):
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    theirs = np.asarray(theirs)
    assert theirs.dtype == dtype, f"the judge gives {theirs.dtype}"
    if kind == TensorProto.BFLOAT16:
        theirs = theirs.astype(np.float32)
    elif mine.dtype != theirs.dtype:
        mine = mine.view(dtype)
    width = np.uint8 if mine.dtype.itemsize == 1 else np.uint16 if mine.dtype.itemsize == 2 else np.uint32
    nan = np.isnan(mine.astype(np.float32)) & np.isnan(theirs.astype(np.float32))
    return (mine.view(width) == theirs.view(width)) | nan


class Judged:
    def __init__(self):
        self.failed = self.cases = self.elements = self.by_runtime = 0

    def check(self, what, op, inputs, kind, opset, unspecified=None, runtime_differs=None, **attributes):
        """`unspecified` are elements of which the evaluator, and `runtime_differs` of which ONNX Runtime, gives something else by choice."""
        made = model(op, inputs, kind, opset, **attributes)
        mine = run_octet(made, inputs, "fast")
        assert (run_octet(made, inputs, "reference").tobytes() == mine.tobytes()), f"{what}: the engines differ"
        answers = []
        answers.append(("the evaluator", ReferenceEvaluator(made).run(["y"], inputs)[0], unspecified))
        runtime = run_runtime(made, inputs, kind)
        if runtime is not None:
            answers.append(("ONNX Runtime", runtime, runtime_differs))
            self.by_runtime += 1
        self.cases += 1
        self.elements += mine.size
        for name, theirs, left_out in answers:
            wrong = ~same(mine, theirs, kind)
            if left_out is not None:
                wrong &= ~left_out
            if wrong.any():
                self.failed += 1
                place = tuple(int(i[0]) for i in np.nonzero(wrong))
                x = next(iter(inputs.values()))[place]
                print(f"FAILED: {what}: {int(wrong.sum())} of {mine.size} differ from {name}: of {x!r} Octet makes {mine[place]}, it {np.asarray(theirs)[place]!r}")


def packed(name, kind, array, raw):
    """An initializer as raw bytes, or as numbers of int32_data: one code each, of float4 two."""
    bits = array.view(np.uint8).ravel()
    if kind == TensorProto.FLOAT4E2M1:
        bits = np.append(bits, np.zeros(len(bits) % 2, np.uint8))
        bits = bits[::2] | bits[1::2] << 4
    tensor = TensorProto(name=name, data_type=kind, dims=array.shape)
    if raw:
        tensor.raw_data = bits.tobytes()
    else:
        tensor.int32_data.extend(bits.tolist())
    return tensor


def networks(judged):
    """Weights of float8 and float4 under powers of two, moved, multiplied and quantized again: sums of small numbers, which are exact."""
    for (kind, dtype), raw in itertools.product(SMALL.items(), (True, False)):
        weights = np.arange(-4, 5, dtype=np.float32)[random.integers(0, 9, (4, 3, 3))].astype(dtype)
        powers = random.integers(125, 129, (2, 3, 3)).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
        nodes = [helper.make_node("DequantizeLinear", ["w", "p"], ["d"], axis=0, block_size=2, output_dtype=TensorProto.FLOAT), helper.make_node("Identity", ["w"], ["i"]),
                 helper.make_node("Transpose", ["i"], ["t"], perm=[1, 0, 2]), helper.make_node("Reshape", ["t", "shape"], ["moved"]), helper.make_node("Shape", ["t"], ["sizes"]),
                 helper.make_node("Conv", ["x", "d"], ["c"]), helper.make_node("QuantizeLinear", ["c", "s"], ["q"], output_dtype=kind), helper.make_node("DequantizeLinear", ["q", "s"], ["y"])]
        given = {"x": random.integers(-3, 4, (1, 3, 5)).astype(np.float32)}
        outputs = [("y", TensorProto.FLOAT, [1, 4, 3]), ("q", kind, [1, 4, 3]), ("moved", kind, [3, 12]), ("sizes", TensorProto.INT64, [3])]
        constants = [packed("w", kind, weights, raw), packed("p", TensorProto.FLOAT8E8M0, powers, raw), numpy_helper.from_array(np.array([3, 12]), "shape"),
                     numpy_helper.from_array(np.float32(2), "s")]
        graph = helper.make_graph(nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 5])], [helper.make_tensor_value_info(*value) for value in outputs], constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=12)
        onnx.checker.check_model(made, full_check=True)
        want = dict(zip([name for name, *_ in outputs], ReferenceEvaluator(made).run(None, given)))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(made, folder / "m.onnx")
            np.savez(folder / "x.npz", **given)
            octet("lower", folder / "m.onnx", "--policy", "as-written", "-o", folder / "saved.onnx")
            octet("inspect", folder / "m.onnx")
            saved = onnx.load(folder / "saved.onnx")
            onnx.checker.check_model(saved, full_check=True)
            back = {tensor.name: tensor for tensor in saved.graph.initializer}
            assert back["w"].data_type == kind and (numpy_helper.to_array(back["w"]).view(np.uint8) == weights.view(np.uint8)).all(), "the weights come back"
            for model_file, policy in itertools.product(("m.onnx", "saved.onnx"), ("exact", "onnxruntime", "as-written")):
                octet("run", folder / model_file, "--input", folder / "x.npz", "--policy", policy, "-o", folder / "y.npz")
                judged.cases += 1
                with np.load(folder / "y.npz") as mine:
                    for key, expected in want.items():
                        if stored(np.asarray(expected)).tobytes() != mine[key].tobytes():
                            judged.failed += 1
                            print(f"FAILED: network of {TensorProto.DataType.Name(kind)}, {model_file}, {policy}: {key} is {mine[key]}, not {expected}")


def octet(*arguments):
    done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"octet {' '.join(map(str, arguments))}: {done.stderr}"


def main():
    judged = Judged()
    networks(judged)
    for kind, dtype in SMALL.items():
        name = TensorProto.DataType.Name(kind)
        x = borders(kind)
        opset = 23 if kind == TensorProto.FLOAT4E2M1 else 19
        for saturate in (0, 1):
            for source in (np.float32, np.float16, ml_dtypes.bfloat16, np.float64):
                given = {"x": x.astype(source)}
                # Without saturation ONNX Runtime makes 448 of 480 in e4m3fn, and NaN of 61440 in e5m2.
                beyond = np.abs(given["x"].astype(np.float64)) > 448 if kind == TensorProto.FLOAT8E4M3FN and not saturate else None
                if kind == TensorProto.FLOAT8E5M2 and not saturate:
                    beyond = np.abs(given["x"].astype(np.float64)) >= 61440
                judged.check(f"Cast {np.dtype(source).name} to {name}, saturate {saturate}", "Cast", given, kind, opset, to=kind, saturate=saturate, runtime_differs=beyond)
        for target in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16):
            judged.check(f"Cast {name} to {target}", "Cast", {"x": codes(kind)}, target, opset, to=target)
        for other in SMALL:
            if other != kind and TensorProto.FLOAT4E2M1 not in (kind, other):
                judged.check(f"Cast {name} to {other}", "Cast", {"x": codes(kind)}, other, opset, to=other)
    for round_mode, saturate in itertools.product(("up", "down", "nearest"), (0, 1)):
        x = borders(TensorProto.FLOAT8E8M0)
        # Of 0, infinity, what is negative and the ends of the range the evaluator gives something else than the standard's table, or the standard gives nothing.
        odd = ~((x >= 2.0 ** -126) & (x <= 2.0**127))
        judged.check(f"Cast to FLOAT8E8M0, {round_mode}, saturate {saturate}", "Cast", {"x": x}, TensorProto.FLOAT8E8M0, 24, to=TensorProto.FLOAT8E8M0, round_mode=round_mode,
                     saturate=saturate, unspecified=odd)
    judged.check("Cast FLOAT8E8M0 to FLOAT", "Cast", {"x": codes(TensorProto.FLOAT8E8M0)}, TensorProto.FLOAT, 24, to=TensorProto.FLOAT)

    blocks = {"per tensor": ((), {}), "per axis": ((6,), {"axis": 1}), "blocked": ((4, 2), {"axis": 1, "block_size": 3}), "blocked rows": ((2, 6), {"axis": 0, "block_size": 2})}
    for (kind, dtype), (granularity, (shape, attributes)) in itertools.product(SMALL.items(), blocks.items()):
        small = kind == TensorProto.FLOAT4E2M1
        opset = 23 if small else 21
        x = (random.normal(size=(4, 6)) * 20).astype(np.float32)
        scale = np.asarray(random.uniform(0.1, 3, shape), np.float32)
        what = f"{TensorProto.DataType.Name(kind)}, {granularity}"
        for saturate in (0, 1):
            judged.check(f"QuantizeLinear to {what}, saturate {saturate}", "QuantizeLinear", {"x": x, "s": scale}, kind, opset, output_dtype=kind, saturate=saturate, **attributes)
            zero = np.zeros(shape, dtype)
            judged.check(f"QuantizeLinear to {what} with zero point", "QuantizeLinear", {"x": x, "s": scale, "z": zero}, kind, opset, saturate=saturate, **attributes)
        judged.check(f"QuantizeLinear to {what} in float16", "QuantizeLinear", {"x": x, "s": scale}, kind, 23, output_dtype=kind, precision=TensorProto.FLOAT16, **attributes)
        values = random.choice(codes(kind), (4, 6))
        for source in (np.float32, np.float16, ml_dtypes.bfloat16):
            given = {"x": values, "s": scale.astype(source)}
            judged.check(f"DequantizeLinear of {what}, {np.dtype(source).name}", "DequantizeLinear", given, helper.np_dtype_to_tensor_dtype(np.dtype(source)), opset, **attributes)
        powers = np.asarray(random.integers(120, 134, shape), np.uint8).view(ml_dtypes.float8_e8m0fnu)
        judged.check(f"DequantizeLinear of {what}, powers", "DequantizeLinear", {"x": values, "s": powers}, TensorProto.FLOAT, 24, output_dtype=TensorProto.FLOAT, **attributes)
        judged.check(f"QuantizeLinear to {what}, powers", "QuantizeLinear", {"x": x, "s": powers}, kind, 24, output_dtype=kind, precision=TensorProto.FLOAT, **attributes)
    print(f"{judged.cases} cases, {judged.by_runtime} of them by ONNX Runtime too, {judged.elements} elements, {judged.failed} failed")
    return judged.failed > 0


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main())
