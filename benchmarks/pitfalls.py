"""Measures what each classic mistake costs ResNet8 and writes docs/pitfalls.md and its pictures.

Usage: pitfalls.py OCTET PAGE

The numbers go between the page's markers; the text around them is written by hand.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
IMAGES, TRAINING = SHARED / "data/cifar10/test.bin", SHARED / "data/cifar10/train.bin"
PICTURES = ROOT / "docs/images"


class Network:
    def __init__(self, title, float_model, options, pixels="unit"):
        self.title, self.float_model, self.options, self.pixels = title, float_model, options, pixels


OURS, MLPERF = ROOT / "models/resnet8.onnx", SHARED / "models/mlperf_tiny_resnet8.onnx"
CALIBRATED = ("--data", TRAINING, "--samples", "256", "--pixels", "byte")
NETWORKS = [
    Network("int8, per channel", OURS, ()),
    Network("int8, per tensor", OURS, ("--per-tensor",)),
    Network("uint8, per channel", OURS, ("--activations", "uint8")),
    Network("uint8, per tensor", OURS, ("--activations", "uint8", "--per-tensor")),
    Network("MLPerf, int8, per channel", MLPERF, CALIBRATED, "byte"),
]
SWEEPS = {
    "sweep_accumulator": ("--accumulator", "12..24,wrap,saturate"),
    "sweep_multiplier": ("--multiplier", "fixed:2..12"),
    "sweep_adc": ("--tile-rows", "128", "--adc-bits", "4..12", "--adc-range", "1,0.25,0.0625"),
}


def octet(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def change(row):
    if "note" in row:
        return "-"
    p = "p < 0.001" if row["p_value"] < 0.0005 else f"p = {row['p_value']:.3f}"
    return f"{row['change']:+.2f} ({row['only_exact_right']}/{row['only_this_right']}, {p})"


def overview(results):
    """One row per mistake, one column per network."""
    lines = ["| mistake | " + " | ".join(n.title for n in NETWORKS) + " |", "|---|" + "---|" * len(NETWORKS),
             "| exact | " + " | ".join(f"{100 * r['exact_right'] / r['samples']:.2f} % ({r['exact_right']})" for r in results)
             + " |"]
    for rows in zip(*(r["rows"] for r in results)):
        lines.append(f"| {rows[0]['name']} | " + " | ".join(change(row) for row in rows) + " |")
    return "\n".join(lines)


def details(result):
    """What happens inside the first network."""
    lines = ["| mistake | accuracy | differing elements | largest difference | first step |", "|---|---|---|---|---|"]
    for row in result["rows"]:
        if "note" in row:
            lines.append(f"| {row['name']} | - | | | {row['note']} |")
            continue
        share = f"{100 * row['differing'] / row['elements']:.2f} %" if row["elements"] else ""
        lines.append(f"| {row['name']} | {row['accuracy']:.2f} % | {share} | {row['largest'] if share else ''} | "
                     f"{row['first_step'] or ''} |")
    return "\n".join(lines)


def fill(text, marker, content):
    pattern = re.compile(rf"(<!-- {marker} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(text):
        sys.exit(f"the page has no marker {marker}")
    return pattern.sub(lambda m: m[1] + content + "\n" + m[2], text)


def main():
    page = pathlib.Path(sys.argv[2])
    results = []
    with tempfile.TemporaryDirectory() as folder:
        models = []
        for network in NETWORKS:
            models.append(pathlib.Path(folder, f"{len(models)}.onnx"))
            octet("quantize", network.float_model, "-o", models[-1], *network.options)
        for network, model in zip(NETWORKS, models):
            picture = ("--plot", PICTURES / "pitfalls.svg") if not results else ()
            results.append(json.loads(octet("simulate", model, "--pitfalls", "--float", network.float_model, "--data", IMAGES,
                                            "--pixels", network.pixels, "--json", "-", *picture)))
        text = fill(page.read_text(), "overview", overview(results))
        page.write_text(fill(text, "details", details(results[0])))
        for name, options in SWEEPS.items():
            octet("sweep", models[0], *options, "--data", IMAGES, "--plot", PICTURES / f"{name}.svg", "-o",
                  pathlib.Path(folder, "sweep.csv"))


if __name__ == "__main__":
    sys.exit(main())
