"""Numbers of docs/quantization/02-qlinearconv.md."""

import textwrap

import numpy as np

import directed
from resnet8 import *

CONVOLUTIONS = [step["name"] for step in accumulating() if step["kind"] == "convolution"]


def attributes(name):
    return steps()[name]["operations"][0]["attributes"]


def multipliers(name, model=OPERATORS):
    o = operands(name, model)
    return np.atleast_1d(o["x_scale"] * o["w_scale"] / o["y_scale"])


def requantized(name, acc):
    """(14) in numpy."""
    o = operands(name)
    zero_point = int(o["y_zero_point"])
    t = acc.astype(np.float32) * multipliers(name).reshape(-1, 1, 1)
    return np.rint(np.clip(t, np.float32(-128 - zero_point), np.float32(127 - zero_point))).astype(np.int32) + zero_point


def result(name):
    return tensors()[steps()[name]["outputs"][0]]


def convolution_share():
    nodes = facts("inspect", OPERATORS)["nodes"]
    macs = {node["op_type"]: 0 for node in nodes}
    for node in nodes:
        macs[node["op_type"]] += node.get("macs") or 0
    return f"{100 * macs['QLinearConv'] / sum(macs.values()):.2f}"


def nine_inputs():
    inputs = steps()["block1.conv1"]["operations"][0]["inputs"]
    purposes = [("x", "activations"), ("x_scale", "the step of x"), ("x_zero_point", "the byte that means 0, also in the padding"),
                ("w", "weights"), ("w_scale", "the step of each filter"), ("w_zero_point", "0 in symmetric weights"),
                ("y_scale", "the step of y"), ("y_zero_point", "the byte of y that means 0"),
                ("B", "optional bias, in units of x_scale * w_scale")]
    def row(number, name, purpose, tensor):
        array = tensors()[tensor]
        shape = "x".join(map(str, array.shape)) or "scalar"
        values = real(array) if array.ndim == 0 and array.dtype == np.float32 else array if array.ndim == 0 else \
            f"{real(array.min())} to {real(array.max())}" if array.dtype == np.float32 else f"{array.min()} to {array.max()}"
        return number, f"`{name}`", array.dtype, shape, purpose, f"{values}"
    return table(["#:", "input", "type", "shape", "purpose", "in `block1.conv1`"],
                 [row(k, name, purpose, tensor) for k, ((name, purpose), tensor) in enumerate(zip(purposes, inputs))])


def geometry():
    def row(name):
        x, w, y = operands(name)["x"], operands(name)["w"], result(name)
        return (f"`{name}`", f"`{steps()[name]['inputs'][0]}`", "x".join(map(str, x.shape[1:])), "x".join(map(str, w.shape)),
                attributes(name)["strides"][0], attributes(name)["pads"][0], "x".join(map(str, y.shape[1:])),
                whole(w[0].size), whole(w[0].size * y.size))
    return table(["layer", "reads", "x", "w (OIHW)", "stride:", "pad:", "y", "products in a sum:", "in the layer:"],
                 [row(name) for name in CONVOLUTIONS])


UINT8 = MODELS / "resnet8_uint8.onnx"


def granularity():
    """Whether each layer's weights have one scale or one for each output channel, in every 8-bit file that is shipped."""
    def row(step):
        name, w = step["name"], operands(step["name"])["w"]
        kinds = []
        for model in (OPERATORS, QDQ, UINT8):
            scale = operands(name, model)["w_scale"]
            assert scale.shape in ((), (1,), (w.shape[0],)) and operands(name, model)["w_zero_point"].shape == scale.shape
            kinds.append((f"per channel, [{scale.size}]" if scale.size > 1 else "per tensor, scalar", scale.size))
        assert len(set(kinds)) == 1, kinds
        kind, count = kinds[0]
        return f"`{name}`", w.shape[0], *kind.split(", "), whole(w.size), 2 * count, f"{100 * 2 * count / w.size:.2f} %"
    return table(["layer", "output channels:", "quantization type", "shape of w_scale", "weights:", "scales and zero points:", "of the weights:"],
                 [row(step) for step in accumulating()])


