#!/usr/bin/env python3
"""`octet quantize` of files in opsets 7 to 10, which it raises, of opsets that are newer than ONNX Runtime's or Octet's, and of files with
operators that Octet does not know: opsets.py OCTET

Each network has operators that changed since. ONNX Runtime runs the file and the float model that --save-simplified keeps,
which is raised: the results must be the same to the last bit. Then it runs the quantized one, and `octet verify` must agree.
"""

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
random = np.random.default_rng(3)
f32 = np.float32


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=outputs.split()[0], **attributes)


def network(opset, nodes, outputs, constants, ir_version):
    tensors = [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])]
    if ir_version < 4:  # where every initializer had to be an input too
        inputs += [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in tensors]
    kinds = {"i": TensorProto.INT64}
    values = [helper.make_tensor_value_info(o, kinds.get(o[0], TensorProto.FLOAT), None) for o in outputs.split()]
    graph = helper.make_graph(nodes, "old", inputs, values, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)


def upsample(opset, mode):
    """In its own opset: Upsample until 9, then Resize."""
    if opset < 9:
        return node("Upsample", "relu", "up", mode=mode, scales=[1.0, 1.0, 2.0, 2.0])
    return node("Upsample" if opset == 9 else "Resize", "relu scales", "up", mode=mode)


def networks():
    convolution = {"w": random.normal(size=(4, 3, 3, 3)).astype(f32), "b": random.normal(size=4).astype(f32)}
    begin = [node("Conv", "x w b", "c", pads=[1, 1, 1, 1]), node("Relu", "c", "relu")]
    statistics = {k: random.random(4).astype(f32) + f32(0.5) for k in ("gamma", "beta", "mean", "variance")}
    for opset in (7, 8, 9, 10):
        ir = 3 if opset < 9 else 5
        scales = {"scales": np.array([1, 1, 2, 2], f32)} if opset >= 9 else {}
        for mode in ("nearest", "linear"):
            yield (f"upsampling, {mode}, opset {opset}", {"Resize" if opset == 10 else "Upsample"},
                   network(opset, begin + [upsample(opset, mode), node("MaxPool", "up", "y", kernel_shape=[2, 2], strides=[2, 2])], "y",
                           {**convolution, **scales}, ir))
        clip = [node("Clip", "c", "k", min=0.0, max=6.0), node("Clip", "k", "y", max=4.0)]
        yield f"bounds, opset {opset}", {"Clip"}, network(opset, begin[:1] + clip, "y", convolution, ir)
        padded = [node("Pad", "relu", "p", pads=[0, 0, 1, 1, 0, 0, 2, 2], value=1.5), node("Pad", "p", "y", pads=[0, 0, 1, 0, 0, 0, 0, 1], mode="reflect")]
        yield f"padding, opset {opset}", {"Pad"}, network(opset, begin + padded, "y", convolution, ir)
        if opset < 10:
            sliced = [node("Slice", "relu", "s", axes=[2, 3], starts=[1, -6], ends=[7, 1000]), node("Slice", "s", "y", starts=[0], ends=[1])]
            yield f"slices, opset {opset}", {"Slice"}, network(opset, begin + sliced, "y", convolution, ir)
            top = [node("TopK", "relu", "y i", k=3, axis=1)]
            yield f"the largest, opset {opset}", {"TopK"}, network(opset, begin + top, "y i", convolution, ir)
        shapes = [node("Unsqueeze", "relu", "u", axes=[0, 3]), node("Squeeze", "u", "q", axes=[0]), node("Squeeze", "q", "r"), node("ReduceSum", "r", "t", axes=[2], keepdims=0),
                  node("Split", "t", "y z", axis=0, split=[1, 3]), node("ReduceSum", "relu", "v")]
        yield f"axes, opset {opset}", {"ReduceSum", "Split", "Squeeze", "Unsqueeze"}, network(opset, begin + shapes, "y z v", convolution, ir)
        soft = [node("Softmax", "relu", "a"), node("Softmax", "relu", "d", axis=3), node("LogSoftmax", "relu", "e", axis=2), node("Sum", "a d e", "y")]
        yield f"softmax, opset {opset}", {"LogSoftmax", "Softmax"}, network(opset, begin + soft, "y", convolution, ir)
        spatial = {"spatial": 1} if opset < 9 else {}
        rest = [node("BatchNormalization", "relu gamma beta mean variance", "n", **spatial), node("Dropout", "n", "d", ratio=0.25), node("GlobalAveragePool", "d", "g"),
                node("Flatten", "g", "f"), node("Gemm", "f m o", "y")]
        yield (f"a classifier, opset {opset}", {"Dropout"} | ({"BatchNormalization"} if spatial else set()),
               network(opset, begin + rest, "y", {**convolution, **statistics, "m": random.normal(size=(4, 5)).astype(f32), "o": random.normal(size=5).astype(f32)}, ir))


def octet(*arguments, code=0):
    done = subprocess.run([OCTET, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"octet {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr or done.stdout}"
    return done


def run(path, x):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Without fusions: a BatchNormalization that goes into the convolution is another sum.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"x": x})))


