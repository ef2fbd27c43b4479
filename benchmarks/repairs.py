"""Measures what the methods that repair are worth, and what octet tune finds, and writes that section of docs/accuracy.md.

Usage: repairs.py OCTET PAGE

The networks, the samples and the ways to run them are those of accuracy.py, which writes the rest of the page.
"""

import json
import logging
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from accuracy import ROOT, SHARED, Judge, Network, Octet, chance, cifar, networks, predictions

sys.path.insert(0, str(ROOT / "tests/support"))
from hard_twin import write_twin  # noqa: E402

# Options of Octet. Clips are replaced where the network has some.
METHODS = {
    "min-max": (),
    "equalized": ("--equalize",),
    "rounding": ("--optimize-rounding",),
    "biases, analytic": ("--bias-correction", "analytic"),
    "biases, empirical": ("--bias-correction", "empirical"),
    "all together": ("--equalize", "--optimize-rounding", "--bias-correction", "empirical"),
}
# Options of Octet, and of ONNX Runtime's quantizer where it has the same.
SCHEMES = {
    "per channel": ((), {"per_channel": True}),
    "per tensor": (("--per-tensor",), {"per_channel": False}),
    "per tensor, symmetric": (("--per-tensor", "--symmetric-activations"), {"per_channel": False, "extra": {"ActivationSymmetric": True}}),
    "per tensor, symmetric, power-of-two": (("--per-tensor", "--symmetric-activations", "--scales", "power-of-two"), None),
}
TITLE = "## Methods that repair"
PREFACE = """
What `--equalize`, `--optimize-rounding` and `--bias-correction` ([quantize.md](quantize.md#methods-that-repair)) are worth: int8, min-max, calibrated and scored as above; "all together" has empirical biases. A cell says how many samples are right and, as p, how likely chance alone makes a
difference from float as large (McNemar's test). ONNX Runtime's quantizer has no such methods: its column is min-max. The hard twin is ResNet8 with channels between a Relu and the next layer multiplied by powers of two from 2^-4 to 2^4 (`tests/support/hard_twin.py`): the same in float to the last bit. MobileNetV2's Clips are replaced by Relu
where it is equalized.
"""
TUNED = """
### What octet tune finds

[`octet tune`](loss.md#octet-tune-the-cheapest-that-is-good-enough) with a goal that nothing meets (`--max-loss=-100`), so that it tries all there is and takes the best: on the scored samples with their labels, which also calibrate. Beside it the best of the rows above for the same network: 8 bits, static, Octet's or ONNX Runtime's.
How many schemes were tried says how long it takes: each is about as long as one `octet evaluate` on the same samples, those with biases as one for each layer.

| network | schemes tried | found | right | best row above |
|---|---|---|---|---|
"""


def small_mobilenet():
    training, _ = cifar("train.bin", 256)
    images, labels = cifar("test.bin")
    return Network("MobileNetV2 for CIFAR-10, with Relu6", SHARED / "mobilenet/mobilenet_cifar10.onnx",
                   training / np.float32(255), images / np.float32(255), labels, "")


def repaired_networks(work):
    """Every network, and the option that equalizes it."""
    known = list(networks())
    twin = work / "twin.onnx"
    write_twin(known[0].path, twin)
    hard = Network("Hard twin of ResNet8", twin, known[0].calibration, known[0].samples, known[0].labels, "")
    for network in [hard, *known, small_mobilenet()]:
        clips = any(node.op_type == "Clip" for node in onnx.load(network.path).graph.node)
        yield network, "--equalize=replace-clip" if clips else "--equalize"


def measure_repairs(program, work):
    """The table of methods."""
    lines = ["| network | " + " | ".join(METHODS) + " | ONNX Runtime's quantizer |", "|---|" + "---|" * (len(METHODS) + 1)]
    for network, equalize in repaired_networks(work):
        octet, judge = Octet(program, network, work), Judge(network, network.calibration, work)
        right = predictions(network, network.path, False) == network.labels
        lines.append(f"| **{network.title}**, float {np.count_nonzero(right)} of {len(right)} |" + " |" * (len(METHODS) + 1))

        def cell(classes):
            found = classes == network.labels
            p = chance(np.count_nonzero(right & ~found), np.count_nonzero(found & ~right))
            return f"{np.count_nonzero(found)}, p {p:.2f}" if p >= 0.005 else f"{np.count_nonzero(found)}, p < 0.01"

        for scheme, (options, theirs) in SCHEMES.items():
            cells = []
            for method in METHODS.values():
                flags = [equalize if flag == "--equalize" else flag for flag in method]
                cells.append(cell(octet.static("int8", *options, *flags)))
            cells.append("" if theirs is None else cell(judge.static("int8", **theirs)))
            lines.append(f"| {scheme} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def best_row(page, title, tensor_only):
    """The most right answers of 8 bits, static, in the network's section of the page."""
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [row for row in section.splitlines() if re.match(r"\| u?int8, ", row)]
    if tensor_only:
        rows = [row for row in rows if "per tensor" in row]
    return max(int(count) for row in rows for count in re.findall(r"% \((\d+),", row))


def tuned_row(program, work, page, network, options):
    np.savez(work / "samples.npz", **{network.input: network.samples, "y": network.labels.astype(np.int64)})
    done = subprocess.run([program, "tune", network.path, "-o", work / "tuned.onnx", "--data", work / "samples.npz", "--max-loss=-100",
                           *options, "--json", work / "tuned.json"], capture_output=True, text=True)
    if done.returncode != 1:
        sys.exit(done.stderr)
    found = json.loads((work / "tuned.json").read_text())
    best = found["tried"][found["chosen"]]
    words = [best["weights"], best["activations"], best["calibration"]]
    words += [text for text, is_so in (("equalized", best["equalized"]), ("rounding", best["optimized_rounding"]),
                                       ("biases", best["bias_correction"]), (f"{best['kept_wide']} layers 16-bit", best["kept_wide"]),
                                       (f"{best['kept_float']} layers float", best["kept_float"])) if is_so]
    title = network.title + (", per tensor" if options else "")
    row = f"| {title} | {len(found['tried'])} | {', '.join(words)} | {best['right']} | {best_row(page, network.title, bool(options))} |"
    print(row, flush=True)
    return row


def tuned_rows(program, work, page):
    """Of our ResNet8, also per tensor, and of the keyword spotter."""
    resnet, _, spotter = networks()
    return [tuned_row(program, work, page, network, options)
            for network, options in ((resnet, ()), (resnet, ("--per-tensor",)), (spotter, ()))]


def with_section(page, lines):
    """The page with this section replaced, or behind all others."""
    before, found, rest = page.partition(TITLE + "\n")
    after = re.search(r"^## ", rest, re.M) if found else None
    return before.rstrip("\n") + "\n\n" + "\n".join(lines) + ("\n" + rest[after.start():] if after else "")


def main():
    program, path = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    logging.getLogger().setLevel(logging.ERROR)
    if not SHARED.exists():
        sys.exit(f"there is no {SHARED}: set OCTET_SHARED to a folder with the data sets and models")
    page = path.read_text()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        table = measure_repairs(program, work)
        rows = tuned_rows(program, work, page)
    path.write_text(with_section(page, [TITLE, *PREFACE.splitlines(), "", *table, *TUNED.rstrip("\n").splitlines(), *rows, ""]))


if __name__ == "__main__":
    main()
