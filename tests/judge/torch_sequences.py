"""Networks over sound, sequences, graphs and points as small PyTorch modules, for exporters.py: `NETWORKS` has a maker and the shape of its input for each.

Each takes one float input.
"""

import torch
from torch import nn
from torch.nn import functional


class Recurrent(nn.Module):
    def __init__(self, layer, **options):
        super().__init__()
        self.layer = layer(6, 8, batch_first=True, **options)
        self.out = nn.Linear(16 if options.get("bidirectional") else 8, 3)

    def forward(self, x):
        return self.out(self.layer(x)[0][:, -1])


class CRNN(nn.Module):
    """Reads text in a picture: columns of features through a bidirectional LSTM."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(8, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d((4, 1)))
        self.rnn, self.out = nn.LSTM(12, 8, bidirectional=True, batch_first=True), nn.Linear(16, 7)

    def forward(self, x):
        columns = self.features(x).squeeze(2).transpose(1, 2)
        return functional.log_softmax(self.out(self.rnn(columns)[0]), -1)


class StateSpace(nn.Module):
    """A selective state space, step after step: h = a(x) h + b(x) x, unrolled or by torch's scan."""

    def __init__(self, width=8, states=4, by_scan=False):
        super().__init__()
        self.by_scan, self.grow, self.shrink = by_scan, nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.filter = nn.Conv1d(width, width, 3, padding=2, groups=width)
        self.select, self.delta = nn.Linear(width, 2 * states), nn.Linear(width, width)
        self.decay = nn.Parameter(-torch.arange(1.0, states + 1).repeat(width, 1))

    def forward(self, x):
        y, gate = self.grow(x).chunk(2, -1)
        y = functional.silu(self.filter(y.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        b, c = self.select(y).chunk(2, -1)
        delta = functional.softplus(self.delta(y))
        a, u = torch.exp(delta[..., None] * self.decay), (delta * y)[..., None] * b[:, :, None]
        h = torch.zeros(u[:, 0].shape)
        if self.by_scan:
            from torch._higher_order_ops.scan import scan

            def step(h, at):
                h = at[0] * h + at[1]
                return h, h.clone()

            states = scan(step, h, (a.transpose(0, 1), u.transpose(0, 1)))[1].transpose(0, 1)
        else:
            states = []
            for t in range(x.shape[1]):
                h = a[:, t] * h + u[:, t]
                states.append(h)
            states = torch.stack(states, 1)
        return x + self.shrink((states * c[:, :, None]).sum(-1) * functional.silu(gate))


class Spectrum(nn.Module):
    """Sound to a spectrogram within the network, and convolutions on its logarithm."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))
        self.register_buffer("mel", torch.rand(8, 17))
        self.layers = nn.Sequential(nn.Conv1d(8, 12, 3, padding=1), nn.ReLU(), nn.Conv1d(12, 4, 1))

    def forward(self, x):
        power = torch.stft(x, 32, 16, 32, self.window, center=False, return_complex=False).square().sum(-1)
        return self.layers(torch.log(self.mel @ power + 1e-3)).mean(-1)


class Separator(nn.Module):
    """Conv-TasNet: learned filters, dilated depthwise convolutions, a mask, and filters back to sound."""

    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Conv1d(1, 12, 8, 4), nn.ConvTranspose1d(12, 1, 8, 4)
        self.layers = nn.ModuleList(nn.Sequential(nn.Conv1d(12, 16, 1), nn.PReLU(), nn.GroupNorm(1, 16), nn.Conv1d(16, 16, 3, padding=d, dilation=d, groups=16),
                                                  nn.PReLU(), nn.GroupNorm(1, 16), nn.Conv1d(16, 12, 1)) for d in (1, 2, 4))
        self.mask = nn.Conv1d(12, 24, 1)

    def forward(self, x):
        sound = self.encode(x)
        y = sound
        for layer in self.layers:
            y = y + layer(y)
        masks = self.mask(y).sigmoid().reshape(-1, 2, 12, y.shape[-1]) * sound[:, None]
        return self.decode(masks.flatten(0, 1)).reshape(-1, 2, x.shape[-1])


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv1d(2, 8, 1), nn.Sequential(nn.ReLU(), nn.Conv1d(8, 4, 1))
        self.gates = nn.ModuleList(nn.Conv1d(8, 16, 2, dilation=d) for d in (1, 2, 4))
        self.skips = nn.ModuleList(nn.Conv1d(8, 8, 1) for _ in range(3))

    def forward(self, x):
        x, total = self.first(x), 0
        for depth, (gate, skip) in enumerate(zip(self.gates, self.skips)):
            left, right = gate(functional.pad(x, (2**depth, 0))).chunk(2, 1)
            y = skip(left.tanh() * right.sigmoid())
            x, total = x + y, total + y
        return self.last(total)


class Codebook(nn.Module):
    """An autoencoder whose code is the nearest of learned vectors."""

    def __init__(self):
        super().__init__()
        self.encode, self.codes = nn.Conv1d(4, 6, 4, 2, 1), nn.Embedding(10, 6)
        self.decode = nn.Sequential(nn.ConvTranspose1d(6, 8, 4, 2, 1), nn.ELU(), nn.Conv1d(8, 4, 3, padding=1))

    def forward(self, x):
        y = self.encode(x).transpose(1, 2)
        nearest = (y[:, :, None] - self.codes.weight).square().sum(-1).argmin(-1)
        return self.decode(self.codes(nearest).transpose(1, 2))


class GraphNetwork(nn.Module):
    """Messages along edges, added up where they arrive."""

    def __init__(self, width=8):
        super().__init__()
        self.message, self.update = nn.Linear(2 * width, 12), nn.Linear(width + 12, width)
        self.register_buffer("source", torch.tensor([0, 1, 2, 3, 4, 0, 2]))
        self.register_buffer("target", torch.tensor([1, 2, 3, 4, 0, 2, 0]))

    def forward(self, x):
        for _ in range(2):
            messages = torch.relu(self.message(torch.cat([x[self.source], x[self.target]], -1)))
            received = torch.zeros(x.shape[0], 12).index_add(0, self.target, messages)
            x = torch.relu(self.update(torch.cat([x, received], -1)))
        return x.mean(0, keepdim=True)


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Sequential(nn.Conv1d(3, 8, 1), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(8, 9))
        self.layers, self.out = nn.Sequential(nn.Conv1d(3, 12, 1), nn.BatchNorm1d(12), nn.ReLU()), nn.Linear(12, 4)

    def forward(self, x):
        x = (self.turn(x).reshape(-1, 3, 3) + torch.eye(3)) @ x
        return self.out(self.layers(x).amax(-1))


NETWORKS = {
    "CRNN": (CRNN, (1, 1, 8, 16)),
    "state space": (StateSpace, (1, 5, 8)),
    "state space by scan": (lambda: StateSpace(by_scan=True), (1, 5, 8)),
    "LSTM": (lambda: Recurrent(nn.LSTM), (1, 5, 6)),
    "LSTM, bidirectional": (lambda: Recurrent(nn.LSTM, bidirectional=True), (1, 5, 6)),
    "GRU": (lambda: Recurrent(nn.GRU), (1, 5, 6)),
    "RNN": (lambda: Recurrent(nn.RNN), (1, 5, 6)),
    "sound by STFT": (Spectrum, (1, 160)),
    "source separator": (Separator, (1, 1, 64)),
    "WaveNet": (WaveNet, (1, 2, 20)),
    "codebook": (Codebook, (1, 4, 16)),
    "graph network": (GraphNetwork, (5, 8)),
    "PointNet": (PointNet, (1, 3, 20)),
}