def check(folder, model, operators, dynamic):
    path, raised, quantized, data = folder / "old.onnx", folder / "raised.onnx", folder / "q.onnx", folder / "x.npy"
    onnx.save(model, path)
    x = random.normal(size=(1, 3, 8, 8)).astype(f32)
    np.save(data, x)
    how = ["--dynamic"] if dynamic else ["--data", data]
    report = json.loads(octet("quantize", path, "-o", quantized, *how, "--save-simplified", raised, "--json", "-").stdout)
    opset = model.opset_import[0].version
    said = report["warnings"][0] if report["warnings"] else ""
    if opset == 10 and not dynamic:
        assert onnx.load(quantized).opset_import[0].version == 10 and "raised" not in said, said
    else:
        assert f"the model's opset is {opset}, and is raised to 13: " in said, said
        assert said.endswith(f"({', '.join(sorted(operators))})"), said
        versions = {i.domain: i.version for i in onnx.load(quantized).opset_import}
        assert versions[""] == 13, versions
    before, after = run(path, x), run(raised, x)
    for name, want in before.items():
        same = after[name].shape == want.shape and after[name].dtype == want.dtype and after[name].tobytes() == want.tobytes()
        assert same, f"{name} is {after[name]} in the raised model, {want} in the file"
        error = np.abs(run(quantized, x)[name].astype(float) - want.astype(float)).max()
        assert name == "i" or error < 0.1 * np.abs(want).max() + 0.1, f"{name} is off by {error} in 8 bits"
    octet("verify", quantized, "--input", data, "--python", sys.executable)


def refusals(folder):
    """Operators without a rule are named, and the versions."""
    path = folder / "old.onnx"
    convolution = [node("Conv", "x w", "c")]
    w = {"w": random.normal(size=(4, 3, 3, 3)).astype(f32)}
    cases = [([node("Dropout", "c", "y ymask")], 7, "y (Dropout): Dropout of opset 7 can't be written in opset 13: its mask is of another type there"),
             ([node("Mystery", "c", "y")], 8, "y (Mystery): Mystery of opset 8 can't be written in opset 13: Octet does not know the operator"),
             ([node("Relu", "c", "y")], 6, "the model is written in opset 6 of ai.onnx; those from 7 on can be raised to 13")]
    for nodes, opset, want in cases:
        outputs = "y ymask" if nodes[0].op_type == "Dropout" else "y"
        onnx.save(network(opset, convolution + nodes, outputs, w, 3), path)
        got = octet("quantize", path, "-o", folder / "q.onnx", "--dynamic", code=2).stderr
        assert want in got, got
        assert not (folder / "q.onnx").exists()


def newer(folder, opset, dynamic):
    """Files of new opsets run, are quantized and verified; a warning names an opset that Octet does not know."""
    path, quantized, data = folder / "new.onnx", folder / "q.onnx", folder / "x.npy"
    constants = {"w": random.normal(size=(4, 3, 3, 3)).astype(f32), "axis": np.int64(1)}
    nodes = [node("Conv", "x w", "c"), node("Relu", "c", "r"), node("CumProd", "r axis", "p"), node("Celu", "p", "y")]
    onnx.save(network(opset, nodes, "y", constants, 14 if opset > 26 else 13), path)
    np.save(data, random.normal(size=(1, 3, 8, 8)).astype(f32))
    how = ["--dynamic", "--op-types", "Conv"] if dynamic else ["--data", data]
    done = octet("quantize", path, "-o", quantized, *how)
    assert onnx.load(quantized).opset_import[0].version == opset
    known = 28
    assert (f"is written in opset {opset} of ai.onnx; Octet knows the definitions up to opset {known}" in done.stderr) == (opset > known), done.stderr
    octet("verify", quantized, "--input", data, "--python", sys.executable)


def unknown(folder):
    """What comes before an operator that Octet does not know is quantized; it and what depends on it stay float."""
    path, quantized, data = folder / "unknown.onnx", folder / "q.onnx", folder / "x.npy"
    constants = {"w": random.normal(size=(4, 3, 3, 3)).astype(f32), "v": random.normal(size=(4, 4, 1, 1)).astype(f32)}
    nodes = [node("Conv", "x w", "c"), node("Mystery", "c", "m"), node("Conv", "m v", "y")]
    model = network(21, nodes, "y", constants, 10)
    model.graph.value_info.append(helper.make_tensor_value_info("m", TensorProto.FLOAT, [1, 4, 6, 6]))
    onnx.save(model, path)
    np.save(data, random.normal(size=(1, 3, 8, 8)).astype(f32))
    report = json.loads(octet("quantize", path, "-o", quantized, "--data", data, "--json", "-").stdout)
    assert any("does not compute m (Mystery)" in warning for warning in report["warnings"]), report["warnings"]
    written = {n.name: n for n in onnx.load(quantized).graph.node}
    assert written["m"].op_type == "Mystery" and written["y"].input[0] == "m", written["y"]
    assert written["c"].input[0] != "x" and written["m"].input[0] != "c", "the first convolution is not quantized"


def main():
    failed = 0

    def attempt(name, action):
        nonlocal failed
        with tempfile.TemporaryDirectory() as folder:
            try:
                action(pathlib.Path(folder))
                print(f"ok: {name}")
            except Exception as error:
                failed += 1
                print(f"FAILED: {name}: {error}")

    for name, operators, model in networks():
        for dynamic in (False, True):
            attempt(f"{name}, {'dynamic' if dynamic else 'static'}", lambda folder: check(folder, model, operators, dynamic))
    attempt("refusals", refusals)
    for opset in (26, 27, 28, 29, 40):
        for dynamic in (False, True):
            attempt(f"opset {opset}, {'dynamic' if dynamic else 'static'}", lambda folder: newer(folder, opset, dynamic))
    attempt("operators that are not known", unknown)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
