"""Measures the four ways of dynamic quantization beside one another, and writes the times of docs/quantization/06-dynamic-quantization.md.

Usage: dynamic.py OCTET PAGE

Each network runs on one thread, by turns, in Octet's fast engine and in ONNX Runtime; what counts are ratios to the first network
in the same run: the least of a few rounds, because whatever else the machine does only adds time.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = ["asymActivation,symWeight", "symActivation,symWeight", "asymActivation,asymWeight", "symActivation,asymWeight"]
NETWORKS = {**{f"`--dynamic={kinds}`": (f"--dynamic={kinds}",) for kinds in KINDS},
            "`--dynamic --activations uint8`": ("--dynamic", "--activations", "uint8"), "static, int8": ("--format", "qoperator")}
ROUNDS, SECONDS = 3, "0.15"
BLOCK = re.compile(r"(<!-- times -->\n).*?(\n<!-- end -->)", re.S)


def times(octet, model):
    """Nanoseconds of a sample, by contender."""
    done = subprocess.run([octet, "bench", model, "--against", "onnxruntime", "--python", sys.executable, "--seconds", SECONDS, "--json", "-"], check=True, capture_output=True, text=True)
    measurement, = json.loads(done.stdout)["measurements"]
    return {contender["name"]: contender["median_ns"] for contender in measurement["contenders"] if contender.get("median_ns")}


def main(octet, page):
    octet, page = pathlib.Path(octet).resolve(), pathlib.Path(page).resolve()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        models = {title: pathlib.Path(folder) / f"{number}.onnx" for number, title in enumerate(NETWORKS)}
        for title, model in models.items():
            subprocess.run([octet, "quantize", ROOT / "models/resnet8.onnx", "-o", model, *NETWORKS[title]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(ROUNDS):
            for title, model in models.items():
                for name, ns in times(octet, model).items():
                    best[title, name] = min(ns, best.get((title, name), ns))
    contenders = sorted({name for _, name in best})
    print("\n".join(f"{title}: " + ", ".join(f"{name} {best.get((title, name), float('nan')) / 1000:.0f} us" for name in contenders) for title in models))
    first = next(iter(models))
    shown = [name for name in contenders if all((title, name) in best for title in models)]
    rows = [f"| {title} | " + " | ".join(f"{best[title, name] / best[first, name]:.2f}" for name in shown) + " |" for title in models]
    table = "\n".join([f"| network | {' | '.join(shown)} |", "|---|" + "--:|" * len(shown), *rows, "",
                       f"Ratios of times for one image on one thread, to the first row of the same column; ONNX Runtime {onnxruntime.__version__}. Measured by `benchmarks/dynamic.py`."])
    text = page.read_text()
    assert BLOCK.search(text), page
    page.write_text(BLOCK.sub(lambda match: match[1] + table + match[2], text))


if __name__ == "__main__":
    main(*sys.argv[1:])
