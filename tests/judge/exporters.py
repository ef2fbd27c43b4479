#!/usr/bin/env python3
"""Networks as torch's exporters write them, quantized by ONNX Runtime with its options: exporters.py OCTET [--only NAME]...

Both exporters, several opsets; every file goes through inspect, lower, verify and bounds, and every float file through
quantize. Anything that is refused, or differs, makes it fail. Says SKIPPED, and ends with 77, where torch is absent.
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
    from torch import nn
except ImportError as error:
    print(f"SKIPPED: {error}. torch's exporters are judged only where torch is installed")
    sys.exit(77)


class MaskedAttention(nn.Module):
    """One layer of a decoder, with a mask of -inf."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm, self.grow, self.shrink = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        batch, steps, width = x.shape
        q, k, v = (t.reshape(batch, steps, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        mask = torch.full((steps, steps), float("-inf")).triu(1)
        weights = torch.softmax(q @ k.transpose(2, 3) * (width // self.heads) ** -0.5 + mask, -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, steps, width))
        return x + self.shrink(nn.functional.gelu(self.grow(self.norm(x))))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.deep = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 12, 3, padding=1), nn.ReLU())
        self.up, self.last = nn.ConvTranspose2d(12, 8, 2, 2), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        x = self.down(x)
        return self.last(torch.cat([x, self.up(self.deep(x))], 1))


class ConvNeXtBlock(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.shrink(nn.functional.gelu(self.grow(y)))).permute(0, 3, 1, 2)


class MobileNetV3Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.grow = nn.Sequential(nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24), nn.Hardswish())
        self.depthwise = nn.Sequential(nn.Conv2d(24, 24, 5, padding=2, groups=24), nn.BatchNorm2d(24), nn.Hardswish())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 8, 1), nn.ReLU(), nn.Conv2d(8, 24, 1), nn.Hardsigmoid())
        self.shrink = nn.Conv2d(24, 8, 1)

    def forward(self, x):
        y = self.depthwise(self.grow(x))
        return x + self.shrink(y * self.squeeze(y))


class Recurrent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.out = layer(6, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.layer(x)[0][:, -1])


