"""Golden vectors as a stranger uses them: NumPy reads every format in both layouts, computes every step from the manifest
and the constants alone, and gets every tensor; and octet compare reads back what others write.

Usage: export_test.py OCTET
"""

import copy
import csv
import hashlib
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from jsonschema import Draft202012Validator
from onnx import TensorProto, helper

import hostile_names_test as hostile
from json_documents import write_every_kind

ROOT = pathlib.Path(__file__).resolve().parents[2]
INT8, UINT8, FLOAT, IMAGE = (ROOT / "models" / name for name in
                             ("resnet8_int8.onnx", "resnet8_uint8.onnx", "resnet8.onnx", "sample_image.npy"))
SCHEMA = Draft202012Validator(json.loads((ROOT / "docs/schemas/vectors.schema.json").read_text()))


class Octet:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, *arguments, code=0, limit=None):
        def limited():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=limited)
        assert done.returncode == code, f"{arguments}: {done.returncode}, wanted {code}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr


# ---- reading

def hex_bytes(text, word):
    """As $readmemh has it: one number on each line."""
    lines = [line for line in text.splitlines() if not line.startswith("//")]
    assert all(re.fullmatch(f"[0-9a-f]{{{2 * word}}}", line) for line in lines)
    return b"".join(bytes.fromhex(line)[::-1] for line in lines)


def read(folder, manifest, facts):
    """An array in the tensor's own order of axes."""
    file, dtype = folder / facts["file"], np.dtype(facts["type"])
    count = int(np.prod(facts["shape"]))
    if manifest["format"] == "npz":
        array = np.load(file)[facts["member"]]
    elif manifest["format"] == "npy":
        array = np.load(file)
    elif manifest["format"] == "hex":
        found = hex_bytes(file.read_text(), facts["word_bytes"])
        assert count * dtype.itemsize <= len(found) < count * dtype.itemsize + facts["word_bytes"]
        array = np.frombuffer(found[:count * dtype.itemsize], dtype.newbyteorder("<")).astype(dtype)
    elif manifest["format"] == "raw":
        array = np.frombuffer(file.read_bytes(), dtype.newbyteorder("<")).astype(dtype)
    else:
        kind, size, numbers = re.search(r"static const (\w+)_t \w+\[(\d+)\] = \{([^}]*)\}", file.read_text()).groups()
        array = np.array([int(n) for n in re.sub(r"INT64_C\(([^)]*)\)", r"\1", numbers).split(",")][:count], dtype)
        assert (kind, int(size)) == ("uint8" if facts["type"] == "bool" else facts["type"], max(count, 1))
    assert array.dtype == dtype, (facts, array.dtype)
    stored = array.reshape(facts["stored_shape"])
    assert [facts["shape"][axis] for axis in facts["stored_axes"]] == list(stored.shape)
    return np.transpose(stored, np.argsort(facts["stored_axes"]))


class Vectors:
    def __init__(self, folder):
        self.folder, self.manifest = folder, json.loads((folder / "manifest.json").read_text())
        faults = [error.message[:200] for error in SCHEMA.iter_errors(self.manifest)]
        assert not faults, faults
        written = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()} - {"manifest.json"}
        assert written == {entry["file"] for entry in self.manifest["files"]}
        for entry in self.manifest["files"]:
            contents = (folder / entry["file"]).read_bytes()
            assert (len(contents), hashlib.sha256(contents).hexdigest()) == (entry["bytes"], entry["sha256"])
        get = lambda facts: read(folder, self.manifest, facts)  # noqa: E731
        self.tensors = {t["identifier"]: [get(array) for array in t["arrays"]] for t in self.manifest["tensors"]}
        self.constants = {c["identifier"]: get(c) for c in self.manifest["constants"]}


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and (a == b).all()


# ---- every kind of step, from its formula in the manifest

def wrap(sums):
    return sums.astype(np.int64).astype(np.uint32).astype(np.int32).astype(np.int64)


def requantize(stage, channels, acc):
    """channels: of each accumulator."""
    pick = lambda key: np.array(stage[key], np.int64)[channels if len(stage[key]) > 1 else np.zeros_like(channels)]  # noqa: E731
    q = np.clip((acc * pick("m") + pick("addend")) >> pick("shift"), stage["low"], stage["high"])
    for e in stage["exceptions"]:
        hit = (acc >= e["first"]) & (acc <= e["last"])
        if len(stage["m"]) > 1:
            hit &= channels == e["channel"]
        q = np.where(hit, e["value"], q)
    return q


