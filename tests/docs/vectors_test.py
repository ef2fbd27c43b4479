"""Shows what the directed vectors in docs/quantization/vectors/ are worth: every row is right, and every mistake fails where it says.

All arithmetic here is on exact fractions with explicit roundings, and shares nothing with what wrote the files. ONNX Runtime
computes the rows too.

Usage: vectors_test.py
"""

import copy
import csv
import math
import pathlib
import struct
import sys
import unittest
from fractions import Fraction

import onnx
import onnxruntime
from onnx import numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "docs/quantization/vectors"
sys.path.insert(0, str(ROOT / "tools/docs"))

import directed
import dynamic as dynamic_vectors
import operator_vectors
import rom
from float32 import HALF, away, even, f32, floor, number, sat, truncated, up, wrap
from resnet8 import OPERATORS, ROLES


def behind(t, z):
    """The results of a float32 t when the zero point is added after rounding: the right one first, then those of mistakes."""
    return sat(even(t) + z), {
        "truncate": sat(truncated(t) + z), "ties-away": sat(away(t) + z), "ties-up": sat(up(t) + z),
        "half-in-float32": sat(floor(f32(t + HALF)) + z), "zero-point-before": sat(even(f32(t + z))), "saturate-before": sat(sat(even(t)) + z)}


def quantize(row):
    x, s, z = number(row["x"]), number(row["scale"]), int(row["zero_point"])
    if isinstance(x, float):
        right = -128 if math.isnan(x) or x < 0 else 127
        is_usual = math.isinf(x) or row["x"] == "7fc00000"
        return right, {"saturate-before": sat(sat(math.copysign(1000, x)) + z) if math.isinf(x) else right, "nan-is-zero": z if math.isnan(x) else right,
                       "nan-by-one-pattern": right if is_usual or int(row["x"], 16) >> 31 else 127}
    right, mistakes = behind(f32(x / s), z)
    return right, mistakes | {"reciprocal": sat(even(f32(x * f32(1 / s))) + z), "product-not-rounded": sat(even(x / s) + z),
                              "flush-to-zero": z if abs(x) < Fraction(2) ** -126 else right}


def requantize(row):
    acc, m, z = int(row["acc"]), number(row["multiplier"]), int(row["zero_point"])
    t = f32(f32(acc) * m)
    right, mistakes = behind(t, z)
    return right, mistakes | {"wrap": wrap(even(t) + z), "product-not-rounded": sat(even(acc * m) + z), "acc-not-rounded": sat(even(f32(acc * m)) + z),
                              "acc-truncated": sat(even(f32(f32(acc, truncated) * m)) + z), "product-ties-away": sat(even(f32(f32(acc) * m, away)) + z)}


def multiplier(row):
    x, w, y = (number(row[f"{name}_scale"]) for name in "xwy")
    acc, z = int(row["acc"]), int(row["zero_point"])
    def result(m):
        return sat(even(f32(f32(acc) * m)) + z)
    m = f32(f32(x * w) / y)
    assert m == number(row["multiplier"])
    return result(m), requantize(row)[1] | {"w-over-y-first": result(f32(x * f32(w / y))), "x-over-y-first": result(f32(f32(x / y) * w)),
                       "reciprocal": result(f32(f32(x * w) * f32(1 / y))), "rounded-once": result(f32(x * w / y)),
                       "scales-tie-away": result(f32(f32(x * w, away) / y)),
                       "multiplier-exact": sat(even(acc * x * w / y) + z)}


