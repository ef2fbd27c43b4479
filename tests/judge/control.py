#!/usr/bin/env python3
"""If, Loop and Scan against ONNX Runtime: control.py OCTET

Each network runs in ONNX Runtime, in `octet run` with every engine, and as the program that `octet lower` writes, in ONNX
Runtime again: all results must be the same to the last bit. `octet verify` must agree, and inspect, bounds, draw and
quantize must take the file.
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
random = np.random.default_rng(7)
f32 = np.float32
TYPES = {np.dtype(f32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(bool): TensorProto.BOOL,
         np.dtype(np.uint8): TensorProto.UINT8}
FLOAT, INT64, BOOL, UINT8 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.UINT8


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split() if isinstance(inputs, str) else inputs, outputs.split(), name=outputs.split()[0], **attributes)


def graph(nodes, inputs=(), outputs=(), name="body", **constants):
    tensors = [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    return helper.make_graph(nodes, name, list(inputs), list(outputs), tensors)


def model(main, opset):
    return helper.make_model(main, opset_imports=[helper.make_opsetid("", opset)], ir_version=10 if opset > 8 else 3)


def convolution(x, y, prefix):
    """A QDQ convolution from one 8-bit value to another: its constants and nodes."""
    p = prefix
    constants = {f"{p}w": random.integers(-100, 100, (3, 2, 3, 3)).astype(np.int8), f"{p}ws": f32(0.02), f"{p}wz": np.int8(0),
                 f"{p}s": f32(0.05), f"{p}z": np.uint8(128)}
    nodes = [node("DequantizeLinear", f"{p}w {p}ws {p}wz", f"{p}wd"), node("QuantizeLinear", f"{x} {p}s {p}z", f"{p}q"),
             node("DequantizeLinear", f"{p}q {p}s {p}z", f"{p}d"), node("Conv", f"{p}d {p}wd", f"{p}c"),
             node("QuantizeLinear", f"{p}c {p}s {p}z", f"{p}cq"), node("DequantizeLinear", f"{p}cq {p}s {p}z", y)]
    return nodes, constants


def images():
    return random.normal(size=(1, 2, 6, 6)).astype(f32)


def branches(opset):
    """Which of two convolutions is taken depends on a number, as in voice-activity models that know two sampling rates."""
    one, with_one = convolution("x", "y", "a_")
    two, with_two = convolution("x", "y", "b_")
    then = graph(one, (), [value("y", FLOAT, None)], "then", **with_one)
    other = graph(two + [], (), [value("y", FLOAT, None)], "else", **with_two)
    nodes = [node("Equal", "rate wanted", "is_wanted"), node("If", "is_wanted", "y", then_branch=then, else_branch=other),
             node("Relu", "y", "out")]
    main = graph(nodes, [value("x", FLOAT, [1, 2, 6, 6]), value("rate", INT64, [])], [value("out", FLOAT, None)], "main", wanted=np.int64(16000))
    return model(main, opset), [{"x": images(), "rate": np.int64(r)} for r in (16000, 8000)], ["If"]


def captured(opset):
    """Branches give back what is around them, and what nobody else reads; one nests another."""
    inner = graph([node("Add", "r x", "i")], (), [value("i", FLOAT, None)], "inner")
    constant = graph([], (), [value("k", FLOAT, None)], "constant", k=np.arange(4, dtype=f32))
    then = graph([node("If", "b", "t", then_branch=inner, else_branch=constant), node("Identity", "r", "same")], (),
                 [value("t", FLOAT, None), value("same", FLOAT, None)], "then")
    other = graph([node("Neg", "r", "n"), node("Identity", "x", "same")], (), [value("n", FLOAT, None), value("same", FLOAT, None)], "else")
    nodes = [node("Relu", "x", "r"), node("If", "a", "y z", then_branch=then, else_branch=other)]
    main = graph(nodes, [value("x", FLOAT, ["N"]), value("a", BOOL, []), value("b", BOOL, [1])],
                 [value("y", FLOAT, None), value("z", FLOAT, None)], "main")
    given = [{"x": random.integers(-9, 9, 4).astype(f32), "a": np.bool_(a), "b": np.array([b])} for a in (0, 1) for b in (False, True)]
    return model(main, opset), given, ["If"]


def known(opset):
    """A condition that follows from a shape: the branch is taken before anything runs."""
    narrow = graph([node("Squeeze", "x axes", "s")], (), [value("s", FLOAT, None)], "then")
    as_it_is = graph([node("Identity", "x", "s")], (), [value("s", FLOAT, None)], "else")
    nodes = [node("Shape", "x", "shape"), node("Gather", "shape one", "size"), node("Equal", "size one", "is_one"),
             node("If", "is_one", "y", then_branch=narrow, else_branch=as_it_is), node("Neg", "y", "out")]
    main = graph(nodes, [value("x", FLOAT, [3, 1, 4])], [value("out", FLOAT, None)], "main", one=np.int64(1), axes=np.array([1], np.int64))
    return model(main, opset), [{"x": random.integers(-9, 9, (3, 1, 4)).astype(f32)}], []


def loop(opset, trips=True, condition=True):
    """Sums until there is enough; the slices of every iteration, and a state that grows."""
    body = graph([node("Add", "state x", "next"), node("ReduceMax", "next", "most", keepdims=0), node("Less", "most limit", "goes_on"),
                  node("Cast", "i", "fi", to=FLOAT), node("Mul", "next fi", "slice"), node("Concat", "list next", "longer", axis=0)],
                 [value("i", INT64, []), value("c", BOOL, []), value("state", FLOAT, [3]), value("list", FLOAT, None)],
                 [value("goes_on", BOOL, []), value("next", FLOAT, [3]), value("longer", FLOAT, None), value("slice", FLOAT, [3])])
    inputs = ["m" if trips else "", "c0" if condition else "", "x", "x"]
    main = graph([node("Loop", inputs, "sum list slices", body=body), node("Neg", "slices", "out")],
                 [value("x", FLOAT, [3])] + ([value("m", INT64, [])] if trips else []) + ([value("c0", BOOL, [])] if condition else []),
                 [value("sum", FLOAT, None), value("list", FLOAT, None), value("out", FLOAT, None)], "main", limit=f32(40))
    given = []
    for m, c in ((0, True), (5, True), (100, True), (5, False)):
        given.append({"x": np.array([1, 2, 3], f32)} | ({"m": np.int64(m)} if trips else {}) | ({"c0": np.bool_(c)} if condition else {}))
    return model(main, opset), given, ["Loop"]


def scan(opset):
    """Two inputs, one read backwards and along its second axis; two results, one written backwards along its last axis."""
    body = graph([node("Add", "state a", "sum"), node("Mul", "b outer", "scaled"), node("Sub", "sum scaled", "difference"), node("Identity", "sum", "copy")],
                 [value("state", FLOAT, [2]), value("a", FLOAT, [2]), value("b", FLOAT, [2])],
                 [value("sum", FLOAT, [2]), value("copy", FLOAT, [2]), value("difference", FLOAT, [2])])
    main = graph([node("Scan", "start p q", "last copies differences", body=body, num_scan_inputs=2, scan_input_axes=[0, 1], scan_input_directions=[0, 1],
                       scan_output_axes=[0, -1], scan_output_directions=[0, 1]), node("Relu", "differences", "out")],
                 [value("start", FLOAT, [2]), value("p", FLOAT, ["T", 2]), value("q", FLOAT, [2, "T"]), value("outer", FLOAT, [])],
                 [value("last", FLOAT, None), value("copies", FLOAT, None), value("out", FLOAT, None)], "main")
    given = [{"start": np.zeros(2, f32), "p": random.integers(-9, 9, (t, 2)).astype(f32), "q": random.integers(-9, 9, (2, t)).astype(f32),
              "outer": f32(2)} for t in (1, 5)]
    return model(main, opset), given, ["Scan"]


def shadowed(opset, around):
    """Graphs whose initializers have the name of a value around them, and mean their own."""
    own = np.array([1, 2, 3], f32)
    then = graph([node("Add", "x k", "t")], (), [value("t", FLOAT, [3])], "then", k=own)
    other = graph([], (), [value("k", FLOAT, [3])], "else", k=2 * own)
    body = graph([node("Identity", "c", "goes_on"), node("Mul", "state k", "next")], [value("i", INT64, []), value("c", BOOL, []), value("state", FLOAT, [3])],
                 [value("goes_on", BOOL, []), value("next", FLOAT, [3])], k=3 * own)
    step = graph([node("Sub", "sum k", "less"), node("Add", "less a", "last")], [value("sum", FLOAT, [3]), value("a", FLOAT, [])], [value("last", FLOAT, [3])], k=4 * own)
    nodes = [node("If", "c", "y", then_branch=then, else_branch=other), node("Loop", "twice c y", "z", body=body),
             node("Scan", "z x", "s", body=step, num_scan_inputs=1), node("Add", "s k", "out")]
    inputs, constants = [value("x", FLOAT, [3]), value("c", BOOL, [])], {"twice": np.int64(2)}
    if around == "an input":
        inputs.append(value("k", FLOAT, [3]))
    elif around == "a constant":
        constants["k"] = 100 * own
    else:
        nodes.insert(0, node("Neg", "x", "k"))
    given = [{"x": np.array([5, 6, 7], f32), "c": np.bool_(c)} | ({"k": 1000 * own} if around == "an input" else {}) for c in (0, 1)]
    return model(graph(nodes, inputs, [value("out", FLOAT, [3])], "main", **constants), opset), given, ["If", "Loop", "Scan"]


def networks():
    for opset in (11, 13, 17, 21, 24):
        yield f"a branch for each rate, opset {opset}", branches(opset)
    for opset in (11, 16, 21):
        yield f"branches that give back what is around them, opset {opset}", captured(opset)
    yield "a condition by a shape", known(13)
    for opset in (11, 13, 21):
        yield f"a loop, opset {opset}", loop(opset)
    yield "a loop without a condition", loop(13, condition=False)
    yield "a loop without an end", loop(13, trips=False)
    for opset in (9, 11, 21):
        yield f"a scan, opset {opset}", scan(opset)
    for around in ("a constant", "an input", "a node's result"):
        yield f"names of {around} around them", shadowed(17, around)


def bits(part):
    """8 for a node whose graphs have a convolution on integers, or between them: as written, its sums are float."""
    return 8 if any(n.op_type in ("Conv", "QLinearConv") for a in part.attribute for n in a.g.node) else 32


def octet(*arguments, codes=(0,)):
    done = subprocess.run([OCTET, *arguments], capture_output=True, text=True)
    if done.returncode not in codes:
        raise AssertionError(f"octet {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check(folder, network, given, left):
    path, written, inputs, outputs = folder / "m.onnx", folder / "program.onnx", folder / "in.npz", folder / "out.npz"
    onnx.save(network, path)
    names = [output.name for output in network.graph.output]
    octet("lower", path, "-o", written)
    kept = [n.op_type for n in onnx.load(written).graph.node if n.op_type in ("If", "Loop", "Scan")]
    assert kept == left, f"the program has {kept}, wanted {left}"
    for n in onnx.load(written).graph.node:
        inside = [i.op_type for a in n.attribute for i in a.g.node]
        assert "Conv" not in inside, f"what {n.name} runs is not in integers: {inside}"
    theirs, program = session(path), session(written)
    for arrays in given:
        arrays = {name: np.asarray(array) for name, array in arrays.items()}
        want = dict(zip(names, theirs.run(names, arrays)))
        got = {"its program": dict(zip(names, program.run(names, arrays)))}
        np.savez(inputs, **arrays)
        for engine in ("reference", "fast"):
            for policy in ("exact",) if 8 in map(bits, network.graph.node) else ("as-written", "exact"):
                octet("run", path, "--input", inputs, "-o", outputs, "--engine", engine, "--policy", policy)
                got[f"{engine}, {policy}"] = dict(np.load(outputs))
        for who, results in got.items():
            for name in names:
                same = results[name].shape == want[name].shape and results[name].tobytes() == want[name].tobytes()
                assert same, f"{who}: {name} is {results[name]}, wanted {want[name]}, for {arrays}"
        octet("verify", path, "--input", inputs, "--python", sys.executable)
    report = json.loads(octet("inspect", path, "--json", "-").stdout)
    assert len(report["nodes"]) == len(network.graph.node)
    octet("bounds", path, codes=(0, 2))
    octet("explain", path, names[0] + "[" + ",".join("0" * want[names[0]].ndim) + "]", "--input", inputs)
    octet("draw", path, "-o", folder / "m.svg")
    octet("draw", path, "--view", "program", "-o", folder / "p.svg")


def check_shadowed_twice(folder):
    """Where the other branch reads the outer value, ONNX Runtime hands that to both: the branch's own, in Octet and in its program."""
    path, written, inputs, outputs = folder / "m.onnx", folder / "program.onnx", folder / "in.npz", folder / "out.npz"
    then = graph([node("Add", "x k", "t")], (), [value("t", FLOAT, [1])], "then", k=np.array([1], f32))
    other = graph([node("Neg", "k", "e")], (), [value("e", FLOAT, [1])], "else")
    main = graph([node("If", "c", "y", then_branch=then, else_branch=other)], [value("x", FLOAT, [1]), value("c", BOOL, []), value("k", FLOAT, [1])],
                 [value("y", FLOAT, [1])], "main")
    onnx.save(model(main, 17), path)
    octet("lower", path, "-o", written)
    for c, want in ((True, 6), (False, -10)):
        arrays = {"x": np.array([5], f32), "c": np.asarray(c), "k": np.array([10], f32)}
        np.savez(inputs, **arrays)
        octet("run", path, "--input", inputs, "-o", outputs)
        got = [float(np.load(outputs)["y"][0]), float(session(written).run(None, arrays)[0][0])]
        assert got == [want, want], f"{got}, wanted {want}"


