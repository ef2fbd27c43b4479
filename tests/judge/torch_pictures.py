"""Networks over pictures as small PyTorch modules, for exporters.py: `NETWORKS` has a maker and the shape of its input for each.

Each takes one float input. What needs torchvision, timm or transformers raises ImportError where that is absent.
"""

import torch
from torch import nn
from torch.nn import functional

from torch_packages import of_timm, of_torchvision


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.deep = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 12, 3, padding=1), nn.ReLU())
        self.up, self.last = nn.ConvTranspose2d(12, 8, 2, 2), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        x = self.down(x)
        return self.last(torch.cat([x, self.up(self.deep(x))], 1))


class DeepLab(nn.Module):
    """Segmentation: dilated convolutions side by side, a pooled one that is enlarged, and a bilinear enlargement."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU())
        self.branches = nn.ModuleList(nn.Sequential(nn.Conv2d(8, 6, 3, padding=d, dilation=d, bias=False), nn.BatchNorm2d(6), nn.ReLU()) for d in (1, 2, 3))
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 6, 1), nn.ReLU())
        self.out = nn.Conv2d(24, 4, 1)

    def forward(self, x):
        y = self.stem(x)
        pooled = functional.interpolate(self.pool(y), size=y.shape[2:], mode="bilinear", align_corners=False)
        y = self.out(torch.cat([*(branch(y) for branch in self.branches), pooled], 1))
        return functional.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=False)


class ConvNeXtBlock(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.shrink(functional.gelu(self.grow(y)))).permute(0, 3, 1, 2)


class MobileNetV3Block(nn.Module):
    def __init__(self, activation=nn.Hardswish, gate=nn.Hardsigmoid):
        super().__init__()
        self.grow = nn.Sequential(nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24), activation())
        self.depthwise = nn.Sequential(nn.Conv2d(24, 24, 5, padding=2, groups=24), nn.BatchNorm2d(24), activation())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 8, 1), nn.ReLU(), nn.Conv2d(8, 24, 1), gate())
        self.shrink = nn.Conv2d(24, 8, 1)

    def forward(self, x):
        y = self.depthwise(self.grow(x))
        return x + self.shrink(y * self.squeeze(y))


class DenseBlock(nn.Module):
    """DenseNet: what was computed before is joined in front of each layer, its norm before the convolution."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(n), nn.ReLU(), nn.Conv2d(n, 4, 3, padding=1, bias=False)) for n in (6, 10, 14))
        self.last = nn.Sequential(nn.BatchNorm2d(18), nn.ReLU(), nn.Conv2d(18, 8, 1), nn.AvgPool2d(2))

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return self.last(x)


class AlexNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 5, 2), nn.ReLU(), nn.LocalResponseNorm(5), nn.MaxPool2d(3, 2), nn.Conv2d(8, 12, 3, groups=2),
                                      nn.ReLU(), nn.LocalResponseNorm(3))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(12 * 4 * 4, 16), nn.ReLU(), nn.Linear(16, 5))

    def forward(self, x):
        return self.classifier(self.features(x))