def pool(row):
    x, y, pixels = number(row["x_scale"]), number(row["y_scale"]), int(row["pixels"])
    acc, z = int(row["acc"]), int(row["zero_point"])
    m = f32(x / f32(y * pixels))
    assert m == number(row["multiplier"])
    right, mistakes = behind(f32(f32(acc) * m), z)
    return right, mistakes | {
        "x-over-y-first": sat(even(f32(acc * f32(f32(x / y) / pixels))) + z), "mean-first": sat(even(f32(even(Fraction(acc, pixels)) * f32(x / y))) + z),
        "multiplier-exact": sat(even(acc * x / y / pixels) + z), "rounded-once": sat(even(f32(acc * f32(x / y / pixels))) + z),
        "product-not-rounded": sat(even(acc * m) + z), "product-ties-away": sat(even(f32(acc * m, away)) + z),
        "wrap": wrap(even(f32(acc * m)) + z), "unsigned": sat(even(f32(acc % 2**16 * m)) + z)}


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
        "product-ties-away": sat(even(f32(a * ra + f32(b * rb + f32(zc - f32(ra * za + f32(rb * zb))), away), away))),
        "constant-from-left": sat(even(f32(a * ra + f32(b * rb + f32(f32(zc - f32(ra * za)) - f32(rb * zb)))))),
        "constant-exchanged": sat(even(f32(a * ra + f32(b * rb + f32(zc - f32(rb * zb + f32(ra * za))))))),
        "sum-10-bits": sat((even(t) + 2**9) % 2**10 - 2**9), "sum-16-bits": sat((even(t) + 2**15) % 2**16 - 2**15),
        "no-fma": sat(even(f32(f32(a * ra) + f32(f32(b * rb) + plain)))), "no-fma-in-constant": sat(even(f32(a * ra + f32(b * rb + plain)))),
        "a-first": sat(even(f32(b * rb + f32(a * ra + f32(zc - f32(rb * zb + f32(ra * za))))))),
        "reciprocal": sat(even(fused(f32(sa * inverse), f32(sb * inverse), zc))), "operands-first": sat(even((a - za) * ra) + even((b - zb) * rb) + zc)}


def divided(a, b, rounding=even):
    """a / b in float32, each a fraction or a float that is none. Scales are not negative."""
    if any(isinstance(v, float) and math.isnan(v) for v in (a, b)):
        return math.nan
    if isinstance(b, float):
        return math.nan if isinstance(a, float) else Fraction(0)
    if isinstance(a, float):
        return a
    return f32(a / b, rounding) if b else math.copysign(math.inf, a) if a else math.nan


def minus(a, b, rounding=even):
    return f32(a - b, rounding) if isinstance(a, Fraction) and isinstance(b, Fraction) else float(a) - float(b)


def nearest(t, least, greatest, nan, rounding=even):
    """t clamped and rounded, or nan where it is none."""
    if isinstance(t, float):
        return nan if math.isnan(t) else greatest if t > 0 else least
    return rounding(min(max(t, least), greatest))