def check_quantize(folder, form):
    """A float network whose branches read 8-bit tensors: what the branches compute stays float, and agrees."""
    path, quantized, inputs = folder / "m.onnx", folder / "q.onnx", folder / "in.npz"
    then = graph([node("Conv", "c w2", "t")], (), [value("t", FLOAT, None)], "then", w2=random.normal(size=(3, 3, 1, 1)).astype(f32))
    other = graph([node("Neg", "c", "e")], (), [value("e", FLOAT, None)], "else")
    nodes = [node("ReduceMax", "x", "most", keepdims=0), node("Greater", "most two", "a"), node("Conv", "x w", "c"),
             node("If", "a", "y", then_branch=then, else_branch=other), node("Conv", "y v", "out")]
    main = graph(nodes, [value("x", FLOAT, [1, 2, 6, 6])], [value("out", FLOAT, None)], "main", two=f32(2),
                 w=random.normal(size=(3, 2, 1, 1)).astype(f32), v=random.normal(size=(2, 3, 1, 1)).astype(f32))
    onnx.save(model(main, 13), path)
    given = [{"x": np.clip(images(), -1, 1) * k} for k in (f32(1.5), f32(2.5))]
    np.save(folder / "data.npy", np.concatenate([g["x"] for g in given]))
    data = () if "--dynamic" in form[0] else ("--data", folder / "data.npy", "--batch", "1")
    report = json.loads(octet("quantize", path, "-o", quantized, *data, *form, "--json", "-").stdout)
    assert [n["reason"] for n in report["nodes"] if n["op_type"] == "If"] == ["the graphs that it runs stay as they are"], report
    ops = [n.op_type for n in onnx.load(quantized).graph.node]
    assert "If" in ops and ("QuantizeLinear" in ops or "DynamicQuantizeLinear" in ops), ops
    for arrays in given:
        np.savez(inputs, **arrays)
        octet("verify", quantized, "--input", inputs, "--python", sys.executable)
        want = session(path).run(None, arrays)[0]
        got = session(quantized).run(None, arrays)[0]
        assert np.abs(want - got).max() < 0.1 * np.abs(want).max(), f"{want} and {got}"


def main():
    failed = 0
    for name, (network, given, left) in networks():
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder), network, given, left)
                print(f"ok: {name}")
            except Exception as error:
                failed += 1
                print(f"FAILED: {name}: {error}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            check_shadowed_twice(pathlib.Path(folder))
            print("ok: a name of the outer value that the other branch reads")
        except Exception as error:
            failed += 1
            print(f"FAILED: a name of the outer value that the other branch reads: {error}")
    for form in (["--format", "qdq"], ["--format", "qoperator"], ["--dynamic=asymActivation,symWeight"]):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_quantize(pathlib.Path(folder), form)
                print(f"ok: quantized with {form}")
            except Exception as error:
                failed += 1
                print(f"FAILED: quantized with {form}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
