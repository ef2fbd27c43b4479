"""Tables of docs/quantization/vectors/ for operators beyond ResNet8's: dequantize, multiply, concat, softmax, sum.

Each has an operation, right and with mistakes that are often made, on bytes and parameters on which the mistakes show. Octet confirms
every row; tests/docs/operator_vectors_test.py computes them with exact fractions, makes the mistakes, and asks ONNX Runtime.
"""

import functools
import itertools

import numpy as np
import onnx
from onnx import helper, numpy_helper

from directed import away, bits, finished, float32_ties_away, product_ties, run_octet, toward_zero, up, value, wrapped, wrapped_to

F = np.float32
BYTES = np.arange(-128, 128)
TINY = np.finfo(F).tiny

MISTAKES = {
    "truncate": "the fraction is dropped",
    "ties-away": "ties go away from zero",
    "ties-up": "ties go up: floor(t + 1/2)",
    "wrap": "not saturated: the lowest 8 bits are kept",
    "unsigned": "bytes are read as unsigned",
    "difference-wraps": "the byte less its zero point keeps 8 bits",
    "zero-point-left-out": "bytes are multiplied as they are, zero points not subtracted",
    "zero-point-before": "the zero point is added in float32, before rounding",
    "zero-point-after": "the zero point is added to the rounded product",
    "scaled-first": "q * s - z * s, each product rounded",
    "product-truncated": "the product is rounded toward zero to float32",
    "product-not-rounded": "the product keeps more bits than float32 has",
    "product-ties-away": "the product is rounded to float32 with ties away from zero",
    "flush-to-zero": "float32 operands and results that are subnormal become 0",
    "reciprocal": "a product with the rounded reciprocal instead of a division",
    "b-over-c-first": "s_a * (s_b / s_c)",
    "rounded-once": "the multiplier is computed exactly and rounded once",
    "multiplier-first": "a product with the rounded quotient of the two scales",
    "copied": "the byte is copied, whatever the scales",
    "divided-first": "the exponential is divided by the sum, then multiplied by the steps",
    "steps-not-floored": "1 / s_y is not rounded down to whole steps",
    "scale-left-out": "the exponential of the byte, not of byte times scale",
    "base-two": "powers of 2 instead of e",
    "x-zero-point-left-out": "the zero point of x is not subtracted",
    "w-zero-point-left-out": "the zero point of w is not subtracted",
    "start-left-out": "the sum begins at 0",
    "product-wraps": "products keep 16 bits",
    "sum-truncated": "the sum of product and zero point is rounded toward zero to float32",
    "sum-10-bits": "the rounded sum keeps 10 bits before it saturates",
    "sum-16-bits": "the rounded sum keeps 16 bits before it saturates",
    "tail-left-out": "of a list only whole groups of 8 are added, a shorter list whole",
    "pairs-saturate": "pairs of products of uint8 (x + 128) and int8 saturate at 16 bits",
    "acc-16-bits": "the accumulator keeps 16 bits",
    "acc-saturates": "the accumulator saturates at 32 bits, where it wraps",
}


def flushed(x):
    return np.where(np.abs(x) < TINY, F(0), x)


# The operations: operands as the tables have them, arrays where a table has many rows of the same parameters.

def dequantize(scale, z, q):
    return F(q - z) * scale, {
        "zero-point-left-out": F(q) * scale, "difference-wraps": F(wrapped(q - z)) * scale, "unsigned": F(q % 256 - z % 256) * scale,
        "scaled-first": F(q) * scale - F(z) * scale, "product-truncated": toward_zero((q - z) * np.float64(scale)),
        "product-ties-away": float32_ties_away((q - z) * np.float64(scale)),
        "flush-to-zero": flushed(F(q - z) * flushed(scale))}


def multiply(a_scale, a_zero, b_scale, b_zero, c_scale, c_zero, a, b):
    acc = (a - a_zero) * (b - b_zero)
    def result(multiplier, rounding=np.rint, of=acc):
        return finished(F(of) * multiplier + F(c_zero), 0, rounding)
    m, exact = a_scale * b_scale / c_scale, np.float64(a_scale) * np.float64(b_scale) / np.float64(c_scale)
    return result(m), {
        "truncate": result(m, np.trunc), "ties-away": result(m, away), "ties-up": result(m, up), "wrap": wrapped(np.rint(F(acc) * m + F(c_zero))),
        "zero-point-left-out": result(m, of=a * b), "zero-point-after": finished(F(acc) * m, c_zero), "reciprocal": result(a_scale * b_scale * (F(1) / c_scale)),
        "b-over-c-first": result(a_scale * (b_scale / c_scale)), "rounded-once": result(F(exact)), "product-not-rounded": finished(acc * np.float64(m) + c_zero, 0),
        "product-wraps": result(m, of=wrapped_to(16, acc)), "sum-truncated": finished(toward_zero(np.float64(F(acc) * m) + c_zero), 0),
        **{f"sum-{width}-bits": finished(wrapped_to(width, np.rint(F(acc) * m + F(c_zero))), 0) for width in (10, 16)}}


