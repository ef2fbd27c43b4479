"""Numbers of docs/quantization/03-qlinearmatmul.md."""

import numpy as np

from resnet8 import *

PER_TENSOR = quantized("--per-tensor")
CLASSES = "airplane automobile bird cat deer dog frog horse ship truck".split()


def multipliers(model=OPERATORS):
    o = operands("logits", model)
    return np.atleast_1d(o["x_scale"] * o["w_scale"] / o["y_scale"])


def quantize(acc, multiplier, zero_point):
    t = np.clip(acc.astype(np.float32) * multiplier, np.float32(-128 - zero_point), np.float32(127 - zero_point))
    return np.rint(t).astype(np.int32) + zero_point


def inputs():
    names = "A a_scale a_zero_point B b_scale b_zero_point C y_scale y_zero_point".split()
    purposes = ["features, after the pool", "the step of A", "the byte of A that means 0", "weights, one row per class",
                "the step of each class", "0 in symmetric weights", "optional bias, in units of a_scale * b_scale", "the step of y",
                "the byte of y that means 0"]
    def row(number, name, purpose, tensor):
        array = tensors()[tensor]
        shape = "x".join(map(str, array.shape)) or "scalar"
        write = real if array.dtype == np.float32 else whole
        values = write(array[()]) if array.ndim == 0 else f"{write(array.min())} to {write(array.max())}"
        return number, f"`{name}`", array.dtype, shape, purpose, values
    found = steps()["logits"]["operations"][0]["inputs"]
    return table(["#:", "input", "type", "shape", "purpose", "in `logits`"],
                 [row(k, *parts) for k, parts in enumerate(zip(names, purposes, found))])


def classes():
    o, acc = operands("logits"), accumulators("logits")[0]
    starts = o["bias"] - o["x_zero_point"] * o["w"].astype(np.int64).sum(axis=1)
    assert starts.tolist() == steps()["logits"]["constants"]["starts"]
    t, y = acc.astype(np.float32) * multipliers(), tensors()["logits_quantized"][0]
    assert (quantize(acc, multipliers(), int(o["y_zero_point"])) == y).all()
    return table(["class", "b_scale:", "bias:", "start:", "M:", "acc:", "t:", "rne(t):", "y:"],
                 [(name, real(o["w_scale"][n]), whole(o["bias"][n]), whole(starts[n]), real(multipliers()[n]), whole(acc[n]), real(t[n]),
                   int(np.rint(t[n])), y[n]) for n, name in enumerate(CLASSES)])


def staircase(n):
    """All accumulators of class n that can be, and what they become."""
    interval = bounds()["logits"]["channels"][n]["final"]
    acc = np.arange(interval["least"], interval["greatest"] + 1)
    return acc, quantize(acc, multipliers()[n], int(operands("logits")["y_zero_point"]))


def fixed(acc, m, shift, zero_point):
    """(16), ties to even."""
    product = acc.astype(np.int64) * m
    floor, rest = product >> shift, product & ((1 << shift) - 1)
    half = 1 << (shift - 1)
    return np.clip(floor + ((rest > half) | ((rest == half) & (floor & 1 == 1))) + zero_point, -128, 127)


def shared(n):
    """The multiplier of class n at the shift that serves all classes, confirmed for every accumulator."""
    shift, zero_point = bounds()["logits"]["shared_shift"], int(operands("logits")["y_zero_point"])
    exact, (acc, q) = float(multipliers()[n]) * 2**shift, staircase(n)
    return next(m for m in sorted(range(int(exact) - 8, int(exact) + 9), key=lambda m: abs(m - exact))
                if (fixed(acc, m, shift, zero_point) == q).all())


def shared_multipliers():
    return table(["class", "M:", "m:", "bits:", "accumulators confirmed:"],
                 [(name, real(multipliers()[n]), whole(shared(n)), shared(n).bit_length(), whole(staircase(n)[0].size))
                  for n, name in enumerate(CLASSES)])


def pool():
    return {"pixels": tensors()["block3.relu2_quantized"][0, 0].size}


def vectors():
    o = operands("logits")
    zero_point, shift = int(o["y_zero_point"]), bounds()["logits"]["shared_shift"]
    step_acc, step_m, step_q = [], [], []
    for n in range(10):
        acc, q = staircase(n)
        edges = np.nonzero(np.diff(q))[0]
        chosen = np.concatenate([edges, edges + 1, [0, acc.size - 1]])
        step_acc.append(acc[chosen]), step_q.append(q[chosen]), step_m.append(np.full(chosen.size, shared(n)))
    assert shift == 31
    pooled = {part: tensors()[f"pool_{part}"] for part in ("quantized", "scale", "zero_point")}
    pool_input = {part: tensors()[f"block3.relu2_{part}"] for part in ("quantized", "scale", "zero_point")}
    return {
        "a": o["x"], "w": o["w"], "w_scale": o["w_scale"], "bias": o["bias"], "a_scale": o["x_scale"], "y_scale": o["y_scale"],
        "zero_points": np.int8([o["x_zero_point"], zero_point]), "y": tensors()["logits_quantized"],
        "starts": np.int32(steps()["logits"]["constants"]["starts"]), "m": np.int32([shared(n) for n in range(10)]),
        "pool_x": pool_input["quantized"], "pool_y": pooled["quantized"],
        "pool_x_scale": pool_input["scale"], "pool_y_scale": pooled["scale"],
        "pool_zero_points": np.int8([pool_input["zero_point"], pooled["zero_point"]]),
        "step_acc": np.concatenate(step_acc).astype(np.int32), "step_m": np.concatenate(step_m).astype(np.int32),
        "step_q": np.concatenate(step_q).astype(np.int8), "count": np.int32(sum(map(len, step_acc))),
    }