def storage():
    """Bytes of the parameters of all weights: a scale of 4 and a zero point of 1."""
    of = [operands(step["name"]) for step in accumulating()]
    weights, channels = sum(o["w"].size for o in of), sum(o["w_scale"].size for o in of)
    return {"weights": whole(weights), "per_channel": whole(5 * channels), "per_tensor": whole(5 * len(of)), "share": f"{100 * 5 * channels / weights:.1f}"}


def scales():
    def row(name):
        o, m = operands(name), multipliers(name)
        assert m.tolist() == np.float32(steps()[name]["constants"]["multipliers"]).tolist()  # the JSON reads back to the bit
        return (f"`{name}`", real(o["x_scale"]), o["x_zero_point"], f"{o['w_scale'].min():.5g}", f"{o['w_scale'].max():.5g}",
                real(o["y_scale"]), o["y_zero_point"], f"{m.min():.5g}", f"{m.max():.5g}")
    return table(["layer", "x_scale:", "z_x:", "w_scale from:", "to:", "y_scale:", "z_y:", "M from:", "to:"],
                 [row(name) for name in CONVOLUTIONS])


def all_scales():
    return fenced("text", "\n".join(f"{name}\n{textwrap.fill(' '.join(map(real, operands(name)['w_scale'])), 124, initial_indent='  ', subsequent_indent='  ')}"
                                    for name in CONVOLUTIONS))


def per_tensor_scales():
    model = quantized("--per-tensor")
    def row(name):
        per_tensor, per_channel = operands(name, model)["w_scale"], operands(name)["w_scale"]
        return f"`{name}`", real(per_tensor), f"{255 * per_channel.min() / per_tensor:.3g}"
    return table(["layer", "w_scale:", "steps of the smallest channel:"], [row(name) for name in CONVOLUTIONS])


def padding_mistake():
    def row(name):
        o = operands(name)
        inside = np.pad(np.ones(o["x"].shape[2:], np.int64), 1)
        w = o["w"].astype(np.int64)
        outside = np.lib.stride_tricks.sliding_window_view(1 - inside, w.shape[2:])[::attributes(name)["strides"][0],
                                                                                     ::attributes(name)["strides"][1]]
        extra = -o["x_zero_point"] * np.einsum("yxij,mcij->myx", outside, w)
        wrong = requantized(name, accumulators(name) + extra) != result(name)
        border = int((outside.sum(axis=(2, 3)) > 0).sum()) * w.shape[0]
        return f"`{name}`", whole(border), whole(int(wrong.sum())), whole(result(name).size)
    padded = [name for name in CONVOLUTIONS if attributes(name)["pads"][0]]
    return table(["layer", "results at the border:", "wrong with a border of 0:", "results:"], [row(name) for name in padded])


def corrections():
    def row(label, model):
        o = operands("conv", model)
        zx, zw = int(o["x_zero_point"]), int(np.atleast_1d(o["w_zero_point"])[5])
        x = np.pad(o["x"][0].astype(np.int64), ((0, 0), (1, 1), (1, 1)), constant_values=zx)[:, 0:3, 1:4]
        w, bias = o["w"][5].astype(np.int64), int(o["bias"][5])
        terms = [int((x * w).sum()), -zw * int(x.sum()), -zx * int(w.sum()), w.size * zx * zw]
        acc = bias + sum(terms)
        assert acc == int(accumulators("conv", model)[0, 5, 0, 1])
        return label, zx, zw, *map(whole, terms), whole(bias), whole(acc)
    return table(["weights", "$`z_x`$:", "$`z_w`$:", "$`\\sum x w`$:", "$`- z_w \\sum x`$:", "$`- z_x \\sum w`$:",
                  "$`K z_x z_w`$:", "bias:", "acc:"],
                 [row("symmetric", OPERATORS), row("asymmetric", quantized("--asymmetric-weights"))])


