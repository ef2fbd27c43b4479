"""Transformers as small PyTorch modules, for exporters.py: `NETWORKS` has a maker and the shape of its input for each.

Each takes one float input. What needs torchvision, timm or transformers raises ImportError where that is absent.
"""

import torch
from torch import nn
from torch.nn import functional

from torch_packages import of_timm, of_torchvision

torch.backends.mha.set_fastpath_enabled(False)  # the fast path is an operator of its own, which the old exporter can't write


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
        return x + self.shrink(functional.gelu(self.grow(self.norm(x))))


class RootMeanSquareNorm(nn.Module):
    """As the transformers package writes it, which torch's old exporter can write too."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class LlamaBlock(nn.Module):
    """Root-mean-square norms, rotated queries and keys, fewer heads of keys than of queries, and SwiGLU."""

    def __init__(self, width=16, heads=4, key_heads=2, positions=6, rotate="by halves"):
        super().__init__()
        self.size, self.rotate = width // heads, rotate
        self.q, self.k = nn.Linear(width, width, bias=False), nn.Linear(width, key_heads * self.size, bias=False)
        self.v, self.out = nn.Linear(width, key_heads * self.size, bias=False), nn.Linear(width, width, bias=False)
        norm = RootMeanSquareNorm if rotate == "by halves" else nn.RMSNorm
        self.before, self.after = norm(width), norm(width)
        self.gate, self.up, self.down = (nn.Linear(*sizes, bias=False) for sizes in ((width, 24), (width, 24), (24, width)))
        angles = torch.outer(torch.arange(positions).float(), 100.0 ** -torch.arange(0, 1, 2 / self.size))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def rotated(self, x):
        if self.rotate == "by the operator":
            return torch.onnx.ops.rotary_embedding(x, self.cos[None], self.sin[None])
        if self.rotate == "by the operator, interleaved":
            return torch.onnx.ops.rotary_embedding(x, self.cos[None], self.sin[None], interleaved=True)
        left, right = x.chunk(2, -1)
        return torch.cat([left * self.cos - right * self.sin, right * self.cos + left * self.sin], -1)

    def forward(self, x):
        batch, steps, width = x.shape
        y = self.before(x)
        q, k, v = (layer(y).reshape(batch, steps, -1, self.size).transpose(1, 2) for layer in (self.q, self.k, self.v))
        q, k = self.rotated(q), self.rotated(k)
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, steps, width))
        y = self.after(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class ConformerBlock(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first, self.last = (nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 32), nn.SiLU(), nn.Linear(32, width)) for _ in range(2))
        self.norm, self.attention = nn.LayerNorm(width), nn.MultiheadAttention(width, 2, batch_first=True)
        self.before, self.grow = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.depthwise = nn.Sequential(nn.Conv1d(width, width, 5, padding=2, groups=width), nn.BatchNorm1d(width), nn.SiLU(), nn.Conv1d(width, width, 1))
        self.after = nn.LayerNorm(width)

    def forward(self, x):
        x = x + 0.5 * self.first(x)
        y = self.norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        x = x + self.depthwise(functional.glu(self.grow(self.before(x).transpose(1, 2)), 1)).transpose(1, 2)
        return self.after(x + 0.5 * self.last(x))


class Whisper(nn.Module):
    """A spectrogram through two convolutions and an encoder layer; a decoder layer reads it."""

    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(8, width, 3, padding=1), nn.GELU(), nn.Conv1d(width, width, 3, 2, 1), nn.GELU())
        self.place, self.words = nn.Parameter(torch.randn(8, width)), nn.Parameter(torch.randn(1, 4, width))
        self.encoder = nn.TransformerEncoderLayer(width, 2, 32, 0, "gelu", batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoderLayer(width, 2, 32, 0, "gelu", batch_first=True, norm_first=True)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        sound = self.norm(self.encoder(self.stem(x).transpose(1, 2) + self.place))
        mask = torch.full((4, 4), float("-inf")).triu(1)
        return self.decoder(self.words, sound, tgt_mask=mask) @ self.words[0].T


class ViT(nn.Module):
    """Patches, a class token that is repeated for the batch, and nn.TransformerEncoder."""

    def __init__(self, width=16):
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, width, 4, 4), nn.Parameter(torch.randn(1, 1, width))
        self.place, self.out = nn.Parameter(torch.randn(1, 17, width)), nn.Linear(width, 5)
        self.layers = nn.Sequential(*(nn.TransformerEncoderLayer(width, 2, 32, 0, "gelu", batch_first=True, norm_first=True) for _ in range(2)))

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.place
        return self.out(self.layers(x)[:, 0])


class WindowAttention(nn.Module):
    """A Swin block: rolled windows, with a learned bias for each distance."""

    def __init__(self, width=12, heads=2, window=4):
        super().__init__()
        self.heads, self.window, self.norm = heads, window, nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads))
        place = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        distance = place[:, :, None] - place[:, None] + window - 1
        self.register_buffer("index", distance[0] * (2 * window - 1) + distance[1])

    def forward(self, x):
        batch, height, width, channels = x.shape
        w = self.window
        y = torch.roll(self.norm(x), (-2, -2), (1, 2))
        y = y.reshape(batch, height // w, w, width // w, w, channels).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, channels)
        q, k, v = self.qkv(y).reshape(-1, w * w, 3, self.heads, channels // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        weights = q * (channels // self.heads) ** -0.5 @ k.transpose(2, 3) + self.table[self.index].permute(2, 0, 1)
        y = self.out((weights.softmax(-1) @ v).transpose(1, 2).reshape(-1, w * w, channels))
        y = y.reshape(batch, height // w, width // w, w, w, channels).permute(0, 1, 3, 2, 4, 5).reshape(x.shape)
        return x + torch.roll(y, (2, 2), (1, 2))


class Detr(nn.Module):
    """Learned queries ask a picture through a decoder."""

    def __init__(self, width=16):
        super().__init__()
        self.features, self.queries = nn.Conv2d(3, width, 4, 4), nn.Parameter(torch.randn(1, 5, width))
        self.place = nn.Parameter(torch.randn(1, 16, width))
        self.transformer = nn.Transformer(width, 2, 1, 1, 32, 0, batch_first=True)
        self.kind, self.box = nn.Linear(width, 4), nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4), nn.Sigmoid())

    def forward(self, x):
        y = self.transformer(self.features(x).flatten(2).transpose(1, 2) + self.place, self.queries)
        return torch.cat([self.kind(y), self.box(y)], -1)


class EinsumExperts(nn.Module):
    """A mixture of experts, all computed, by torch.einsum."""

    def __init__(self, width=12, experts=3):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.grow, self.shrink = nn.Parameter(torch.randn(experts, width, 16) / 4), nn.Parameter(torch.randn(experts, 16, width) / 4)

    def forward(self, x):
        y = functional.gelu(torch.einsum("btd,edh->bteh", x, self.grow))
        return torch.einsum("bteh,ehd,bte->btd", y, self.shrink, self.gate(x).softmax(-1))


class Mixer(nn.Module):
    def __init__(self, width=12, places=9):
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.places = nn.Sequential(nn.Linear(places, 16), nn.GELU(), nn.Linear(16, places))
        self.channels = nn.Sequential(nn.Linear(width, 24), nn.GELU(approximate="tanh"), nn.Linear(24, width))

    def forward(self, x):
        x = x + self.places(self.before(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.after(x))


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
    "LLaMA": (LlamaBlock, (1, 6, 16)),
    "LLaMA, RotaryEmbedding": (lambda: LlamaBlock(rotate="by the operator"), (1, 6, 16)),
    "LLaMA, as many heads as positions": (lambda: LlamaBlock(rotate="by the operator", positions=4), (1, 4, 16)),
    "LLaMA, interleaved": (lambda: LlamaBlock(rotate="by the operator, interleaved"), (1, 6, 16)),
    "Conformer": (ConformerBlock, (1, 7, 16)),
    "Whisper": (Whisper, (1, 8, 16)),
    "ViT": (ViT, (1, 3, 16, 16)),
    "window attention": (WindowAttention, (1, 8, 8, 12)),
    "DETR": (Detr, (1, 3, 16, 16)),
    "experts by einsum": (EinsumExperts, (1, 5, 12)),
    "mixer": (Mixer, (1, 9, 12)),
    "Swin": (of_torchvision("SwinTransformer", patch_size=[4, 4], embed_dim=8, depths=[2], num_heads=[2], window_size=[4, 4], num_classes=5), (1, 3, 32, 32)),
    "vision transformer": (of_timm("vision_transformer", "VisionTransformer", img_size=16, patch_size=4, embed_dim=16, depth=1, num_heads=2, num_classes=5),
                           (1, 3, 16, 16)),
    "BERT": (bert, (1, 6, 16)),
    "GPT-2": (gpt2, (1, 6, 16)),
}
