"""What the rows of docs/quantization/vectors/constants.csv compute, in Python's integers and fractions, right and with mistakes."""

import copy
import csv
import pathlib
import struct
from fractions import Fraction

from float32 import floor, number, sat, truncated, wrap

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "docs/quantization/vectors"
CONSTANTS, STEPS = "constants.csv", "steps.csv"


def table(name):
    with open(VECTORS / name) as file:
        return list(csv.DictReader(file))


def read_input(text, kind):
    """The bits of a float32, the two bytes of an addition, or an accumulator."""
    return number(text) if kind == "quantize" else tuple(map(int, text.split("/"))) if kind == "addition" else int(text)


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
        found = {"wrap": but_on_exceptions(wrap(floor(exact))), "no-half": but_on_exceptions(sat(floor(exact - Fraction((1 << self.shift) // 2, 1 << self.shift)))),
                 "to-zero": but_on_exceptions(sat(truncated(exact)))}
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

    def telling(self):
        """Inputs that tell all: every pair, or both ends of every step, without what is excepted, and on both sides of 0."""
        if self.least is None:
            return [(a, b) for a in range(-128, 128) for b in range(-128, 128)]
        found = set()
        for acc, way in ((acc, way) for begin in (*self.steps(), 0, 1) for acc, way in ((begin - 1, -1), (begin, 1))):
            while acc in self.exceptions:
                acc += way
            found.add(acc)
        return [acc for acc in found | {self.least, self.greatest} if self.least <= acc <= self.greatest and acc not in self.exceptions]

    def passing(self, name, given):
        """Between which values a constant gives the right bytes for the given inputs, all else being right; None where there is no end."""
        least, greatest = [], []
        for one in given:
            a, b = one if isinstance(one, tuple) else (one, 0)
            if one in self.exceptions or not (factor := {"m": a, "m_b": b, "addend": 1}[name]):
                continue
            y, rest = self(one), a * self.m + b * self.m_b + self.addend - factor * getattr(self, name)
            ends = [((y << self.shift) - rest) if y > -128 else None, ((y + 1 << self.shift) - 1 - rest) if y < 127 else None]
            low, high = ends if factor > 0 else ends[::-1]
            least += [] if low is None else [-(-low // factor)]
            greatest += [] if high is None else [high // factor]
        return max(least, default=None), min(greatest, default=None)

    def agrees_with(self, other):
        if self.least is None:
            pairs = ((a, b) for a in range(-128, 128) for b in range(-128, 128))
            return all(self(pair) == other(pair) for pair in pairs)
        beside = {acc + side for unit in (self, other) for acc in unit.steps() for side in (-1, 0)}
        if self.narrow:
            acc, step = self.narrow[0], 1 << self.narrow[1]
            beside |= {*range(acc, self.greatest + 1, step), *range(acc, self.least - 1, -step)}
        return all(self(acc) == other(acc) for acc in beside | {self.least, self.greatest} | {*self.exceptions, *other.exceptions})


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
        wrong |= {"neighbour": following(given), "start-left-out": unit(given - unit.start),
                  "exceptions-of-channels": excepted(lambda name, _: name == row["step"]), "exceptions-of-steps": excepted(lambda _, k: k == channel),
                  "exceptions-by-16-bits": unit(given) if given in unit.exceptions or not low else low[0], "exception-of-zeros": unit(given) if given else unit.exceptions.get(0, 0)}
    return unit(given), wrong
