"""Runs models in Octet and in ONNX Runtime, graph optimizations off, and compares every tensor they make.

Usage: compare_with_onnxruntime.py OCTET

OCTET is the command. The models are those in models/, one that octet quantize --dynamic makes of them, and where they are
there those of $OCTET_SHARED/models, ../shared/models unless set.

Each model runs twice: as it is, and layer by layer, where every quantized tensor that a layer reads is ONNX Runtime's.
The second run must agree: integers equal, but for one element in 100,000 by one step, since a float convolution that
sums in another order moves a value across a rounding boundary now and then; outputs within RELATIVE and ABSOLUTE. So
must the first, except where float layers feed quantizers: there one moved value moves others in every layer that
follows, and the counts are only printed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures  # noqa: E402

SEED = 20240229
RELATIVE, ABSOLUTE = 1e-4, 1e-5
MOVED = 1e-5


def random(*shape):
    return lambda shared: np.random.default_rng(SEED).standard_normal(shape, dtype=np.float32)


def drawn(shared):
    return pictures(16).astype(np.float32) / np.float32(255)


def speech(shared):
    return np.load(shared / "data/kws01_inputs.npz")["x_nchw"][:16]


def photos(shared):
    records = np.fromfile(shared / "data/cifar10/test.bin", np.uint8, 16 * 3073).reshape(16, 3073)
    return records[:, 1:].reshape(16, 3, 32, 32).astype(np.float32)


def photos_nhwc(shared):
    return np.ascontiguousarray(photos(shared).transpose(0, 2, 3, 1))


def large_photo(shared):
    pixels = photos(shared)[:1].repeat(7, axis=2).repeat(7, axis=3) / 255
    mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    return (pixels - mean.reshape(1, 3, 1, 1)) / deviation.reshape(1, 3, 1, 1)


# model, its input, whether the run as it is must agree too
IN_THE_BOX = [
    ("resnet8", drawn, True),
    ("resnet8_int8", drawn, False),
    ("resnet8_uint8", drawn, False),
    ("resnet8_int8_qoperator", drawn, True),
]
SHARED = [
    ("mlperf_tiny_kws_dscnn", speech, True),
    ("mlperf_tiny_kws_dscnn", random(4, 1, 49, 10), True),
    ("mlperf_tiny_resnet8", photos, True),
    ("mlperf_tiny_resnet8_nhwc", photos_nhwc, True),
    ("mnist_float", random(64, 25), True),
    ("mnist_dynamic", random(64, 25), True),
    ("mobilenetv2_dynamic", large_photo, True),
    ("mobilenetv2_dynamic", random(1, 3, 224, 224), True),
    ("mobilenetv2-12-qdq", large_photo, False),
    ("mobilenetv2-12-qdq", random(1, 3, 224, 224), False),
]


def run_octet(command, model, feeds):
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, f"{folder}/model.onnx")
        np.savez(f"{folder}/in.npz", **feeds)
        subprocess.run(
            [command, "run", f"{folder}/model.onnx", "--all", "--policy", "as-written"]
            + ["--input", f"{folder}/in.npz", "--output", f"{folder}/out.npz"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with np.load(f"{folder}/out.npz") as results:
            return dict(results)


def without_saturation(model):
    """The model with uint8 weights where MatMulInteger has int8 ones, and zero points to match.

    The sums are the same. But on x86 without VNNI, ONNX Runtime's kernel for uint8 times int8 saturates sums of two
    products to 16 bits; the one for uint8 times uint8 is exact.
    """
    exact = onnx.ModelProto()
    exact.CopyFrom(model)
    stored = {initializer.name: initializer for initializer in exact.graph.initializer}
    for node in exact.graph.node:
        if node.op_type != "MatMulInteger" or stored[node.input[1]].data_type != onnx.TensorProto.INT8:
            continue
        for name in (node.input[1], node.input[3]):
            shifted = (numpy_helper.to_array(stored[name]).astype(np.int16) + 128).astype(np.uint8)
            stored[name].CopyFrom(numpy_helper.from_array(shifted, name))
    return exact


def run_onnxruntime(model, feeds):
    names = [name for node in model.graph.node for name in node.output if name]
    everything = without_saturation(model)
    del everything.graph.output[:]
    everything.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(everything.SerializeToString(), options)
    return dict(zip(names, session.run(names, feeds)))


def layer_by_layer(model, feeds, results):
    """The model in which nodes read the tensors that quantizers write from `results`, and the inputs for it."""
    quantized = {
        name
        for node in model.graph.node
        if node.op_type in ("QuantizeLinear", "DynamicQuantizeLinear")
        for name in node.output
    }
    cut = onnx.ModelProto()
    cut.CopyFrom(model)
    for node in cut.graph.node:
        node.input[:] = [f"{name} given" if name in quantized else name for name in node.input]
    given = {f"{name} given": results[name] for name in quantized}
    cut.graph.input.extend(
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in given.items()
    )
    return cut, {**feeds, **given}


def difference(model, got, want):
    """A line that sums up how two runs differ, and what is wrong with that."""
    wrong = [f"{name} is missing" for name in want if name not in got]
    integers = moved = 0
    for name in want.keys() & got.keys():
        g, w = got[name], want[name]
        if g.dtype != w.dtype or g.shape != w.shape:
            wrong.append(f"{name} is {g.dtype}{list(g.shape)}, ONNX Runtime has {w.dtype}{list(w.shape)}")
        elif w.dtype.kind in "iub":
            steps = np.abs(g.astype(np.int64) - w.astype(np.int64))
            integers += w.size
            moved += np.count_nonzero(steps)
            if steps.max(initial=0) > 1:
                wrong.append(f"{name} differs by up to {steps.max()} steps")
    if moved > MOVED * integers:
        wrong.append("more integer elements differ than rounding explains")
    worst = 0.0
    for output in model.graph.output:
        error = np.abs(got[output.name] - want[output.name])
        worst = max(worst, float(error.max()))
        if np.any(error > ABSOLUTE + RELATIVE * np.abs(want[output.name])):
            wrong.append(f"{output.name} differs by up to {error.max():g}")
    return f"{moved:,} of {integers:,} integers differ, outputs by at most {worst:.2g}", wrong


def compare(command, shared, path, make_input, whole):
    name, model = path.stem, onnx.load(path)
    stored = {initializer.name for initializer in model.graph.initializer}
    (value,) = [i for i in model.graph.input if i.name not in stored]
    feeds = {value.name: make_input(shared)}
    want = run_onnxruntime(model, feeds)

    start = time.perf_counter()
    got = run_octet(command, model, feeds)
    seconds = time.perf_counter() - start
    summary, wrong = difference(model, got, want)
    print(f"{name}: {len(want)} tensors, {summary}, {seconds:.1f} s")
    if not whole:
        wrong = []
    cut, given = layer_by_layer(model, feeds, want)
    if len(given) > 1:
        summary, more = difference(model, run_octet(command, cut, given), want)
        print(f"  layer by layer: {summary}")
        wrong += more
    for line in wrong:
        print(f"  FAILED {line}")
    return not wrong


def main():
    shared = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
    print(f"ONNX Runtime {onnxruntime.__version__}, seed {SEED}")
    rows = [(ROOT / f"models/{name}.onnx", *row) for name, *row in IN_THE_BOX]
    if (shared / "models").is_dir():
        rows += [(shared / f"models/{name}.onnx", *row) for name, *row in SHARED]
    else:
        print(f"without the models of {shared / 'models'}, which are not there; OCTET_SHARED says where they are")
    with tempfile.TemporaryDirectory() as folder:
        dynamic = pathlib.Path(folder, "resnet8_dynamic.onnx")
        subprocess.run([sys.argv[1], "quantize", ROOT / "models/resnet8.onnx", "-o", dynamic, "--dynamic"], check=True,
                       stdout=subprocess.DEVNULL)
        results = [compare(sys.argv[1], shared, *row) for row in [*rows, (dynamic, drawn, True)]]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
