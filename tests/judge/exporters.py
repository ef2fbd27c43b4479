#!/usr/bin/env python3
"""Networks as torch's exporters write them, quantized by ONNX Runtime with its options: exporters.py OCTET [--only NAME]... [--brief]

Both exporters, several opsets; every file, the float ones too, goes through inspect, lower, verify and bounds, and every float
file through quantize. --brief takes three of the exports and five of the quantizers. Anything that is refused, or differs, makes it fail. Says SKIPPED, and ends with 77, where torch is absent.
"""

import argparse
import pathlib
import sys
import tempfile
import warnings

from coverage import Octet, Refused, Result, Samples, describe

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

try:
    import torch

    import torch_pictures
    import torch_sequences
    import torch_transformers
except ImportError as error:
    print(f"SKIPPED: {error}. torch's exporters are judged only where torch is installed")
    sys.exit(77)

NETWORKS = {**torch_transformers.NETWORKS, **torch_sequences.NETWORKS, **torch_pictures.NETWORKS}
# torch's old exporter by opset, then the new one.
EXPORTS = [(False, 13), (False, 17), (True, 18), (True, 20), (True, 23)]
BRIEF_EXPORTS = [(False, 17), (True, 18), (True, 23)]
INT8 = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8}
UINT8 = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QUInt8}
STATIC = {
    "QDQ": dict(quant_format=QuantFormat.QDQ, **INT8),
    "QDQ per channel": dict(quant_format=QuantFormat.QDQ, per_channel=True, **INT8),
    "QDQ symmetric": dict(quant_format=QuantFormat.QDQ, extra_options={"ActivationSymmetric": True, "WeightSymmetric": True}, **INT8),
    "QDQ uint8, weights asymmetric": dict(quant_format=QuantFormat.QDQ, extra_options={"WeightSymmetric": False}, **UINT8),
    "QDQ float bias": dict(quant_format=QuantFormat.QDQ, extra_options={"QuantizeBias": False}, **INT8),
    "QDQ weights in float": dict(quant_format=QuantFormat.QDQ, extra_options={"AddQDQPairToWeight": True}, **INT8),
    "QDQ a pair for each reader": dict(quant_format=QuantFormat.QDQ, extra_options={"DedicatedQDQPair": True}, **INT8),
    "QDQ 16 bits": dict(quant_format=QuantFormat.QDQ, activation_type=QuantType.QInt16, weight_type=QuantType.QInt8),
    "QDQ 16 bits unsigned": dict(quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt16, weight_type=QuantType.QUInt8),
    "QDQ weights of 4 bits": dict(quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt4),
    "operators": dict(quant_format=QuantFormat.QOperator, **UINT8),
    "operators per channel": dict(quant_format=QuantFormat.QOperator, per_channel=True, **INT8),
}
BRIEF_STATIC = ["QDQ per channel", "QDQ 16 bits unsigned", "operators"]


def export(module, sample, path, dynamo, opset):
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (sample,), str(path), dynamo=dynamo, opset_version=opset, input_names=["x"],
                          **({"verbose": False, "external_data": False} if dynamo else {}))


def require_loads(path):
    """Exporters and quantizers also write what ONNX Runtime itself refuses: a RotaryEmbedding in an opset that has none, a QGemm
    with a bias of bytes, which two layers share, a QAttention of the standard's Attention."""
    onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def quantized_by_torchao(module, samples, path, opset):
    """PT2E: QuantizeLinear and DequantizeLinear as torch itself places them, with float biases."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    tensors = [torch.from_numpy(sample["x"]) for sample in samples]
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, (tensors[0],)).module(), quantizer)
    for tensor in tensors:
        prepared(tensor)
    export(convert_pt2e(prepared), tensors[0], path, True, opset)
    if not any(node.op_type == "QuantizeLinear" for node in onnx.load(path).graph.node):
        raise ValueError("it quantizes nothing of this network")


def files(octet, module, source, samples, folder, dynamo, opset, static):
    """The float file and its 8-bit files, by what made them, or why it did not."""
    yield "float", source
    prepared = folder / "prepared.onnx"
    try:
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
    except Exception:  # shapes that torch's exporter declares, and onnx contradicts
        prepared = source
    for name in static:
        path = folder / "static.onnx"
        try:
            quantize_static(prepared, path, Samples(samples), **STATIC[name])
            onnx.checker.check_model(path)
            require_loads(path)
        except Exception as error:  # a quantizer that can't is no fault of the file's
            yield name, error
        else:
            yield name, path
    if dynamo:
        try:
            quantized_by_torchao(module, samples, folder / "torchao.onnx", opset)
        except Exception as error:  # nor is one that is not there
            yield "PT2E", error
        else:
            yield "PT2E", folder / "torchao.onnx"
    try:
        quantize_dynamic(prepared, folder / "dynamic.onnx", weight_type=QuantType.QInt8)
        require_loads(folder / "dynamic.onnx")
    except Exception as error:
        yield "dynamic", error
    else:
        yield "dynamic", folder / "dynamic.onnx"
    np.savez(folder / "samples.npz", x=np.concatenate([sample["x"] for sample in samples]))
    calibrated = ("--data", folder / "samples.npz", "--batch", 1)
    for name, options in (("Octet", calibrated), ("Octet operators", (*calibrated, "--format", "qoperator")), ("Octet dynamic", ("--dynamic",))):
        octet("quantize", source, "-o", folder / "octet.onnx", "--force", *options)
        yield name, folder / "octet.onnx"


def judge(octet, form, path, sample, folder):
    result = Result(octet, path, sample, folder)
    octet("inspect", path)
    if form != "float":  # which has no sums to bound
        octet("bounds", path, codes=(0, 1))
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet")
    parser.add_argument("--only", action="append", help="this network alone")
    parser.add_argument("--brief", action="store_true")
    options = parser.parse_args()
    octet = Octet(options.octet)
    count = failures = 0
    for name, (make, shape) in NETWORKS.items():
        if options.only and name not in options.only:
            continue
        torch.manual_seed(1)
        try:
            module = make().eval()
        except ImportError as error:
            print(f"{name}: SKIPPED: {error}")
            continue
        samples = [{"x": np.random.default_rng(k).normal(size=shape).astype(np.float32)} for k in range(3)]
        for dynamo, opset in BRIEF_EXPORTS if options.brief else EXPORTS:
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                source = folder / "float.onnx"
                title = f"{name}, {'new' if dynamo else 'old'} exporter, opset {opset}"
                try:
                    export(module, torch.from_numpy(samples[0]["x"]), source, dynamo, opset)
                    require_loads(source)
                except Exception as error:
                    print(f"{title}: not exported: {str(error).splitlines()[0]}")
                    continue
                try:
                    for form, path in files(octet, module, source, samples, folder, dynamo, opset, BRIEF_STATIC if options.brief else STATIC):
                        if isinstance(path, Exception):
                            print(f"{title}, {form}: not quantized: {(str(path).splitlines() or ['?'])[0][:120]}")
                            continue
                        count += 1
                        try:
                            found = judge(octet, form, path, samples[0], folder)
                        except Refused as refusal:
                            found = refusal
                        failures += isinstance(found, Refused) or not found.agrees
                        print(f"{title}, {form}: {describe(found)}", flush=True)
                except Refused as refusal:
                    failures += 1
                    print(f"{title}: quantize REFUSED: {refusal}")
    print(f"{failures} of {count} files refused or differing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