class DetectionHead(nn.Module):
    """SiLU, a pyramid that is enlarged and joined, channels taken apart, and boxes by their grid."""

    def __init__(self):
        super().__init__()
        self.top, self.deep = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1)
        self.norm, self.out = nn.BatchNorm2d(8), nn.Conv2d(16, 9, 1)
        self.register_buffer("grid", torch.stack(torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij"))[None])

    def forward(self, x):
        top = nn.functional.silu(self.top(x))
        left, right = nn.functional.silu(self.norm(self.deep(top))).chunk(2, 1)
        y = self.out(torch.cat([nn.functional.interpolate(torch.cat([right, left], 1), scale_factor=2.0, mode="nearest"), top], 1))
        place, size, score = y.split((2, 2, 5), 1)
        return torch.cat([(place.sigmoid() * 2 - 0.5 + self.grid) * 4, (size.sigmoid() * 2) ** 2, score.sigmoid()], 1).flatten(2)


def shufflenet():
    from torchvision.models import ShuffleNetV2

    return ShuffleNetV2([1, 1, 1], [8, 8, 16, 16, 24], num_classes=5)


def swin():
    from torchvision.models import SwinTransformer

    return SwinTransformer(patch_size=[4, 4], embed_dim=8, depths=[2], num_heads=[2], window_size=[4, 4], num_classes=5)


def vision_transformer():
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(img_size=16, patch_size=4, embed_dim=16, depth=1, num_heads=2, num_classes=5)


def convnext():
    from timm.models.convnext import ConvNeXt

    return ConvNeXt(depths=(1, 1), dims=(8, 16), num_classes=5)


class Hidden(nn.Module):
    """A transformer of the transformers package behind its embeddings."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(inputs_embeds=x, return_dict=False)[0]


def bert():
    from transformers import BertConfig, BertModel

    return Hidden(BertModel(BertConfig(vocab_size=9, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=24), add_pooling_layer=False))


def gpt2():
    from transformers import GPT2Config, GPT2Model

    return Hidden(GPT2Model(GPT2Config(vocab_size=9, n_positions=12, n_embd=16, n_layer=1, n_head=2, use_cache=False)))


NETWORKS = {
    "masked attention": (MaskedAttention, (1, 6, 16)),
    "U-Net": (UNet, (1, 3, 16, 16)),
    "ConvNeXt block": (ConvNeXtBlock, (1, 12, 8, 8)),
    "MobileNetV3 block": (MobileNetV3Block, (1, 8, 10, 10)),
    "LSTM": (lambda: Recurrent(nn.LSTM), (1, 5, 6)),
    "GRU": (lambda: Recurrent(nn.GRU), (1, 5, 6)),
    "detection head": (DetectionHead, (1, 3, 16, 16)),
    "ShuffleNetV2": (shufflenet, (1, 3, 32, 32)),
    "Swin": (swin, (1, 3, 32, 32)),
    "vision transformer": (vision_transformer, (1, 3, 16, 16)),
    "ConvNeXt": (convnext, (1, 3, 32, 32)),
    "BERT": (bert, (1, 6, 16)),
    "GPT-2": (gpt2, (1, 6, 16)),
}
# torch's old exporter by opset, then the new one.
EXPORTS = [(False, 13), (False, 17), (True, 18), (True, 20), (True, 23)]
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


def export(module, sample, path, dynamo, opset):
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (sample,), str(path), dynamo=dynamo, opset_version=opset, input_names=["x"],
                          **({"verbose": False, "external_data": False} if dynamo else {}))


def require_loads(path):
    """Its quantizer also writes what ONNX Runtime itself refuses: a QGemm with a bias of bytes, which two layers share, and a
    QAttention of the standard's Attention."""
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


def files(octet, module, source, samples, folder, dynamo, opset):
    """The 8-bit files of one float file, by what made them, or why it did not."""
    prepared = folder / "prepared.onnx"
    try:
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
    except Exception:  # shapes that torch's exporter declares, and onnx contradicts
        prepared = source
    for name, options in STATIC.items():
        path = folder / "static.onnx"
        try:
            quantize_static(prepared, path, Samples(samples), **options)
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
    for name, options in (("Octet", ()), ("Octet operators", ("--format", "qoperator"))):
        octet("quantize", source, "-o", folder / "octet.onnx", "--force", "--data", folder / "samples.npz", "--batch", 1, *options)
        yield name, folder / "octet.onnx"


def judge(octet, path, sample, folder):
    result = Result(octet, path, sample, folder)
    octet("inspect", path)
    octet("bounds", path, codes=(0, 1))
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet")
    parser.add_argument("--only", action="append", help="this network alone")
    options = parser.parse_args()
    octet = Octet(options.octet)
    torch.manual_seed(1)
    count = failures = 0
    for name, (make, shape) in NETWORKS.items():
        if options.only and name not in options.only:
            continue
        try:
            module = make().eval()
        except ImportError as error:
            print(f"{name}: SKIPPED: {error}")
            continue
        samples = [{"x": np.random.default_rng(k).normal(size=shape).astype(np.float32)} for k in range(3)]
        for dynamo, opset in EXPORTS:
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                source = folder / "float.onnx"
                title = f"{name}, {'new' if dynamo else 'old'} exporter, opset {opset}"
                try:
                    export(module, torch.from_numpy(samples[0]["x"]), source, dynamo, opset)
                except Exception as error:
                    print(f"{title}: not exported: {str(error).splitlines()[0]}")
                    continue
                try:
                    for form, path in files(octet, module, source, samples, folder, dynamo, opset):
                        if isinstance(path, Exception):
                            print(f"{title}, {form}: not quantized: {(str(path).splitlines() or ['?'])[0][:120]}")
                            continue
                        count += 1
                        try:
                            found = judge(octet, path, samples[0], folder)
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
