#!/usr/bin/env python3
"""octet verify over real networks: every tensor of every image, Octet against ONNX Runtime.

    verify_models.py OCTET [--images 1017]

ResNet8 in every form that octet quantize makes, and as ONNX Runtime's own tool quantizes it, on drawn pictures. Where
$OCTET_SHARED, ../shared unless set, has them: the MLPerf Tiny ResNet8 as well, all of these on CIFAR-10's test images, and
the MobileNetV2 and MNIST networks on made-up inputs. Each file is run by ONNX Runtime as it is, and its program, written by
octet lower, in ONNX Runtime's integer kernels. Ends with 0 when nothing differs but what near ties explain, 1 when something
does.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures, write_cifar  # noqa: E402

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


def by_onnxruntime(source, target, kind, form, data, largest):
    """ONNX Runtime's own static quantizer, on the first images of `data`, their bytes as numbers up to `largest`."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Images(CalibrationDataReader):
        def __init__(self):
            raw = numpy.fromfile(data, numpy.uint8).reshape(-1, 3073)[:CALIBRATION, 1:]
            self.images = iter(raw.reshape(-1, 1, 3, 32, 32).astype(numpy.float32) * numpy.float32(largest / 255))
            self.name = onnx.load(source).graph.input[0].name

        def get_next(self):
            image = next(self.images, None)
            return None if image is None else {self.name: image}

    prepared = target.with_suffix(".prepared.onnx")
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    types = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}
    quantize_static(prepared, target, Images(), quant_format=QuantFormat[form], per_channel=True,
                    activation_type=types[kind], weight_type=QuantType.QInt8)


def quantized(octet, folder, source, forms, by_runtime, calibration, byte_pixels):
    """(name, file) of one float network: by octet quantize in the given forms, by ONNX Runtime in those."""
    pixels = ["--pixels", "byte"] if byte_pixels else []
    for name, options in forms:
        target = folder / f"{len(list(folder.iterdir()))}.onnx"
        dynamic = any(o.startswith("--dynamic") for o in options)
        data = [] if dynamic else ["--data", calibration, "--samples", str(CALIBRATION), *pixels]
        subprocess.run([octet, "quantize", source, "-o", target, *data, *options], check=True, stdout=subprocess.DEVNULL)
        yield f"{source.stem} {name}", target
    for kind, form in by_runtime:
        target = folder / f"{source.stem}_{kind}_{form}.onnx"
        by_onnxruntime(source, target, kind, form, calibration, 255 if byte_pixels else 1)
        yield f"{source.stem} {kind} {form} by ONNX Runtime", target


def models(octet, folder, everything, count):
    """(name, file, options of verify)"""
    forms = list(octet_forms())
    forms = forms if everything else [forms[0], forms[5], forms[-1]]
    by_runtime = [(k, f) for k in ("int8", "uint8") for f in ("QDQ", "QOperator")] if everything else [("uint8", "QDQ")]
    photos = TRAIN.exists() and TEST.exists()
    drawn = folder / "drawn.bin"
    write_cifar(drawn, pictures(max(count, CALIBRATION)), [0] * max(count, CALIBRATION))
    resnet8 = ROOT / "models/resnet8.onnx"
    for name, path in quantized(octet, folder, resnet8, forms, by_runtime, TRAIN if photos else drawn, False):
        yield f"{name}, drawn", path, ["--data", drawn]
        if photos:
            yield name, path, ["--data", TEST]
    if not photos:
        print(f"ResNet8 on drawn pictures alone: there is no {TEST}; OCTET_SHARED says where the data is")
        return
    mlperf = SHARED / "models/mlperf_tiny_resnet8.onnx"
    own = [(kind, ["--activations", kind]) for kind in (("int8", "uint8") if everything else ("uint8",))]
    for name, path in quantized(octet, folder, mlperf, own, by_runtime, TRAIN, True):
        yield name, path, ["--data", TEST, "--pixels", "byte"]
    for name in ("mobilenetv2-12-qdq", "mobilenetv2_dynamic", "mnist_dynamic", "mnist_float"):
        yield name, SHARED / f"models/{name}.onnx", []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet")
    parser.add_argument("--images", type=int, default=1017)
    parser.add_argument("--some", action="store_true", help="a few of the forms")
    args = parser.parse_args()
    octet = pathlib.Path(args.octet).resolve()
    total, failed = 0, 0
    print(f"{'network':52} {'run':8} {'integers':>14} {'by step':>10} {'near ties':>10} {'end to end':>10}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        for name, path, options in models(octet, pathlib.Path(folder), not args.some, args.images):
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