def paired(pair, a, b):
    if pair["operation"] == "multiply":
        product = (a - pair["a_zero_point"]) * (b - pair["b_zero_point"])
        return requantize(pair["requantize"], np.zeros_like(product), product)
    q = np.clip((a * pair["ma"] + b * pair["mb"] + pair["addend"]) >> pair["shift"], pair["low"], pair["high"])
    for e in pair["exceptions"]:
        q = np.where((a == e["a"]) & (b >= e["first"]) & (b <= e["last"]), e["value"], q)
    return q


def finished(step, channels, q):
    for stage in step["epilogue"]:
        if stage["stage"] == "requantize":
            q = requantize(stage, np.broadcast_to(channels, q.shape), q)
        else:
            q = np.clip(q, stage["low"], stage["high"])
    return q


def windows(x, axes, fill):
    """[planes..., taps, outputs]; x is [planes..., input...], two spatial axes."""
    (i, j) = axes
    padded = np.full((*x.shape[:-2], i["input"] + 2 * 64, j["input"] + 2 * 64), fill, np.int64)
    padded[..., 64:64 + i["input"], 64:64 + j["input"]] = x
    taps = []
    for u in range(i["kernel"]):
        for v in range(j["kernel"]):
            rows = 64 + np.arange(i["output"]) * i["stride"] + u * i["dilation"] - i["pad"]
            columns = 64 + np.arange(j["output"]) * j["stride"] + v * j["dilation"] - j["pad"]
            taps.append(padded[..., rows[:, None], columns[None, :]].reshape(*x.shape[:-2], -1))
    return np.stack(taps, -2)


def places(shape, strides):
    grid = np.indices(shape).reshape(len(shape), -1)
    return sum((g * s for g, s in zip(grid, strides)), np.zeros(grid.shape[1], np.int64))


