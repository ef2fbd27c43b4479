#!/usr/bin/env python3
"""Random quantized networks, lowered by Octet and judged by ONNX Runtime: every integer equal.

    networks.py --networks build/tests/networks --count 200 --seed 1

Each network is run by ONNX Runtime three times: the file with every tensor among its outputs (fused, and exact by the
precision option), the program that Octet made of it, in operator form, and the plain file, as ONNX Runtime fuses it when
nobody looks inside, against the policy onnxruntime (as written, where a bias is float, which its optimizer rounds). The first
is without the optimizers that change the network's numbers.
Integers must be equal; what the runtime computed in float may be one off within
float error of a tie, and is counted. A network that fails is cut to as few layers as still fail and kept beside the
networks binary; tests/judge/networks/ holds those that ever failed, and they run first. Ends with 0, or 1 when a network
fails, or 77 (skipped) when a package is missing.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "octet/verify/support"))
import onnxruntime_judge  # noqa: E402
import random_network  # noqa: E402

PER_BATCH = 100


def has_float_bias(model):
    """A bias that the runtime's optimizer rounds to integers, whether it fuses what it belongs to or not."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return any(node.op_type in ("Conv", "ConvTranspose", "Gemm") and len(node.input) > 2 and node.input[2] in constants for node in model.graph.node)


def has_dropped_clip(model):
    """A Clip that the runtime's optimizer may leave out though it does something: before a scale beside which epsilon is no small number."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    clips = {node.output[0] for node in model.graph.node if node.op_type == "Clip"}
    return any(node.op_type == "QuantizeLinear" and node.input[0] in clips and
               onnx.numpy_helper.to_array(constants[node.input[1]]).min() < 2 * numpy.finfo(numpy.float32).eps for node in model.graph.node)


def judge(folder, name):
    network = onnx.load(folder / f"{name}.onnx")
    as_it_is = has_float_bias(network)
    changing = ["WeightBiasQuantization"] * as_it_is + ["ClipQuantRewrite"] * has_dropped_clip(network)
    for run, fused in (("file", True), ("program", False), ("plain", not as_it_is)):
        model = folder / (f"{name}.onnx" if run == "plain" else f"{name}.{run}.onnx")
        onnx.checker.check_model(onnx.load(model))
        answer = folder / f"{name}.{run}.npz"
        onnxruntime_judge.judge(model, folder / f"{name}.npz", answer, level="extended" if fused else "off", precision=fused,
                                without=changing if run == "file" else ())
        if run == "plain" and not fused:
            facts = pathlib.Path(f"{answer}.json")
            said = json.loads(facts.read_text())
            facts.write_text(json.dumps({**said, "runtime": said["runtime"] + ", without optimizations"}))


def run(command, what, folder, names):
    done = subprocess.run([command, what, folder, *names], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"networks {what} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def verdicts(command, folder, names):
    """{name: [lines]} of all that Octet and the runtime said."""
    found = collections.defaultdict(list)
    said = run(command, "lower", folder, names)
    broken = {line.split()[0] for line in said.splitlines()}
    for line in said.splitlines():
        found[line.split()[0]].append(line)
    judged = []
    for name in names:
        if name in broken:
            continue
        try:
            judge(folder, name)
            judged.append(name)
        except Exception as error:  # a session that does not load is a finding, whatever the reason
            found[name].append(f"{name} error {type(error).__name__}: {error}")
    name = None
    for line in run(command, "check", folder, judged).splitlines():
        name = name if line.startswith(" ") else line.split()[0]
        found[name].append(line)
    return found


def fails(lines):
    """The plain run shows nothing inside: where the file has near ties, one may have reached an output."""
    if any(line.split()[1] == "error" for line in lines if not line.startswith(" ")):
        return True
    found = {line.split()[1]: line.split()[2] for line in lines if not line.startswith(" ")}
    if found.get("plain") == "differs" and found.get("file") == "near-ties":
        del found["plain"]
    return not found or "differs" in found.values()


def shrink(command, seed, layers, keep):
    """The fewest layers with which this seed still fails."""
    for count in range(1, layers + 1):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write(folder, "network", *random_network.make(seed, count))
            lines = verdicts(command, folder, ["network"])["network"]
            if fails(lines):
                keep.mkdir(parents=True, exist_ok=True)
                for suffix in (".onnx", ".npz"):
                    (keep / f"{seed}{suffix}").write_bytes((folder / f"network{suffix}").read_bytes())
                return count, lines
    return layers, ["did not fail when run alone"]


def write(folder, name, model, inputs):
    onnx.save(model, folder / f"{name}.onnx")
    numpy.savez(folder / f"{name}.npz", **inputs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--networks", required=True, help="the binary")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    totals, failed = collections.Counter(), 0

    def count(lines):
        for line in lines:
            words = line.split()
            if not line.startswith(" ") and words[1] != "error":
                totals[words[1], "networks"] += 1
                totals[words[1], "integers"] += int(words[3])
                totals[words[1], "differing"] += int(words[4])
                totals[words[1], "near ties"] += int(words[5])

    kept = sorted((ROOT / "tests/judge/networks").glob("*.onnx"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in kept:
            for suffix in (".onnx", ".npz"):
                (folder / path.with_suffix(suffix).name).write_bytes(path.with_suffix(suffix).read_bytes())
        for name, lines in verdicts(args.networks, folder, [path.stem for path in kept]).items() if kept else ():
            count(lines)
            if fails(lines):
                failed += 1
                print(f"FAILED {name} of tests/judge/networks\n" + "\n".join(lines))
    print(f"seed {args.seed}, {args.count} networks")
    for begin in range(args.seed, args.seed + args.count, PER_BATCH):
        seeds = range(begin, min(begin + PER_BATCH, args.seed + args.count))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for seed in seeds:
                write(folder, str(seed), *random_network.make(seed, 1 + seed % 12))
            found = verdicts(args.networks, folder, [str(seed) for seed in seeds])
        for seed in seeds:
            lines = found[str(seed)]
            count(lines)
            if fails(lines):
                failed += 1
                layers, lines = shrink(args.networks, seed, 1 + seed % 12, pathlib.Path(args.networks).parent / "failed_networks")
                print(f"FAILED seed {seed}, with {layers} layers\n" + "\n".join(lines))
    for kind in ("file", "program", "plain"):
        print(f"{kind:8}" + "".join(f"{totals[kind, what]:>14,} {what}" for what in ("networks", "integers", "differing", "near ties")))
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
