"""The directed vectors in docs/quantization/vectors/: rows on which a mistake gives another byte.

Each file has an operation, right and with mistakes that are often made. The candidates are all bytes near ties: of
ResNet8, and of parameters chosen for what ResNet8 lacks. Rows are taken where mistakes show, and Octet confirms every
result. tests/docs/vectors_test.py computes the same with exact fractions.
"""

import functools
import itertools

import numpy as np
import onnx
from onnx import helper

from resnet8 import *

F = np.float32
QUIET = 0x7fc00000
NANS = np.array([QUIET, QUIET | 1 << 31, 0x7f800001, 0xffffffff], np.uint32).view(F)  # the usual one, with a sign, signaling, all ones
PER_MISTAKE = 12  # rows of each source that show a mistake

MISTAKES = {
    "truncate": "the fraction is dropped",
    "ties-away": "ties go away from zero",
    "ties-up": "ties go up: floor(t + 1/2)",
    "half-in-float32": "1/2 is added in float32, which rounds, before floor",
    "zero-point-before": "the zero point is added in float32, before rounding",
    "zero-point-after": "the zero point is added to the rounded sum",
    "saturate-before": "saturated to 8 bits before the zero point is added, and again behind it",
    "wrap": "not saturated: the lowest 8 bits are kept",
    "product-not-rounded": "the product (the quotient in quantize, the sum in add) keeps more bits than float32 has",
    "product-ties-away": "the product (the sum in add) is rounded to float32 with ties away from zero",
    "acc-not-rounded": "the accumulator keeps its 32 bits; only the product is rounded to float32",
    "acc-truncated": "the accumulator is cut to 24 bits instead of rounded",
    "reciprocal": "a product with the rounded reciprocal instead of a division",
    "scales-tie-away": "s_x * s_w is rounded to float32 with ties away from zero",
    "w-over-y-first": "s_x * (s_w / s_y)",
    "x-over-y-first": "(s_x / s_y) * s_w; in the pool (s_x / s_y) / P",
    "rounded-once": "the multiplier is computed exactly and rounded once",
    "multiplier-exact": "nothing is rounded before the result",
    "mean-first": "the mean is rounded to an integer, then requantized",
    "no-fma": "products are rounded before they are added",
    "no-fma-in-constant": "only in the constant f of (20) the product is rounded before it is added",
    "constant-from-left": "the constant f of (20) is (z_c - M_a z_a) - M_b z_b",
    "constant-exchanged": "in the constant f of (20) the operands change places",
    "sum-10-bits": "the rounded sum keeps 10 bits before it saturates",
    "sum-16-bits": "the rounded sum keeps 16 bits before it saturates",
    "a-first": "the operands change places",
    "operands-first": "each operand is rounded to an integer, then added",
    "nan-is-zero": "NaN gives the zero point",
    "nan-by-one-pattern": "7fc00000 alone is taken for NaN, others for numbers of their sign that are too large",
    "flush-to-zero": "float32 operands that are subnormal become 0",
    "unsigned": "the accumulator is read as unsigned",
}


def bits(value):
    return f"{int(F(value).view(np.uint32)):08x}"


# Rounding.

def away(t):
    return np.copysign(np.floor(np.abs(np.float64(t)) + 0.5), t)


def up(t):
    return np.floor(np.float64(t) + 0.5)


def saturated(value):
    return np.clip(np.float64(value), -128, 127)


def finished(t, z, rounding=np.rint):
    return saturated(rounding(np.float64(t)) + z).astype(np.int64)


def wrapped_to(width, value):
    return (np.int64(value) + (1 << width - 1)) % (1 << width) - (1 << width - 1)


def wrapped(value):
    return wrapped_to(8, value)


def toward_zero(exact):
    """float64 to float32, toward zero."""
    nearest = F(exact)
    return np.where(np.abs(np.float64(nearest)) > np.abs(exact), np.nextafter(nearest, F(0)), nearest)