def computed(step, value, shape):
    """The elements of y in row-major order; value(identifier) gives a tensor."""
    flat = lambda name: value(name).astype(np.int64).ravel()  # noqa: E731
    kind = step["kind"]
    if kind == "convolution":
        x, w = (value(name).astype(np.int64) for name in step["reads"])
        n, g, ci, co = (step[key] for key in ("batches", "groups", "group_inputs", "group_outputs"))
        s = step["sum"]
        per_channel = lambda key: np.resize(np.array(s[key], np.int64), g * co).reshape(g, co, 1)  # noqa: E731
        taps = windows(x.reshape(n, g, ci, *x.shape[2:]), step["axes"], step["padding"]) - s["x_zero_point"]
        weights = w.reshape(g, co, -1) - per_channel("w_zero_points")
        acc = wrap(np.einsum("gok,ngkp->ngop", weights, taps.reshape(n, g, weights.shape[2], -1)) + per_channel("starts"))
        return finished(step, np.arange(g * co).reshape(g, co, 1), acc)
    if kind == "matrix_product":
        x, w, s = flat(step["reads"][0]), flat(step["reads"][1]), step["sum"]
        k = np.arange(step["products"])
        rows = [x[m["x"] + np.arange(step["rows"])[:, None] * step["x_row"] + k * step["x_product"]] - s["x_zero_point"] for m in step["matrices"]]
        columns = [w[m["w"] + np.arange(step["columns"])[:, None] * step["w_column"] + k * step["w_product"]]
                   - np.resize(s["w_zero_points"], step["columns"])[:, None] for m in step["matrices"]]
        acc = wrap(np.stack([a @ b.T for a, b in zip(rows, columns)]) + np.resize(s["starts"], step["columns"]))
        return finished(step, np.arange(step["columns"]), acc)
    if kind == "pairwise":
        a, b = flat(step["a"])[places(shape, step["a_strides"])], flat(step["b"])[places(shape, step["b_strides"])]
        return finished(step, 0, paired(step["pair"], a, b))
    if kind == "average":
        n, c, p = np.ogrid[:step["batches"], :step["channels"], :step["pixels"]]
        x = flat(step["reads"][0])[n * step["channels"] * step["pixels"] + c * step["channel_stride"] + p * step["pixel_stride"]]
        return finished(step, 0, wrap(x.sum(-1) + step["start"]))
    if kind == "maximum":
        x = value(step["reads"][0])
        x = x.reshape(step["planes"], *(axis["input"] for axis in step["axes"]))
        return finished(step, 0, windows(x, step["axes"], step["lowest"]).max(-2))
    look_up = lambda table, x: np.array(table)[x & 255]  # noqa: E731
    if kind == "concatenation":
        return np.concatenate([look_up(p["table"], flat(p["x"])).reshape(step["rows"], p["length"]) for p in step["parts"]], 1)
    if kind == "selection":
        then, other = (look_up(o["table"], flat(o["x"])[places(shape, o["strides"])]) for o in (step["then"], step["else"]))
        return np.where(flat(step["condition"])[places(shape, step["condition_strides"])] != 0, then, other)
    if kind in ("table", "channel_tables"):
        x, run = flat(step["reads"][0]), step.get("run", 1)
        return np.array(step["tables"])[np.arange(x.size) // run % len(step["tables"]), x & 255]
    y = np.full(shape, step["fill"], np.int64)
    for box in step["boxes"]:
        if box["source"] is not None:
            target = tuple(slice(b, b + s) for b, s in zip(box["begin"], box["shape"]))
            y[target] = flat(box["source"])[box["offset"] + places(box["shape"], box["strides"])].reshape(box["shape"])
    return y


def expect_computed(vectors):
    """Every tensor follows from the inputs and the manifest."""
    kinds = set()
    roles = {t["identifier"]: t["role"] for t in vectors.manifest["tensors"]}
    for run in range(len(vectors.manifest["inputs"])):
        known = {name: arrays[run] for name, arrays in vectors.tensors.items() if roles[name] == "input"} | vectors.constants
        for step in vectors.manifest["steps"]:
            wanted = vectors.tensors[step["makes"]][run]
            result = computed(step, known.__getitem__, wanted.shape).reshape(wanted.shape)
            assert (result == wanted).all(), (step["name"], np.argwhere(result != wanted)[:3])
            known[step["makes"]] = wanted
            kinds.add(step["kind"])
    return kinds


def mutants(step, weights, channel):
    """Of a channel, or of the whole step: what is changed, and the step and weights with it."""
    def changed(what, at, by):
        other = copy.deepcopy(step)
        place = other
        for key in at[:-1]:
            place = place[key]
        place[at[-1]] += by
        return what, other, weights

    if "pair" in step:
        pair = step["pair"]
        for what, by in (("ma", pair["ma"] // 2), ("mb", pair["mb"] // 2), ("addend", 2 << pair["shift"]), ("shift", 1)):
            yield changed(what, ("pair", what), by)
        return
    line = step["epilogue"][0]
    c = channel if len(line["m"]) > 1 else 0
    for what, by in (("m", line["m"][c] // 2), ("addend", 2 << line["shift"][c]), ("shift", 1)):
        yield changed(what, ("epilogue", 0, what, c), by)
    two = (2 << line["shift"][c]) // line["m"][c]  # steps of the result
    yield changed("start", ("sum", "starts", channel) if "sum" in step else ("start",), two)
    if weights is not None:
        other = weights.copy()
        other[channel] ^= 64
        yield "weight", step, other


def expect_mutants_seen(vectors):
    """One changed constant of any kind in any step gives another tensor."""
    seen = 0
    for step in vectors.manifest["steps"]:
        if step["kind"] == "move":
            continue
        known = {name: arrays[0] for name, arrays in vectors.tensors.items()} | vectors.constants
        wanted = known[step["makes"]]
        rows = wanted.reshape(wanted.shape[1], -1)
        channel = max(range(len(rows)), key=lambda c: len(np.unique(rows[c])))  # one that is alive
        has_weights = "sum" in step
        for what, other, weights in mutants(step, known[step["reads"][1]] if has_weights else None, channel):
            given = known | ({step["reads"][1]: weights} if has_weights else {})
            assert (computed(other, given.__getitem__, wanted.shape).reshape(wanted.shape) != wanted).any(), (step["name"], what)
            seen += 1
    return seen


def expect_constants(vectors):
    """What is in the files is what the steps say."""
    for constant in vectors.manifest["constants"]:
        if "step" not in constant:
            continue
        step = next(s for s in vectors.manifest["steps"] if s["name"] == constant["step"])
        stage = (step.get("epilogue") or [{}])[0]
        said = {"starts": step.get("sum", {}).get("starts", [step.get("start")]), "m": stage.get("m"), "addend": stage.get("addend"),
                "shift": stage.get("shift"), "w_zero_points": step.get("sum", {}).get("w_zero_points")}.get(constant["what"])
        if said is not None:
            assert vectors.constants[constant["identifier"]].tolist() == said, constant["name"]


def expect_directed(vectors):
    """Each row by the constants of the manifest, each patch by the weights; no mistake is claimed that does not show."""
    rows = patches = 0
    for found in vectors.manifest["directed"]:
        step = next(s for s in vectors.manifest["steps"] if s["name"] == found["step"])
        columns = {a["what"]: read(vectors.folder, vectors.manifest, a) for a in found["arrays"]}
        table = list(csv.DictReader((vectors.folder / found["table"]).open()))
        assert len(table) == found["rows"]
        for what, column in columns.items():
            if what not in ("patch", "patches"):
                assert [int(row[what]) for row in table] == column.tolist(), what
        for mistake in found["mistakes"]:
            assert mistake["rows"] == sum(mistake["name"] in row["catches"].split() for row in table), mistake
        q = columns["q"].astype(np.int64)
        if found["kind"] == "pair":
            a, b = columns["a"].astype(np.int64), columns["b"].astype(np.int64)
            assert (finished(step, 0, paired(step["pair"], a, b)) == q).all()
        if found["kind"] == "requantize":
            channel, acc = columns["channel"].astype(np.int64), columns["acc"].astype(np.int64)
            assert (finished(step, channel, acc) == q).all()
            line = dict(step["epilogue"][0], exceptions=[])
            without = np.array(["exceptions-left-out" in row["catches"].split() for row in table])
            clamps = {"epilogue": step["epilogue"][1:]}
            assert (without == (finished(clamps, 0, requantize(line, channel, acc)) != q)).all()
        if found["kind"] == "requantize" and step["kind"] == "convolution" and step["groups"] == 1:
            has = columns["patch"] >= 0
            x = columns["patches"].astype(np.int64)[columns["patch"][has]].reshape(has.sum(), -1)
            w = vectors.constants[step["reads"][1]].astype(np.int64)
            w = w.reshape(w.shape[0], -1) - np.resize(step["sum"]["w_zero_points"], w.shape[0])[:, None]
            starts = np.resize(step["sum"]["starts"], w.shape[0])
            assert (wrap((x * w[channel[has]]).sum(1) + starts[channel[has]]) == acc[has]).all(), found["step"]
            patches += int(has.sum())
        rows += len(table)
    return rows, patches


# ---- the tests

def formats(octet):
    """Every format and layout holds the same; the manifest is enough to compute all of it."""
    base = None
    for layout in ("chw", "hwc"):
        for how in ("npz", "npy", "hex", "c", "raw"):
            folder = octet.folder / f"{how}_{layout}"
            more = ("--word", 16) if (how, layout) == ("hex", "hwc") else ()
            octet("export", INT8, "--vectors", folder, "--input", IMAGE, "--format", how, "--layout", layout, *more)
            vectors = Vectors(folder)
            base = base or vectors
            assert vectors.manifest["layout"] == layout and vectors.manifest["format"] == how
            for name, arrays in base.tensors.items():
                assert same(vectors.tensors[name][0], arrays[0]), (how, layout, name)
            for name, array in base.constants.items():
                assert same(vectors.constants[name], array), (how, layout, name)
            if how == "c" and shutil.which("cc"):
                subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-x", "c", "-"],
                               input=f'#include "{folder}/vectors.h"\nint main(void) {{ return tensors_relu_QuantizeLinear_Output[0]; }}\n',
                               text=True, check=True)
    wanted = subprocess.run([octet.program, "run", INT8, "--input", IMAGE, "--all", "-o", octet.folder / "all.npz"], check=True,
                            capture_output=True) and dict(np.load(octet.folder / "all.npz"))
    for tensor in base.manifest["tensors"]:
        assert same(base.tensors[tensor["identifier"]][0], wanted[tensor["name"]]), tensor["name"]
    assert expect_computed(base) == {"convolution", "pairwise", "average", "move", "matrix_product"}
    expect_constants(base)
    assert expect_mutants_seen(base) == 10 * 5 + 4 + 3 * 4  # sums, the average, additions
    assert [step["name"] for step in base.manifest["host"]["before"]] == ["image_QuantizeLinear"]
    assert [step["name"] for step in base.manifest["host"]["after"]] == ["logits_DequantizeLinear", "probabilities"]


def other_networks(octet):
    """Every kind of step; several inputs; one step alone, of a network that is not of integers as a whole."""
    write_every_kind(octet.folder / "every.onnx")
    for seed in (1, 2):
        np.save(octet.folder / f"x{seed}.npy", np.random.default_rng(seed).integers(0, 256, (1, 2, 6, 6), np.uint8))
    octet("export", "every.onnx", "--vectors", "every", "--input", "x1.npy", "--input", "x2.npy", "--directed")
    every = Vectors(octet.folder / "every")
    assert every.manifest["inputs"] == ["x1.npy", "x2.npy"]
    kinds = expect_computed(every)
    assert kinds == {"convolution", "matrix_product", "pairwise", "average", "maximum", "concatenation", "selection", "table",
                     "channel_tables", "move"}, kinds
    expect_constants(every)
    assert expect_directed(every)[0] > 3000
    octet("export", UINT8, "--vectors", "directed", "--random", 1, "--directed", "--layout", "hwc", "--format", "raw")
    uint8 = Vectors(octet.folder / "directed")
    expect_computed(uint8)
    rows, patches = expect_directed(uint8)
    assert rows > 7000 and patches > 4500, (rows, patches)
    octet("export", INT8, "--vectors", "step", "--step", "block1.conv1", "--input", IMAGE)
    step = Vectors(octet.folder / "step")
    assert [t["role"] for t in step.manifest["tensors"]] == ["input", "output"] and expect_computed(step) == {"convolution"}
    octet("export", INT8, "--vectors", "constants", "--step", "block1.conv1", "--format", "hex")
    assert Vectors(octet.folder / "constants").manifest["inputs"] == []


def write_mixed(path):
    """A float step between two of integers."""
    value = lambda name, array: onnx.numpy_helper.from_array(np.asarray(array), name)  # noqa: E731
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["a"], name="in"),
             helper.make_node("MatMulInteger", ["a", "w"], ["b"], name="first"), helper.make_node("Cast", ["b"], ["c"], to=1, name="cast"),
             helper.make_node("Exp", ["c"], ["d"], name="exp"), helper.make_node("QuantizeLinear", ["d", "s", "z"], ["e"], name="again"),
             helper.make_node("MatMulInteger", ["e", "w"], ["y"], name="second")]
    graph = helper.make_graph(nodes, "mixed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
                              [helper.make_tensor_value_info("y", TensorProto.INT32, [1, 2])],
                              [value("s", np.float32(0.1)), value("z", np.uint8(3)), value("w", np.array([[1, 2], [3, 4]], np.int8))])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def refusals(octet):
    """Bad input ends with exit code 2, a message, and nothing written."""
    write_mixed(octet.folder / "mixed.onnx")
    message = octet("export", "mixed.onnx", "--vectors", "new", "--random", 1, code=2)
    assert "exp (Exp)" in message and "again (" in message, message
    octet("export", "mixed.onnx", "--vectors", "one", "--random", 1, "--step", "first")
    assert expect_computed(Vectors(octet.folder / "one")) == {"matrix_product"}
    for arguments, wanted in (
            ((INT8,), "say what to make, and in which folder: --vectors"),
            ((INT8, "--vectors", "new", "--step", "blok1.conv1"), "no step blok1.conv1; the nearest are block1.conv1"),
            ((INT8, "--vectors", "new", "--step", "probabilities"), "is not of integers alone"),
            ((FLOAT, "--vectors", "new"), "no step is of integers alone, all 30 are the host's:\n  conv (Conv): it computes in float: image is float"),
            ((INT8, "--vectors", "new", "--format", "vhdl"), "there is no format vhdl; the formats are npz, npy, hex, c, raw"),
            ((INT8, "--vectors", "new", "--layout", "nhwc"), "there is no layout nhwc"),
            ((INT8, "--vectors", "new", "--word", "4"), "--word is not used: only --format hex has words"),
            ((INT8, "--vectors", "new", "--word", "6", "--format", "hex"), "words of 6 bytes do not hold whole elements"),
            ((INT8, "--vectors", "new", "--input", "none.npy"), "none.npy"),
            ((INT8, "--vectors", "all.npz/new"), "all.npz: the folder can't be made")):
        message = octet("export", *arguments, code=2)
        assert wanted in message, (wanted, message)
    assert not (octet.folder / "new").exists()
    # A limit on the size of files stands for a full disk: Octet ends by the signal, and what it made is gone.
    octet("export", INT8, "--vectors", "new", "--random", 1, code=128 + 25, limit=20000)
    assert not list(octet.folder.glob("new/**/*.npz")) and not (octet.folder / "new/manifest.json").exists()
    # It does not write over what it reads.
    shutil.copy(IMAGE, octet.folder / "manifest.json")
    message = octet("export", INT8, "--vectors", ".", "--input", "manifest.json", "--step", "conv", code=2)
    assert "manifest.json" in message
    (octet.folder / "own").mkdir()
    np.savez(octet.folder / "own/vectors.npz", image=np.load(IMAGE))
    assert "--vectors would overwrite" in octet("export", INT8, "--vectors", "own", "--input", "own/vectors.npz", code=2)


def hostile_models(octet):
    """Whatever a model calls its tensors, files have plain names in the folder, and comments stay comments."""
    for kind, name in hostile.NAMES.items():
        hostile.integer_model(octet.folder / "hostile.onnx", lambda part: f"{part}{name}")
        for how in ("npz", "npy", "hex", "c", "raw"):
            folder = octet.folder / f"hostile_{kind}_{how}"
            octet("export", "hostile.onnx", "--vectors", folder, "--random", 1, "--directed", "--format", how)
            vectors = Vectors(folder)
            assert expect_computed(vectors) == {"convolution", "pairwise"}
            for file in folder.rglob("*"):
                assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*(\.\w+)?", file.name), file
            assert "equal" in octet("compare", "hostile.onnx", "--against", folder, "--random", 1) if how not in ("c",) else True
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-x", "c",
                        octet.folder / f"hostile_{kind}_c/vectors.h"], check=True)


