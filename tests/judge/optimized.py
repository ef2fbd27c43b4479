#!/usr/bin/env python3
"""Files that ONNX Runtime's optimizer wrote, judged by ONNX Runtime: optimized.py OCTET [--only NAME]...

Networks of every family (architectures.py), saved after its extended optimizations; each float, and quantized dynamically
afterwards. Each must run and agree. Prints how many files have each operator of com.microsoft. Ends with 0 when all agree, 1 when not, 77 (skipped) when a package
is missing.
"""

import argparse
import collections
import json
import logging
import pathlib
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

import architectures
from coverage import Octet, Refused


def extended(source, result):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(result)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def dynamically(write):
    def both(source, result):
        optimized = result.with_suffix(".optimized.onnx")
        write(source, optimized)
        quantize_dynamic(optimized, result, weight_type=QuantType.QInt8,
                         extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    return both


FORMS = {"optimized": extended, "optimized, then quantized": dynamically(extended)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    octet = Octet(options.octet)
    counts, failures = collections.Counter(), 0
    for name, model, samples in architectures.all():
        if options.only and name not in options.only:
            continue
        for form, write in FORMS.items():
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                source, result, inputs = folder / "float.onnx", folder / "result.onnx", folder / "inputs.npz"
                onnx.save(model, source)
                write(source, result)
                np.savez(inputs, **samples[0])
                written = {node.op_type for node in onnx.load(result).graph.node if node.domain == "com.microsoft"}
                counts.update(written)
                try:
                    facts = json.loads(octet("verify", result, "--input", inputs, "--python", sys.executable, "--json", "-", codes=(0, 1)))
                    verdict = "agrees" if facts["agrees"] else "DIFFERS: " + "; ".join(run["summary"] for run in facts["runs"])
                except Refused as refusal:
                    verdict = f"REFUSED: {refusal}"
                failures += verdict != "agrees"
            print(f"{name}, {form}: {verdict} ({', '.join(sorted(written)) or 'the standard alone'})", flush=True)
    for op, count in sorted(counts.items()):
        print(f"{op:30} {count:4}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
