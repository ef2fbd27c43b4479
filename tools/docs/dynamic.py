"""docs/quantization/vectors/dynamic.csv: whole tensors, the parameters that dynamic quantization finds for them, and their bytes.

Three kinds of it: `uint8` is DynamicQuantizeLinear, `asymmetric` and `symmetric` are the int8 equations of chapter 6. Octet
confirms every row; tests/docs/vectors_test.py computes them with exact fractions, makes the mistakes, and asks ONNX Runtime.
"""

import functools

import numpy as np
import onnx
from onnx import helper, numpy_helper

from directed import NANS, QUIET, bits, run_octet, toward_zero, value

F = np.float32
NAN, INF = F(np.nan), F(np.inf)
COLUMNS = "kind,x,scale,zero_point,q,catches".split(",")

MISTAKES = {
    "zero-left-out": "the range is that of x alone, without 0",
    "tail-left-out": "the range is that of whole groups of 8, of fewer than 8 that of all",
    "not-clamped": "the zero point is not clamped before its lowest 8 bits are kept",
    "scale-of-zero": "a range that is 0 has scale 0",
    "range-not-rounded": "hi - lo is not rounded to float32 before it is divided",
    "scale-rounded-twice": "a scale that is subnormal is rounded to 24 bits, and then to those that it has",
    "over-256": "divided by 256 steps (symmetric: by 128)",
    "reciprocal": "x times the rounded reciprocal of the scale",
    "quotient-not-rounded": "x / s keeps more bits than float32 has",
    "quotient-truncated": "lo / s and x / s are rounded toward zero to float32",
    "difference-truncated": "the difference that becomes the zero point is rounded toward zero to float32",
    "zero-point-before": "the zero point is added in float32, before rounding",
    "truncate": "the fraction of the zero point and of x / s is dropped",
    "ties-away": "ties of the zero point and of x / s go away from zero",
    "nan-otherwise": "NaN in x makes the scale NaN where it is left out (uint8), is left out where it does (int8)",
    "nan-by-one-pattern": "7fc00000 alone is taken for NaN, others for infinities of their sign",
    "nan-is-lowest": "a zero point that is NaN becomes the lowest byte",
    "zero-point-rounded-once": "the zero point is rounded to an integer alone: lo / s and the difference keep more bits than float32 has",
    "flush-to-zero": "float32 operands and results that are subnormal become 0",
}


def low(kind):
    return 0 if kind == "uint8" else -128


# Tensors on which units that passed all others were wrong, by kind
MET = {
    "uint8": ("3f800000 9f800000", "3f800001 b3c00000", "3fffffff b3800000", "7f7fffff f3000000 3f800000", "bf000001 437e8000", "047f0000 00600000", "80600000 047e4000",
              "ff800000 ffc00000 00000000"),
    "asymmetric": ("bfbfffe0 437d8000", "c0200020 437c8000", "7f800002 3f800000", "7f810000 3f800000"),
    "symmetric": ("42fe0000 3f000001", "80000080", "3f800001 bf800000"),
}


def scale_of(span, steps, twice=False):
    """span / steps in float32; or rounded to 24 bits, and then as float32 has it."""
    lift = 2.0**64 if twice and span < 1 else 1.0
    return F(np.float64(F(np.float64(span) * lift / steps)) / lift)


def quotient(x, scale, mistake=""):
    """x / s, as float32 or as float64 with one mistake."""
    exact = np.float64(x) / np.float64(scale)
    return {"quotient-not-rounded": exact, "quotient-truncated": toward_zero(exact)}.get(mistake, x / scale)


def zero_point_of(bottom, lo, scale, mistake="", flushed=lambda v: v):
    """The zero point before it is clamped and rounded."""
    if mistake == "zero-point-rounded-once":
        return bottom - np.float64(lo) / np.float64(scale)
    steps = flushed(quotient(lo, scale, mistake if mistake == "quotient-truncated" else ""))
    return toward_zero(bottom - np.float64(steps)) if mistake == "difference-truncated" else F(bottom) - steps


