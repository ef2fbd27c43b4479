"""Shows what the tables of tools/docs/operator_vectors.py are worth: every row is right, and every mistake fails where it says.

All arithmetic here is on exact fractions with explicit roundings, but for exp and log, which are float64's; it shares nothing with
what wrote the tables. ONNX Runtime computes the rows too.

Usage: operator_vectors_test.py
"""

import math
import struct
import unittest
from fractions import Fraction

import vectors_test as exact  # tools/docs is on the path from here on
from vectors_test import away, even, f32, floor, number, sat, truncated, up, wrap

import operator_vectors

FLT_MAX = Fraction(2) ** 128 - Fraction(2) ** 104


def wrapped(bits, v):
    return (v + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def integers(row, *names):
    return [int(row[name]) for name in names]


def listed(cell):
    return list(map(int, cell.split()))


def shown(v):
    """The bits of a float32 that is a fraction, or infinite."""
    return struct.pack(">f", float(v)).hex()


def flushed(v):
    return Fraction(0) if isinstance(v, Fraction) and abs(v) < Fraction(2) ** -126 else v


def truncated_to_f32(v):
    return min(f32(v, truncated), FLT_MAX) if v >= 0 else -truncated_to_f32(-v)


def dequantize(row):
    (q, z), s = integers(row, "q", "zero_point"), number(row["scale"])
    def difference(a, b):
        return float(a) - float(b) if isinstance(a, float) or isinstance(b, float) else f32(a - b)
    return shown(f32((q - z) * s)), {name: shown(wrong) for name, wrong in {
        "zero-point-left-out": f32(q * s), "difference-wraps": f32(wrap(q - z) * s), "unsigned": f32((q % 256 - z % 256) * s),
        "scaled-first": difference(f32(q * s), f32(z * s)), "product-truncated": truncated_to_f32((q - z) * s),
        "product-ties-away": f32((q - z) * s, away), "flush-to-zero": flushed(f32((q - z) * flushed(s)))}.items()}


def multiply(row):
    (sa, sb, sc), (za, zb, zc) = ([read(row[f"{name}_{part}"]) for name in "abc"] for part, read in (("scale", number), ("zero_point", int)))
    a, b = integers(row, "a", "b")
    m = f32(f32(sa * sb) / sc)
    def t(multiplier, acc=(a - za) * (b - zb)):
        return f32(f32(acc * multiplier) + zc)
    return sat(even(t(m))), {
        "truncate": sat(truncated(t(m))), "ties-away": sat(away(t(m))), "ties-up": sat(up(t(m))), "wrap": wrap(even(t(m))), "zero-point-left-out": sat(even(t(m, a * b))),
        "zero-point-after": sat(even(f32((a - za) * (b - zb) * m)) + zc), "reciprocal": sat(even(t(f32(f32(sa * sb) * f32(1 / sc))))),
        "b-over-c-first": sat(even(t(f32(sa * f32(sb / sc))))), "rounded-once": sat(even(t(f32(sa * sb / sc)))), "product-not-rounded": sat(even((a - za) * (b - zb) * m + zc)),
        "product-wraps": sat(even(t(m, wrapped(16, (a - za) * (b - zb))))), "sum-truncated": sat(even(f32(f32((a - za) * (b - zb) * m) + zc, truncated))),
        "sum-10-bits": sat(wrapped(10, even(t(m)))), "sum-16-bits": sat(wrapped(16, even(t(m))))}


def concat(row):
    (sx, sy), (zx, zy, x) = [number(row[name]) for name in ("x_scale", "y_scale")], integers(row, "x_zero_point", "y_zero_point", "x")
    def t(difference=x - zx):
        return f32(f32(difference * sx) / sy)
    real = f32((x - zx) * sx)
    return x if (sx, zx) == (sy, zy) else sat(even(t()) + zy), {
        "truncate": sat(truncated(t()) + zy), "ties-away": sat(away(t()) + zy), "ties-up": sat(up(t()) + zy), "wrap": wrap(even(t()) + zy), "zero-point-left-out": sat(even(t(x)) + zy),
        "difference-wraps": sat(even(t(wrap(x - zx))) + zy), "zero-point-before": sat(even(f32(t() + zy))), "reciprocal": sat(even(f32(real * f32(1 / sy))) + zy),
        "multiplier-first": sat(even(f32((x - zx) * f32(sx / sy))) + zy), "product-not-rounded": sat(even((x - zx) * sx / sy) + zy),
        "product-ties-away": sat(even(f32(f32((x - zx) * sx, away) / sy)) + zy), "copied": x}


def softmax(row):
    sx, sy, z, x = number(row["x_scale"]), number(row["y_scale"]), int(row["y_zero_point"]), listed(row["x"])
    def result(how=""):
        scale = 1.0 if how == "scale-left-out" else float(sx)
        largest = f32(Fraction(math.log(float(f32(FLT_MAX / len(x))))))
        shift = max(0.0, float(largest) - 5) / scale
        powers = [((v - max(x)) + shift) * scale for v in x]
        e = [f32(Fraction(2.0**power if how == "base-two" else math.exp(power))) for power in powers]
        total = Fraction(0)
        for one in e:
            total = f32(total + one)
        steps = f32(1 / sy) if how == "steps-not-floored" else floor(f32(1 / sy))
        def t(one):
            if how == "divided-first":
                return f32(f32(one / total) * steps)
            return f32(f32(one * steps) * f32(1 / total)) if how == "reciprocal" else f32(f32(one * steps) / total)
        rounding = {"truncate": truncated, "ties-away": away, "ties-up": up}.get(how, even)
        return " ".join(str((wrap if how == "wrap" else sat)(rounding(t(one)) + z)) for one in e)
    return result(), {how: result(how) for how in ("truncate", "ties-away", "ties-up", "wrap", "divided-first", "reciprocal", "steps-not-floored", "scale-left-out", "base-two")}


def total(row):
    zx, zw, start = integers(row, "x_zero_point", "w_zero_point", "start")
    x, w = listed(row["x"]), listed(row["w"])
    products = [(a - zx) * (b - zw) for a, b in zip(x, w)]
    def of(terms, begin=start):
        return wrapped(32, begin + sum(terms))
    unsigned, running = [(a + 128) * b for a, b in zip(x, w)], start
    pairs = [min(max(sum(unsigned[k:k + 2]), -32768), 32767) for k in range(0, len(x), 2)]
    for product in products:
        running = min(max(running + product, -2**31), 2**31 - 1)
    return of(products), {
        "x-zero-point-left-out": of(a * (b - zw) for a, b in zip(x, w)), "w-zero-point-left-out": of((a - zx) * b for a, b in zip(x, w)), "start-left-out": of(products, 0),
        "unsigned": of((a % 256 - zx) * (b - zw) for a, b in zip(x, w)), "difference-wraps": of(wrap(a - zx) * (b - zw) for a, b in zip(x, w)),
        "product-wraps": of(wrapped(16, product) for product in products), "pairs-saturate": of(pairs + [-(zx + 128) * sum(w), -zw * sum(a - zx for a in x)]),
        "tail-left-out": of(products[:len(x) // 8 * 8 or None]), "acc-16-bits": wrapped(16, start + sum(products)), "acc-saturates": running}


OPERATIONS = {"dequantize": dequantize, "multiply": multiply, "concat": concat, "softmax": softmax, "sum": total}


class OperatorVectors(unittest.TestCase):
    def test_rows_are_right_and_catch_what_they_say(self):
        for name, operation in OPERATIONS.items():
            seen, caught = set(), set()
            for line, row in enumerate(exact.table(f"{name}.csv"), 2):
                right, mistakes = operation(row)
                wrong = {mistake for mistake, result in mistakes.items() if result != right}
                self.assertEqual(str(right), list(row.values())[-2], f"{name}.csv:{line}")
                self.assertEqual(wrong, set(row["catches"].split()), f"{name}.csv:{line}")
                seen, caught = seen | set(mistakes), caught | wrong
            self.assertEqual(seen - caught, set(), f"{name}.csv has no row that catches these")

    def test_every_mistake_is_made(self):
        caught = {mistake for name in OPERATIONS for row in exact.table(f"{name}.csv") for mistake in row["catches"].split()}
        self.assertEqual(caught, set(operator_vectors.MISTAKES))

    def test_onnx_runtime_computes_the_same(self):
        for name in OPERATIONS:
            columns = operator_vectors.TABLES[name][0].split()
            texts = {column for column in columns if column.endswith("scale")} | ({"y"} if name in ("dequantize", "softmax") else set()) | ({"x"} if name == "softmax" else {"x", "w"} if name == "sum" else set())
            rows = [tuple(text if column in (*texts, "catches") else int(text) for column, text in row.items()) for row in exact.table(f"{name}.csv")]
            self.assertEqual(operator_vectors.differing(name, rows, exact.run_onnx_runtime), [], name)
            wrong = (*rows[0][:-2], rows[1][-2] if isinstance(rows[0][-2], str) else rows[0][-2] + 1, rows[0][-1])
            self.assertEqual(operator_vectors.differing(name, [wrong], exact.run_onnx_runtime), [wrong], name)


if __name__ == "__main__":
    unittest.main()
