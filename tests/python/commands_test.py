"""Every command as a function: the same documents and the same files as the command, bit for bit."""

import json
import os
import pathlib

import numpy as np
import onnx
import pytest

import octet
from conftest import FLOAT, QDQ, SAMPLES, UINT8

ELEMENT = "relu_QuantizeLinear_Output[0,0,0,4]"
DATA = ["--data", SAMPLES, "--samples", "4"]
WITH_DATA = {"data": SAMPLES, "samples": 4}

# The words of the command, and the call. {folder} is one of its own for each of the two.
CALLS = {
    "inspect": (["inspect", QDQ, "--dim", "N=1"], lambda f: octet.inspect(QDQ, dim={"N": 1})),
    "inspect node": (["inspect", QDQ, "--node", "block1.conv1$"], lambda f: octet.inspect(QDQ, node="block1.conv1$")),
    "lower": (["lower", QDQ, "-o", "{folder}/p.onnx"], lambda f: octet.lower(QDQ, output=f / "p.onnx")),
    "run": (["run", QDQ, "--random", "1", "--dim", "N=2", "--all", "-o", "{folder}/y.npz"],
            lambda f: octet.run(QDQ, random=1, dim={"N": 2}, all=True, output=f / "y.npz")),
    "run arithmetic": (["run", UINT8, "--random", "3", "--dim", "N=1", "--arithmetic", "fixed-double", "--engine", "reference"],
                       lambda f: octet.run(UINT8, random=3, dim={"N": 1}, arithmetic="fixed-double", engine="reference")),
    "quantize": (["quantize", FLOAT, "-o", "{folder}/q.onnx", "--save-rules", "{folder}/r.json", "--per-tensor", *DATA,
                  "--calibration", "entropy", "--save-ranges", "{folder}/ranges.json", "--activations", "uint8"],
                 lambda f: octet.quantize(FLOAT, f / "q.onnx", save_rules=f / "r.json", per_tensor=True, calibration="entropy",
                                          save_ranges=f / "ranges.json", activations="uint8", **WITH_DATA)),
    "quantize from ranges": (["quantize", FLOAT, "-o", "{folder}/q.onnx"], lambda f: octet.quantize(FLOAT, f / "q.onnx")),
    "quantize repaired": (["quantize", FLOAT, "-o", "{folder}/q.onnx", "--equalize", "--bias-correction", "analytic", *DATA],
                          lambda f: octet.quantize(FLOAT, f / "q.onnx", equalize=True, bias_correction="analytic", **WITH_DATA)),
    "quantize dynamic": (["quantize", FLOAT, "-o", "{folder}/q.onnx", "--dynamic=symActivation", "--op-types", "Gemm"],
                         lambda f: octet.quantize(FLOAT, f / "q.onnx", dynamic="symActivation", op_types=["Gemm"])),
    "evaluate": (["evaluate", QDQ, *DATA, "--baseline", FLOAT],
                 lambda f: octet.evaluate(QDQ, baseline=FLOAT, **WITH_DATA)),
    "loss": (["loss", FLOAT, QDQ, *DATA, "--plot", "{folder}/p.svg"],
             lambda f: octet.loss(FLOAT, QDQ, plot=f / "p.svg", **WITH_DATA)),
    "sensitivity": (["sensitivity", FLOAT, *DATA, "--save-rules", "{folder}/r.json", "--keep", "2"],
                    lambda f: octet.sensitivity(FLOAT, save_rules=f / "r.json", keep=2, **WITH_DATA)),
    "tune": (["tune", FLOAT, "-o", "{folder}/t.onnx", *DATA, "--min-sqnr", "5"],
             lambda f: octet.tune(FLOAT, f / "t.onnx", min_sqnr=5, **WITH_DATA)),
    "explain": (["explain", UINT8, ELEMENT, "--random", "1", "--dim", "N=1"],
                lambda f: octet.explain(UINT8, ELEMENT, random=1, dim={"N": 1})),
    "verify": (["verify", UINT8, "--run", "file", "--random", "2"], lambda f: octet.verify(UINT8, run="file", random=2)),
    "compare": (["compare", "{folder}/../a.npz", "{folder}/../b.npz"],
                lambda f: octet.compare(f / "../a.npz", f / "../b.npz")),
    "compare dumps": (["compare", QDQ, "--against", "{folder}/../dumps", "--dim", "N=1"],
                      lambda f: octet.compare(QDQ, against=f / "../dumps", dim={"N": 1})),
    "compare model": (["compare", "{folder}/../run.npz", "{folder}/../run.npz", "--model", QDQ],
                      lambda f: octet.compare(f / "../run.npz", f / "../run.npz", model=QDQ)),
    "conformance": (["conformance", "--list"], lambda f: octet.conformance(list=True)),
    "bounds": (["bounds", QDQ, "--table", "{folder}/b.csv", "--plot", "{folder}/b.svg", *DATA],
               lambda f: octet.bounds(QDQ, table=f / "b.csv", plot=f / "b.svg", **WITH_DATA)),
    "simulate": (["simulate", QDQ, *DATA, "--accumulator", "16,saturate"],
                 lambda f: octet.simulate(QDQ, accumulator="16,saturate", **WITH_DATA)),
    "simulate pitfalls": (["simulate", QDQ, *DATA, "--pitfalls", "--float", FLOAT],
                          lambda f: octet.simulate(QDQ, pitfalls=True, float=FLOAT, **WITH_DATA)),
    "sweep": (["sweep", QDQ, *DATA, "--accumulator", "14..16", "-o", "{folder}/s.csv", "--plot", "{folder}/s.svg"],
              lambda f: octet.sweep(QDQ, accumulator="14..16", output=f / "s.csv", plot=f / "s.svg", **WITH_DATA)),
    "draw": (["draw", QDQ, "-o", "{folder}/d.svg", "--view", "program"],
             lambda f: octet.draw(QDQ, f / "d.svg", view="program")),
    "export": (["export", QDQ, "--vectors", "{folder}/v", "--random", "1", "--c", "{folder}/c", "--verilog", "{folder}/rtl",
                "--format", "hex"],
               lambda f: octet.export(QDQ, vectors=f / "v", random=1, c=f / "c", verilog=f / "rtl", format="hex")),
    "compile": (["compile", QDQ, "-o", "{folder}/m.so", "--dim", "N=1"],
                lambda f: octet.compile(QDQ, f / "m.so", dim={"N": 1})),
    "ops": (["ops"], lambda f: octet.ops()),
    "version": (["version"], lambda f: octet.version()),
}


