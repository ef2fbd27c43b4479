"""Quantizes ResNet8 by PyTorch's own flow, scores it, and counts the bytes that PyTorch and ONNX Runtime's rules have in common.

Usage: pytorch.py PAGE PAGE...     with a Python that has torch, onnx and numpy

Runs the blocks of PAGES that need PyTorch, too, and writes the table between <!-- pytorch --> and <!-- end --> in the page that has it.
Data: CIFAR-10 in $OCTET_SHARED/data/cifar10, ../shared unless set.
"""

import os
import pathlib
import re
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.ao import quantization

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
BLOCK = re.compile(r"(<!-- pytorch -->\n).*?(\n<!-- end -->)", re.S)
NEEDS_TORCH = re.compile(r"^```python not-run: [^\n]*PyTorch[^\n]*\n(.*?)^```$", re.M | re.S)
F = np.float32


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1, self.relu1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride) if stride != 1 else nn.Identity()
        self.sum = torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        a, b = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x))))), self.shortcut(x)
        c = self.sum.add_relu(a, b)
        self.added = a, b, c
        return c


class ResNet8(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize, self.dequantize = quantization.QuantStub(), quantization.DeQuantStub()
        self.conv, self.bn, self.relu = nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()
        self.block1, self.block2, self.block3 = Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(64, 10)

    def forward(self, image):
        x = self.relu(self.bn(self.conv(self.quantize(image))))
        x = self.pool(self.block3(self.block2(self.block1(x)))).flatten(1)
        return self.dequantize(self.fc(x))


def float_network():
    stored = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in onnx.load(ROOT / "models/resnet8.onnx").graph.initializer}
    network = ResNet8().eval()
    missing, unexpected = network.load_state_dict(stored, strict=False)
    assert not unexpected and all("num_batches_tracked" in name for name in missing), (missing, unexpected)
    return network


def quantized_network(engine, calibration):
    torch.backends.quantized.engine = engine
    network = quantization.fuse_modules(float_network(), [["conv", "bn", "relu"], *([f"block{n}.conv1", f"block{n}.bn1", f"block{n}.relu1"] for n in (1, 2, 3)),
                                                          *([f"block{n}.conv2", f"block{n}.bn2"] for n in (1, 2, 3))])
    network.qconfig = quantization.get_default_qconfig(engine)
    prepared = quantization.prepare(network)
    with torch.no_grad():
        for start in range(0, len(calibration), 32):
            prepared(calibration[start:start + 32])
    return quantization.convert(prepared)


def images(name, count=None):
    raw = np.fromfile(SHARED / "data/cifar10" / name, np.uint8).reshape(-1, 3073)[:count]
    return torch.from_numpy(raw[:, 1:].reshape(-1, 3, 32, 32).astype(F) / F(255)), raw[:, 0]


def predictions(network, samples):
    with torch.no_grad():
        return np.concatenate([network(samples[start:start + 128]).argmax(1).numpy() for start in range(0, len(samples), 128)])


def stepped(t, zero, low=0):
    return np.clip(np.rint(t) + zero, low, 255).astype(np.int64)


def sums(module, x):
    """Accumulators without the bias, channels last, and the scale of each channel's sum."""
    w, q = module.weight(), x.int_repr().numpy().astype(np.int64) - x.q_zero_point()
    per_channel = w.qscheme() == torch.per_channel_affine
    scales = (w.q_per_channel_scales().numpy() if per_channel else np.array([w.q_scale()])).astype(F)
    if x.dim() == 2:
        acc = q @ w.int_repr().numpy().astype(np.int64).T
    else:
        acc = torch.nn.functional.conv2d(torch.from_numpy(q).double(), w.int_repr().double(), None, module.stride, module.padding).numpy().astype(np.int64).transpose(0, 2, 3, 1)
    return acc, F(x.q_scale()) * scales


def by_onnx_runtime(module, x, acc, scale):
    bias = np.rint(module.bias().detach().numpy() / scale).astype(np.int64)
    return stepped((acc + bias).astype(F) * (scale / F(module.scale)), module.zero_point, module.zero_point if "ReLU" in type(module).__name__ else 0)


def by_fbgemm(module, x, acc, scale):
    bias = module.bias().detach().numpy() / scale
    return stepped((acc.astype(F) + bias) * (scale / F(module.scale)), module.zero_point, module.zero_point if "ReLU" in type(module).__name__ else 0)


