"""Runs the shared models in Octet and in ONNX Runtime, graph optimizations off, and compares every tensor they make.

Usage: compare_with_onnxruntime.py OCTET

OCTET is the command. The models are in $OCTET_SHARED/models, ../shared/models unless set; without them the test is
skipped (77). Outputs must agree within the tolerance of the model's row below; of integer tensors in between, the number
of elements that differ is printed and bounded: a float convolution that sums in another order can move a value across a
rounding boundary.
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

SEED = 20240229
SKIPPED = 77


def random(*shape):
    return lambda shared: np.random.default_rng(SEED).standard_normal(shape, dtype=np.float32)


def speech(shared):
    return np.load(shared / "data/kws01_inputs.npz")["x_nchw"][:16]


def photos(shared):
    records = np.fromfile(shared / "data/cifar10/test.bin", np.uint8, 16 * 3073).reshape(16, 3073)
    return records[:, 1:].reshape(16, 3, 32, 32).astype(np.float32)


def photos_nhwc(shared):
    return np.ascontiguousarray(photos(shared).transpose(0, 2, 3, 1))


# model, its input, relative and absolute tolerance of the outputs, and the share of integer elements that may differ
MODELS = [
    ("mlperf_tiny_kws_dscnn", speech, 1e-4, 1e-6, 0),
    ("mlperf_tiny_kws_dscnn", random(4, 1, 49, 10), 1e-4, 1e-6, 0),
    ("mlperf_tiny_resnet8", photos, 1e-4, 1e-6, 0),
    ("mlperf_tiny_resnet8_nhwc", photos_nhwc, 1e-4, 1e-6, 0),
    ("mnist_float", random(64, 25), 1e-4, 1e-5, 0),
    ("mnist_dynamic", random(64, 25), 1e-4, 1e-5, 0),
    ("mobilenetv2-12-qdq", random(1, 3, 224, 224), 1e-4, 1e-5, 0),
    ("mobilenetv2_dynamic", random(1, 3, 224, 224), 1e-4, 1e-5, 0),
]


def run_octet(command, model, feeds):
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/in.npz", **feeds)
        subprocess.run(
            [command, "run", model, "--input", f"{folder}/in.npz", "--output", f"{folder}/out.npz", "--all"], check=True
        )
        with np.load(f"{folder}/out.npz") as results:
            return dict(results)


def run_onnxruntime(model, feeds):
    names = [name for node in model.graph.node for name in node.output if name]
    everything = onnx.ModelProto()
    everything.CopyFrom(model)
    del everything.graph.output[:]
    everything.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(everything.SerializeToString(), options)
    return dict(zip(names, session.run(names, feeds)))


def compare(command, shared, name, make_input, relative, absolute, share):
    path = shared / f"models/{name}.onnx"
    model = onnx.load(path)
    stored = {initializer.name for initializer in model.graph.initializer}
    (value,) = [i for i in model.graph.input if i.name not in stored]
    feeds = {value.name: make_input(shared)}
    start = time.perf_counter()
    got = run_octet(command, path, feeds)
    seconds = time.perf_counter() - start
    want = run_onnxruntime(model, feeds)

    wrong = [f"{n} is missing" for n in want if n not in got]
    integers = differing = 0
    worst = 0.0
    for n in want.keys() & got.keys():
        if want[n].dtype != got[n].dtype or want[n].shape != got[n].shape:
            wrong.append(f"{n} is {got[n].dtype}{got[n].shape}, ONNX Runtime has {want[n].dtype}{want[n].shape}")
        elif want[n].dtype.kind in "iub":
            integers += want[n].size
            differing += np.count_nonzero(want[n] != got[n])
    for output in model.graph.output:
        error = np.abs(got[output.name] - want[output.name])
        worst = max(worst, float(error.max()))
        if np.any(error > absolute + relative * np.abs(want[output.name])):
            wrong.append(f"{output.name} differs by up to {error.max():g}")
    if differing > share * integers:
        wrong.append(f"more than {share:.4%} of the integer elements differ")
    print(
        f"{name}: {len(want)} tensors, {differing} of {integers} integer elements differ,"
        f" outputs by at most {worst:.2g}, {seconds:.1f} s"
    )
    for line in wrong:
        print(f"  FAILED {line}")
    return not wrong


def main():
    shared = pathlib.Path(os.environ.get("OCTET_SHARED", "../shared"))
    if not (shared / "models").is_dir():
        print(f"SKIPPED: there is no folder {shared / 'models'}; OCTET_SHARED says where the shared models are")
        return SKIPPED
    print(f"ONNX Runtime {onnxruntime.__version__}, seed {SEED}")
    results = [compare(sys.argv[1], shared, *row) for row in MODELS]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
