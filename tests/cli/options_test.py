"""An option that a command would not use is an error, never silence; no command writes over what it reads, or two things
to one file; ranges serve the model they were observed in, however it is stored, and no other; no value is empty.

Usage: options_test.py OCTET MODEL_WRITER
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import onnx

# Arguments, and how the message begins. m.onnx is a float network, int8.onnx an 8-bit one; m_ranges.json is beside m.onnx.
QUANTIZE = "quantize m.onnx -o out.onnx"
BESIDE = "the ranges come from m_ranges.json"
STATIC = "it is about static quantization, not about --dynamic"
MEASURES = "--dynamic measures activations while the model runs"
UNUSED = [
    (f"{QUANTIZE} --calibration entropy", f"--calibration is not used: {BESIDE}; give --data to calibrate"),
    (f"{QUANTIZE} --calibration minmax", f"--calibration is not used: {BESIDE}; give --data to calibrate"),
    (f"{QUANTIZE} --percentile 99", f"--percentile is not used: {BESIDE}; give --data to calibrate"),
    (f"{QUANTIZE} --ranges r.json --calibration mse", "--calibration is not used: the ranges come from r.json"),
    (f"{QUANTIZE} --save-ranges s.json", f"--save-ranges is not used: {BESIDE}, not from --data"),
    (f"{QUANTIZE} --ranges r.json --save-ranges s.json", "--save-ranges is not used: the ranges come from r.json"),
    (f"{QUANTIZE} --data s.npz --ranges r.json", "--ranges is not used: --data measures them"),
    (f"{QUANTIZE} --data s.npz --percentile 99", "--percentile is not used: say --calibration percentile too"),
    (f"{QUANTIZE} --data s.npz --calibration mse --percentile 99", "--percentile is not used"),
    (f"{QUANTIZE} --samples 5", "--samples requires --data"),
    (f"{QUANTIZE} --batch 5", "--batch requires --data"),
    (f"{QUANTIZE} --pixels byte", "--pixels requires --data"),
    (f"{QUANTIZE} --mean 1", "--mean requires --data"),
    (f"{QUANTIZE} --deviation 1", "--deviation requires --data"),
    *((f"{QUANTIZE} {option}", f"{option.split()[0]} requires --data")
      for option in ("--labels l.txt", "--resize 8", "--crop 8", "--channel-order bgr", "--skip-broken")),
    *((f"{QUANTIZE} --data s.npz {option}", "s.npz holds arrays; images alone are resized, cropped, taken as BGR or skipped")
      for option in ("--resize 8", "--crop 8", "--channel-order bgr", "--skip-broken")),
    (f"{QUANTIZE} --equalize", "--equalize is not used: it changes ranges: give --data to measure them"),
    (f"{QUANTIZE} --data s.npz --equalize=all", "there is no --equalize=all; wanted --equalize or --equalize=replace-clip"),
    (f"{QUANTIZE} --data s.npz --equalize --save-ranges s.json", "--save-ranges is not used: they would be those of the equalized"),
    (f"{QUANTIZE} --bias-correction analytic", "--bias-correction is not used: give --data to measure means"),
    (f"{QUANTIZE} --data s.npz --pixels byte", "s.npz holds no bytes for a float32 input"),
    (f"{QUANTIZE} --data s.npz --mean 0.5", "s.npz holds no bytes for a float32 input"),
    (f"{QUANTIZE} --data s.npz --deviation 0.5", "s.npz holds no bytes for a float32 input"),
    (f"{QUANTIZE} --per-tensor --per-channel", "--per-tensor excludes --per-channel"),
    *((f"{QUANTIZE} --dynamic {option}", f"{option.split()[0]} is not used: {MEASURES}")
      for option in ("--data s.npz", "--calibration minmax", "--percentile 99", "--ranges r.json", "--save-ranges s")),
    *((f"{QUANTIZE} --dynamic {option}", f"{option.split()[0]} is not used: {STATIC}")
      for option in ("--format qdq", "--weights int8", "--reduce-range", "--scales real", "--zero-points any",
                     "--residual own-scales", "--average-pool own-scale", "--global-average-pool own-scale", "--equalize",
                     "--bias-correction analytic")),
    *((f"{QUANTIZE} --dynamic {option}", f"{option} is not used: with --dynamic, say --dynamic=symActivation,asymWeight")
      for option in ("--symmetric-activations", "--asymmetric-weights")),
    (f"{QUANTIZE} --dynamic --activations int16", "--activations is not used: --dynamic has int8 and uint8 activations"),
    (f"{QUANTIZE} --dynamic=symActivation --activations uint8", "uint8 activations are asymmetric"),
    (f"{QUANTIZE} --dynamic=symActivation,asymActivation", "--dynamic asks for symmetric and for asymmetric"),
    (f"{QUANTIZE} --dynamic --nnpa-quant-dynamic", "--nnpa-quant-dynamic and --dynamic say the same: give one"),
    (f"{QUANTIZE} --dynamic --op-types Conv --nnpa-quant-op-types=Conv", "--nnpa-quant-op-types and --op-types say the same"),
    (f"{QUANTIZE} --nnpa-quant-op-types=Conv", "--nnpa-quant-op-types goes with --nnpa-quant-dynamic or --dynamic"),
    (f"{QUANTIZE} --nnpa-quant-dynamic --nnpa-quant-op-types", "say which operators: --nnpa-quant-op-types=MatMul,Conv"),
    (f"{QUANTIZE} --dynamic=symWeight,asymWeight", "--dynamic asks for symmetric and for asymmetric"),
    *((f"inspect m.onnx --json - {option}", f"{option} is not used: --json has it all")
      for option in ("--layers", "--attributes", "--values")),
    *((f"inspect m.onnx --node conv {option}", f"{option} is not used: --node has it all")
      for option in ("--layers", "--attributes", "--values")),
    ("inspect m.onnx --ranges r.json", "--ranges requires --node"),
    ("evaluate m.onnx --data s.npz --max-drop 1", "--max-drop requires --baseline"),
    ("lower int8.onnx --unsigned-weights", "--unsigned-weights is not used: it is about the file that --output names"),
    ("evaluate m.onnx --data s.npz --json - --confusion", "--confusion is not used: --json has it all"),
    ("evaluate m.onnx --samples 5", "--samples requires --data"),
    ("bounds int8.onnx --samples 5", "--samples requires --data"),
    ("explain int8.onnx y[0] --random 1 --json - --all-products", "--all-products is not used: --json has it all"),
    ("explain int8.onnx y[0] --random 1 --json - --format text", "--format is not used: --json has it all"),
    ("verify int8.onnx --data s.npz --input s.npz", "--input is not used: --data gives the inputs"),
    ("verify int8.onnx --data s.npz --random 2", "--random is not used: --data gives the inputs"),
    ("verify int8.onnx --input s.npz --random 2", "--random is not used: --input gives the inputs"),
    *((f"verify int8.onnx --against true {option}", f"{option.split()[0]} is not used: --against names the judge")
      for option in ("--run file", "--python python3", "--save-graph g.onnx")),
    ("verify int8.onnx --run program --save-graph g.onnx", "--save-graph is not used: it is the graph of the file"),
    ("verify int8.onnx --json - --all", "--all is not used: --json has it all"),
    *((f"compare s.npz s.npz {option}", f"{option.split()[0]} is not used: without --model there is no program")
      for option in ("--policy exact", "--engine reference", "--threads 1")),
    ("bounds int8.onnx --engine reference", "--engine is not used: it runs the program on what --data gives"),
    *((f"{QUANTIZE} {option} --engine reference", "--engine is not used: it runs the float model on what --data gives")
      for option in ("", "--ranges r.json", "--dynamic")),
    *((f"bench int8.onnx --input s.npz {option}", f"{option.split()[0]} is not used: --input gives the inputs")
      for option in ("--random 2", "--batch 2")),
    ("bench int8.onnx --python python3", "--python is not used: without --against nobody asks it"),
    ("bench int8.onnx --json - --steps", "--steps is not used: --json has it all"),
    ("compare s.npz s.npz --json - --all", "--all is not used: --json has it all"),
    ("draw int8.onnx -o a.svg --policy exact", "--policy is not used: only --view program has one"),
    ("draw int8.onnx -o a.dot --time-limit 3", "--time-limit is not used: a .dot file is not laid out"),
    ("run m.onnx --input s.npz --random 3", "--random is not used: --input gives every input"),
    ("draw int8.onnx -o a.svg --depth 2", "--depth requires --around"),
    ("simulate int8.onnx --data s.npz --rounding floor --seed 2", "--seed is not used: nothing is drawn by lot"),
    ("sweep int8.onnx --data s.npz --accumulator 12..16 --seed 2", "--seed is not used: nothing is drawn by lot"),
    *((f"loss m.onnx int8.onnx --data s.npz --json - {option}", f"{option.split()[0]} is not used: --json has it all")
      for option in ("--top 3", "--weights")),
    ("sensitivity m.onnx --data s.npz --keep 2", "--keep is not used: it is about --save-rules"),
    ("tune m.onnx -o q.onnx --data s.npz", "say what is good enough: --max-loss"),
    ("tune m.onnx -o q.onnx --data s.npz --max-loss 1 --min-sqnr 3", "--max-loss and --min-sqnr both say what is good enough"),
    ("loss m.onnx int8.onnx --data s.npz --map y", "--map y; wanted two tensors"),
    ("loss m.onnx int8.onnx --data s.npz --map y=a --map y=b", "--map says twice what y belongs to"),
]

# What is not what it is taken for.
ANEW = "make ranges anew with --data SAMPLES --save-ranges FILE"
MISTAKEN = [
    ("inspect m.onnx --node nothing_like_it", "no node's name matches"),
    ("quantize --dynamic symActivation,symWeight m.onnx -o out.onnx",
     "m.onnx was not expected; a value of --dynamic stands directly behind it: --dynamic=VALUE"),
    ("inspect other.onnx --node conv --ranges r.json", "r.json: its ranges were observed in another model, "),
    ("quantize int8.onnx -o out.onnx --dynamic", "int8.onnx is quantized already: it has the node"),
    ("quantize part.onnx -o out.onnx --dynamic", "part.onnx is quantized already: it has the node"),
    ("quantize int8.onnx -o out.onnx", "int8.onnx is quantized already: it has the node"),
    ("quantize int8.onnx -o out.onnx --data s.npz", "int8.onnx is quantized already: it has the node"),
    ("quantize other.onnx -o out.onnx --ranges r.json", "r.json: its ranges were observed in another model, "),
    ("quantize other.onnx -o out.onnx", "other_ranges.json: its ranges were observed in another model, "),
    ("quantize m.onnx -o out.onnx --ranges old.json", "old.json: it does not say which model its ranges were observed in "
     f"(\"model_sha256\"); {ANEW}"),
]

# What would lose a file: arguments, and how the message begins.
FORCE = "which is the model; name another file, or say --force"
OVERWRITES = [
    ("quantize m.onnx -o m.onnx", f"--output would overwrite m.onnx, {FORCE}"),
    ("quantize m.onnx -o ./m.onnx", f"--output would overwrite ./m.onnx, {FORCE}"),
    ("quantize m.onnx -o here/m.onnx", f"--output would overwrite here/m.onnx, {FORCE}"),
    ("quantize m.onnx -o symbolic.onnx", f"--output would overwrite symbolic.onnx, {FORCE}"),
    ("quantize m.onnx -o hard.onnx", f"--output would overwrite hard.onnx, {FORCE}"),
    ("quantize m.onnx -o out.onnx --ranges r.json --save-rules r.json", "--save-rules would overwrite r.json, which is"),
    ("quantize m.onnx -o out.onnx --json m_ranges.json", "--json would overwrite m_ranges.json, which is the file of ranges"),
    ("quantize beside.onnx --dynamic -o out.onnx --json beside.bin",
     "--json would overwrite beside.bin, which is the external data of beside.onnx"),
    ("draw beside.onnx -o beside.svg --json here/beside.bin", "--json would overwrite here/beside.bin, which is the external"),
    ("quantize m.onnx -o out.onnx --rules rules.json --save-rules rules.json",
     "--save-rules would overwrite rules.json, which is the --rules; name another file"),
    ("quantize m.onnx -o out.onnx --save-simplified m.onnx", "--save-simplified would overwrite m.onnx, which is the"),
    ("quantize m.onnx -o m.onnx --force --save-simplified m.onnx", "--output and --save-simplified both write m.onnx"),
    ("quantize m.onnx -o out.onnx --save-ranges s.npz --data s.npz", "--save-ranges would overwrite s.npz, which is the --data"),
    ("quantize m.onnx -o out.onnx --save-rules folder/s.npz --data folder",
     "--save-rules would overwrite folder/s.npz, a file of the --data"),
    ("quantize m.onnx -o out.onnx --save-rules out.onnx", "--output and --save-rules both write out.onnx; name two"),
    ("quantize m.onnx -o out.onnx --json ./out.onnx", "--output and --json both write ./out.onnx; name two files"),
    ("quantize m.onnx -o out.onnx --json here/out.onnx", "--output and --json both write here/out.onnx"),
    ("quantize m.onnx -o out.onnx --json dangling", "--output and --json both write dangling"),
    ("quantize m.onnx -o out.onnx --save-ranges a --save-rules a --data s.npz", "--save-ranges and --save-rules both"),
    ("lower int8.onnx -o int8.onnx", "--output would overwrite int8.onnx, which is the model; name another file"),
    ("lower int8.onnx --json int8.onnx", "--json would overwrite int8.onnx, which is the model"),
    ("lower int8.onnx -o x.onnx --json x.onnx", "--output and --json both write x.onnx; name two files"),
    ("inspect m.onnx --json m.onnx", "--json would overwrite m.onnx, which is the model"),
    ("run m.onnx --input s.npz --output s.npz", "--output would overwrite s.npz, which is the --input"),
    ("run m.onnx --random 1 --json m.onnx", "--json would overwrite m.onnx, which is the model"),
    ("run m.onnx --random 1 --output x.npz --json x.npz", "--output and --json both write x.npz"),
    ("evaluate m.onnx --data s.npz --json s.npz", "--json would overwrite s.npz, which is the --data"),
    ("evaluate m.onnx --data s.npz --baseline int8.onnx --json int8.onnx", "--json would overwrite int8.onnx"),
    ("explain m.onnx y[0] --input s.npz --json s.npz", "--json would overwrite s.npz, which is the --input"),
    ("verify int8.onnx --save-graph int8.onnx", "--save-graph would overwrite int8.onnx, which is the model"),
    ("verify int8.onnx --save-graph x --json x", "--save-graph and --json both write x"),
    ("compare s.npz s.npz --json s.npz", "--json would overwrite s.npz, which is the golden file"),
    ("bounds int8.onnx --json int8.onnx", "--json would overwrite int8.onnx, which is the model"),
    ("bounds int8.onnx --plot x.svg --json x.svg", "--plot and --json both write x.svg"),
    ("bounds int8.onnx --table x.csv --json x.csv", "--table and --json both write x.csv"),
    ("simulate int8.onnx --data s.npz --rounding floor --json s.npz", "--json would overwrite s.npz"),
    ("sweep int8.onnx --data s.npz --accumulator 12..16 --json s.npz", "--json would overwrite s.npz"),
    ("sweep int8.onnx --data s.npz --accumulator 12..16 -o x.csv --json x.csv", "--output and --json both write x.csv"),
    ("loss m.onnx int8.onnx --data s.npz --plot m.onnx.svg --json m.onnx.svg", "--plot and --json both write m.onnx.svg"),
    ("sensitivity m.onnx --data s.npz --save-rules m.onnx", "--save-rules would overwrite m.onnx, which is the model"),
    ("tune m.onnx -o m.onnx --data s.npz --min-sqnr 3", "--output would overwrite m.onnx, which is the model"),
    ("tune m.onnx -o q.onnx --data s.npz --min-sqnr 3 --state s.npz", "--state would overwrite s.npz"),
    ("bench int8.onnx --json int8.onnx", "--json would overwrite int8.onnx, which is the model"),
    ("bench int8.onnx --input s.npz --json s.npz", "--json would overwrite s.npz, which is the --input"),
    ("bench int8.onnx --against float=m.onnx --json m.onnx", "--json would overwrite m.onnx, which is the --against"),
    ("bench int8.onnx --plot x.svg --json x.svg", "--plot and --json both write x.svg"),
    ("draw model.svg -o model.svg", "--output would overwrite model.svg, which is the model"),
]

# What is used, or loses nothing, and so goes on.
FINE = [
    f"{QUANTIZE} --data s.npz --calibration percentile --percentile 99.9 --save-ranges new.json",
    f"{QUANTIZE} --data s.npz --calibration entropy --samples 2 --batch 1",
    f"{QUANTIZE} --ranges new.json --activations uint8 --per-channel",
    f"{QUANTIZE} --dynamic --per-tensor --save-simplified simple.onnx",
    f"{QUANTIZE} --dynamic=symActivation,asymWeight --activations int8 --per-channel",
    f"{QUANTIZE} --json /dev/null --save-rules /dev/null",
    "quantize saved.onnx -o out.onnx --ranges r.json",
    "quantize beside.onnx -o out.onnx --ranges r.json",
    "lower int8.onnx -o lowered.onnx --unsigned-weights",
    "run m.onnx --input s.npz --output /dev/null --json /dev/null",
    "quantize m.onnx -o m.onnx --force",
    "quantize part.onnx -o again.onnx --dynamic --force",
]


def prepare(octet, writer, folder):
    def run(*arguments):
        subprocess.run([octet, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    subprocess.run([writer, folder], check=True)
    os.rename(folder / "float.onnx", folder / "m.onnx")
    run("run", "m.onnx", "--random", "1", "--dim", "N=4", "--all", "--output", "s.npz")
    run("quantize", "m.onnx", "-o", "int8.onnx", "--data", "s.npz", "--save-ranges", "m_ranges.json")
    run("quantize", "m.onnx", "-o", "part.onnx", "--dynamic", "--op-types", "Conv")
    shutil.copy(folder / "m_ranges.json", folder / "r.json")
    shutil.copy(folder / "m_ranges.json", folder / "other_ranges.json")
    facts = json.loads((folder / "r.json").read_text())
    del facts["model_sha256"]
    (folder / "old.json").write_text(json.dumps(facts))
    model = onnx.load(folder / "m.onnx")
    model.producer_name = "another tool"
    for node in model.graph.node:
        node.name = "renamed_" + node.name
    model = onnx.shape_inference.infer_shapes(model)
    onnx.save(model, folder / "saved.onnx")
    onnx.save(model, folder / "beside.onnx", save_as_external_data=True, location="beside.bin", size_threshold=0)
    model = onnx.load(folder / "m.onnx")
    weights = model.graph.initializer[0]
    weights.CopyFrom(onnx.numpy_helper.from_array(-onnx.numpy_helper.to_array(weights), weights.name))
    onnx.save(model, folder / "other.onnx")
    (folder / "rules.json").write_text("[]")
    (folder / "folder").mkdir()
    shutil.copy(folder / "s.npz", folder / "folder")
    shutil.copy(folder / "m.onnx", folder / "model.svg")
    (folder / "here").symlink_to(".")
    (folder / "symbolic.onnx").symlink_to("m.onnx")
    (folder / "dangling").symlink_to("out.onnx")
    os.link(folder / "m.onnx", folder / "hard.onnx")


def options_of(octet, command):
    told = subprocess.run([octet, command, "--help"], text=True, capture_output=True, check=True).stdout
    return re.findall(r"^  (?:-\w,)?(--[\w-]+)", told, re.MULTILINE)


def empty_values(octet):
    """Every way to give every option of every command an empty value, and an empty operand of every command."""
    told = subprocess.run([octet, "--help"], text=True, capture_output=True, check=True).stdout
    commands = re.findall(r"^  (\w+) ", told.split("Subcommands:\n")[1].split("\n\n")[0], re.MULTILINE)
    for command in commands:
        for option in options_of(octet, command):
            yield (command, option, ""), f"the value of {option} is empty"
            yield (command, f"{option}=", "m.onnx"), f"the value of {option} is empty"
        yield (command, "--memory", "1G", ""), "argument 4 is empty"
        yield (command, ""), "argument 2 is empty"
    yield ("",), "argument 1 is empty"
    for words in (("--op-types", ","), ("--op-types=,,",)):
        yield ("quantize", "m.onnx", "--output", "out.onnx", "--dynamic", *words), "the value of --op-types is empty"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def main(octet, writer):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(octet, writer, folder)
        before = contents(folder)
        empty = list(empty_values(octet))
        for arguments, message in [*((told.split(), message) for told, message in UNUSED + MISTAKEN + OVERWRITES), *empty]:
            done = subprocess.run([octet, *arguments], cwd=folder, text=True, capture_output=True)
            if done.returncode != 2 or not done.stderr.startswith("octet: " + message) or done.stdout:
                wrong.append(f"octet {arguments}\n  exit {done.returncode}: {done.stderr.strip()}\n  wanted: {message}")
            if contents(folder) != before:
                wrong.append(f"octet {arguments}\n  changed a file")
                before = contents(folder)
        if len(empty) < 400:
            wrong.append(f"only {len(empty)} options were found in what --help says")
        for arguments in FINE:
            words = arguments.split()
            promised = [folder / file for option, file in zip(words, words[1:]) if option == "-o" or option.startswith("--save-")]
            for file in promised:
                if file.parent == folder and file.name != words[1]:
                    file.unlink(missing_ok=True)
            done = subprocess.run([octet, *words], cwd=folder, text=True, capture_output=True)
            if done.returncode != 0:
                wrong.append(f"octet {arguments}\n  exit {done.returncode}: {done.stderr.strip()}\n  wanted: 0")
            wrong += [f"octet {arguments}\n  did not write {file.name}" for file in promised if not file.exists()]
    print("\n".join(wrong) or f"{len(UNUSED)} unused options, {len(MISTAKEN)} wrong files and {len(OVERWRITES)} lost ones and "
          f"{len(empty)} empty values are refused, {len(FINE)} calls go on")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
