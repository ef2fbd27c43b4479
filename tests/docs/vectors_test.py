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
from integer_units import CONSTANTS, STEPS, Unit, read_input, step, table, units
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


FILES = {"quantize.csv": quantize, "requantize.csv": requantize, "multiplier.csv": multiplier, "pool.csv": pool, "add.csv": add}
WITHOUT_ROWS = {"multiplier.csv": {"wrap", "acc-not-rounded", "acc-truncated", "product-ties-away"}}  # requantize.csv has them
DYNAMIC, MANIFEST = "dynamic.csv", "manifest.json"


def layers():
    """The inputs of every layer that sums, by role, from the model."""
    model = onnx.load(OPERATORS)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return {node.name: {role: stored.get(name) for role, name in zip(ROLES[node.op_type], node.input)}
            for node in model.graph.node if node.op_type in ROLES}


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

    def test_rows_leave_no_more_room_for_a_constant_than_all_inputs_do(self):
        """m, m_b and addend of any value, and every shift: what passes the rows passes everything."""
        rows, tried = {}, 0
        for row in table(STEPS):
            rows.setdefault((row["step"], row["channel"]), []).append(row["input"])
        for place, unit in units().items():
            if unit.kind == "quantize":
                continue
            given, every = [read_input(one, unit.kind) for one in rows[place]], unit.telling()
            for name in ("m", "addend", *(["m_b"] if unit.m_b else [])):
                room = unit.passing(name, every)
                self.assertTrue(all(end is None or side * (getattr(unit, name) - end) <= 0 for end, side in zip(room, (-1, 1))), (place, name))
                self.assertEqual(unit.passing(name, given), room, (place, name))
                tried += 1
            for shift in range(64):
                wrong = unit.but(shift=shift)
                self.assertTrue(shift == unit.shift or any(wrong(one) != unit(one) for one in given) or all(wrong(one) == unit(one) for one in every), (place, shift))
        self.assertEqual(tried, 2 * 347 + 3 * 3)

    def test_no_operand_with_a_stuck_bit_passes_the_steps(self):
        for place, unit in units().items():
            if unit.kind != "addition":
                continue
            pairs = [read_input(row["input"], unit.kind) for row in table(STEPS) if row["step"] == place[0]]
            changes = [change for k in range(8) for change in (lambda v, bit=1 << k: wrap(v & ~bit), lambda v, bit=1 << k: wrap(v | bit))]
            for change in (*changes, lambda v: max(v, -127)):
                for changed in (lambda a, b: (change(a), b), lambda a, b: (a, change(b))):
                    def shows(those):
                        return any(unit(changed(*pair)) != unit(pair) for pair in those)
                    self.assertTrue(shows(pairs) or not shows(unit.telling()), place)

    def test_no_look_up_that_leaves_out_a_bit_passes_the_steps(self):
        """An exception that is found without the lowest bit of the accumulator; those of a step without a bit of the channel's number."""
        every, tried = units(), 0
        rows = {(row["step"], row["channel"], row["input"]) for row in table(STEPS)}
        def shows(place, acc, y):
            unit = every.get(place)
            return unit and unit.least <= acc <= unit.greatest and acc not in unit.exceptions and unit(acc) != y
        excepted = [(step, int(channel), acc, y) for (step, channel), unit in every.items() for acc, y in unit.exceptions.items()]
        for step, channel, acc, y in excepted:
            if shows((step, str(channel)), acc ^ 1, y):
                self.assertIn((step, str(channel), str(acc ^ 1)), rows)
                tried += 1
        for name, bit in {(step, 1 << k) for step, *_ in excepted for k in range(6)}:
            shown = [(name, str(channel ^ bit), str(acc)) for step, channel, acc, y in excepted if step == name and shows((name, str(channel ^ bit)), acc, y)]
            self.assertTrue(not shown or rows & {*shown}, (name, bit))
            tried += bool(shown)
        self.assertGreater(tried, 60)

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