def dynamic(kind, x, mistake=""):
    """Scale, zero point and bytes: chapter 6, or that with one mistake."""
    least = 0 if kind == "uint8" else -128
    rounding = {"truncate": truncated, "ties-away": away}.get(mistake, even)
    def kept(v):
        return Fraction(0) if mistake == "flush-to-zero" and isinstance(v, Fraction) and abs(v) < Fraction(2) ** -126 else v
    x = list(map(kept, x))
    ranged = x[:len(x) // 8 * 8 or None] if mistake == "tail-left-out" else x
    numbers = [v for v in ranged if not math.isnan(v)]
    poisoned = len(numbers) < len(ranged) and (kind != "uint8") != (mistake == "nan-otherwise")
    within = numbers if mistake == "zero-left-out" and numbers else [Fraction(0), *numbers]
    lo, hi, z = (math.nan,) * 2 + (0,) if poisoned else (min(within), max(within), 0)
    if kind == "symmetric":
        lo, hi = Fraction(0), hi if poisoned else max(map(abs, [Fraction(0), *numbers]))
    steps = {"symmetric": 127}.get(kind, 255) + (mistake == "over-256")
    exact = mistake == "range-not-rounded" and isinstance(hi, Fraction) and isinstance(lo, Fraction)
    s = f32((hi - lo) / steps) if exact else kept(divided(kept(minus(hi, lo)), Fraction(steps)))
    if mistake == "scale-rounded-twice" and isinstance(s, Fraction):
        size = Fraction(2) ** (149 - 24) if s < 1 else 1  # far from where float32 has fewer bits
        s = f32(f32(minus(hi, lo) * size / steps) / size)
    if lo == hi if kind == "uint8" else s == 0:
        s = Fraction(mistake != "scale-of-zero")
    if kind != "symmetric":
        t = minus(Fraction(least), kept(divided(lo, s, truncated if mistake == "quotient-truncated" else even)), truncated if mistake == "difference-truncated" else even)
        if mistake == "zero-point-rounded-once" and isinstance(lo, Fraction) and isinstance(s, Fraction) and s:
            t = least - lo / s
        nan = least if mistake == "nan-is-lowest" else 255 if kind == "uint8" else 0
        if mistake == "not-clamped" and not (isinstance(t, float) and math.isnan(t)):
            z = (nearest(t, -2**31, 2**31, nan, rounding) - least) % 256 + least
        else:
            z = nearest(t, least, least + 255, nan, rounding)
    def quotient(v):
        if mistake == "quotient-not-rounded" and isinstance(v, Fraction) and isinstance(s, Fraction) and s:
            return v / s
        if mistake != "reciprocal":
            return divided(v, s, truncated if mistake == "quotient-truncated" else even)
        r = divided(Fraction(1), s)
        if isinstance(v, Fraction) and isinstance(r, Fraction):
            return f32(v * r)
        return float(v) * float(r)
    if mistake == "zero-point-before":
        return s, z, [nearest(minus(quotient(v), Fraction(-z)), least, least + 255, least) for v in x]
    return s, z, [nearest(quotient(v), least - z, least + 255 - z, least - z, rounding) + z for v in x]


def dynamic_cells(kind, x, mistake=""):
    def read(cell):
        v = number(cell)
        is_other = mistake == "nan-by-one-pattern" and math.isnan(v) and cell != "7fc00000"
        return math.copysign(math.inf, -(int(cell, 16) >> 31) or 1) if is_other else v
    s, z, q = dynamic(kind, list(map(read, x.split())), mistake)
    return struct.pack(">f", float(s)).hex() if not math.isnan(s) else "7fc00000", str(z), " ".join(map(str, q))


def units():
    return {(row["step"], row["channel"]): Unit(row) for row in table(CONSTANTS)}


def step(row, every):
    """The byte of a row of steps.csv, right and with mistakes; `every` are the units()."""
    unit, channel = every[row["step"], row["channel"]], row["channel"]
    given = read_input(row["input"], unit.kind)
    wrong = unit.mistaken(given, row["input"])
    if channel:
        def excepted(is_of):
            found = [other.exceptions[given] for place, other in every.items() if is_of(*place) and given in other.exceptions]
            return unit(given) if given in unit.exceptions or not found else found[0]
        following = every.get((row["step"], str(int(channel) + 1)), every[row["step"], "0"])
        low = [y for acc, y in unit.exceptions.items() if (acc - given) % 2**16 == 0]
        wrong |= {"other-channel": following(given), "start-left-out": unit(given - unit.start),
                  "exceptions-of-channels": excepted(lambda name, _: name == row["step"]), "exceptions-of-steps": excepted(lambda _, k: k == channel),
                  "exceptions-by-16-bits": unit(given) if given in unit.exceptions or not low else low[0], "exception-of-zeros": unit(given) if given else unit.exceptions.get(0, 0)}
    return unit(given), wrong


FILES = {"quantize.csv": quantize, "requantize.csv": requantize, "multiplier.csv": multiplier, "pool.csv": pool, "add.csv": add}
WITHOUT_ROWS = {"multiplier.csv": {"wrap", "acc-not-rounded", "acc-truncated", "product-ties-away"}}  # requantize.csv has them
CONSTANTS, STEPS = "constants.csv", "steps.csv"
DYNAMIC, MANIFEST = "dynamic.csv", "manifest.json"


def table(name):
    with open(VECTORS / name) as file:
        return list(csv.DictReader(file))


def read_input(text, kind):
    """The bits of a float32, the two bytes of an addition, or an accumulator."""
    return number(text) if kind == "quantize" else tuple(map(int, text.split("/"))) if kind == "addition" else int(text)


def layers():
    """The inputs of every layer that sums, by role, from the model."""
    model = onnx.load(OPERATORS)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return {node.name: {role: stored.get(name) for role, name in zip(ROLES[node.op_type], node.input)}
            for node in model.graph.node if node.op_type in ROLES}


class Unit:
    """What a row of constants.csv computes, in Python's integers."""

    def __init__(self, row):
        self.kind = row["kind"]
        self.m, self.m_b, self.addend, self.shift, self.start = (int(row[name] or 0) for name in ("m", "m_b", "addend", "shift", "start"))
        self.least, self.greatest = (int(row[name]) if row[name] else None for name in ("least", "greatest"))
        self.exceptions = {}
        for one in row["exceptions"].split():
            where, y = one.split(":")
            first, _, last = where.partition("..")
            self.exceptions |= {acc: int(y) for acc in range(int(first), int(last or first) + 1)}
        self.thresholds = [number(bits) for bits in row["thresholds"].split()]
        self.narrow = ()  # an exception, and the bits by which it is found; all where this is empty

    def __call__(self, given):
        if self.thresholds:
            return -128 + sum(threshold <= given for threshold in self.thresholds)
        if given in self.exceptions:
            return self.exceptions[given]
        a, b = given if isinstance(given, tuple) else (given, 0)
        if self.narrow and (a - self.narrow[0]) % (1 << self.narrow[1]) == 0:
            return self.exceptions[self.narrow[0]]
        return sat((a * self.m + b * self.m_b + self.addend) >> self.shift)

    def but(self, **other):
        changed = copy.copy(self)
        vars(changed).update(other)
        return changed

    def mistaken(self, given, text):
        """What the mistakes of steps.csv that know no other channel make of an input."""
        if self.kind == "quantize":
            return {"threshold-excluded": -128 + sum(threshold < given for threshold in self.thresholds),
                    "nan-is-highest": -128 + sum(not given < threshold for threshold in self.thresholds),
                    "infinity-is-nan": -128 if isinstance(given, float) else self(given), "sign-left-out": self(abs(given)),
                    "bits-compared": -128 + sum(struct.pack(">f", float(threshold)) <= bytes.fromhex(text) for threshold in self.thresholds)}
        a, b = given if isinstance(given, tuple) else (given, 0)
        exact = Fraction(a * self.m + b * self.m_b + self.addend, 1 << self.shift)
        def but_on_exceptions(y):
            return self.exceptions.get(given, y)
        found = {"not-saturated": but_on_exceptions(wrap(floor(exact))), "half-left-out": but_on_exceptions(sat(floor(exact - Fraction((1 << self.shift) // 2, 1 << self.shift)))),
                 "toward-zero": but_on_exceptions(sat(truncated(exact)))}
        if self.kind == "addition":
            return found | {"exchanged": self((b, a))}
        return found | {"exceptions-left-out": sat(floor(exact))}

    def steps(self):
        """The accumulators at which a step of the line begins, within reach."""
        begins = [-((self.addend - (q << self.shift)) // self.m) for q in range(-127, 128)] if self.m else []
        return [acc for acc in begins if self.least < acc <= self.greatest]

    def outermost(self):
        return [self.steps()[0], self.steps()[-1]] if self.steps() else []

    def wrong(self):
        """The same with one thing changed."""
        if self.thresholds:
            for k in range(len(self.thresholds)):
                yield self.but(thresholds=self.thresholds[:k] + self.thresholds[k + 1:])
            return
        for acc in self.exceptions:
            yield self.but(exceptions={other: y for other, y in self.exceptions.items() if other != acc})
            yield from (self.but(exceptions={**self.exceptions, acc: self.exceptions[acc] + off}) for off in (-1, 1))
            yield from (self.but(narrow=(acc, width)) for width in range(4, 32) if 1 << width <= max(acc - self.least, self.greatest - acc))
        for name in ("m", "shift", *(["m_b"] if self.m_b else [])):
            yield from (self.but(**{name: value}) for value in (0, getattr(self, name) - 1, getattr(self, name) + 1) if value >= 0)
        yield from (self.but(addend=value) for value in (0, self.addend - (1 << self.shift >> 1), self.addend + (1 << self.shift >> 1)))

    def agrees_with(self, other):
        if self.least is None:
            pairs = ((a, b) for a in range(-128, 128) for b in range(-128, 128))
            return all(self(pair) == other(pair) for pair in pairs)
        beside = {acc + side for unit in (self, other) for acc in unit.steps() for side in (-1, 0)}
        if self.narrow:
            acc, step = self.narrow[0], 1 << self.narrow[1]
            beside |= {*range(acc, self.greatest + 1, step), *range(acc, self.least - 1, -step)}
        return all(self(acc) == other(acc) for acc in beside | {self.least, self.greatest} | {*self.exceptions, *other.exceptions})


def run_onnx_runtime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip((output.name for output in session.get_outputs()), session.run(None, feeds)))


class Vectors(unittest.TestCase):
    def test_every_file_is_known_here(self):
        self.assertEqual({file.name for file in VECTORS.iterdir()}, {*FILES, CONSTANTS, STEPS, DYNAMIC, MANIFEST, *(f"{name}.csv" for name in operator_vectors.TABLES)})

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
        every, tried = units(), 0
        for row in table("requantize.csv") + table("multiplier.csv"):
            if row["layer"] != "constructed":
                self.assertEqual(every[row["layer"], row["channel"]](int(row["acc"])), int(row["q"]), row)
                tried += 1
        self.assertGreater(tried, 500)

    def test_steps_are_those_of_the_network(self):
        """Every channel, every exception, and both sides of the outermost steps; and ONNX Runtime says the same of every row."""
        rows = {}
        for row in table(STEPS):
            rows.setdefault((row["step"], row["channel"]), {})[row["input"]] = int(row["y"])
        self.assertEqual(rows.keys(), {(row["step"], row["channel"]) for row in table(CONSTANTS)})
        for row in table(CONSTANTS):
            unit, given = Unit(row), rows[row["step"], row["channel"]]
            self.assertLessEqual({str(acc) for acc in unit.exceptions}, given.keys(), row)
            for one, y in given.items():
                self.assertEqual(unit(read_input(one, row["kind"])), y, (row["step"], row["channel"], one))
            if row["kind"] in ("convolution", "matrix product", "pool"):
                outermost = {str(acc + side) for acc in unit.outermost() for side in (-1, 0)}
                self.assertLessEqual(outermost, given.keys(), row)
        parameters = {(name, str(k)): (directed.multiplier(layer["x_scale"], scale, layer["y_scale"]), int(layer["y_zero_point"]))
                      for name, layer in layers().items() for k, scale in enumerate(layer["w_scale"])}
        as_rows = [(step, channel, int(one), directed.bits(m), z, y, "") for (step, channel), given in rows.items() if channel
                   for m, z in [parameters[step, channel]] for one, y in given.items()]
        self.assertEqual(directed.differing("requantize.csv", as_rows, run_onnx_runtime), [])
        self.assertEqual(len({row[:2] for row in as_rows}), 346)

    def test_steps_catch_what_they_say(self):
        every, shown = units(), set()
        for number, row in enumerate(table(STEPS), 2):
            right, mistakes = step(row, every)
            wrong = {mistake for mistake, y in mistakes.items() if y != right}
            self.assertEqual(wrong, set(row["catches"].split()), f"{STEPS}:{number}")
            shown |= wrong
        self.assertEqual(shown, set(rom.MISTAKES))

    def test_no_wrong_constant_passes_the_steps(self):
        """Each exception left out, off by one or found by too few bits, each constant off by one or 0: some row of steps.csv is red. A change is
        harmless where both lines agree on both sides of all their steps, that is everywhere."""
        rows, harmless, tried = {}, 0, 0
        for row in table(STEPS):
            rows.setdefault((row["step"], row["channel"]), []).append((row["input"], int(row["y"])))
        for row in table(CONSTANTS):
            unit, given = Unit(row), [(read_input(one, row["kind"]), y) for one, y in rows[row["step"], row["channel"]]]
            for wrong in unit.wrong():
                red = any(wrong(one) != y for one, y in given)
                same = not red and wrong.agrees_with(unit)
                self.assertTrue(red or same, (row["step"], row["channel"], vars(wrong)))
                harmless, tried = harmless + same, tried + 1
        self.assertGreater(tried, 346 * 5)
        self.assertLess(harmless, tried / 20)

    def test_no_exception_of_another_passes_the_steps(self):
        """An exception that applies in all channels of its step, or in its channel of all steps: some row is red, or no input can show it."""
        every, rows = units(), {}
        for row in table(STEPS):
            if row["channel"]:
                rows.setdefault(int(row["input"]), []).append((row["step"], row["channel"], int(row["y"])))
        tried = 0
        for (name, channel), unit in every.items():
            for acc, y in unit.exceptions.items():
                for is_there in (lambda step, k: step == name and k != channel, lambda step, k: step != name and k == channel):
                    red = any(is_there(step, k) and right != y for step, k, right in rows[acc])
                    shown = any(is_there(*place) and other.least <= acc <= other.greatest and other(acc) != y for place, other in every.items() if place[1])
                    self.assertEqual(red, shown, (name, channel, acc))
                    tried += red
        self.assertGreater(tried, 81)
        self.assertEqual({step for step, _, y in rows[0] if y != 0}, {name for name, channel in every if channel})

    def test_starts_are_those_of_the_model(self):
        starts = {(row["step"], int(row["channel"])): int(row["start"]) for row in table(CONSTANTS) if row["start"]}
        self.assertEqual(len(starts), 346)
        for name, layer in layers().items():
            wanted = layer["bias"].astype(int) - int(layer["x_zero_point"]) * layer["w"].astype(int).reshape(len(layer["bias"]), -1).sum(axis=1)
            self.assertEqual([starts[name, k] for k in range(len(wanted))], wanted.tolist(), name)

    def test_dynamic_rows_are_right_and_catch_what_they_say(self):
        shown = {}
        for number, row in enumerate(table(DYNAMIC), 2):
            kind, x = row["kind"], row["x"]
            right = dynamic_cells(kind, x)
            self.assertEqual(right, (row["scale"], row["zero_point"], row["q"]), f"{DYNAMIC}:{number}")
            wrong = {mistake for mistake in dynamic_vectors.MISTAKES if dynamic_cells(kind, x, mistake) != right}
            self.assertEqual(wrong, set(row["catches"].split()), f"{DYNAMIC}:{number}")
            shown.setdefault(kind, set()).update(wrong)
        every = set(dynamic_vectors.MISTAKES)
        self.assertEqual({kind: every - names for kind, names in shown.items()},
                         {"uint8": {"difference-truncated"}, "asymmetric": set(),  # 0 less a float32 is one
                          "symmetric": {"zero-left-out", "not-clamped", "range-not-rounded", "nan-is-lowest", "zero-point-rounded-once", "zero-point-before", "difference-truncated"}})

    def test_onnx_runtime_finds_the_same_parameters(self):
        """Where a NaN decides, the runtime's answer depends on its place: uint8 from 8 elements on, int8 unless it comes first."""
        def depends_on_place(row):
            is_nan = [math.isnan(float(number(cell))) for cell in row["x"].split()]
            return any(is_nan) and (len(is_nan) >= 8 if row["kind"] == "uint8" else not is_nan[0])
        rows = [row for row in table(DYNAMIC) if not depends_on_place(row)]
        self.assertTrue(all(any("7fc00000" in row["x"] for row in rows if row["kind"] == kind) for kind in ("uint8", "asymmetric", "symmetric")))
        cells = [tuple(row.values()) for row in rows]
        self.assertEqual(dynamic_vectors.differing(cells, run_onnx_runtime), [])
        wrong = (*cells[0][:3], str(int(cells[0][3]) + 1), *cells[0][4:])
        self.assertEqual(dynamic_vectors.differing([wrong], run_onnx_runtime), [wrong])

    @unittest.skipUnless("avx2" in pathlib.Path("/proc/cpuinfo").read_text(), "no AVX2: ONNX Runtime adds in another order")
    def test_onnx_runtime_computes_the_same(self):
        def cell(column, text):
            is_integer = column in ("acc", "pixels", "a", "b", "c", "q") or column.endswith("zero_point")
            return int(text) if is_integer else text
        for name in FILES:
            with open(VECTORS / name) as file:
                rows = [tuple(cell(*item) for item in row.items()) for row in csv.DictReader(file)]
            self.assertEqual(directed.differing(name, rows, run_onnx_runtime), [], name)
            wrong = rows[0][:-2] + (rows[0][-2] + 1,) + rows[0][-1:]
            self.assertEqual(directed.differing(name, [wrong], run_onnx_runtime), [wrong], name)

    def test_are_small(self):
        self.assertLess(sum(file.stat().st_size for file in VECTORS.iterdir()), 400_000)


if __name__ == "__main__":
    unittest.main()