def found(kind, x, mistake=""):
    """Scale, zero point and bytes of x, right or with one mistake."""
    flushed = (lambda v: np.where(np.abs(v) < np.finfo(F).tiny, F(0), v)[()]) if mistake == "flush-to-zero" else lambda v: v
    if mistake == "nan-by-one-pattern":
        x = np.where(np.isnan(x) & (x.view(np.uint32) != QUIET), np.copysign(INF, x), x)
    x = flushed(x)
    ignored = (kind == "uint8") != (mistake == "nan-otherwise")
    ranged = x[:x.size // 8 * 8 or None] if mistake == "tail-left-out" else x
    ranged = ranged[~np.isnan(ranged)] if ignored else ranged
    bottom, nothing, twice = low(kind), F(0 if mistake == "scale-of-zero" else 1), mistake == "scale-rounded-twice"
    rounding = {"truncate": np.trunc, "ties-away": lambda t: np.copysign(np.floor(np.abs(np.float64(t)) + 0.5), t)}.get(mistake, np.rint)
    if kind == "symmetric":
        largest = F(np.max(np.abs(ranged), initial=0))
        scale, zero = flushed(scale_of(largest, 128 if mistake == "over-256" else 127, twice)), 0
        scale = nothing if scale == 0 else scale
    else:
        inside = {} if mistake == "zero-left-out" and ranged.size else {"initial": 0}
        lo, hi = F(np.min(ranged, **inside)), F(np.max(ranged, **inside))
        span = np.float64(hi) - np.float64(lo) if mistake == "range-not-rounded" else hi - lo
        scale = flushed(scale_of(flushed(span), 256 if mistake == "over-256" else 255, twice))
        if lo == hi if kind == "uint8" else scale == 0:
            scale = nothing
        t = zero_point_of(bottom, lo, scale, mistake, flushed)
        if np.isnan(t):
            zero = bottom if mistake == "nan-is-lowest" else 255 if kind == "uint8" else 0
        elif mistake == "not-clamped":
            zero = int(np.int64(np.clip(rounding(t), -2.0**31, 2.0**31)) - bottom) % 256 + bottom
        else:
            zero = int(rounding(np.clip(t, bottom, bottom + 255)))
    t = x * (F(1) / scale) if mistake == "reciprocal" else quotient(x, scale, mistake)
    before = mistake == "zero-point-before"
    t = np.where(np.isnan(t), -np.inf, t + F(zero) if before else t)
    q = rounding(np.clip(t, bottom - zero * (not before), bottom + 255 - zero * (not before))).astype(np.int64) + zero * (not before)
    return bits(NAN if np.isnan(scale) else scale), zero, " ".join(map(str, q))


def inputs(kind):
    """What a kind is tried with: what it must take, and what may show a mistake."""
    least, rng = F(2.0**-149), np.random.default_rng(6)
    special = [[0, 0, 0], [-0.0, 0], [5], [-5], [1, 2, 3, 4], [-1, -2, -3, -4], [2, 5.1], [-1, 4, 0], [-1.5, 253.5, 0.5, 2.5], [-126.5, 128.5, 0.5, 1.5], [127, 0.5, 2.5, -1.5],
               [0.5] * 8 + [-3] + [1] * 7 + [4], [1] * 32 + [-7],
               [NAN, 1, -2, 3], [1, -2, NAN, 3], [1, 2, 3, NAN], [NAN, NAN], *([nan, 1, -2] for nan in NANS[1:]),
               [1, 2, -3, INF], [1, -INF, 2, 3], [INF, -INF, 1, 0], [INF, 0], [-INF, 0], [INF, NAN, 1, -1], [3e38, -3e38, 1], [3e38, 2e38, 0],
               [least, 0], [-least, 0], [3 * least, -least, 0], [-357 * least, 0, 100 * least / 100], [2e-43, -2e-43, 0, 1e-43], [1e-40, 5e-40, -2e-40], [1e-36, 0],
               # a tie in float32, and none without its roundings: -128 - lo / s, the last x / s, lo / s; and a subnormal scale that two roundings take elsewhere
               *([value(cell) for cell in cells.split()] for cells in ("bd02957c 3fb91e19", "bfeb9026 3ffae0bf 3f1e54ef", "bf323867 3f8b433a", "00ff0080"))]
    special += [[value(cell) for cell in cells.split()] for cells in MET[kind]]
    spread = [rng.normal(rng.normal(), 1, size).astype(F) * F(10.0 ** rng.uniform(-4, 4)) for size in (3, 4, 5, 7, 8, 9, 12, 16, 17) for _ in range(12)]
    return [np.array(x, F) for x in special], spread + between_subnormals(kind, rng) + (near_zero_points(kind, rng) if kind != "symmetric" else []) + near_ties(kind, rng)


def between_subnormals(kind, rng):
    """Scales that two roundings take elsewhere than one."""
    steps = 127 if kind == "symmetric" else 255
    x = F(rng.uniform(2.0**-132, 2.0**-126, 2000) * steps)
    return [np.array([one]) for one in x if scale_of(one, steps) != scale_of(one, steps, twice=True)][:2]


def near_zero_points(kind, rng):
    """Ranges whose zero point is a tie, or would be without a rounding or with another."""
    lo, hi = F(rng.uniform(-1, 0, 1 << 21) ** 3), F(rng.uniform(0, 1, 1 << 21))
    scale, bottom = (hi - lo) / F(255), low(kind)
    right = np.rint(zero_point_of(bottom, lo, scale))
    shown = [np.flatnonzero(np.rint(zero_point_of(bottom, lo, scale, mistake)) != right)[:3] for mistake in ("zero-point-rounded-once", "quotient-truncated", "difference-truncated")]
    return [np.array([lo[at], hi[at]]) for at in np.concatenate(shown)]


def near_ties(kind, rng):
    """Tensors with an element whose quotient float32 rounds to a tie."""
    lo, hi = F(rng.uniform(-1, -0.5, (2000, 1))), F(rng.uniform(1, 2, (2000, 1)))
    scale = hi / F(127) if kind == "symmetric" else (hi - lo) / F(255)
    x = F((np.arange(-60, 120) + 0.5) * scale)
    right = np.rint(quotient(x, scale))
    shown = [np.argwhere(np.rint(quotient(x, scale, mistake)) != right)[::50][:3] for mistake in ("quotient-not-rounded", "quotient-truncated")]
    return [np.array([lo[row, 0], hi[row, 0], x[row, column]]) for row, column in np.concatenate(shown)]


def rows():
    chosen = []
    for kind in ("uint8", "asymmetric", "symmetric"):
        (special, spread), shown = inputs(kind), {}
        for number, x in enumerate(special + spread):
            right = found(kind, x)
            catches = [name for name in MISTAKES if found(kind, x, name) != right]
            if number < len(special) or any(shown.get(name, 0) < 3 for name in catches):
                chosen.append((kind, " ".join(map(bits, x)), *right, " ".join(catches)))
                for name in catches:
                    shown[name] = shown.get(name, 0) + 1
    return chosen


def nodes(kind, number):
    """What chapter 6 computes at run time, as nodes: x to s, z and q."""
    def n(operator, operands, result, **attributes):
        return helper.make_node(operator, [name if name in CONSTANTS else f"{number}.{name}" for name in operands], [f"{number}.{result}"], **attributes)
    def chosen(scale):
        return [n("Equal", [scale, "zero"], "nothing"), n("Where", ["nothing", "one", scale], "s")]
    if kind == "uint8":
        return [helper.make_node("DynamicQuantizeLinear", [f"{number}.x"], [f"{number}.{name}" for name in "qsz"])]
    if kind == "symmetric":
        return [n("Abs", ["x"], "size"), n("ReduceMax", ["size"], "largest", keepdims=0), n("Div", ["largest", "127"], "quotient"), *chosen("quotient"),
                n("QuantizeLinear", ["x", "s", "zero_byte"], "q")]
    return [n("ReduceMin", ["x"], "min", keepdims=0), n("Min", ["min", "zero"], "lo"), n("ReduceMax", ["x"], "max", keepdims=0), n("Max", ["max", "zero"], "hi"),
            n("Sub", ["hi", "lo"], "range"), n("Div", ["range", "255"], "quotient"), *chosen("quotient"), n("Div", ["lo", "s"], "steps"),
            n("Sub", ["-128", "steps"], "offset"), n("Clip", ["offset", "-128", "127"], "clamped"), n("Round", ["clamped"], "rounded"),
            n("Cast", ["rounded"], "z", to=onnx.TensorProto.INT8), n("QuantizeLinear", ["x", "s", "z"], "q")]


CONSTANTS = {"zero": F(0), "one": F(1), "127": F(127), "255": F(255), "-128": F(-128), "zero_byte": np.int8(0)}


def differing(some, run=run_octet):
    """The rows of which run(model, inputs) says something else. The model has the nodes of all of them."""
    feeds = {f"{number}.x": np.array([int(cell, 16) for cell in row[1].split()], np.uint32).view(F) for number, row in enumerate(some)}
    results = [(f"{number}.{name}", kind) for number, row in enumerate(some) for name, kind in
               (("s", onnx.TensorProto.FLOAT), ("z", byte(row[0])), ("q", byte(row[0]))) if (row[0], name) != ("symmetric", "z")]
    every = [node for number, row in enumerate(some) for node in nodes(row[0], number)]
    read = {name for node in every for name in node.input}
    graph = helper.make_graph(every, "rows",
                              [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, array.shape) for name, array in feeds.items()],
                              [helper.make_tensor_value_info(name, kind, None) for name, kind in results],
                              [numpy_helper.from_array(np.array(value), name) for name, value in CONSTANTS.items() if name in read])
    got = run(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), feeds)
    def of(number):
        scale, zero, q = (got.get(f"{number}.{name}", 0) for name in "szq")
        return "7fc00000" if np.isnan(scale) else bits(scale), int(zero), " ".join(map(str, q))
    return [row for number, row in enumerate(some) if of(number) != (row[2], int(row[3]), row[4])]


def byte(kind):
    return onnx.TensorProto.UINT8 if kind == "uint8" else onnx.TensorProto.INT8


@functools.cache
def vectors():
    """The rows, confirmed."""
    with np.errstate(all="ignore"):
        some = rows()
    assert not differing(some), differing(some)
    return some


def files():
    return {"vectors/dynamic.csv": "".join(",".join(map(str, row)) + "\n" for row in [COLUMNS, *vectors()])}


def mistakes(table):
    """Rows of each kind that catch each mistake."""
    kinds = ("uint8", "asymmetric", "symmetric")
    return table(["mistake", "what it is", *(f"{kind}:" for kind in kinds)],
                 [(f"`{name}`", what, *(sum(row[0] == kind and name in row[-1].split() for row in vectors()) or "" for kind in kinds))
                  for name, what in MISTAKES.items()])
