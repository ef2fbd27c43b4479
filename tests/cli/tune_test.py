"""octet sensitivity and octet tune on ResNet8 and on its hard twin: channels between a Relu and the next layer scaled by powers
of two, the same function to the last bit in float, and ruined by one scale per tensor.

Usage: tune_test.py OCTET
"""

import itertools
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import numpy_helper
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures, write_cifar  # noqa: E402

FLOAT = ROOT / "models/resnet8.onnx"


def hard_twin(path, block):
    model = onnx.load(FLOAT)
    constants = {constant.name: constant for constant in model.graph.initializer}
    norm = next(node for node in model.graph.node if node.output[0] == f"{block}.bn1")
    conv = next(node for node in model.graph.node if f"{block}.relu1" in node.input)
    assert len([node for node in model.graph.node if f"{block}.relu1" in node.input]) == 1, "one reader"

    def change(name, function):
        constants[name].CopyFrom(numpy_helper.from_array(function(numpy_helper.to_array(constants[name])), name))

    channels = len(numpy_helper.to_array(constants[norm.input[1]]))
    scales = np.float32(2) ** np.resize(np.arange(-4, 5), channels).astype(np.float32)
    for name in norm.input[1:3]:
        change(name, lambda value: value * scales)
    change(conv.input[1], lambda value: value / scales[None, :, None, None])
    onnx.save(model, path)


