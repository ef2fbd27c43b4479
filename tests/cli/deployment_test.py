"""What misled people who deploy networks, tried as they try it: samples of the first classes alone, preprocessing that nobody records,
a verdict from the samples that chose, outputs without classes, one draw of noise, doors that are closed.

Usage: deployment_test.py OCTET
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures, write_cifar  # noqa: E402

OCTET = sys.argv[1]
FLOAT, INT8, UINT8 = (ROOT / f"models/{name}.onnx" for name in ("resnet8", "resnet8_int8", "resnet8_uint8"))
CLASSES = [f"class{c}" for c in range(10)]
NORMALIZED = ("--mean", "0.49,0.48,0.45", "--deviation", "0.25,0.24,0.26")


def octet(folder, *arguments, code=0):
    done = subprocess.run([OCTET, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def facts(folder, *arguments, code=0):
    return json.loads(octet(folder, *arguments, "--json", "-", code=code).stdout)


def refusal(folder, *arguments):
    return octet(folder, *arguments, code=2).stderr


def write_folders(folder, images):
    """Images in turns in ten folders: folder/CLASS/NUMBER.png."""
    for i, image in enumerate(images):
        path = folder / CLASSES[i % 10]
        path.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image.transpose(1, 2, 0)).save(path / f"{i:02}.png")


def samples_are_taken_evenly(folder):
    data = ("evaluate", INT8, "--data", "photos", "--samples", "20")
    found = facts(folder, *data)["model"]
    assert found["per_class"]["samples"] == [2] * 10, found["per_class"]
    note = "note: photos: 20 of 60 samples, 2 of each of 10 classes, at even distances"
    assert note in octet(folder, *data).stderr
    drawn = [facts(folder, *data, "--seed", seed)["model"] for seed in ("1", "1", "2")]
    assert drawn[0] == drawn[1] and drawn[0]["results"] != drawn[2]["results"] != found["results"]
    assert drawn[2]["per_class"]["samples"] == [2] * 10
    assert "drawn with seed 1" in octet(folder, *data, "--seed", "1").stderr
    # Sorted by label in an archive, too, and where nothing but the folder tells samples apart.
    sorted_labels = np.repeat(np.arange(10), 6)
    np.savez(folder / "sorted.npz", x=np.zeros((60, 3, 32, 32), np.float32), y=sorted_labels)
    archive = ("evaluate", INT8, "--data", "sorted.npz", "--samples", "15")
    counts = facts(folder, *archive)["model"]["per_class"]["samples"]
    assert sorted(counts) == [1] * 5 + [2] * 5, counts
    assert "--seed requires --samples" in refusal(folder, "evaluate", INT8, "--data", "photos", "--seed", "1")
    # Where a class is of another folder, nothing is left out, and nothing is said.
    assert "60 of" not in octet(folder, "evaluate", INT8, "--data", "photos", "--samples", "60").stderr
    # Every command that takes samples says it.
    assert note.replace("20 of 60", "10 of 60").replace("2 of each", "1 of each") in octet(
        folder, "quantize", FLOAT, "-o", "q.onnx", "--data", "photos", "--samples", "10").stderr


def preprocessing_is_recorded(folder):
    octet(folder, "quantize", FLOAT, "-o", "normal.onnx", "--data", "photos", *NORMALIZED)
    model = onnx.load(folder / "normal.onnx")
    recorded = json.loads({entry.key: entry.value for entry in model.metadata_props}["octet.preprocessing"])
    assert recorded == {"pixels": "unit", "mean": [0.49, 0.48, 0.45], "deviation": [0.25, 0.24, 0.26], "resize": None, "crop": None,
                        "channel_order": "rgb", "layout": "nchw", "classes": CLASSES}, recorded
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(folder / "normal.onnx", providers=["CPUExecutionProvider"])
    assert session.get_modelmeta().custom_metadata_map["octet.preprocessing"]
    # Ranges keep it: the same bytes without the images.
    octet(folder, "quantize", FLOAT, "-o", "seen.onnx", "--data", "photos", *NORMALIZED, "--save-ranges", "ranges.json")
    octet(folder, "quantize", FLOAT, "-o", "again.onnx", "--ranges", "ranges.json")
    assert (folder / "seen.onnx").read_bytes() == (folder / "again.onnx").read_bytes() == (folder / "normal.onnx").read_bytes()
    # What is not said is as it is recorded, for the baseline too, which records nothing.
    said = facts(folder, "evaluate", "normal.onnx", "--data", "photos", *NORMALIZED, "--baseline", FLOAT)
    silent = octet(folder, "evaluate", "normal.onnx", "--data", "photos", "--baseline", FLOAT, "--json", "-")
    assert json.loads(silent.stdout) == said
    assert "note: samples become inputs as the model records it: p / 255, minus 0.49,0.48,0.45, divided by 0.25,0.24,0.26" in silent.stderr, silent.stderr
    other = octet(folder, "evaluate", "normal.onnx", "--data", "photos", "--mean", "0.5", "--json", "-")
    assert "warning: mean 0.5 in place of 0.49,0.48,0.45, as the model records it" in other.stderr, other.stderr
    # The trap: calibrated without a mean, evaluated with one.
    octet(folder, "quantize", FLOAT, "-o", "plain.onnx", "--data", "photos")
    trapped = octet(folder, "evaluate", "plain.onnx", "--data", "photos", *NORMALIZED).stderr
    assert "warning: mean 0.49,0.48,0.45 in place of none, deviation 0.25,0.24,0.26 in place of none" in trapped, trapped
    assert "warning" not in octet(folder, "evaluate", "plain.onnx", "--data", "photos").stderr
    losses = [facts(folder, "loss", FLOAT, "normal.onnx", "--data", "photos", *options) for options in ((), NORMALIZED)]
    assert losses[0] == losses[1]
    assert "samples" in octet(folder, "inspect", "normal.onnx").stdout.splitlines()[-1], octet(folder, "inspect", "normal.onnx").stdout[-300:]
    assert "minus 0.49,0.48,0.45" in octet(folder, "inspect", "normal.onnx").stdout
    # Images that are resized and cropped, and an operator file of it.
    octet(folder, "quantize", FLOAT, "-o", "cut.onnx", "--data", "photos", "--resize", "40", "--crop", "32", "--channel-order", "bgr")
    assert facts(folder, "evaluate", "cut.onnx", "--data", "photos") == facts(
        folder, "evaluate", "cut.onnx", "--data", "photos", "--resize", "40", "--crop", "32", "--channel-order", "bgr")
    octet(folder, "lower", "cut.onnx", "-o", "operators.onnx")
    assert facts(folder, "evaluate", "operators.onnx", "--data", "photos")["model"]["predictions"] == facts(
        folder, "evaluate", "cut.onnx", "--data", "photos")["model"]["predictions"]
    assert "shorter side 40, middle 32x32, bgr" in octet(folder, "inspect", "operators.onnx").stdout
    # Arrays of floats are what they are; a record that can't be read is named, and inspect goes on.
    np.save(folder / "floats.npy", np.zeros((2, 3, 32, 32), np.float32))
    assert "records" not in octet(folder, "loss", FLOAT, "cut.onnx", "--data", "floats.npy").stderr
    model.metadata_props[0].value = "{"
    onnx.save(model, folder / "broken.onnx")
    assert "octet.preprocessing can't be read" in refusal(folder, "evaluate", "broken.onnx", "--data", "photos")
    assert "octet.preprocessing can't be read" in octet(folder, "inspect", "broken.onnx").stdout


def a_float_model_is_tried(folder):
    """ResNet8 was trained on p / 255."""
    text = octet(folder, "inspect", FLOAT, "--data", "photos", "--samples", "20").stdout
    rows = [line for line in text.splitlines() if line.startswith("--")]
    assert len(rows) >= 6 and "20 samples tried; the first fits best" in text, text
    spread = {line.split("  ")[0].strip(): float(line.split()[-1]) for line in rows if line.split()[-1][0].isdigit()}
    assert spread["--pixels byte"] > 10 * spread["--pixels unit"] and 0.2 < spread["--pixels unit"] < 5, spread
    assert "--data tries which preprocessing fits" in refusal(folder, "inspect", FLOAT, "--data", "photos", "--mean", "0.5")
    np.save(folder / "floats.npy", np.zeros((2, 3, 32, 32), np.float32))
    assert "they are inputs already" in refusal(folder, "inspect", FLOAT, "--data", "floats.npy")


def detector(path, shift=0.0):
    """Boxes [N,4,4] and scores [N,4,2] of a vector, the second score of box 1 moved by `shift`."""
    weights = np.random.default_rng(3).normal(size=(8, 24)).astype(np.float32)
    bias = np.zeros(24, np.float32)
    bias[16 + 2 * 1 + 1] = shift
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["all"]), helper.make_node("Split", ["all", "sizes"], ["flat_boxes", "flat_scores"], axis=1),
             helper.make_node("Reshape", ["flat_boxes", "box_shape"], ["boxes"]),
             helper.make_node("Reshape", ["flat_scores", "score_shape"], ["logits"]), helper.make_node("Sigmoid", ["logits"], ["scores"])]
    constants = {"w": weights, "b": bias, "sizes": np.array([16, 8]), "box_shape": np.array([-1, 4, 4]), "score_shape": np.array([-1, 4, 2])}
    graph = helper.make_graph(nodes, "detector", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 8])],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", 4, 2]),
                               helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["N", 4, 4])],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def outputs_without_classes_are_no_classifiers(folder):
    detector(folder / "a.onnx")
    detector(folder / "b.onnx", 9)
    x = np.random.default_rng(4).normal(size=(20, 8)).astype(np.float32)
    np.savez(folder / "boxes.npz", x=x, y=np.arange(20) % 8)
    message = refusal(folder, "evaluate", "a.onnx", "--data", "boxes.npz")
    assert "the output is [20,4,2], more than one row of scores for a sample: this is no classifier" in message and "octet loss" in message, message
    loss = ("loss", "a.onnx", "b.onnx", "--data", "boxes.npz", "--threshold", "0.5", "--boxes", "boxes", "--scores", "scores")
    found = facts(folder, *loss)
    first, second = (onnxruntime.InferenceSession(folder / name).run(["scores", "boxes"], {"x": x}) for name in ("a.onnx", "b.onnx"))
    scores = next(row for row in found["tensors"] if row["name"] == "scores")["changes"]
    place = tuple(scores["largest"]["place"])
    assert place == np.unravel_index(np.argmax(np.abs(first[0] - second[0])), first[0].shape), place
    assert abs(scores["largest"]["change"] - np.abs(first[0] - second[0]).max()) < 1e-6
    assert scores["arg_max"] == {"axis": 2, "rows": 80, "changed": int((first[0].argmax(2) != second[0].argmax(2)).sum())}
    was, now = first[0] >= 0.5, second[0] >= 0.5
    assert scores["threshold"] == {"value": 0.5, "above": int(was.sum()), "lost": int((was & ~now).sum()), "gained": int((now & ~was).sum())}
    assert scores["threshold"]["gained"] > 0
    assert found["detections"]["reference"] == int(was.any(2).sum()) and found["detections"]["model"] == int(now.any(2).sum()), found["detections"]
    assert 0 < found["detections"]["matched"] <= found["detections"]["reference"]
    text = octet(folder, *loss).stdout
    for line in ("largest change", "arg max changes", "crosses 0.5", "rank agreement", "detections: "):
        assert line in text, text
    assert "there is no output box; the outputs are boxes, scores" in refusal(folder, *loss[:-4], "--boxes", "box", "--scores", "scores")
    # Samples that say nothing.
    np.save(folder / "zeros.npy", np.zeros((5, 8), np.float32))
    assert "warning: output scores is the same for all 5 samples: these samples say nothing" in octet(
        folder, "loss", "b.onnx", "b.onnx", "--data", "zeros.npy").stderr
    assert "warning: output scores is 0.5 in every element, in both networks: these samples say nothing about it" in octet(
        folder, "loss", "a.onnx", "a.onnx", "--data", "zeros.npy").stderr
    # No noise, and no number for it either.
    same = facts(folder, "loss", "a.onnx", "a.onnx", "--data", "boxes.npz")["tensors"]
    assert all(row["total"]["sqnr"] is None and row["total"]["largest_error"] == 0 for row in same)


def noise_is_drawn_with_several_seeds(folder):
    noise = ("simulate", INT8, "--tile-rows", "64", "--weight-noise", "0.1", "--data", "labelled.bin", "--samples", "20")
    rows = facts(folder, *noise, "--seeds", "1..4")
    accuracies = [row["accuracy"] for row in rows["rows"]]
    assert accuracies == [facts(folder, *noise, "--seed", seed)["rows"][0]["accuracy"] for seed in range(1, 5)]
    spread = rows["spread"]
    half = 3.182 * np.std(accuracies, ddof=1) / 2
    for name, wanted in (("mean", np.mean(accuracies)), ("deviation", np.std(accuracies, ddof=1)), ("low", np.mean(accuracies) - half),
                         ("high", np.mean(accuracies) + half), ("least", min(accuracies)), ("most", max(accuracies)), ("seeds", 4)):
        assert abs(spread[name] - wanted) < 1e-6, (name, spread, wanted)
    text = octet(folder, *noise, "--seeds", "1..4").stdout
    assert f"accuracy over 4 seeds: mean {np.mean(accuracies):.2f} %" in text and "95 % interval of the mean" in text, text
    table = octet(folder, "sweep", *noise[1:], "--seeds", "1..4").stdout.splitlines()
    assert table[0].endswith(",mean,deviation,low,high") and len(table) == 5
    assert {tuple(line.split(",")[-4:]) for line in table[1:]} == {tuple(f"{spread[key]:.4f}" for key in ("mean", "deviation", "low", "high"))}
    assert "--seed excludes --seeds" in refusal(folder, *noise, "--seeds", "1..4", "--seed", "1")
    assert "--seeds is not used" in refusal(folder, "simulate", INT8, "--data", "labelled.bin", "--rounding", "floor", "--seeds", "1..2")


def held_out_samples_judge(folder):
    tune = ("tune", FLOAT, "-o", "tuned.onnx", "--min-sqnr", "15", "--save-rules", "rules.json")
    found = facts(folder, *tune, "--data", "labelled.bin")
    assert found["samples"] == 20 and found["verdict"]["samples"] == 20, found["verdict"]
    measured = facts(folder, "evaluate", "tuned.onnx", "--data", "labelled.bin", "--part", "3/3")["model"]
    assert measured["samples"] == 20 and measured["top1"] == found["verdict"]["right"]
    others = facts(folder, *tune, "--data", "labelled.bin", "--calibration-data", "photos", "--test-data", "sorted.npz")
    assert others["samples"] == 60 and others["verdict"]["samples"] == 60 and "--data photos" in others["command"]
    text = octet(folder, *tune, "--data", "labelled.bin").stdout
    assert "verdict on 20 samples that neither calibrated nor chose: " in text and "good enough" in text, text
    assert "--part 1/3" in text, text
    same = octet(folder, *tune, "--data", "labelled.bin", "--same-samples").stdout
    assert "these samples calibrated, chose and judged" in same and "--part" not in same
    fast = facts(folder, *tune, "--data", "labelled.bin", "--target", "onnxruntime-x86")
    assert fast["tried"][0]["weights"] == "per channel" and "--activations uint8" in fast["command"], fast
    octet(folder, "quantize", FLOAT, "-o", "x86.onnx", "--target", "onnxruntime-x86", "--data", "photos")
    kinds = {numpy_helper.to_array(c).dtype for c in onnx.load(folder / "x86.onnx").graph.initializer if c.name.endswith("_zero_point")}
    assert np.dtype(np.uint8) in kinds, kinds


def rows_can_be_joined(folder):
    loss = facts(folder, "loss", FLOAT, INT8, "--data", "labelled.bin", "--samples", "10")["tensors"]
    layers = facts(folder, "sensitivity", FLOAT, "--data", "labelled.bin", "--samples", "10")["layers"]
    tensors = {row["tensor"] for row in loss}
    joined = [layer for layer in layers if layer["tensor"] in tensors]
    assert len(joined) >= len(layers) - 1, [layer["tensor"] for layer in layers if layer["tensor"] not in tensors]
    bounds = facts(folder, "bounds", INT8)
    assert {row["step"] for row in bounds["steps"]} <= {layer["step"] for layer in layers} | {"logits"}
    for row in bounds["steps"] + bounds["combining"]:
        assert row["step"] == row["name"] and row["nodes"] and row["tensor"], row
    found = facts(folder, "evaluate", INT8, "--data", "photos", "--samples", "10")
    row = found["model"]["results"][3]
    assert row["file"] == "photos/class3/03.png" and (row["label"], row["class"]) == (3, "class3")
    assert row["predicted_class"] == CLASSES[row["prediction"]] and 0 < row["score"] <= 1 and found["class_names"] == CLASSES
    table = octet(folder, "evaluate", INT8, "--data", "photos").stdout
    assert re.search(r"^ +3  class3 ", table, re.M), table
    message = refusal(folder, "compare", FLOAT, INT8)
    assert "are models" in message and "octet loss" in message and "octet evaluate" in message, message
    assert f"octet compare {INT8} --against labelled.npz" in refusal(folder, "compare", INT8, "labelled.npz")


def images_go_into_every_command(folder):
    image = "photos/class3/03.png"
    pixels = np.asarray(Image.open(folder / image)).transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)
    np.save(folder / "image.npy", pixels)
    octet(folder, "quantize", FLOAT, "-o", "named.onnx", "--data", "photos")
    found = facts(folder, "run", "named.onnx", "--input", image)
    assert found["outputs"] == facts(folder, "run", "named.onnx", "--input", "image.npy")["outputs"]
    wanted = onnxruntime.InferenceSession(folder / "named.onnx").run(None, {found["inputs"][0]["name"]: pixels})[0][0]
    top = found["top_classes"]["samples"][0]
    assert [row["class"] for row in top] == sorted(range(10), key=lambda c: (-wanted[c], c))[:5]
    assert all(row["name"] == CLASSES[row["class"]] for row in top) and abs(top[0]["score"] - wanted.max()) < 1e-3
    text = octet(folder, "run", "named.onnx", "--data", "photos", "--samples", "2").stdout
    assert "top classes of probabilities:\n  sample 0: " in text and top[0]["name"] in octet(folder, "run", "named.onnx", "--input", image).stdout, text
    assert facts(folder, "run", INT8, "--data", image, *NORMALIZED)["outputs"] != found["outputs"]
    assert "--data gives every input; leave out --random" in refusal(folder, "run", INT8, "--data", image, "--random", "1")
    for command in (("explain", "named.onnx", "probabilities[0,3]"), ("bench", "named.onnx", "--seconds", "0.01")):
        octet(folder, *command, "--input", image)
    octet(folder, "explain", "named.onnx", "probabilities[0,3]", "--data", image)
    octet(folder, "export", "named.onnx", "--vectors", "vectors", "--input", image)
    assert "equal" in octet(folder, "compare", "named.onnx", "--against", "vectors", "--input", image).stdout


def words_are_as_they_are_meant(folder):
    ranges = ("quantize", FLOAT, "-o", "q.onnx")
    assert "did you mean --deviation?" in refusal(folder, *ranges, "--data", "photos", "--std", "0.2")
    assert '--exclude "nobody" matches no node' in refusal(folder, *ranges, "--exclude", "nobody") and not (folder / "q.onnx").exists()
    narrow = ("simulate", INT8, "--data", "labelled.bin", "--samples", "2", "--accumulator")
    assert "note: --accumulator 16 wraps beyond its bits; 16,saturate and 16,wrap are the rules" in octet(folder, *narrow, "16").stderr
    assert "wraps" not in octet(folder, *narrow, "16,saturate").stderr
    gemm = octet(folder, *ranges, "--nnpa-quant-dynamic", "--nnpa-quant-op-types=MatMul").stdout
    assert "no node is a" not in gemm, gemm
    wide = octet(folder, *ranges, "--wide", "block1.conv1").stdout
    assert re.search(r"int8 activations \(\d+ nodes? int16\)", wide), wide
    for help_of in ("run", "explain", "bounds"):
        assert "(else)" not in octet(folder, help_of, "--help").stdout
    # A log has a line at least, a file of results none of it.
    plain = octet(folder, "evaluate", INT8, "--data", "labelled.bin", "--progress", "plain").stderr
    assert re.search(r"^octet: evaluating \d+/60 after 0 s$", plain, re.M), plain
    assert octet(folder, "evaluate", INT8, "--data", "labelled.bin").stderr == ""


def main():
    images = pictures(60)
    for check in (samples_are_taken_evenly, preprocessing_is_recorded, a_float_model_is_tried, outputs_without_classes_are_no_classifiers, noise_is_drawn_with_several_seeds,
                  held_out_samples_judge, rows_can_be_joined, images_go_into_every_command, words_are_as_they_are_meant):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_folders(folder / "photos", images)
            write_cifar(folder / "labelled.bin", images, np.arange(60) % 10)
            np.savez(folder / "sorted.npz", x=(images / 255).astype(np.float32), y=np.arange(60) % 10)
            check(folder)
        print(f"ok  {check.__name__}")


if __name__ == "__main__":
    main()
