#!/usr/bin/env python3
"""Networks of every family (architectures.py), quantized in every form, judged by ONNX Runtime: coverage.py OCTET [--page PAGE] [--only NAME]...

For each file: does it agree with ONNX Runtime, does its integer program, how much of its arithmetic is on integers, and what
stays float, and why. Anything refused or different makes it fail. --page writes docs/coverage.md.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

import architectures


class Samples(CalibrationDataReader):
    def __init__(self, samples):
        self.rest = iter(samples)

    def get_next(self):
        return next(self.rest, None)


class Refused(Exception):
    pass


class Octet:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, codes=(0,)):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in codes:
            raise Refused(done.stderr.strip())
        return done.stdout

    def quantizes(self, *options):
        def write(source, samples, result, folder):
            np.savez(folder / "samples.npz", **{name: np.concatenate([sample[name] for sample in samples]) for name in samples[0]})
            self("quantize", source, "-o", result, "--data", folder / "samples.npz", "--batch", 1, *options)

        return write

    def quantizes_dynamically(self, source, samples, result, folder):
        self("quantize", source, "-o", result, "--dynamic")


def static(**options):
    def write(source, samples, result, folder):
        prepared = folder / "prepared.onnx"
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        quantize_static(prepared, result, Samples(samples), **options)

    return write


def dynamic(source, samples, result, folder):
    prepared = folder / "prepared.onnx"
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    quantize_dynamic(prepared, result, weight_type=QuantType.QInt8)


INT8 = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8}
UINT8 = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QUInt8}


def forms(octet):
    """Who quantizes, how, by the heading of the column."""
    return {
        "QDQ int8": static(quant_format=QuantFormat.QDQ, per_channel=True, **INT8),
        "QDQ uint8": static(quant_format=QuantFormat.QDQ, **UINT8),
        "QDQ 16 bits": static(quant_format=QuantFormat.QDQ, activation_type=QuantType.QInt16, weight_type=QuantType.QInt8),
        "operators": static(quant_format=QuantFormat.QOperator, **UINT8),
        "dynamic": dynamic,
        "Octet QDQ": octet.quantizes(),
        "Octet operators": octet.quantizes("--format", "qoperator"),
        "Octet dynamic": octet.quantizes_dynamically,
    }


class Result:
    """What became of one file."""

    def __init__(self, octet, path, sample, folder):
        inputs, program = folder / "inputs.npz", folder / "program.onnx"
        np.savez(inputs, **sample)
        facts = json.loads(octet("verify", path, "--input", inputs, "--python", sys.executable, "--json", "-", codes=(0, 1)))
        self.verdicts = [run["verdict"] for run in facts["runs"]]
        self.summaries = [run["summary"] for run in facts["runs"]]
        self.agrees = facts["agrees"]
        octet("lower", path, "-o", program)
        self.share = json.loads(octet("inspect", program, "--json", "-"))["summary"]["macs_8bit_share"]
        steps = json.loads(octet("lower", path, "--json", "-"))["steps"]
        self.reasons = [(operators(step), step["reason"]) for step in steps if step["kind"] == "float"]


def operators(step):
    return "+".join(dict.fromkeys(operation["operator"] for operation in step["operations"]))


def measure(octet, only):
    """Results, or what refused, by architecture and form."""
    found = {}
    for name, model, samples in architectures.all():
        if only and name not in only:
            continue
        for form, write in forms(octet).items():
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                source, result = folder / "float.onnx", folder / "quantized.onnx"
                onnx.save(model, source)
                try:
                    write(source, samples, result, folder)
                    found[name, form] = Result(octet, result, samples[0], folder)
                except Refused as refusal:
                    found[name, form] = refusal
            print(f"{name}, {form}: {describe(found[name, form])}", flush=True)
    return found


def describe(result):
    if isinstance(result, Refused):
        return f"REFUSED: {result}"
    verdict = "agrees" if result.agrees else "DIFFERS: " + "; ".join(result.summaries)
    return f"{verdict}, {100 * result.share:.0f} % of MACs on integers" if result.share is not None else verdict


def cell(result):
    if isinstance(result, Refused):
        return "refused"
    share = "" if result.share is None else f" {100 * result.share:.0f} %"
    return ("=" if result.agrees else "differs") + share


PREFACE = """# What is covered

> For those who wonder about their own network: does its family run exactly, and how much of it in integers?

Made by `tests/judge/coverage.py` with Octet's and ONNX Runtime's quantizers on small networks of each family, written as exporters write
them (`tests/judge/architectures.py`). **=** means that every tensor of the file, and of its integer program, equals ONNX Runtime's
(`octet verify`: integers bit for bit, floats within the operator's own rounding). The number is how much of the multiply-adds
the integer program has on 8-bit operands. The first five columns are files of ONNX Runtime's quantizer (int8 per channel, uint8 per tensor, int16 activations with int8 weights), the others Octet's.

Where static files have less: with 16 bits what is not [proven](lowering.md#what-becomes-of-a-pattern) stays float. A U-Net's ConvTranspose has float weights in ONNX Runtime's operator format, because its quantizer leaves it alone there; LSTM and GRU have them in every static format.
"""


def page(found):
    names, columns = list(dict.fromkeys(name for name, _ in found)), list(dict.fromkeys(form for _, form in found))
    lines = [PREFACE, "| network | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(cell(found[name, form]) for form in columns) + " |" for name in names]
    reasons = collections.Counter()
    for (name, form), result in found.items():
        if not isinstance(result, Refused) and "dynamic" not in form:
            reasons.update({(kind, general(reason)) for kind, reason in result.reasons})
    lines += ["", "## What stays float in static files", "", "In how many of the files above, and why:", "", "| operators | files | reason |", "|---|---|---|"]
    lines += [f"| {kind} | {count} | {reason} |" for (kind, reason), count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))]
    return "\n".join(lines) + "\n"


def general(reason):
    """Without the names of tensors, and the numbers of sums."""
    reason = re.sub(r"-?\d[\d.e+-]*(?= (products|steps|to|in)\b|, in int)|(?<=from )-?\d+", "…", reason)
    return re.sub(r"(^|[\s,])(/\S+|c\d+\S*|[xy](_\w+)?|\S+_(Quantize|Dequantize)Linear\w*)(?=[\s,:]|$)", r"\1…", reason)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    unknown = set(options.only) - set(architectures.ARCHITECTURES)
    if unknown:
        parser.error(f"no architecture is called {', '.join(sorted(unknown))}")
    found = measure(Octet(options.octet.resolve()), options.only)
    if options.page:
        options.page.write_text(page(found))
    wrong = [key for key, result in found.items() if isinstance(result, Refused) or not result.agrees]
    empty = [key for key, result in found.items() if not isinstance(result, Refused) for _, reason in result.reasons if not reason]
    print(f"{len(found)} files, {len(wrong)} refused or different, {len(empty)} float steps without a reason")
    sys.exit(1 if wrong or empty else 0)


if __name__ == "__main__":
    main()