def widths():
    def row(name):
        acc, b = accumulators(name), bounds()[name]
        wrapped = (acc.astype(np.int64) & 0xFFFF).astype(np.uint16).view(np.int16)
        wrong = int((requantized(name, wrapped) != result(name)).sum())
        saturated = int((requantized(name, np.clip(acc, -2**15, 2**15 - 1)) != result(name)).sum())
        return (f"`{name}`", b["products"], whole(wrong), whole(saturated), whole(acc.size), b["final"]["bits"],
                b["textbook"]["bits"], whole(b["final"]["least"]), whole(b["final"]["greatest"]))
    return table(["layer", "products:", "wrong, wrapping:", "wrong, saturating:", "results:", "bits:", "textbook:", "acc from:", "to:"],
                 [row(name) for name in CONVOLUTIONS])


def unsigned():
    """The network with uint8 activations, run as an integer program, against the int8 one."""
    of_uint8, of_int8 = tensors(quantized("--activations", "uint8")), tensors()
    names = [name for step in steps().values() for name in step["outputs"] if of_int8[name].dtype == np.int8]
    return {"differing": sum(int((of_uint8[name].astype(np.int32) - 128 != of_int8[name]).sum()) for name in names),
            "elements": sum(of_int8[name].size for name in names)}


def channel_bits(name):
    return [channel["final"]["bits"] for channel in bounds()[name]["channels"]]


TIES = ("block3.conv2", 0)


def ties():
    """The accumulators of TIES whose float32 product is a tie."""
    (name, channel), o = TIES, operands(TIES[0])
    interval = bounds()[name]["channels"][channel]["final"]
    acc = np.arange(interval["least"], interval["greatest"] + 1)
    t = acc.astype(np.float32) * multipliers(name)[channel]
    zero_point = int(o["y_zero_point"])
    return acc[(t - np.floor(t) == 0.5) & (t > -128 - zero_point) & (t < 127 - zero_point)]


def float_ties():
    (name, channel), o = TIES, operands(TIES[0])
    zero_point, multiplier = int(o["y_zero_point"]), multipliers(name)[channel]
    exact = np.float64(o["x_scale"]) * np.float64(o["w_scale"][channel]) / np.float64(o["y_scale"])
    def row(acc):
        t = np.float32(acc) * multiplier
        products = [acc * exact, acc * np.float64(multiplier)]
        return (whole(acc), *(f"{product:.9f}" for product in products), t, int(np.rint(t)) + zero_point,
                *(int(np.rint(product)) + zero_point for product in products), int(np.rint(t + np.float32(zero_point))))
    return table(["acc:", "$`acc \\cdot M`$:", "$`acc \\cdot \\hat M`$:", "$`\\hat t`$:", "y:", "y from $`acc \\cdot M`$:",
                  "y from $`acc \\cdot \\hat M`$:", "y, zero point first:"], [row(acc) for acc in ties()])


def clipping():
    def row(name):
        y = result(name)
        share = lambda value: f"{100 * (y == value).mean():.1f} %"
        return f"`{name}`", operands(name)["y_zero_point"], share(-128), share(127)
    return table(["layer", "z_y:", "at -128:", "at 127:"], [row(name) for name in CONVOLUTIONS])


def every_exponent():
    """Accumulators and multipliers from the smallest normal float32 to 2^24: large and small ones, and those around the first ties."""
    fixed = np.array([-2**31, 2**31 - 1, 2**24 + 1, -2**24 - 3, 0, 1, -1])
    pairs = []
    for exponent in range(1, 151):
        for fraction in (0, 1, 0x2AAAAB, 0x7FFFFF):
            multiplier = np.uint32(exponent << 23 | fraction).view(np.float32)
            ties = [int(min((k + 0.5) / float(multiplier), 2**31 - 2)) + side for k in range(3) for side in (0, 1)]
            pairs += [(acc, multiplier) for acc in [*fixed, *ties, *(-acc for acc in ties)]]
    acc, multiplier = zip(*pairs)
    return np.array(acc), np.array(multiplier, np.float32)