def run(octet, folder, *arguments, code=0, **environment):
    done = subprocess.run([octet, *map(str, arguments)], cwd=folder, capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout if code < 2 else done.stderr


def command_in(text):
    """As a shell reads it."""
    return text[text.index("  octet quantize"):].replace("\\\n", " ").strip()


def sensitivity_points_at_the_layers(octet, folder):
    for block in ("block1", "block2", "block3"):
        hard_twin(folder / "twin.onnx", block)
        for model, name in ((FLOAT, "float.npz"), ("twin.onnx", "twin.npz")):
            run(octet, folder, "run", model, "--input", "samples.npy", "--output", name)
        left, right = (np.load(folder / name)["probabilities"] for name in ("float.npz", "twin.npz"))
        assert (left == right).all(), "the twin is another function"
        run(octet, folder, "sensitivity", "twin.onnx", "--data", "samples.npy", "--per-tensor", "--json", "found.json",
            "--save-rules", "rules.json", "--keep", "2", "--plot", "found.svg")
        found = json.loads((folder / "found.json").read_text())
        worst = {layer["name"] for layer in found["layers"][:2]}
        assert worst == {f"{block}.conv1", f"{block}.conv2"}, [(layer["name"], layer["alone"]) for layer in found["layers"]]
        assert set(found["kept_float"]) == worst
        # Without these two the rest is as good as ever.
        ratios = []
        for more in ((), ("--rules", "rules.json")):
            run(octet, folder, "quantize", "twin.onnx", "-o", "mixed.onnx", "--data", "samples.npy", "--per-tensor", *more)
            run(octet, folder, "loss", "twin.onnx", "mixed.onnx", "--data", "samples.npy", "--json", "loss.json")
            ratios += [tensor["total"]["sqnr"] for tensor in json.loads((folder / "loss.json").read_text())["tensors"] if tensor["output"]]
        assert ratios[1] > ratios[0] + 3, ratios
        assert abs(ratios[0] - found["all"]["sqnr"]) < 0.1, (ratios, found["all"])
        print(f"{block}: {', '.join(sorted(worst))}; {ratios[0]:.2f} dB, without them {ratios[1]:.2f} dB")


def sixteen_bits_spare_too(octet, folder):
    """Rules that give layers 16-bit activations, as octet quantize takes them: less noise, where weights are not to blame."""
    run(octet, folder, "sensitivity", FLOAT, "--data", "samples.npy", "--json", "wide.json", "--save-rules", "wide_rules.json", "--keep", "6",
        "--keep-as", "16-bit")
    found, rules = (json.loads((folder / name).read_text()) for name in ("wide.json", "wide_rules.json"))
    worst = [layer["name"] for layer in found["layers"][:6]]
    assert found["kept_wide"] == worst and found["kept_float"] == []
    assert all(rule["quantize"] and rule["activations"] == "int16" for rule in rules), rules
    run(octet, folder, "quantize", FLOAT, "-o", "wide.onnx", "--data", "samples.npy", "--rules", "wide_rules.json")
    kinds = {constant.name: constant.data_type for constant in onnx.load(folder / "wide.onnx").graph.initializer}
    wide = {name for name, kind in kinds.items() if kind == onnx.TensorProto.INT16}
    assert wide and len(wide) < sum(name.endswith("_zero_point") for name in kinds), wide
    run(octet, folder, "loss", FLOAT, "wide.onnx", "--data", "samples.npy", "--json", "loss.json")
    after = [tensor["total"]["sqnr"] for tensor in json.loads((folder / "loss.json").read_text())["tensors"] if tensor["output"]]
    assert after[0] > found["all"]["sqnr"] + 1, (after, found["all"], worst)
    assert "--save-rules" in run(octet, folder, "sensitivity", FLOAT, "--data", "samples.npy", "--keep-as", "16-bit", code=2)


def tune_finds_repeats_and_resumes(octet, folder):
    hard_twin(folder / "twin.onnx", "block2")
    tune = ("tune", "twin.onnx", "--same-samples", "-o", "tuned.onnx", "--data", "samples.npy")
    whole = run(octet, folder, *tune, "--min-sqnr", "24", "--state", "state.json", "--save-rules", "rules.json", "--json", "first.json")
    first, tuned = json.loads((folder / "first.json").read_text()), (folder / "tuned.onnx").read_bytes()
    assert not whole and first["met"] and all(row["sqnr"] < 24 for row in first["tried"][:-1]), first
    assert first["tried"][-1]["sqnr"] >= 24 and first["chosen"] == len(first["tried"]) - 1
    # The command that it says makes the same bytes.
    (folder / "tuned.onnx").unlink()
    assert first["command"].startswith("octet quantize ")
    run(octet, folder, *shlex.split(first["command"])[1:])
    assert (folder / "tuned.onnx").read_bytes() == tuned
    # Interrupted after three trials, it goes on with the fourth and ends where it ended before; nothing is tried twice.
    state = json.loads((folder / "state.json").read_text())
    assert len(state["tried"]) == len(first["tried"]) > 3
    marked = dict(state, tried=[dict(row, sqnr=row["sqnr"] - 1e-3) for row in state["tried"][:3]])
    (folder / "state.json").write_text(json.dumps(marked))
    run(octet, folder, *tune, "--min-sqnr", "24", "--state", "state.json", "--json", "second.json")
    second = json.loads((folder / "second.json").read_text())
    assert second["tried"][:3] == marked["tried"] and second["tried"][3:] == first["tried"][3:]
    assert (folder / "tuned.onnx").read_bytes() == tuned
    # A state of something else is refused, whatever is wrong with it.
    for change, complaint in (({"model_sha256": "0"}, "another model"), ({"samples_sha256": "0"}, "other samples"),
                              ({"type": "uint8"}, "another type"), ({"octet": "0.0.1"}, "another version"), ({"schema": "octet.tune/1"}, "schema"), ({"tried": 1}, "not a list"),
                              ({"tried": [{}]}, "missing"), ({"tried": [dict(state["tried"][0], sqnr="x")]}, "wanted a number"),
                              ({"tried": [dict(state["tried"][0], kept_float=-1)]}, "counts"),
                              ({"tried": [dict(state["tried"][0], equalized="x")]}, "wanted plain, replace-clip or null"),
                              ({"tried": [dict(state["tried"][0], optimized_rounding=1)]}, "wanted true or false"),
                              ({"tried": [dict(state["tried"][0], weights="x")]}, "no such scheme")):
        (folder / "state.json").write_text(json.dumps(dict(state, **change)))
        message = run(octet, folder, *tune, "--min-sqnr", "24", "--state", "state.json", code=2)
        assert complaint in message and "state.json" in message, message
    # A line that claims to meet the goal is measured again before it is believed.
    (folder / "state.json").write_text(json.dumps(dict(state, tried=[dict(state["tried"][0], sqnr=99.0)])))
    message = run(octet, folder, *tune, "--min-sqnr", "60", "--state", "state.json", code=2)
    assert "state.json: per tensor, symmetric, minmax: 99 dB" in message and "remove it" in message, message
    assert (folder / "tuned.onnx").read_bytes() == tuned
    (folder / "state.json").unlink()
    # Not good enough: the best is written, with exit code 1; layers are left float, and the rules make it again.
    text = run(octet, folder, *tune, "--min-sqnr", "200", "--per-tensor", "--save-rules", "rules.json", code=1)
    assert "nothing that was tried is good enough" in text and "4 layers float" in text, text
    best = (folder / "tuned.onnx").read_bytes()
    run(octet, folder, *shlex.split(command_in(text))[1:])
    assert (folder / "tuned.onnx").read_bytes() == best
    # Without --save-rules they stand beside the output; a shell takes the command however narrow the terminal is.
    (folder / "rules.json").unlink()
    text = run(octet, folder, *tune, "--min-sqnr", "200", "--per-tensor", "--symmetric-activations", "--samples", "2", code=1, COLUMNS="40")
    best = (folder / "tuned.onnx").read_bytes()
    command = command_in(text)
    words = shlex.split(command)
    assert words[:3] == ["octet", "quantize", "twin.onnx"] and words[-2:] == ["--rules", "tuned_rules.json"], text
    run(octet, folder, *shlex.split(command)[1:])
    assert (folder / "tuned.onnx").read_bytes() == best
    # A file of rules that nobody named is not overwritten, and said so before anything is searched or written.
    rules = (folder / "tuned_rules.json").read_bytes()
    message = run(octet, folder, *tune, "--min-sqnr", "2", code=2)
    assert "there is a tuned_rules.json already" in message and "--save-rules tuned_rules.json" in message, message
    assert ((folder / "tuned_rules.json").read_bytes(), (folder / "tuned.onnx").read_bytes()) == (rules, best)
    run(octet, folder, *tune, "--min-sqnr", "2", "--save-rules", "tuned_rules.json")
    assert json.loads((folder / "tuned_rules.json").read_text()) == []
    (folder / "tuned_rules.json").unlink()
    message = run(octet, folder, *tune, "--max-loss", "1", code=2)
    assert "no labels" in message and "say --min-sqnr in place of --max-loss" in message, message
    # A folder that is not there is said before anything is read, tried or written.
    for options, complaint in ((("-o", "nowhere/t.onnx"), "--output nowhere/t.onnx: there is no folder nowhere"),
                               (("-o", "t.onnx", "--state", "nowhere/s.json"), "--state nowhere/s.json: there is no folder nowhere"),
                               (("-o", "t.onnx", "--save-rules", "nowhere/r.json"), "--save-rules nowhere/r.json: there is no folder nowhere"),
                               (("-o", "t.onnx", "--json", "tuned.onnx/j.json"), "--json tuned.onnx/j.json: there is no folder tuned.onnx")):
        assert complaint in run(octet, folder, "tune", "none.onnx", "--data", "samples.npy", "--min-sqnr", "2", *options, code=2)
    assert not (folder / "t.onnx").exists()
    assert "--max-loss" in run(octet, folder, *tune, code=2)
    assert "give one" in run(octet, folder, *tune, "--max-loss", "1", "--min-sqnr", "2", code=2)
    assert "wanted a float model" in run(octet, folder, "tune", "tuned.onnx", "--same-samples", "-o", "x.onnx", "--data", "samples.npy", "--min-sqnr", "2", code=2)
    (folder / "x_rules.json").symlink_to("samples.npy")
    assert "x_rules.json" in run(octet, folder, "tune", "twin.onnx", "--same-samples", "-o", "x.onnx", "--data", "samples.npy", "--min-sqnr", "2", code=2)


def interrupted_it_goes_on(octet, folder):
    """Stopped again and again, wherever it is, a search ends with what one run ends with."""
    hard_twin(folder / "twin.onnx", "block3")

    def tune(name):
        return ["tune", "twin.onnx", "--same-samples", "-o", f"{name}.onnx", "--data", "labelled.bin", "--max-loss=-100", "--per-tensor", "--samples", "8", "--save-rules",
                f"{name}_rules.json", "--json", f"{name}.json"]

    run(octet, folder, *tune("whole"), code=1)
    state, stops = folder / "stops.json", 0
    for stop in itertools.cycle((signal.SIGKILL, signal.SIGINT)):
        known = len(json.loads(state.read_text())["tried"]) if state.exists() else 0
        process = subprocess.Popen([octet, *tune("stopped"), "--state", state], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # shells ignore it behind &
        while process.poll() is None and (not state.exists() or len(json.loads(state.read_text())["tried"]) < known + 2):
            time.sleep(0.002)
        time.sleep(0.03 * (stops % 3))
        process.send_signal(stop)
        code = process.wait()
        if code == 1:
            break
        assert code in (-signal.SIGKILL, -signal.SIGINT, 128 + signal.SIGINT), code
        stops += 1
        written = folder / "stopped.onnx"
        assert not written.exists() or written.read_bytes() == (folder / "whole.onnx").read_bytes(), "half-written"
    assert stops > 3, stops
    for ending in (".onnx", "_rules.json"):
        assert (folder / f"stopped{ending}").read_bytes() == (folder / f"whole{ending}").read_bytes(), ending
    whole, stopped = (json.loads((folder / f"{name}.json").read_text()) for name in ("whole", "stopped"))
    assert dict(whole, command="") == dict(stopped, command="")
    print(f"stopped {stops} times: {len(whole['tried'])} schemes, the same bytes")
    # Once all is known nothing is tried: the same bytes again; other limits and goals take what fits.
    (folder / "stopped.onnx").unlink()
    run(octet, folder, *tune("stopped"), "--state", "stops.json", code=1)
    assert (folder / "stopped.onnx").read_bytes() == (folder / "whole.onnx").read_bytes()
    kept = state.read_bytes()
    run(octet, folder, *tune("stopped"), "--symmetric-activations", "--state", "stops.json", code=1)
    run(octet, folder, *tune("fresh"), "--symmetric-activations", code=1)
    assert (folder / "stopped.onnx").read_bytes() == (folder / "fresh.onnx").read_bytes()
    # Other samples, other labels, and a state that is cut anywhere are refused, and stay as they are.
    state.write_bytes(kept)
    write_cifar(folder / "relabelled.bin", pictures(16), np.arange(16)[::-1] % 10)
    for change in (["--data", "relabelled.bin"], ["--samples", "9"], ["--pixels", "byte"]):
        command = tune("stopped")
        if change[0] in command:
            command[command.index(change[0]) + 1] = change[1]
        else:
            command += change
        assert "stops.json: it is of other samples" in run(octet, folder, *command, "--state", "stops.json", code=2), change
    for size in (0, 1, 50, len(kept) // 2, len(kept) - 3):
        state.write_bytes(kept[:size])
        message = run(octet, folder, *tune("stopped"), "--state", "stops.json", code=2)
        assert "stops.json: " in message and "remove it" in message and state.read_bytes() == kept[:size], message


def every_method_is_made_again(octet, folder):
    """Whatever a search ends with, the command makes the same bytes."""
    hard_twin(folder / "twin.onnx", "block1")
    goals = {}
    run(octet, folder, "tune", "twin.onnx", "--same-samples", "-o", "all.onnx", "--data", "samples.npy", "--min-sqnr", "200", "--per-tensor", "--samples", "4",
        "--state", "all.json", code=1)
    for row in json.loads((folder / "all.json").read_text())["tried"]:
        kind = (row["equalized"], row["optimized_rounding"], row["bias_correction"], row["kept_wide"] > 0, row["kept_float"] > 0)
        if all(row["sqnr"] > other for other in goals.values()):
            goals[kind] = row["sqnr"]
    assert any(kind[0] for kind in goals) and len(goals) > 2, goals
    for kind, goal in goals.items():
        run(octet, folder, "tune", "twin.onnx", "--same-samples", "-o", "again.onnx", "--data", "samples.npy", "--min-sqnr", str(goal), "--per-tensor", "--samples", "4",
            "--state", "all.json", "--json", "again.json", "--save-rules", "again_rules.json")
        made = (folder / "again.onnx").read_bytes()
        run(octet, folder, *shlex.split(json.loads((folder / "again.json").read_text())["command"])[1:])
        assert (folder / "again.onnx").read_bytes() == made, kind
    print(f"made again: {', '.join(map(str, goals))}")


def every_option_is_said_again(octet, folder):
    """The command has all that says which samples there are and how they become inputs, whatever their names are."""
    photos = folder / "it's a folder"
    photos.mkdir()
    for i, image in enumerate(pictures(6)):
        Image.fromarray(image.transpose(1, 2, 0)).resize((48, 40)).save(photos / f"{i}.png")
    (photos / "3.png").write_bytes(b"broken")
    (folder / "a list.csv").write_text("".join(f"{i}.png,{i}\n" for i in (5, 3, 1, 0, 2)))
    tune = ("tune", FLOAT, "--same-samples", "-o", "said.onnx", "--data", photos.name, "--min-sqnr", "1", "--labels", "a list.csv", "--resize", "36", "--crop", "32",
            "--channel-order", "bgr", "--mean", "0.5,0.4,0.3", "--deviation", "0.2,0.3,0.25", "--pixels", "byte", "--skip-broken", "--samples", "3",
            "--activations", "uint8")
    run(octet, folder, *tune, "--json", "said.json")
    words = shlex.split(json.loads((folder / "said.json").read_text())["command"])
    made = (folder / "said.onnx").read_bytes()
    run(octet, folder, *words[1:])
    assert (folder / "said.onnx").read_bytes() == made, words
    for option in [word for word in tune if str(word).startswith("--") and word not in ("--min-sqnr", "--same-samples")]:
        assert option in words, (option, words)


def clips_are_replaced(octet, folder):
    """A clamp that cuts nothing keeps layers from being equalized, until it is replaced; the command says so."""
    hard_twin(folder / "clipped.onnx", "block2")
    model = onnx.load(folder / "clipped.onnx")
    relu = next(node for node in model.graph.node if node.output[0] == "block2.relu1")
    relu.op_type = "Clip"
    relu.input.extend(["least", "most"])
    model.graph.initializer.extend(numpy_helper.from_array(np.float32(value), name) for value, name in ((0, "least"), (1e6, "most")))
    onnx.save(model, folder / "clipped.onnx")
    run(octet, folder, "tune", "clipped.onnx", "--same-samples", "-o", "unclipped.onnx", "--data", "samples.npy", "--min-sqnr", "22", "--per-tensor", "--json", "unclipped.json")
    found, made = json.loads((folder / "unclipped.json").read_text()), (folder / "unclipped.onnx").read_bytes()
    assert found["tried"][found["chosen"]]["equalized"] == "replace-clip" and "--equalize=replace-clip" in found["command"], found
    run(octet, folder, *shlex.split(found["command"])[1:])
    assert (folder / "unclipped.onnx").read_bytes() == made


def tune_counts_points(octet, folder):
    tune = ("tune", FLOAT, "--same-samples", "-o", "tuned.onnx", "--data", "labelled.bin")
    text = run(octet, folder, *tune, "--max-loss", "50")
    assert "chosen" in text and "lost/won" in text and "float: " in text, text
    run(octet, folder, *tune, "--max-loss", "0", "--json", "points.json")
    found = json.loads((folder / "points.json").read_text())
    run(octet, folder, "evaluate", "tuned.onnx", "--data", "labelled.bin", "--baseline", FLOAT, "--json", "score.json")
    score = json.loads((folder / "score.json").read_text())
    chosen = found["tried"][found["chosen"]]
    assert (chosen["right"], found["float_right"]) == (score["model"]["top1"], score["baseline"]["top1"])
    assert chosen["only_float_right"] == score["agreement"]["only_baseline_right"]
    assert chosen["p_value"] == score["agreement"]["p_value"]


def main(octet):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        images = pictures(16)
        np.save(folder / "samples.npy", images.astype(np.float32) / np.float32(255))
        write_cifar(folder / "labelled.bin", images, np.arange(16) % 10)
        sensitivity_points_at_the_layers(octet, folder)
        tune_finds_repeats_and_resumes(octet, folder)
        sixteen_bits_spare_too(octet, folder)
        every_method_is_made_again(octet, folder)
        interrupted_it_goes_on(octet, folder)
        every_option_is_said_again(octet, folder)
        clips_are_replaced(octet, folder)
        tune_counts_points(octet, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