def comparisons(octet):
    """What C and hardware write: raw bytes, hex, arrays; one layer alone; what is missing, too short, never driven."""
    name, identifier = "block1.relu1_QuantizeLinear_Output", "block1_relu1_QuantizeLinear_Output"
    right = np.load(octet.folder / "all.npz")[name]
    dumps = octet.folder / "dumps"

    def compare(*more, code=0):
        return octet("compare", INT8, "--against", dumps, "--input", IMAGE, *more, code=code)

    def dump(write, file):
        shutil.rmtree(dumps, ignore_errors=True)
        dumps.mkdir()
        write(dumps / file)

    hwc = np.ascontiguousarray(right.transpose(0, 2, 3, 1))
    plain = lambda a, width=1: "\n".join(a.tobytes()[i:i + width][::-1].hex() for i in range(0, a.nbytes, width)) + "\n"  # noqa: E731
    for array, more in ((right, ()), (hwc, ("--layout", "hwc"))):
        for file in (f"{identifier}.bin", f"{name}.bin", f"{name}.raw"):
            dump(lambda path: path.write_bytes(array.tobytes()), file)
            assert compare(*more).startswith("1 of 18 tensors compared, 16,384 elements: equal\n"), file
        for width in (1, 4, 16):
            dump(lambda path: path.write_text("// 0x00000000\n@0\n" + plain(array, width).upper()), f"{identifier}.hex")
            compare(*more)
            compare(*more, "--word", width)
        dump(lambda path: np.save(path, array), f"{identifier}.npy")
        compare(*more)
        dump(lambda path: np.save(path, array.astype(np.int32).ravel()), f"{name}.npy")
        compare(*more)
        dump(lambda path: np.savez(path, **{name: array}), "anything.npz")
        compare(*more)
    # One element is wrong: which, and how it comes about.
    wrong = right.copy()
    wrong[0, 3, 5, 7] += 1
    dump(lambda path: path.write_bytes(wrong.tobytes()), f"{identifier}.bin")
    text = compare(code=1)
    assert text.startswith(f"1 of 18 tensors compared, 16,384 elements, differs in {name} at [0,3,5,7]: {wrong[0, 3, 5, 7]}, "
                           f"wanted {right[0, 3, 5, 7]}\n1 of its 16,384 elements differ; step block1.conv1\n"), text
    assert f"{name}[0,3,5,7] = {right[0, 3, 5, 7]}" in text and "acc " in text and "not there: image_QuantizeLinear_Output" in text
    # The step is judged by what it read, where that was dumped.
    before = np.load(octet.folder / "all.npz")["relu_QuantizeLinear_Output"].copy()
    before[0, 0, 0, 0] ^= 1
    np.save(dumps / "relu_QuantizeLinear_Output.npy", before)
    assert "2 of 18 tensors compared, 32,768 elements, differs in relu_QuantizeLinear_Output at [0,0,0,0]" in compare(code=1)
    octet("compare", INT8, "--against", dumps, code=1)
    dump(lambda path: path.write_bytes(hwc.tobytes()), f"{identifier}.bin")
    assert "it is equal in the other layout: --layout hwc" in compare(code=1)
    # Mistakes in the files.
    for write, file, wanted in (
            (lambda path: path.write_bytes(b"12"), f"{identifier}.bin", f"it has 2 bytes, wanted {name} int8 [1,16,32,32], 16384 bytes (chw)"),
            (lambda path: path.write_text(plain(right)[:-3]), f"{identifier}.hex", "it has 16383 bytes, wanted"),
            (lambda path: path.write_text(plain(right).replace("80", "xx", 1)), f"{identifier}.hex", "is xx, which is no hexadecimal number: nothing has driven it"),
            (lambda path: path.write_text("@2\n" + plain(right)), f"{identifier}.hex", "@2 does not go on behind word 0"),
            (lambda path: path.write_text("1234\n" + plain(right)), f"{identifier}.hex", "word 1 has 2 digits, wanted 4"),
            (lambda path: np.save(path, right[0]), f"{identifier}.npy", "it is int8[16,32,32], wanted"),
            (lambda path: np.save(path, right.astype(np.int32) + 1000), f"{identifier}.npy", "whose elements do not all fit"),
            (lambda path: np.save(path, right.astype(np.float32)), f"{identifier}.npy", "it is float32"),
            (lambda path: np.save(path, right), "unknown.npy", "none of these is a tensor of the program"),
            (lambda path: path.write_text("words"), "notes.txt", "has no dumps")):
        dump(write, file)
        message = compare(code=2)
        assert wanted in message, (wanted, message)
    dump(lambda path: np.save(path, right), f"{identifier}.npy")
    np.save(dumps / f"{name}.npy", right)
    assert "is there twice" in compare(code=2)
    dump(lambda path: np.save(path, right), f"{identifier}.npy")
    np.save(dumps / "scratch.npy", right)
    assert "no tensor of the program: " in compare()
    assert "nothing can be compared" in octet("compare", INT8, "--against", dumps, code=2)
    assert "--word is not used: none of these files is of words" in compare("--word", 1, code=2)
    assert "there is no such file or folder" in octet("compare", INT8, "--against", "nowhere", "--random", 1, code=2)
    assert "is a model; say octet compare" in octet("compare", INT8, code=2)
    assert "--layout is not used: it is about --against" in octet("compare", "all.npz", "all.npz", "--layout", "hwc", code=2)