class OpticalFlow(nn.Module):
    """RAFT in small: all pairs of pixels are compared, a convolutional GRU moves the flow, and GridSample reads at it."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.InstanceNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1))
        self.gates, self.state = nn.Conv2d(20, 16, 3, padding=1), nn.Conv2d(20, 8, 3, padding=1)
        self.flow = nn.Conv2d(8, 2, 3, padding=1)
        place = torch.meshgrid(torch.linspace(-1, 1, 6), torch.linspace(-1, 1, 6), indexing="ij")
        self.register_buffer("place", torch.stack(place[::-1], -1)[None])

    def forward(self, x):
        left, right = self.features(x[:, :3]), self.features(x[:, 3:])
        pairs = torch.einsum("bchw,bcij->bhwij", left, right) / 8**0.5
        hidden, flow = torch.tanh(left), torch.zeros_like(left[:, :2])
        for _ in range(2):
            warped = functional.grid_sample(right, self.place + 0.1 * flow.permute(0, 2, 3, 1), align_corners=True)
            seen = torch.cat([(left * warped).sum(1, keepdim=True), pairs.amax((3, 4))[:, None], flow, warped], 1)
            z, r = self.gates(torch.cat([hidden, seen], 1)).sigmoid().chunk(2, 1)
            hidden = (1 - z) * hidden + z * self.state(torch.cat([r * hidden, seen], 1)).tanh()
            flow = flow + self.flow(hidden)
        return functional.interpolate(flow, scale_factor=2.0, mode="bilinear", align_corners=True)


class DetectionHead(nn.Module):
    """SiLU, a pyramid that is enlarged and joined, channels taken apart, and boxes by their grid."""

    def __init__(self):
        super().__init__()
        self.top, self.deep = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1)
        self.norm, self.out = nn.BatchNorm2d(8), nn.Conv2d(16, 9, 1)
        self.register_buffer("grid", torch.stack(torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij"))[None])

    def forward(self, x):
        top = functional.silu(self.top(x))
        left, right = functional.silu(self.norm(self.deep(top))).chunk(2, 1)
        y = self.out(torch.cat([functional.interpolate(torch.cat([right, left], 1), scale_factor=2.0, mode="nearest"), top], 1))
        place, size, score = y.split((2, 2, 5), 1)
        return torch.cat([(place.sigmoid() * 2 - 0.5 + self.grid) * 4, (size.sigmoid() * 2) ** 2, score.sigmoid()], 1).flatten(2)


class Detector(nn.Module):
    """A detector down to its boxes: the best by score, less those that others cover."""

    def __init__(self):
        super().__init__()
        self.features, self.out = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU()), nn.Conv2d(8, 5, 1)
        self.register_buffer("grid", torch.stack(torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="xy"), -1).reshape(16, 2))

    def forward(self, x):
        from torchvision.ops import nms

        y = self.out(self.features(x)).flatten(2)[0].T
        center, size = self.grid + y[:, :2].sigmoid(), 1 + y[:, 2:4].exp()
        scores, best = y[:, 4].sigmoid().topk(10)
        boxes = torch.cat([center - size / 2, center + size / 2], 1)[best]
        kept = nms(boxes, scores, 0.3)
        return torch.cat([boxes[kept], scores[kept, None]], 1)


class Generator(nn.Module):
    """Noise to a picture."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.ConvTranspose2d(6, 12, 4), nn.BatchNorm2d(12), nn.ReLU(), nn.ConvTranspose2d(12, 8, 4, 2, 1), nn.InstanceNorm2d(8, affine=True),
                                    nn.LeakyReLU(0.2), nn.ConvTranspose2d(8, 3, 3, 2, 1, output_padding=1), nn.Tanh())

    def forward(self, x):
        return self.layers(x)


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.PReLU(8), nn.Conv2d(8, 8, 3, padding=1, padding_mode="reflect"), nn.PReLU(8),
                                    nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, x):
        return self.layers(x) + functional.interpolate(x, scale_factor=2.0, mode="bicubic", align_corners=False)


NETWORKS = {
    "U-Net": (UNet, (1, 3, 16, 16)),
    "DeepLab": (DeepLab, (1, 3, 16, 16)),
    "ConvNeXt block": (ConvNeXtBlock, (1, 12, 8, 8)),
    "MobileNetV3 block": (MobileNetV3Block, (1, 8, 10, 10)),
    "EfficientNet block": (lambda: MobileNetV3Block(nn.SiLU, nn.Sigmoid), (1, 8, 10, 10)),
    "DenseNet block": (DenseBlock, (1, 6, 8, 8)),
    "AlexNet": (AlexNet, (1, 3, 32, 32)),
    "optical flow": (OpticalFlow, (1, 6, 12, 12)),
    "detection head": (DetectionHead, (1, 3, 16, 16)),
    "detector": (Detector, (1, 3, 16, 16)),
    "generator": (Generator, (1, 6, 1, 1)),
    "super-resolution": (SuperResolution, (1, 3, 8, 8)),
    "ShuffleNetV2": (of_torchvision("ShuffleNetV2", stages_repeats=[1, 1, 1], stages_out_channels=[8, 8, 16, 16, 24], num_classes=5), (1, 3, 32, 32)),
    "ConvNeXt": (of_timm("convnext", "ConvNeXt", depths=(1, 1), dims=(8, 16), num_classes=5), (1, 3, 32, 32)),
}
