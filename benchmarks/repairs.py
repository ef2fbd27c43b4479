"""Measures what the methods that repair are worth, and what octet tune finds, and writes that section of docs/accuracy.md.

Usage: repairs.py OCTET PAGE

The networks, the samples and the ways to run them are those of accuracy.py, which writes the rest of the page.
"""

import itertools
import json
import logging
import math
import pathlib
import re
import resource
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

[`octet tune`](loss.md#octet-tune-the-cheapest-that-is-good-enough) with a goal that nothing meets (`--max-loss=-100`), so that it tries all there is and takes the best by its own samples, which calibrate too. What counts are samples that it has not seen: CIFAR-10's networks are tuned on the first {count} images of `train.bin`, the keyword
spotter on either half of its samples and scored on the other. "Best before" is the best of all rows above for the same network (with "per tensor" of those per tensor; 8 bits, static, Octet's or ONNX Runtime's), which was picked by the very samples that it is scored on. So that both can be compared on equal terms, rows with "itself" tune on the scored samples.
The last column is the processor time of a search, all threads together: {minutes} at most, the time of a coffee.

| network | tuned on | schemes tried | found | right | best before | processor time |
|---|---|---|---|---|---|---|
"""
TUNED_ON = 1024  # images of train.bin


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


def best_row(page, table, title, tensor_only):
    """The most right answers of 8 bits, static, in the network's section of the page and in its rows of the table of methods."""
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [row for row in section.splitlines() if re.match(r"\| u?int8, ", row)]
    start = next(i for i, line in enumerate(table) if line.startswith(f"| **{title}**"))
    methods = itertools.takewhile(lambda line: not line.startswith("| **"), table[start + 1:])
    counts = [(row, re.findall(r"% \((\d+),", row)) for row in rows] + [(row, re.findall(r"(\d+), p", row)) for row in methods]
    return max(int(count) for row, found in counts for count in found if not tensor_only or "per tensor" in row)


class Search:
    """One run of octet tune on some samples, and how many of others its model gets right."""

    def __init__(self, program, work, network, options, seen, unseen):
        for name, (samples, labels) in (("seen.npz", seen), ("unseen.npz", unseen)):
            np.savez(work / name, **{network.input: samples, "y": labels.astype(np.int64)})
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run(1, program, "tune", network.path, "-o", work / "tuned.onnx", "--data", work / "seen.npz", "--same-samples", "--max-loss=-100",
                 *options, "--save-rules", work / "rules.json", "--json", work / "tuned.json")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.run(0, program, "evaluate", work / "tuned.onnx", "--data", work / "unseen.npz", "--baseline", network.path,
                 "--json", work / "score.json")
        found, score = (json.loads((work / name).read_text()) for name in ("tuned.json", "score.json"))
        self.tried, self.scheme = len(found["tried"]), scheme_text(found["tried"][found["chosen"]])
        self.right = score["model"]["top1"]
        self.lost, self.won = (score["agreement"][f"only_{which}_right"] for which in ("baseline", "model"))

    @staticmethod
    def run(code, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != code:
            sys.exit(done.stderr)


def scheme_text(best):
    words = [best["weights"], best["activations"], best["calibration"]]
    equalized = {None: None, "plain": "equalized", "replace-clip": "equalized without clips"}[best["equalized"]]
    words += [text for text, is_so in ((equalized, equalized), ("rounding", best["optimized_rounding"]), ("biases", best["bias_correction"]),
                                       (f"{best['kept_wide']} layers 16-bit", best["kept_wide"]),
                                       (f"{best['kept_float']} layers float", best["kept_float"])) if is_so]
    return ", ".join(words)


def tuned_rows(program, work, page, table):
    """The rows, and the longest processor time of a search in seconds."""
    known = {network.title: network for network, _ in repaired_networks(work)}
    images, labels = cifar("train.bin", TUNED_ON)
    rows, longest = [], 0

    def add(network, options, where, folds):
        nonlocal longest
        searches = [Search(program, work, network, options, seen, unseen) for seen, unseen in folds]
        longest = max(longest, *(search.seconds for search in searches))
        each = lambda texts: "; ".join(dict.fromkeys(texts))  # noqa: E731
        p = chance(sum(search.lost for search in searches), sum(search.won for search in searches))
        rows.append(f"| {network.title}{', per tensor' if options else ''} | {where} | {each(str(search.tried) for search in searches)} | "
                    f"{each(search.scheme for search in searches)} | {sum(search.right for search in searches)}, "
                    f"{f'p {p:.2f}' if p >= 0.005 else 'p < 0.01'} | {best_row(page, table, network.title, bool(options))} | "
                    f"{each(f'{search.seconds:.0f} s' for search in searches)} |")
        print(rows[-1], flush=True)

    for title, options in (("ResNet8 (models/resnet8.onnx)", ()), ("ResNet8 (models/resnet8.onnx)", ("--per-tensor",)),
                           ("Hard twin of ResNet8", ("--per-tensor",)), ("MobileNetV2 for CIFAR-10, with Relu6", ("--per-tensor",))):
        network = known[title]
        scored = network.samples, network.labels
        add(network, options, "`train.bin`", [((images / np.float32(255), labels), scored)])
        if title.startswith("ResNet8"):
            add(network, options, "itself", [(scored, scored)])
    network = known["Keyword spotter of MLPerf Tiny (DS-CNN)"]
    halves = [(network.samples[part], network.labels[part]) for part in (slice(0, 500), slice(500, 1000))]
    add(network, (), "the other half", [halves, halves[::-1]])
    add(network, (), "itself", [((network.samples, network.labels),) * 2])
    return rows, longest


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
        rows, longest = tuned_rows(program, work, page, table)
    minutes = math.ceil(longest / 60)
    tuned = TUNED.format(count=f"{TUNED_ON:,}", minutes=f"{minutes} minute{'s' if minutes > 1 else ''}")
    path.write_text(with_section(page, [TITLE, *PREFACE.splitlines(), "", *table, *tuned.rstrip("\n").splitlines(), *rows, ""]))


if __name__ == "__main__":
    main()
