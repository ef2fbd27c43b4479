"""Shows what the directed vectors in docs/quantization/vectors/ are worth: every row is right, and every mistake fails where it says.

All arithmetic here is on exact fractions with explicit roundings, and shares nothing with what wrote the files. ONNX Runtime
computes the rows too.

Usage: vectors_test.py
"""

import csv
import math
import pathlib
import struct
import sys
import unittest
from fractions import Fraction

import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "docs/quantization/vectors"
sys.path.insert(0, str(ROOT / "tools/docs"))

import directed
HALF = Fraction(1, 2)


def floor(v):
    return v.numerator // v.denominator


def even(v):
    """To the nearest integer, ties to even."""
    return round(v)


def away(v):
    return floor(v + HALF) if v >= 0 else -floor(-v + HALF)


def up(v):
    return floor(v + HALF)


def truncated(v):
    return floor(v) if v >= 0 else -floor(-v)


def f32(v, rounding=even):
    """To the nearest float32, ties to even. Normal numbers only, which is all there is here."""
    v = Fraction(v)
    if v == 0:
        return v
    exponent = math.floor(math.log2(abs(v.numerator)) - math.log2(v.denominator))
    exponent += (abs(v) >= Fraction(2) ** (exponent + 1)) - (abs(v) < Fraction(2) ** exponent)
    unit = Fraction(2) ** (exponent - 23)
    return rounding(v / unit) * unit


def sat(v):
    return min(max(v, -128), 127)


def wrap(v):
    return (v + 128) % 256 - 128


def number(bits):
    """A float32 from its bits: a fraction, or a float where it is none."""
    value = struct.unpack(">f", bytes.fromhex(bits))[0]
    return Fraction(value) if math.isfinite(value) else value


def behind(t, z):
    """The results of a float32 t when the zero point is added after rounding: the right one first, then those of mistakes."""
    return sat(even(t) + z), {
        "truncate": sat(truncated(t) + z), "ties-away": sat(away(t) + z), "ties-up": sat(up(t) + z),
        "half-in-float32": sat(floor(f32(t + HALF)) + z), "zero-point-before": sat(even(f32(t + z))), "saturate-before": sat(sat(even(t)) + z)}


def quantize(row):
    x, s, z = number(row["x"]), number(row["scale"]), int(row["zero_point"])
    if isinstance(x, float):
        right = -128 if math.isnan(x) or x < 0 else 127
        return right, {"saturate-before": sat(sat(math.copysign(1000, x)) + z) if math.isinf(x) else right, "nan-is-zero": z if math.isnan(x) else right}
    right, mistakes = behind(f32(x / s), z)
    return right, mistakes | {"reciprocal": sat(even(f32(x * f32(1 / s))) + z), "product-not-rounded": sat(even(x / s) + z)}


def requantize(row):
    acc, m, z = int(row["acc"]), number(row["multiplier"]), int(row["zero_point"])
    t = f32(f32(acc) * m)
    right, mistakes = behind(t, z)
    return right, mistakes | {"wrap": wrap(even(t) + z), "product-not-rounded": sat(even(acc * m) + z), "acc-not-rounded": sat(even(f32(acc * m)) + z),
                              "acc-truncated": sat(even(f32(f32(acc, truncated) * m)) + z)}


def multiplier(row):
    x, w, y = (number(row[f"{name}_scale"]) for name in "xwy")
    acc, z = int(row["acc"]), int(row["zero_point"])
    def result(m):
        return sat(even(f32(f32(acc) * m)) + z)
    m = f32(f32(x * w) / y)
    assert m == number(row["multiplier"])
    return result(m), requantize(row)[1] | {"w-over-y-first": result(f32(x * f32(w / y))), "x-over-y-first": result(f32(f32(x / y) * w)),
                       "reciprocal": result(f32(f32(x * w) * f32(1 / y))), "rounded-once": result(f32(x * w / y)),
                       "multiplier-exact": sat(even(acc * x * w / y) + z)}


def pool(row):
    x, y, pixels = number(row["x_scale"]), number(row["y_scale"]), int(row["pixels"])
    acc, z = int(row["acc"]), int(row["zero_point"])
    m = f32(x / f32(y * pixels))
    assert m == number(row["multiplier"])
    right, mistakes = behind(f32(f32(acc) * m), z)
    return right, mistakes | {
        "x-over-y-first": sat(even(f32(acc * f32(f32(x / y) / pixels))) + z), "mean-first": sat(even(f32(even(Fraction(acc, pixels)) * f32(x / y))) + z),
        "multiplier-exact": sat(even(acc * x / y / pixels) + z), "product-not-rounded": sat(even(acc * m) + z)}