def without(document, folder):
    """The document without the folder of its files, and without the line that says how to make it again."""
    if isinstance(document, dict):
        return {key: "" if key == "command" else without(value, folder) for key, value in document.items()}
    if isinstance(document, list):
        return [without(value, folder) for value in document]
    return document.replace(str(folder), "") if isinstance(document, str) else document


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared")
    np.savez(folder / "a.npz", x=np.arange(4), y=np.arange(3.0))
    np.savez(folder / "b.npz", x=np.arange(4), y=np.array([0, 1, 2.5]))
    octet.run(QDQ, random=1, dim={"N": 1}, all=True, output=folder / "run.npz")
    octet.export(QDQ, vectors=folder / "dumps", random=1)
    return folder


@pytest.mark.parametrize("name", CALLS)
def test_the_same_as_the_command(name, shared, ask):
    words, call = CALLS[name]
    theirs, ours = shared / f"{name} command", shared / f"{name} python"
    theirs.mkdir(), ours.mkdir()
    words = [word.replace("{folder}", str(theirs)) for word in words]
    verdict = 1 if name == "compare" else 0
    printed = ask(*words, "--json", "-", code=verdict)
    found = call(ours)
    assert without(found.to_dict(), ours) == without(json.loads(printed), theirs)
    if name != "lower":
        assert found.passed == (verdict == 0)
    assert repr(found)
    made = sorted(path.relative_to(theirs) for path in theirs.rglob("*") if path.is_file())
    made = [file for file in made if file.name != "t_rules.json"]
    assert made == sorted(path.relative_to(ours) for path in ours.rglob("*") if path.is_file())
    for file in made:
        if file.suffix not in (".so", ".npz"):
            assert (theirs / file).read_bytes() == (ours / file).read_bytes(), file
        elif file.suffix == ".npz":
            with np.load(theirs / file) as a, np.load(ours / file) as b:
                assert a.files == b.files and all(a[key].tobytes() == b[key].tobytes() for key in a.files)