def fma(x, y, c):
    return F(np.float64(x) * np.float64(y) + np.float64(c))


def differing_additions(a, b, c):
    """Bytes of an addition that are not those of QLinearAdd's rule."""
    (qa, sa, za), (qb, sb, zb), (qc, sc, zc) = ((t.int_repr().numpy(), F(t.q_scale()), F(t.q_zero_point())) for t in (a, b, c))
    ra, rb = sa / sc, sb / sc
    fixed = zc - fma(ra, za, rb * zb)
    t = fma(qa.astype(F), ra, fma(qb.astype(F), rb, fixed))
    return int((np.clip(np.rint(t), zc, 255).astype(np.int64) != qc).sum()), qc.size


def compared(network, samples):
    """By kind of layer: bytes, those that ONNX Runtime's rule gives otherwise, and those that chapter 4's rule for fbgemm does."""
    seen = []
    layers = [module for module in network.modules() if type(module).__name__ in ("Conv2d", "ConvReLU2d", "Linear")]
    hooks = [layer.register_forward_hook(lambda module, given, result: seen.append((module, given[0], result))) for layer in layers]
    with torch.no_grad():
        q = network.quantize(samples)
        network(samples)
    for hook in hooks:
        hook.remove()
    found = {"QuantizeLinear": [q.numel(), int((stepped(samples.numpy() / F(q.q_scale()), q.q_zero_point()) != q.int_repr().numpy()).sum()), None]}
    for module, x, y in seen:
        acc, scale = sums(module, x)
        right = y.int_repr().numpy() if y.dim() == 2 else y.int_repr().numpy().transpose(0, 2, 3, 1)
        kind = found.setdefault("QGemm" if y.dim() == 2 else "QLinearConv", [0, 0, 0])
        for place, count in enumerate((right.size, int((by_onnx_runtime(module, x, acc, scale) != right).sum()), int((by_fbgemm(module, x, acc, scale) != right).sum()))):
            kind[place] += count
    additions = [differing_additions(*block.added) for block in (network.block1, network.block2, network.block3)]
    return found | {"QLinearAdd": [sum(size for _, size in additions), sum(wrong for wrong, _ in additions), None]}


def run_blocks(page):
    """The blocks of a page that need PyTorch, in one namespace with what they take for granted: an instance of the first class."""
    code = NEEDS_TORCH.findall(page.read_text())
    names = {"torch": torch}
    for block in code:
        exec(compile(re.sub(r"^(?=network\.qconfig)", "network = Network().eval()\n", block, flags=re.M), page, "exec"), names)
        if "prepared" in names:
            assert names["quantized"](torch.rand(1, 3, 32, 32)).shape == (1, 16, 32, 32)
    return len(code)


def main(pages):
    pages = [pathlib.Path(page).resolve() for page in pages]
    print(f"{sum(map(run_blocks, pages))} blocks run")
    calibration, _ = images("train.bin", 256)
    samples, labels = images("test.bin")
    exact = predictions(float_network(), samples)
    scores = [("float", exact)]
    rows = []
    for engine in ("x86", "fbgemm", "qnnpack"):
        network = quantized_network(engine, calibration)
        scores.append((f"PyTorch, `{engine}`", predictions(network, samples)))
        for kind, (size, wrong, otherwise) in compared(network, samples[:64]).items():
            rows.append(f"| `{engine}` | {kind} | {size:,} | {wrong:,} | {'' if otherwise is None else f'{otherwise:,}'} |")
    lines = ["| network | top-1, of 1,017 images | predictions as float |", "|---|---|--:|",
             *(f"| {title} | {100 * np.mean(classes == labels):.2f} % ({int((classes == labels).sum())}) | {int((classes == exact).sum())} |" for title, classes in scores), "",
             "| engine | operator | bytes of 64 images | other than by ONNX Runtime's rule | other than by fbgemm's rule |", "|---|---|--:|--:|--:|", *rows, "",
             f"PyTorch {torch.__version__.partition('+')[0]}, eager mode, its default configuration for the engine, calibrated on 256 training images; each layer reads the bytes that PyTorch made. Measured by `benchmarks/pytorch.py`."]
    print("\n".join(lines))
    for page in pages:
        text = page.read_text()
        if BLOCK.search(text):
            page.write_text(BLOCK.sub(lambda match: match[1] + "\n".join(lines) + match[2], text))


if __name__ == "__main__":
    main(sys.argv[1:])