def add(row):
    (sa, sb, sc), (za, zb, zc) = ([read(row[f"{name}_{part}"]) for name in "abc"] for part, read in (("scale", number), ("zero_point", int)))
    a, b = int(row["a"]), int(row["b"])
    ra, rb = f32(sa / sc), f32(sb / sc)
    def fused(ra, rb, zero):
        return f32(a * ra + f32(b * rb + f32(zero - f32(ra * za + f32(rb * zb)))))
    t, plain = fused(ra, rb, zc), f32(zc - f32(f32(ra * za) + f32(rb * zb)))
    inverse = f32(1 / sc)
    return sat(even(t)), {
        "truncate": sat(truncated(t)), "ties-away": sat(away(t)), "ties-up": sat(up(t)), "half-in-float32": sat(floor(f32(t + HALF))), "wrap": wrap(even(t)),
        "zero-point-after": sat(even(fused(ra, rb, 0)) + zc), "product-not-rounded": sat(even((sa * (a - za) + sb * (b - zb)) / sc + zc)),
        "no-fma": sat(even(f32(f32(a * ra) + f32(f32(b * rb) + plain)))), "no-fma-in-constant": sat(even(f32(a * ra + f32(b * rb + plain)))),
        "a-first": sat(even(f32(b * rb + f32(a * ra + f32(zc - f32(rb * zb + f32(ra * za))))))),
        "reciprocal": sat(even(fused(f32(sa * inverse), f32(sb * inverse), zc))), "operands-first": sat(even((a - za) * ra) + even((b - zb) * rb) + zc)}


FILES = {"quantize.csv": quantize, "requantize.csv": requantize, "multiplier.csv": multiplier, "pool.csv": pool, "add.csv": add}
WITHOUT_ROWS = {"multiplier.csv": {"wrap", "acc-not-rounded", "acc-truncated"}}  # requantize.csv has them
CONSTANTS = "requantizer_constants.csv"


class Vectors(unittest.TestCase):
    def test_every_file_is_known_here(self):
        self.assertEqual({file.name for file in VECTORS.iterdir()}, {*FILES, CONSTANTS})

    def test_rows_are_right_and_catch_what_they_say(self):
        for name, operation in FILES.items():
            seen, shown = set(), set()
            with open(VECTORS / name) as file:
                for number, row in enumerate(csv.DictReader(file), 2):
                    right, mistakes = operation(row)
                    wrong = {mistake for mistake, result in mistakes.items() if result != right}
                    self.assertEqual(right, int(row["c" if name == "add.csv" else "q"]), f"{name}:{number}")
                    self.assertEqual(wrong, set(row["catches"].split()), f"{name}:{number}")
                    seen, shown = seen | set(mistakes), shown | wrong
            self.assertEqual(seen - shown, WITHOUT_ROWS.get(name, set()), f"{name} has no row that catches these")
            self.assertTrue(seen, name)

    def test_constants_give_every_row_of_the_network(self):
        def table(name):
            with open(VECTORS / name) as file:
                return list(csv.DictReader(file))
        units, tried = {}, 0
        for row in table(CONSTANTS):
            m, shift, k = (int(row[name]) for name in ("m", "shift", "k"))
            exceptions = {int(acc): int(q) for acc, q in (pair.split(":") for pair in row["exceptions"].split())}
            units[row["layer"], row["channel"]] = m, shift, k, exceptions
            self.assertLess(m, 2**25)
            for acc, q in exceptions.items():
                self.assertEqual(abs(sat((acc * m + k) >> shift) - q), 1, row)
        for row in table("requantize.csv") + table("multiplier.csv"):
            if row["layer"] != "constructed":
                m, shift, k, exceptions = units[row["layer"], row["channel"]]
                acc = int(row["acc"])
                self.assertEqual(exceptions.get(acc, sat((acc * m + k) >> shift)), int(row["q"]), row)
                tried += 1
        self.assertGreater(tried, 500)

    @unittest.skipUnless("avx2" in pathlib.Path("/proc/cpuinfo").read_text(), "no AVX2: ONNX Runtime adds in another order")
    def test_onnx_runtime_computes_the_same(self):
        def run(model, feeds):
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            return dict(zip((output.name for output in session.get_outputs()), session.run(None, feeds)))
        def cell(column, text):
            is_integer = column in ("acc", "pixels", "a", "b", "c", "q") or column.endswith("zero_point")
            return int(text) if is_integer else text
        for name in FILES:
            with open(VECTORS / name) as file:
                rows = [tuple(cell(*item) for item in row.items()) for row in csv.DictReader(file)]
            self.assertEqual(directed.differing(name, rows, run), [], name)
            wrong = rows[0][:-2] + (rows[0][-2] + 1,) + rows[0][-1:]
            self.assertEqual(directed.differing(name, [wrong], run), [wrong], name)

    def test_are_small(self):
        self.assertLess(sum(file.stat().st_size for file in VECTORS.iterdir()), 150_000)


if __name__ == "__main__":
    unittest.main()