def vectors():
    layers, reals, x, w, bias, w_scale, y = [], [], [], [], [], [], []
    for name in CONVOLUTIONS:
        o = operands(name)
        layers.append([*o["x"].shape[1:], *o["w"].shape[:1], *o["w"].shape[2:], attributes(name)["strides"][0], attributes(name)["pads"][0],
                       o["x_zero_point"], o["y_zero_point"]])
        reals.append([o["x_scale"], o["y_scale"]])
        for array, values in ((x, o["x"]), (w, o["w"]), (bias, o["bias"]), (w_scale, o["w_scale"]), (y, result(name))):
            array.append(values.ravel())

    # Windows of `conv` at the border and inside, as the multiply-accumulate unit reads them: channel, row, column.
    o = operands("conv")
    padded = np.pad(o["x"][0], ((0, 0), (1, 1), (1, 1)), constant_values=np.int8(o["x_zero_point"]))
    positions = [(row, column) for row in (0, 13, 31) for column in (0, 17, 31)]
    windows = np.stack([padded[:, i:i + 3, j:j + 3].ravel() for i, j in positions])
    at = tuple(np.transpose(positions))

    # Accumulators for the float32 requantizer: all of `conv` at these positions, the ties, and every exponent of a multiplier.
    tie_acc, (tied, channel) = ties(), TIES
    every_acc, every_multiplier = every_exponent()
    requantizer_acc = np.concatenate([accumulators("conv")[0][:, *at].ravel(), tie_acc, every_acc])
    scale = np.concatenate([np.repeat(multipliers("conv"), len(positions)), np.repeat(multipliers(tied)[channel], tie_acc.size), every_multiplier])
    zero = np.concatenate([np.full(16 * len(positions), int(o["y_zero_point"])),
                           np.full(tie_acc.size + every_acc.size, int(operands(tied)["y_zero_point"]))])
    t = requantizer_acc.astype(np.float32) * scale
    q = np.rint(np.clip(t, (-128 - zero).astype(np.float32), (127 - zero).astype(np.float32))).astype(np.int32) + zero
    requantizer_acc, scale, zero, q = (np.concatenate([values, directed.cells("requantize.csv", name)]) for values, name in
                                       ((requantizer_acc, "acc"), (scale, "multiplier"), (zero, "zero_point"), (q, "q")))

    # Both sides of every step of block1.conv1's channels that have an integer multiplier.
    fixed_acc, fixed_m, fixed_shift, fixed_q = [], [], [], []
    zero_point = int(operands("block1.conv1")["y_zero_point"])
    for k, limits in enumerate(bounds()["block1.conv1"]["channels"]):
        if limits["multiplier"] and limits["differing"] == 0:
            acc = np.arange(limits["final"]["least"], limits["final"]["greatest"] + 1)
            steps_of = np.rint(np.clip(acc.astype(np.float32) * multipliers("block1.conv1")[k], np.float32(-128 - zero_point),
                                       np.float32(127 - zero_point))).astype(np.int32) + zero_point
            edges = np.nonzero(np.diff(steps_of))[0]
            chosen = np.concatenate([edges, edges + 1, [0, acc.size - 1]])
            fixed_acc.append(acc[chosen]), fixed_q.append(steps_of[chosen])
            fixed_m.append(np.full(chosen.size, limits["multiplier"]["m"])), fixed_shift.append(np.full(chosen.size, limits["multiplier"]["shift"]))
    return {
        "layers": np.int32(layers), "scales": np.float32(reals), "all_x": np.concatenate(x), "all_w": np.concatenate(w),
        "all_bias": np.concatenate(bias), "all_w_scale": np.concatenate(w_scale), "all_y": np.concatenate(y),
        "windows": windows, "conv_w": o["w"], "conv_bias": o["bias"], "conv_multiplier": multipliers("conv"),
        "conv_y": tensors()["relu_quantized"][0][:, *at], "conv_zero_points": np.int8([o["x_zero_point"], o["y_zero_point"]]),
        "requantizer_acc": requantizer_acc.astype(np.int32), "requantizer_multiplier": scale.astype(np.float32),
        "requantizer_zero_point": zero.astype(np.int8), "requantizer_q": q.astype(np.int8),
        "fixed_acc": np.concatenate(fixed_acc).astype(np.int32), "fixed_m": np.concatenate(fixed_m).astype(np.int32),
        "fixed_shift": np.concatenate(fixed_shift).astype(np.uint8), "fixed_q": np.concatenate(fixed_q).astype(np.int8),
        "counts": np.int32([requantizer_acc.size, sum(map(len, fixed_acc))]),
        "fixed_zero_point": np.int8(zero_point),
    }