def comparisons_of_several_inputs(octet):
    """An export of several images is compared as it is; the first difference names the image."""
    rng = np.random.default_rng(5)
    images = [IMAGE, "second.npy", "third.npy"]
    for image in images[1:]:
        np.save(octet.folder / image, rng.random((1, 3, 32, 32), dtype=np.float32))
    given = [word for image in images for word in ("--input", image)]

    def compare(folder, *more, code=0):
        return octet("compare", INT8, "--against", folder, *more, code=code)

    for how in ("npz", "npy", "hex", "raw"):
        octet("export", INT8, "--vectors", f"three_{how}", *given, "--format", how)
        assert compare(f"three_{how}", *given).startswith("48 of 54 tensors for 3 inputs compared, 353,694 elements: equal\n"), how
        assert compare(f"three_{how}").startswith("45 of 54 tensors for 3 inputs compared"), how  # nobody gave what the first step reads
    # The images in another order: the second of them is the first that differs, in what the host makes of it.
    swapped = compare("three_npz", "--input", IMAGE, "--input", "third.npy", "--input", "second.npy", code=1)
    assert " compared, 353,694 elements, differs for input 1, third.npy, in image_QuantizeLinear_Output at [0,0,0,0]: " in swapped, swapped
    # One wrong element in the last image: its tensor, its number, its file; and how it comes about from its own image.
    name, identifier = "block1.relu1_QuantizeLinear_Output", "block1_relu1_QuantizeLinear_Output"
    file = octet.folder / f"three_npy/tensors/2/{identifier}.npy"
    right = np.load(file)
    wrong = right.copy()
    wrong[0, 3, 5, 7] ^= 1
    np.save(file, wrong)
    for more, source in ((given, ", third.npy,"), ((), "")):
        text = compare("three_npy", *more, code=1)
        assert (f"differs for input 2{source} in {name} at [0,3,5,7]: {wrong[0, 3, 5, 7]}, wanted {right[0, 3, 5, 7]}\n"
                "1 of its 16,384 elements differ; step block1.conv1, on the tensors that were dumped\n") in text, text
        assert f"{name}[0,3,5,7] = {right[0, 3, 5, 7]}" in text
    text = compare("three_npy", *given, code=1)
    assert re.search(r"^ +2  block1\.relu1_\S+ +three_npy/\S+ +1  differs$", text, re.M), text
    assert re.search(r"^ +2  block1\.bn2_\S+ +three_npy/\S+ +0  right for the network's inputs,", text, re.M), text
    facts = json.loads(compare("three_npy", *given, "--json", "-", code=1))
    assert not facts["equal"] and facts["dumps"]["inputs"] == 3 and facts["dumps"]["tensors"] == 54
    assert [v["input"] for v in facts["dumps"]["verdicts"]] == [n for n in range(3) for _ in range(16)]
    assert [(v["input"], v["tensor"]) for v in facts["dumps"]["verdicts"] if v["differing_alone"]][0] == (2, name)
    # Folders of one's own; one input of an export; a tensor that one input lacks is said.
    (octet.folder / "of_ours/1").mkdir(parents=True)
    (octet.folder / "of_ours/0").mkdir()
    shutil.copy(octet.folder / f"three_raw/tensors/1/{identifier}.bin", octet.folder / "of_ours/1")
    shutil.copy(octet.folder / f"three_raw/tensors/0/{identifier}.bin", octet.folder / "of_ours/0")
    shutil.copy(octet.folder / "three_raw/tensors/0/relu_QuantizeLinear_Output.bin", octet.folder / "of_ours/0")
    own = compare("of_ours", "--input", IMAGE, "--input", "second.npy")
    assert own.startswith("3 of 36 tensors for 2 inputs compared") and "not there: image_QuantizeLinear_Output, " in own, own
    missing = json.loads(compare("of_ours", "--input", IMAGE, "--input", "second.npy", "--json", "-"))["dumps"]["missing"]
    assert len(missing) == 17 and "relu_QuantizeLinear_Output" in missing and name not in missing, missing  # of one of the two
    assert "16 of 18 tensors compared" in compare("three_raw/tensors/1", "--input", "second.npy")
    # As many inputs as were dumped, and every one of them.
    assert "1 input given, and the dumps are of 3: give --input for each" in compare("three_raw", "--input", IMAGE, code=2)
    shutil.rmtree(octet.folder / "three_raw/tensors/1")
    assert "nothing was dumped of input 1, second.npy" in compare("three_raw", *given, code=2)
    shutil.copy(octet.folder / f"three_npy/tensors/1/{identifier}.npy", octet.folder / "three_raw/tensors")
    assert " is of one of several inputs, and " in compare("three_raw", *given, code=2)


def main(program):
    with tempfile.TemporaryDirectory() as name:
        octet = Octet(str(pathlib.Path(program).resolve()), pathlib.Path(name))
        for test in (formats, other_networks, refusals, hostile_models, comparisons, comparisons_of_several_inputs):
            test(octet)
            print(test.__name__)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