@pytest.mark.parametrize("name", ["inspect", "run", "evaluate", "bounds", "explain", "simulate"])
def test_texts_are_the_commands(name, shared, ask, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    words, call = CALLS[name]
    folder = shared / f"{name} text"
    folder.mkdir()
    words = [word.replace("{folder}", str(folder)) for word in words]
    assert repr(call(folder)) == ask(*words).rstrip("\n")


def test_arrays_are_the_librarys(shared):
    found = octet.run(QDQ, random=1, dim={"N": 1}, all=True)
    with np.load(shared / "run.npz") as archive:
        for name in found.arrays:
            assert (found[name] == archive[name]).all()
    inputs = {"image": np.load(shared / "run.npz")["image"]}
    session = octet.InferenceSession(QDQ)
    for given in (inputs, inputs["image"]):
        assert (octet.run(QDQ, given)["probabilities"] == session.run(None, inputs)[0]).all()


def arrays():
    with np.load(SAMPLES) as archive:
        names = archive.files
        labels = next(name for name in names if name in ("y", "label", "labels"))
        return archive[next(name for name in names if name != labels)], archive[labels]


class Loader:
    """Batches of pairs, again and again, as torch's DataLoader gives them."""

    def __init__(self, x, y, batch=3):
        self.x, self.y, self.batch = x, y, batch

    def __iter__(self):
        for k in range(0, len(self.x), self.batch):
            yield self.x[k : k + self.batch], self.y[k : k + self.batch]


def test_samples_are_files_arrays_dicts_and_iterables():
    x, y = arrays()
    wanted = octet.evaluate(QDQ, data=SAMPLES).to_dict()["model"]["predictions"]
    forms = [(x, y), {"image": x, "labels": y}, Loader(x, y), iter(Loader(x, y)), list(Loader(x, y)),
             [{"image": x, "y": y}], ({"image": a, "labels": b} for a, b in Loader(x, y))]
    for data in forms:
        assert octet.evaluate(QDQ, data=data).to_dict()["model"]["predictions"] == wanted
    assert octet.evaluate(QDQ, data=x, labels=y).to_dict()["model"]["predictions"] == wanted


def test_quantization_of_arrays_is_that_of_files(tmp_path):
    x, y = arrays()
    for number, data in enumerate([SAMPLES, x, Loader(x, y), iter([x])]):
        made = octet.quantize(FLOAT, tmp_path / f"{number}.onnx", data=data, bias_correction="empirical")
        assert made.model.to_bytes() == octet.load_model(tmp_path / "0.onnx").to_bytes()


def test_a_readers_exception_comes_through():
    class Reader:
        def __iter__(self):
            yield np.zeros((2, 3, 32, 32), np.float32)
            raise ZeroDivisionError("mine")

    for call in (octet.quantize, octet.evaluate, octet.sensitivity):
        with pytest.raises((ZeroDivisionError, octet.Error)) as raised:
            call(FLOAT, data=Reader())
        if call is not octet.evaluate:
            assert str(raised.value) == "mine"


@pytest.mark.parametrize("data", [3, b"x", object(), [object()], [], {"image": 3}, np.zeros(3), "missing.npz"])
def test_wrong_samples(data):
    with pytest.raises(octet.Error):
        octet.quantize(FLOAT, data=data)


WRONG = [
    (lambda: octet.quantize(FLOAT, per_channel="yes"), r"quantize: per_channel is 'yes' \(str\); wanted True or False"),
    (lambda: octet.bounds(QDQ, max_bits=65), "wanted a whole number from 1 to 64"),
    (lambda: octet.bounds(QDQ, max_bits=True), "max_bits is True"),
    (lambda: octet.bounds(QDQ, threads=2.5), "threads is 2.5"),
    (lambda: octet.bounds(QDQ, dim={"N": "x"}), "dim is 'x'"),
    (lambda: octet.bounds(QDQ, dim=["N"]), "wanted a dict"),
    (lambda: octet.bounds(QDQ, dim={"M": 1}), "N"),
    (lambda: octet.bounds(QDQ, policy="exakt"), "exact"),
    (lambda: octet.bounds(QDQ, engine="slow"), "reference"),
    (lambda: octet.bounds(QDQ, rounding=None), "round"),
    (lambda: octet.bounds(QDQ, memory="lots"), "512M"),
    (lambda: octet.bounds(QDQ, plot=QDQ), "would overwrite"),
    (lambda: octet.quantize(FLOAT, FLOAT), "would overwrite"),
    (lambda: octet.quantize(FLOAT, percentile="x"), "percentile is 'x'"),
    (lambda: octet.quantize(FLOAT, op_types=3.5), "op_types"),
    (lambda: octet.quantize(FLOAT, data=SAMPLES, mean=["a"]), "mean"),
    (lambda: octet.quantize(FLOAT, data=SAMPLES, ranges="r.json"), "ranges is not used"),
    (lambda: octet.quantize(QDQ), "quantized"),
    (lambda: octet.evaluate(QDQ), "give labelled samples"),
    (lambda: octet.evaluate(QDQ, data=SAMPLES, max_drop=1), "requires baseline"),
    (lambda: octet.sweep(QDQ, data=SAMPLES), "say what to sweep"),
    (lambda: octet.explain(QDQ, "nothing[0]", random=1), "nothing"),
    (lambda: octet.run(QDQ, np.zeros((1, 3, 32, 32), np.float32), random=1), "random is not used"),
    (lambda: octet.run(QDQ), "image"),
    (lambda: octet.export(QDQ), "say what to make"),
    (lambda: octet.compile(QDQ, "x.dll"), "NAME.so"),
    (lambda: octet.compare("a.npz"), "name two"),
    (lambda: octet.inspect(None), "wanted a model"),
    (lambda: octet.inspect(3), "wanted a path"),
    (lambda: octet.draw(QDQ, "x.gif"), "a picture is"),
    (lambda: octet.lower(QDQ, output="no/such/folder.onnx"), "no/such"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_options_say_what_was_wanted(number):
    call, message = WRONG[number]
    with pytest.raises(octet.Error, match=message):
        call()


def test_results_are_objects():
    found = octet.bounds(QDQ)
    assert found.steps[0].name == "conv" and "steps" in dir(found)
    table = found.to_pandas()
    assert len(table) == len(found.steps) and "products" in table
    assert max(len(line) for line in repr(found).splitlines()) <= 80
    assert found._repr_html_().count("<tr>") == len(found.steps) + 1 and "<svg" in found._repr_svg_()
    with pytest.raises(AttributeError, match="steps"):
        found.nothing
    program = octet.lower(QDQ)
    assert "<svg" in program._repr_svg_() and len(program.to_pandas()) == len(program.steps)
    for row in found.steps:
        step = program.steps[row.name]
        assert len(step.multipliers) == step.channels and step.products == row.products and step.arrays and step.reason
    assert program.steps[0] is program.steps[program.steps[0].name]
    with pytest.raises(KeyError, match="conv"):
        program.steps["convv"]
    assert octet.draw(QDQ, view="pattern")._repr_svg_().startswith("<?xml")


def test_warnings_are_pythons(tmp_path):
    with pytest.warns(octet.OctetWarning, match="2 weight scale") as said:
        octet.quantize(FLOAT, tmp_path / "q.onnx")
    assert said[0].filename == __file__


def test_programs_stand_for_their_models():
    program = octet.lower(QDQ, dim={"N": 1})
    assert octet.bounds(program).to_dict() == octet.bounds(QDQ, dim={"N": 1}).to_dict()
    assert octet.run(program, random=1)["probabilities"].shape == (1, 10)
    assert program.to_model().to_bytes() == octet.lower(program).to_model().to_bytes()


def test_a_compiled_network_is_a_model(tmp_path):
    made = octet.compile(QDQ, tmp_path / "m.so", dim={"N": 1})
    feed = {"image": np.random.default_rng(0).random((1, 3, 32, 32), np.float32)}
    session = octet.InferenceSession(tmp_path / "m.so")
    assert session.engine == "compiled"
    assert (session.run(None, feed)[0] == octet.InferenceSession(QDQ).run(None, feed)[0]).all()
    assert octet.verify(made.model, run="program", random=1).equal
