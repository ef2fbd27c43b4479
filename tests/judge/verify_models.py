#!/usr/bin/env python3
"""octet verify over real networks: every tensor of every image, Octet against ONNX Runtime.

    verify_models.py OCTET [--images 1017]

ResNet8 in every form that octet quantize makes, the MLPerf Tiny ResNet8 quantized by Octet and by ONNX Runtime's own
tool, on CIFAR-10's test images; the MobileNetV2 and MNIST networks of ../shared/models on made-up inputs. Each file is
run by ONNX Runtime as it is, and its program, written by octet lower, in ONNX Runtime's integer kernels. Ends with 0
when nothing differs but what near ties explain, 1 when something does, 77 (skipped) when the data is not there.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
TRAIN, TEST = SHARED / "data/cifar10/train.bin", SHARED / "data/cifar10/test.bin"
CALIBRATION = 100


def octet_forms():
    for activations in ("int8", "uint8"):
        for granularity in ("--per-channel", "--per-tensor"):
            for form in ("qdq", "qoperator"):
                yield (f"{activations} {granularity[2:]} {form}", ["--activations", activations, granularity, "--format", form])
    for a in ("sym", "asym"):
        for w in ("sym", "asym"):
            yield f"dynamic {a}Activation,{w}Weight", [f"--dynamic={a}Activation,{w}Weight"]


def by_onnxruntime(source, target, kind, form):
    """ONNX Runtime's own static quantizer, on the first training images."""
    import numpy
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Images(CalibrationDataReader):
        def __init__(self):
            raw = numpy.fromfile(TRAIN, numpy.uint8).reshape(-1, 3073)[:CALIBRATION, 1:]
            self.images = iter(raw.reshape(-1, 1, 3, 32, 32).astype(numpy.float32))

        def get_next(self):
            image = next(self.images, None)
            return None if image is None else {"input_1": image}

    prepared = target.with_suffix(".prepared.onnx")
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    types = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}
    quantize_static(prepared, target, Images(), quant_format=QuantFormat[form], per_channel=True,
                    activation_type=types[kind], weight_type=QuantType.QInt8)


def models(octet, folder, everything):
    """(name, file, options of verify)"""
    def quantize(source, name, options):
        target = folder / f"{len(list(folder.iterdir()))}.onnx"
        data = [] if any(o.startswith("--dynamic") for o in options) else ["--data", TRAIN, "--samples", str(CALIBRATION)]
        pixels = ["--pixels", "byte"] if "mlperf" in str(source) else []
        subprocess.run([octet, "quantize", source, "-o", target, *data, *(pixels if data else []), *options], check=True,
                       stdout=subprocess.DEVNULL)
        return name, target, ["--data", TEST, *pixels]

    forms = list(octet_forms())
    for name, options in forms if everything else [forms[0], forms[5], forms[-1]]:
        yield quantize(ROOT / "models/resnet8.onnx", f"resnet8 {name}", options)
    mlperf = SHARED / "models/mlperf_tiny_resnet8.onnx"
    for kind in ("int8", "uint8") if everything else ("uint8",):
        yield quantize(mlperf, f"mlperf_tiny_resnet8 {kind}", ["--activations", kind])
        for form in ("QDQ", "QOperator") if everything else ("QDQ",):
            target = folder / f"ort_{kind}_{form}.onnx"
            by_onnxruntime(mlperf, target, kind, form)
            yield f"mlperf_tiny_resnet8 {kind} {form} by ONNX Runtime", target, ["--data", TEST, "--pixels", "byte"]
    for name in ("mobilenetv2-12-qdq", "mobilenetv2_dynamic", "mnist_dynamic", "mnist_float"):
        yield name, SHARED / f"models/{name}.onnx", []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet")
    parser.add_argument("--images", type=int, default=1017)
    parser.add_argument("--some", action="store_true", help="a few of the forms")
    args = parser.parse_args()
    if not TEST.exists():
        print(f"SKIPPED: there is no {TEST}")
        return 77
    octet = pathlib.Path(args.octet).resolve()
    total, failed = 0, 0
    print(f"{'network':52} {'run':8} {'integers':>14} {'by step':>10} {'near ties':>10} {'end to end':>10}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        for name, path, options in models(octet, pathlib.Path(folder), not args.some):
            samples = ["--samples", str(args.images), "--batch", "128"] if options else []
            done = subprocess.run([octet, "verify", path, *options, *samples, "--json", "-", "--python", sys.executable],
                                  capture_output=True, text=True)
            if done.returncode not in (0, 1):
                print(f"{name}: {done.stderr}")
                failed += 1
                continue
            facts = json.loads(done.stdout)
            failed += not facts["agrees"]
            for run, label in zip(facts["runs"], ("file", "program")):
                steps = [t for t in run["steps"] if not t["float"]]
                integers = sum(t["elements"] for t in steps)
                total += integers
                print(f"{name:52} {label:8} {integers:14,} {sum(t['differing'] for t in steps):10,} "
                      f"{sum(t['near_ties'] for t in steps):10,} "
                      f"{sum(t['differing'] for t in run['end_to_end'] if not t['float']):10,}  {run['summary']}", flush=True)
    print(f"{total:,} integers compared, each from end to end and by step; {failed} networks differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