def float32_ties_away(exact):
    """float64 to float32, to nearest, ties away from zero."""
    nearest, inner = F(exact), toward_zero(exact)
    outer = np.nextafter(inner, np.copysign(F(np.inf), nearest))
    return np.where(np.isinf(nearest) | (np.abs(exact - inner) < np.abs(np.float64(outer) - exact)), nearest, outer)


def product_ties(factors, most=126):
    """Integers and multipliers whose product lies in the middle of k + 1/2 and a float32 beside it. Ties to even end in k + 1/2, and then in
    the even one of k and k + 1: with the float32 above, of even k, ties away end in k + 1; with that below, of odd k, ties to zero in k."""
    for k in range(2, most):
        exponent = k.bit_length() - 1
        product = ((2 * k + 1) << 23 - exponent) + (-1 if k % 2 else 1)
        yield from ((factor, F(product // factor * 2.0 ** (exponent - 24))) for factor in factors if product % factor == 0 and product // factor < 2**24)


def rounding_mistakes(t, z):
    """What can go wrong behind the float32 t, wherever the zero point is added after rounding."""
    return {"truncate": finished(t, z, np.trunc), "ties-away": finished(t, z, away), "ties-up": finished(t, z, up),
            "half-in-float32": finished(t + F(0.5), z, np.floor), "zero-point-before": finished(t + F(z), 0),
            "saturate-before": saturated(saturated(np.rint(t)) + z).astype(np.int64)}


# The operations. Each returns the right results, and those of each mistake, for arrays of operands.

def requantize(acc, multiplier, z):
    t = F(acc) * multiplier
    size = np.abs(acc)
    extra = np.maximum(np.floor(np.log2(np.maximum(size, 1))).astype(np.int64) - 23, 0)
    cut = F(np.sign(acc) * (size >> extra << extra))
    return finished(t, z), rounding_mistakes(t, z) | {
        "wrap": wrapped(np.rint(np.float64(t)) + z), "product-not-rounded": finished(acc * np.float64(multiplier), z),
        "acc-not-rounded": finished(F(acc * np.float64(multiplier)), z), "acc-truncated": finished(cut * multiplier, z),
        "product-ties-away": finished(float32_ties_away(np.float64(F(acc)) * np.float64(multiplier)), z)}


def multiplier(x_scale, w_scale, y_scale):
    return (x_scale * w_scale) / y_scale


def requantize_with_scales(x_scale, w_scale, y_scale, acc, z):
    exact = np.float64(x_scale) * np.float64(w_scale) / np.float64(y_scale)
    others = {"w-over-y-first": x_scale * (w_scale / y_scale), "x-over-y-first": (x_scale / y_scale) * w_scale,
              "reciprocal": (x_scale * w_scale) * (F(1) / y_scale), "rounded-once": F(exact),
              "scales-tie-away": float32_ties_away(np.float64(x_scale) * np.float64(w_scale)) / y_scale}
    return finished(F(acc) * multiplier(x_scale, w_scale, y_scale), z), {
        **{name: finished(F(acc) * other, z) for name, other in others.items()}, "multiplier-exact": finished(acc * exact, z)}


def quantize(x, scale, z):
    t, kept = x / scale, np.where(np.abs(x) < np.finfo(F).tiny, F(0), x)
    return finished(np.where(np.isnan(t), F(-1000), t), z), {
        name: np.where(np.isnan(t), -128, result) for name, result in (rounding_mistakes(t, z) | {
            "reciprocal": finished(x * (F(1) / scale), z), "product-not-rounded": finished(np.float64(x) / np.float64(scale), z),
            "flush-to-zero": finished(kept / scale, z)}).items()
    } | {"nan-is-zero": finished(np.nan_to_num(t, nan=0), z),
         "nan-by-one-pattern": finished(np.where(np.isnan(x) & (x.view(np.uint32) != QUIET), np.copysign(F(1000), x), np.where(np.isnan(t), F(-1000), t)), z)}


def pool(x_scale, y_scale, pixels, acc, z):
    count = F(pixels)
    t = F(acc) * (x_scale / (y_scale * count))
    exact = np.float64(x_scale) / np.float64(y_scale) / pixels
    return finished(t, z), rounding_mistakes(t, z) | {
        "x-over-y-first": finished(F(acc) * ((x_scale / y_scale) / count), z),
        "mean-first": finished(F(np.rint(acc / pixels)) * (x_scale / y_scale), z), "multiplier-exact": finished(acc * exact, z),
        "rounded-once": finished(F(acc) * F(exact), z), "product-not-rounded": finished(acc * np.float64(x_scale / (y_scale * count)), z),
        "product-ties-away": finished(float32_ties_away(acc * np.float64(x_scale / (y_scale * count))), z),
        "wrap": wrapped(np.rint(t) + z), "unsigned": finished(F(acc % 2**16) * (x_scale / (y_scale * count)), z)}


def fma(x, y, c):
    return F(np.float64(x) * np.float64(y) + np.float64(c))


def add(a_scale, a_zero, b_scale, b_zero, c_scale, c_zero, a, b):
    def constant(ra, rb):
        return F(c_zero) - fma(ra, F(a_zero), rb * F(b_zero))
    def total(ra, rb):
        return fma(F(a), ra, fma(F(b), rb, constant(ra, rb)))
    ra, rb = a_scale / c_scale, b_scale / c_scale
    t, plain = total(ra, rb), F(c_zero) - (ra * F(a_zero) + rb * F(b_zero))
    exact = (np.float64(a_scale) * (a - a_zero) + np.float64(b_scale) * (b - b_zero)) / np.float64(c_scale)
    exchanged = fma(F(b), rb, fma(F(a), ra, F(c_zero) - fma(rb, F(b_zero), ra * F(a_zero))))
    without_zero = fma(F(a), ra, fma(F(b), rb, F(0) - fma(ra, F(a_zero), rb * F(b_zero))))
    inverse = F(1) / c_scale
    return finished(t, 0), {
        "truncate": finished(t, 0, np.trunc), "ties-away": finished(t, 0, away), "ties-up": finished(t, 0, up),
        "half-in-float32": finished(t + F(0.5), 0, np.floor), "wrap": wrapped(np.rint(t)),
        "zero-point-after": finished(without_zero, c_zero), "product-not-rounded": finished(exact + c_zero, 0),
        "product-ties-away": finished(float32_ties_away(F(a) * np.float64(ra) + float32_ties_away(F(b) * np.float64(rb) + np.float64(constant(ra, rb)))), 0),
        "constant-from-left": finished(fma(F(a), ra, fma(F(b), rb, (F(c_zero) - ra * F(a_zero)) - rb * F(b_zero))), 0),
        "constant-exchanged": finished(fma(F(a), ra, fma(F(b), rb, F(c_zero) - fma(rb, F(b_zero), ra * F(a_zero)))), 0),
        **{f"sum-{width}-bits": finished(wrapped_to(width, np.rint(np.float64(t))), 0) for width in (10, 16)},
        "no-fma": finished(F(a) * ra + (F(b) * rb + plain), 0), "no-fma-in-constant": finished(fma(F(a), ra, fma(F(b), rb, plain)), 0),
        "a-first": finished(exchanged, 0), "reciprocal": finished(total(a_scale * inverse, b_scale * inverse), 0),
        "operands-first": finished(np.rint((a - a_zero) * np.float64(ra)) + np.rint((b - b_zero) * np.float64(rb)), c_zero)}


# Choosing rows.

def around_ties(multiplier, least, greatest, sides=range(-1, 3)):
    """The accumulators next to a tie, and the two ends."""
    ties = np.arange(-256, 256) + 0.5
    near = np.floor(ties / np.float64(multiplier))[:, None] + list(sides)
    near = np.unique(np.clip(near.ravel(), -2**31, 2**31 - 1).astype(np.int64))
    return np.concatenate([[least], near[(near > least) & (near < greatest)], [greatest]])


def where_shown(right, mistakes, limit=PER_MISTAKE):
    """The first rows that show each mistake, in order."""
    return np.unique(np.concatenate([np.flatnonzero(wrong != right)[:limit] for wrong in mistakes.values()])).astype(int)


def both_sides(right, every):
    """Both sides of every so many steps, and the ends."""
    edges = np.flatnonzero(np.diff(right))[::every]
    return np.unique(np.concatenate([[0], edges, edges + 1, [right.size - 1]]))


def labels(right, mistakes, at):
    return " ".join(name for name, wrong in mistakes.items() if wrong[at] != right[at])


def unique(rows):
    return list(dict.fromkeys(rows))


@functools.cache
def channels():
    """Every output channel that sums: layer, channel, the three scales, the zero point, and the ends of its accumulator."""
    found = []
    for step in accumulating():
        o = operands(step["name"])
        for k, limits in enumerate(bounds()[step["name"]]["channels"]):
            found.append((step["name"], k, F(o["x_scale"]), o["w_scale"][k], F(o["y_scale"]), int(o["y_zero_point"]),
                          limits["final"]["least"], limits["final"]["greatest"]))
    return found


STAIRCASES = [("conv", 1), ("block3.conv2", 0), ("logits", 6)]
CONSTRUCTED = [  # multiplier, zero point: true ties; accumulators beyond 24 bits; 0.49999997; multipliers that leave nothing
    (F(0.5), 0), (F(0.5), -27), (F(0.25), 3), (F(1e-6), -27), (F(3e-7), 5), (F(0.49999997), 0), (F(2.0**-33), -1), (F(1.5 * 2.0**-34), -1), (F(2.0**-60), -1)]


def requantize_rows():
    rows, shown = [], []
    for layer, channel, x_scale, w_scale, y_scale, z, least, greatest in channels():
        m = multiplier(x_scale, w_scale, y_scale)
        acc = around_ties(m, least, greatest)
        right, mistakes = requantize(acc, m, z)
        row = lambda at: (layer, channel, int(acc[at]), bits(m), z, int(right[at]), labels(right, mistakes, at))
        if (layer, channel) in STAIRCASES:
            rows += map(row, both_sides(right, 2))
        shown += [row(at) for at in where_shown(right, {name: wrong for name, wrong in mistakes.items() if name != "truncate"})
                  if abs(int(right[at])) < 127]
    for name in MISTAKES:  # few of each, over all layers
        of_mistake = [row for row in shown if name in row[-1].split()]
        rows += of_mistake[::max(len(of_mistake) // PER_MISTAKE, 1)][:PER_MISTAKE]
    for m, z in CONSTRUCTED:
        acc = around_ties(m, -2**31, 2**31 - 1, sides=range(-16, 17))
        right, mistakes = requantize(acc, m, z)
        rows += [("constructed", "", int(acc[at]), bits(m), z, int(right[at]), labels(right, mistakes, at))
                 for at in np.union1d(where_shown(right, mistakes, 4), [0, acc.size - 1])]
    for (factor, m), z in zip(product_ties(range(1001, 4001, 2)), (0, -27, 5, 0, -27)):
        acc = np.array([-factor, factor])
        right, mistakes = requantize(acc, m, z)
        rows += [("constructed", "", int(acc[at]), bits(m), z, int(right[at]), labels(right, mistakes, at)) for at in range(2)]
    return "layer,channel,acc,multiplier,zero_point,q,catches".split(","), unique(rows)


def multiplier_rows():
    rows = []
    tied = [("constructed", "", F(odd / 2**16), F(4097 / 2**19), F(0.05), -27, -2**23, 2**23) for odd in range(4097, 4397, 4)]  # s_x * s_w lies between two float32s
    for layer, channel, *scales, z, least, greatest in channels() + tied:
        acc = around_ties(multiplier(*scales), least, greatest)
        right, mistakes = requantize_with_scales(*scales, acc, z)
        every = requantize(acc, multiplier(*scales), z)[1] | mistakes
        rows += [(layer, channel, *map(bits, scales), bits(multiplier(*scales)), int(acc[at]), z, int(right[at]), labels(right, every, at))
                 for at in where_shown(right, mistakes, 1)]
    few = []
    for name in mistakes:  # those of the multiplier choose the rows; a row names all that it shows
        of_mistake = [row for row in rows if name in row[-1].split()]
        few += of_mistake[::max(len(of_mistake) // PER_MISTAKE, 1)][:PER_MISTAKE]
    return "layer,channel,x_scale,w_scale,y_scale,multiplier,acc,zero_point,q,catches".split(","), unique(few)


def quantize_rows():
    rows = []
    sources = [(name, tensors()[f"{name}_scale"][()], int(tensors()[f"{name}_zero_point"])) for name in ("logits", "block3.bn2", "image")]
    for source, scale, z in [*sources, ("constructed", F(1), -27), ("constructed", F(0.1), 5), ("constructed", F(1.25 * 2.0**-126), 5)]:
        ties = (np.arange(-300, 300, dtype=F) + F(0.5)) * scale
        x = np.unique(np.concatenate([ties, np.nextafter(ties, F(-np.inf)), np.nextafter(ties, F(np.inf)), F([-np.inf, -1e30, 0, 1e30, np.inf])]))
        x = np.append(x, NANS)
        right, mistakes = quantize(x, scale, z)
        chosen = np.union1d(where_shown(right, mistakes), np.flatnonzero(~np.isfinite(x) | (np.abs(x) > 1e29)))
        if scale < F(1e-37):  # what only small numbers show
            chosen = where_shown(right, {"": mistakes["flush-to-zero"]})
        rows += [(source, bits(x[at]), bits(scale), z, int(right[at]), labels(right, mistakes, at)) for at in chosen]
    return "tensor,x,scale,zero_point,q,catches".split(","), unique(rows)


def pool_rows():
    rows, shown = [], set()
    def take(source, x_scale, y_scale, pixels, z, x_zero=-128, every=None):
        """All mistakes, and every so many steps; or the mistakes that no row has shown."""
        acc = np.arange((-128 - x_zero) * pixels, (127 - x_zero) * pixels + 1)
        right, mistakes = pool(x_scale, y_scale, pixels, acc, z)
        wanted = mistakes if every else {name: wrong for name, wrong in mistakes.items() if name not in shown and (wrong != right).any()}
        shown.update(name for name, wrong in wanted.items() if (wrong != right).any())
        chosen = np.union1d(both_sides(right, every) if every else [], where_shown(right, wanted) if wanted else []).astype(int)
        rows.extend((source, bits(x_scale), bits(y_scale), pixels, bits(x_scale / (y_scale * F(pixels))), int(acc[at]), z, int(right[at]),
                     labels(right, mistakes, at)) for at in chosen)
    take("pool", tensors()["block3.relu2_scale"][()], tensors()["pool_scale"][()], 64, int(tensors()["pool_zero_point"]), every=4)
    take("constructed", F(0.5), F(0.25), 64, -27, every=8)
    take("constructed", F(0.05), F(0.3), 49, -27, every=8)
    take("constructed", F(0.07), F(0.3), 36, 4, x_zero=0)  # negative sums
    for _, m in product_ties(range(1001, 16001, 2)):
        take("constructed", m, F(1 / 64), 64, -27)
    for k in range(31, 100):
        take("constructed", F(0.05), F(k / 100), 49, -27)
    return "step,x_scale,y_scale,pixels,multiplier,acc,zero_point,q,catches".split(","), unique(rows)


PAIRS = np.meshgrid(np.arange(-128, 128), np.arange(-128, 128), indexing="ij")


def add_rows():
    rows, missing = [], None
    def take(source, parameters, limit, whole=True):
        """Rows that show mistakes: of the network or `whole` all of them, else those that no row has shown."""
        nonlocal missing
        a, b = (side.ravel() for side in PAIRS)
        right, mistakes = add(*parameters, a, b)
        missing = set(mistakes) if missing is None else missing
        found = {name for name in missing if (mistakes[name] != right).any()}
        exact = (np.float64(parameters[0]) * (a - parameters[1]) + np.float64(parameters[2]) * (b - parameters[3])) / np.float64(parameters[4])
        inside = (right > -128) & (right < 127)
        nearest = np.argsort(np.where(inside, np.abs(exact - np.floor(exact) - 0.5), 1), kind="stable")[:24] if source != "constructed" else []
        if source == "constructed" and not found:
            return
        missing -= found
        wanted = mistakes if whole else {name: mistakes[name] for name in found}
        chosen = np.union1d(where_shown(right, wanted, limit), nearest).astype(int)
        rows.extend((source, *(bits(p) if isinstance(p, F) else p for p in parameters), int(a[at]), int(b[at]), int(right[at]),
                     labels(right, mistakes, at)) for at in chosen)
    for step in steps().values():
        if step["kind"] == "addition":
            names = step["operations"][0]["inputs"]
            take(step["name"], [value if value.dtype == F else int(value) for value in (tensors()[names[k]][()] for k in (1, 2, 4, 5, 6, 7))], 3)
    take("constructed", [F(0.5), 3, F(0.25), -7, F(1), -27], 6)  # true ties
    take("constructed", [F(2.9), 3, F(0.25), -7, F(0.01), -27], 3, whole=False)  # sums of 17 bits
    for _, m in product_ties(range(3, 128, 2)):
        take("constructed", [F(0.5), 0, m, 0, F(1), 0], 12, whole=False)
    for kc, ka, kb in itertools.product(range(6, 60, 4), range(3, 40, 4), range(1, 40, 6)):
        if not missing:
            break
        take("constructed", [F(ka) / F(100), 3, F(kb) / F(100), -7, F(kc) / F(100), -27], 6, whole=False)
    assert not missing, missing
    return "addition,a_scale,a_zero_point,b_scale,b_zero_point,c_scale,c_zero_point,a,b,c,catches".split(","), unique(rows)


# A judge's word on every row.

def value(bits):
    return np.uint32(int(bits, 16)).view(F)


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def run_octet(model, feeds):
    folder = temporary_folder()
    onnx.save(model, folder / "rows.onnx")
    np.savez(folder / "rows.npz", **feeds)
    octet("run", folder / "rows.onnx", "--input", folder / "rows.npz", "--output", folder / "y.npz")
    with np.load(folder / "y.npz") as results:
        return dict(results)


def differing(name, rows, run=run_octet):
    """The rows of file `name` whose last but one column is not what run(model, inputs) says. The model has one node for all rows
    that share their parameters."""
    _, key, make = FILES[name]
    nodes, feeds, constants, groups = [], {}, [], {}
    for number, (shared, group) in enumerate(grouped(rows, key).items()):
        operator, inputs, attributes = make(shared, group)
        names = [f"{number}.{k}" for k in range(len(inputs))]
        for k, (name, array) in enumerate(zip(names, map(np.asarray, inputs))):
            if k == 0 or (operator == "QLinearAdd" and k == 3):
                feeds[name] = array
            else:
                constants.append(numpy_helper.from_array(array, name))
        domain = "com.microsoft" if operator in ("QGemm", "QLinearAdd", "QLinearGlobalAveragePool") else ""
        nodes.append(helper.make_node(operator, names, [f"{number}.y"], domain=domain, **attributes))
        groups[f"{number}.y"] = group
    info = lambda name, array: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
    graph = helper.make_graph(nodes, "rows", [info(name, array) for name, array in feeds.items()],
                              [helper.make_tensor_value_info(name, onnx.TensorProto.INT8, None) for name in groups], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    results = run(helper.make_model(graph, opset_imports=opsets, ir_version=8), feeds)
    return [row for name, group in groups.items() for row, result in zip(group, results[name].ravel().tolist()) if result != row[-2]]


ZERO, BYTE = np.int8(0), np.int8


def floats(rows, column):
    return np.array([value(row[column]) for row in rows], F)


def requantize_node(z, rows):  # the bias is the accumulator, the scale of a column its multiplier
    n = len(rows)
    return "QGemm", [np.zeros((1, 1), BYTE), F(1), ZERO, np.zeros((n, 1), BYTE), floats(rows, 3), np.zeros(n, BYTE),
                     np.array([row[2] for row in rows], np.int32), F(1), BYTE(z)], {"transB": 1}


def multiplier_node(key, rows):
    x_scale, y_scale, z = key
    n = len(rows)
    return "QLinearConv", [np.zeros((1, 1, 1, 1), BYTE), value(x_scale), ZERO, np.zeros((n, 1, 1, 1), BYTE), floats(rows, 3), np.zeros(n, BYTE),
                           value(y_scale), BYTE(z), np.array([row[6] for row in rows], np.int32)], {"kernel_shape": [1, 1]}


def pool_node(key, rows):
    x_scale, y_scale, pixels, z = key
    acc = np.array([row[5] for row in rows])[:, None]
    x_zero = 0 if (acc < 0).any() else -128
    x = acc // pixels + (np.arange(pixels) < acc % pixels) + x_zero
    return "QLinearGlobalAveragePool", [x.astype(BYTE).reshape(-1, 1, 1, pixels), value(x_scale), BYTE(x_zero), value(y_scale), BYTE(z)], {"channels_last": 0}


def add_node(key, rows):
    parameters = [value(p) if isinstance(p, str) else BYTE(p) for p in key]
    a, b = (np.array([row[k] for row in rows] * 2, BYTE) for k in (7, 8))  # twice: of one element the operands are exchanged
    return "QLinearAdd", [a, *parameters[:2], b, *parameters[2:]], {}


FILES = {
    "quantize.csv": (quantize_rows, lambda row: row[2:4], lambda key, rows: ("QuantizeLinear", [floats(rows, 1), value(key[0]), BYTE(key[1])], {})),
    "requantize.csv": (requantize_rows, lambda row: row[4], requantize_node),
    "multiplier.csv": (multiplier_rows, lambda row: (row[2], row[4], row[7]), multiplier_node),
    "pool.csv": (pool_rows, lambda row: (*row[1:4], row[6]), pool_node),
    "add.csv": (add_rows, lambda row: row[1:7], add_node),
}


@functools.cache
def vectors(name):
    """The columns and the rows of a file, confirmed."""
    with np.errstate(invalid="ignore", over="ignore"):
        columns, rows = FILES[name][0]()
    assert not differing(name, rows), differing(name, rows)
    return columns, rows


def directed_files():
    return {f"quantization/vectors/{name}": "".join(",".join(map(str, row)) + "\n" for row in [columns, *rows])
            for name, (columns, rows) in ((name, vectors(name)) for name in FILES)}


def cells(name, *wanted):
    """The cells of some columns, row after row, as one array: float32 if they are floats, else int32."""
    columns, rows = vectors(name)
    found = [row[columns.index(column)] for row in rows for column in wanted]
    return np.array([value(cell) for cell in found], F) if isinstance(found[0], str) else np.int32(found)


def caught(name, mistake):
    """The rows of a file that a mistake gets wrong."""
    return [row for row in vectors(name)[1] if mistake in row[-1].split()]