def concat(x_scale, x_zero, y_scale, y_zero, x):
    real = F(x - x_zero) * x_scale
    t = real / y_scale
    return finished(t, y_zero), {
        "truncate": finished(t, y_zero, np.trunc), "ties-away": finished(t, y_zero, away), "ties-up": finished(t, y_zero, up), "wrap": wrapped(np.rint(t) + y_zero),
        "zero-point-left-out": finished(F(x) * x_scale / y_scale, y_zero), "difference-wraps": finished(F(wrapped(x - x_zero)) * x_scale / y_scale, y_zero),
        "zero-point-before": finished(t + F(y_zero), 0), "reciprocal": finished(real * (F(1) / y_scale), y_zero),
        "multiplier-first": finished(F(x - x_zero) * (x_scale / y_scale), y_zero), "product-not-rounded": finished((x - x_zero) * np.float64(x_scale) / np.float64(y_scale), y_zero),
        "product-ties-away": finished(float32_ties_away((x - x_zero) * np.float64(x_scale)) / y_scale, y_zero), "copied": x}


def softmax(x_scale, y_scale, y_zero, x):
    def result(how=""):
        scale = 1.0 if how == "scale-left-out" else np.float64(x_scale)
        shift = max(0.0, np.float64(F(np.log(np.finfo(F).max / F(x.size)))) - 5) / scale
        powers = ((x - x.max()) + shift) * scale
        e = F(np.exp2(powers) if how == "base-two" else np.exp(powers))
        total = functools.reduce(lambda a, b: a + b, e, F(0))
        steps = F(1) / y_scale if how == "steps-not-floored" else np.floor(F(1) / y_scale)
        t = e / total * steps if how == "divided-first" else e * steps * (F(1) / total) if how == "reciprocal" else e * steps / total
        if how == "wrap":
            return wrapped(np.rint(t) + y_zero)
        return finished(t, y_zero, {"truncate": np.trunc, "ties-away": away, "ties-up": up}.get(how, np.rint))
    return result(), {how: result(how) for how in ("truncate", "ties-away", "ties-up", "wrap", "divided-first", "reciprocal", "steps-not-floored", "scale-left-out", "base-two")}


def total(x_zero, w_zero, start, x, w):
    def of(products, begin=start):
        return wrapped_to(32, begin + int(np.sum(products)))
    products, unsigned = (x - x_zero) * (w - w_zero), (x + 128) * w
    pairs = [min(max(int(unsigned[k:k + 2].sum()), -2**15), 2**15 - 1) for k in range(0, x.size, 2)]
    running = start
    for product in products:
        running = min(max(running + int(product), -2**31), 2**31 - 1)
    return of(products), {
        "x-zero-point-left-out": of(x * (w - w_zero)), "w-zero-point-left-out": of((x - x_zero) * w), "start-left-out": of(products, 0),
        "unsigned": of((x % 256 - x_zero) * (w - w_zero)), "difference-wraps": of(wrapped(x - x_zero) * (w - w_zero)), "product-wraps": of(wrapped_to(16, products)),
        "pairs-saturate": of(np.array([*pairs, -(x_zero + 128) * int(w.sum()), -w_zero * int((x - x_zero).sum())])),
        "tail-left-out": of(products[:x.size // 8 * 8 or None]), "acc-16-bits": wrapped_to(16, start + int(products.sum())), "acc-saturates": running}


# Rows: parameters, operands, the result, and what it catches.

def where_shown(right, mistakes, limit):
    return np.unique(np.concatenate([np.flatnonzero(wrong != right)[:limit] for wrong in mistakes.values()])).astype(int)


def caught(right, mistakes, at=...):
    return " ".join(name for name, wrong in mistakes.items() if np.any(wrong[at] != right[at]))


def cells(parameters):
    return tuple(bits(p) if isinstance(p, F) else p for p in parameters)


def dequantize_rows():
    rows = []
    for scale, z in ((F(0.1), 5), (F(0.075566255), -45), (F(0.003921569), -128), (F(3 * 2.0**-149), -27), (F(1.3e-38), 100), (F(3e38), 0), (F(1), 127), (F(1 + 3 * 2.0**-23), 0)):
        right, mistakes = dequantize(scale, z, BYTES)
        right, mistakes = right.view(np.uint32), {name: F(wrong).view(np.uint32) for name, wrong in mistakes.items()}
        rows += [(bits(scale), z, int(BYTES[at]), f"{right[at]:08x}", caught(right, mistakes, at)) for at in np.union1d(where_shown(right, mistakes, 2), [0, z + 128, 255])]
    return rows


def multiply_rows():
    a, b = (side.ravel() for side in np.meshgrid(BYTES, BYTES, indexing="ij"))
    rows, shown = [], set()
    chosen = [(F(0.5), 3, F(0.25), -7, F(1), -27), (F(0.02), -128, F(0.03), 0, F(0.07), 5), (F(0.0235), 4, F(0.0078125), -128, F(0.011), -128),
              (F(0.02), -128, F(0.03), -128, F(0.2), 5), (F(3), 3, F(2), -7, F(0.5), -27)]
    for p in chosen + [(F(ka) / F(100), 3, F(kb) / F(100), -7, F(kc) / F(10), -27) for kc in range(3, 60, 4) for ka in range(3, 40, 6) for kb in range(5, 40, 6)]:
        right, mistakes = multiply(*p, a, b)
        found = {name for name, wrong in mistakes.items() if (wrong != right).any()}
        if p not in chosen and found <= shown:
            continue
        wanted = {name: wrong for name, wrong in mistakes.items() if p in chosen or name not in shown}
        shown |= found
        rows += [(*cells(p), int(a[at]), int(b[at]), int(right[at]), caught(right, mistakes, at)) for at in where_shown(right, wanted, 2)]
    return rows


def concat_rows():
    rows = []
    for p in ((F(0.5), 3, F(1), -27), (F(0.1), 5, F(0.1), 5), (F(0.05), -128, F(0.3), 4), (F(0.9), 10, F(0.2), -7), (F(0.07), 0, F(0.02), -128), (F(0.0235), 4, F(0.0047), 100),
              (F(0.15), 0, F(0.1), 1), *((m, 0, F(1), -27) for _, m in itertools.islice(product_ties(range(3, 128, 2)), 1))):
        right, mistakes = concat(*p, BYTES)
        rows += [(*cells(p), int(BYTES[at]), int(right[at]), caught(right, mistakes, at)) for at in np.union1d(where_shown(right, mistakes, 2), [0, 255]).astype(int)]
    return rows


def softmax_rows():
    rng, rows, shown = np.random.default_rng(8), [], {}
    plain = [(F(0.1), [7] * 4), (F(0.1), [127, 127]), (F(0.5), [-128, 127]), (F(2), [1, 2, 3, 127, 127]), (F(0.02), [-128, -128, -127])]
    tried = [(scale, F(1 / 256), -128, np.array(x)) for scale, x in plain]
    tried += [(F(0.1), F(1 / (steps + 0.5)), -100, np.full(length, 5)) for length in (2, 6) for steps in range(3, 100, 2)]  # ties, where nothing is rounded
    tried += [(F(rng.uniform(0.01, 0.5)), F(rng.choice([1 / 256, 0.0047])), -128, rng.integers(-128, 128, rng.integers(2, 11)) // rng.integers(1, 9)) for _ in range(6000)]
    for number, (scale, y_scale, z, x) in enumerate(tried):
        right, mistakes = softmax(scale, y_scale, z, x)
        names = caught(right, mistakes)
        if number < len(plain) or any(shown.get(name, 0) < 4 for name in names.split()):
            rows.append((bits(scale), bits(y_scale), z, " ".join(map(str, x)), " ".join(map(str, right)), names))
            for name in names.split():
                shown[name] = shown.get(name, 0) + 1
    return rows


def sum_rows():
    rng, rows, shown = np.random.default_rng(9), [], {}
    ends = [(0, 0, 0, [-128] * 4, [-128] * 4), (127, 127, 0, [-128] * 2, [-128] * 2), (-128, 0, 0, [127] * 8, [127] * 8), (0, 0, 2**31 - 1, [1, -1], [1, 1]), (3, 0, -2**31, [2], [1]), (-128, 0, 0, [127] * 6, [-128] * 6),
            (-3, 0, 7, [5] * 32 + [-9], [11] * 32 + [113])]
    tried = [(int(rng.integers(-128, 128)), int(rng.choice([0, 0, rng.integers(-128, 128)])), int(rng.choice([0, rng.integers(-40000, 40000)])), rng.integers(-128, 128, size), rng.integers(-128, 128, size))
             for size in rng.integers(1, 13, 200)]
    for number, (x_zero, w_zero, start, x, w) in enumerate(ends + tried):
        x, w = np.array(x, np.int64), np.array(w, np.int64)
        right, mistakes = total(x_zero, w_zero, start, x, w)
        names = [name for name, wrong in mistakes.items() if wrong != right]
        if number < len(ends) or any(shown.get(name, 0) < 6 for name in names) or len(names) == 1:
            rows.append((x_zero, w_zero, start, " ".join(map(str, x)), " ".join(map(str, w)), right, " ".join(names)))
            for name in names:
                shown[name] = shown.get(name, 0) + 1
    return rows


# A judge's word on every row: one node, or two, for each.

def byte(number):
    return np.int8(number)


def listed(cell):
    return np.array(cell.split(), np.int8)


def dequantize_node(row):
    return "DequantizeLinear", [np.array([byte(row[2])]), value(row[0]), byte(row[1])], {}


def multiply_node(row):
    p = [value(cell) if isinstance(cell, str) else byte(cell) for cell in row[:6]]
    a, b = (np.array([number] * 2, np.int8) for number in row[6:8])
    return "QLinearMul", [a, *p[:2], b, *p[2:]], {}


def concat_node(row):
    return "QLinearConcat", [value(row[2]), byte(row[3]), np.array([byte(row[4])]), value(row[0]), byte(row[1]), np.array([byte(row[4])]), value(row[0]), byte(row[1])], {"axis": 0}


def softmax_node(row):
    return "QLinearSoftmax", [listed(row[3])[None], value(row[0]), byte(0), value(row[1]), byte(row[2])], {"axis": -1, "opset": 13}


def sum_node(row):
    return "MatMulInteger", [listed(row[3])[None], listed(row[4])[:, None], byte(row[0]), byte(row[1])], {}


TABLES = {
    "dequantize": ("scale zero_point q y", dequantize_rows, dequantize_node),
    "multiply": ("a_scale a_zero_point b_scale b_zero_point c_scale c_zero_point a b c", multiply_rows, multiply_node),
    "concat": ("x_scale x_zero_point y_scale y_zero_point x y", concat_rows, concat_node),
    "softmax": ("x_scale y_scale y_zero_point x y", softmax_rows, softmax_node),
    "sum": ("x_zero_point w_zero_point start x w acc", sum_rows, sum_node),
}


def as_cell(name, result, row):
    """A judge's result as the table has it."""
    first = result.ravel()[0]
    return (bits(first) if name == "dequantize" else wrapped_to(32, int(first) + row[2]) if name == "sum" else
            " ".join(map(str, result.ravel())) if name == "softmax" else int(first))


def differing(name, rows, run=run_octet):
    """The rows of which run(model, inputs) says something else."""
    nodes, feeds, constants = [], {}, []
    for number, row in enumerate(rows):
        operator, inputs, attributes = TABLES[name][2](row)
        names = [f"{number}.{k}" for k in range(len(inputs))]
        for k, array in enumerate(map(np.asarray, inputs)):
            if array.ndim:
                feeds[names[k]] = array
            else:
                constants.append(numpy_helper.from_array(array, names[k]))
        nodes.append(helper.make_node(operator, names, [f"{number}.y"], domain="com.microsoft" if operator.startswith("QLinear") else "", **attributes))
    kind = {"dequantize": onnx.TensorProto.FLOAT, "sum": onnx.TensorProto.INT32}.get(name, onnx.TensorProto.INT8)
    graph = helper.make_graph(nodes, "rows", [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for key, array in feeds.items()],
                              [helper.make_tensor_value_info(f"{number}.y", kind, None) for number in range(len(rows))], constants)
    results = run(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8), feeds)
    return [row for number, row in enumerate(rows) if as_cell(name, results[f"{number}.y"], row) != row[-2]]


@functools.cache
def vectors(name):
    """The rows of a table, confirmed."""
    with np.errstate(all="ignore"):
        rows = list(dict.fromkeys(TABLES[name][1]()))
    assert not differing(name, rows), differing(name, rows)
    return rows


def files():
    return {f"vectors/{name}.csv": "".join(",".join(map(str, row)) + "\n" for row in [[*columns.split(), "catches"], *vectors(name)])
            for name, (columns, *_) in TABLES.items()}
