"""docs/quantization/vectors/constants.csv and steps.csv: the integer constants of ResNet8, and rows that no wrong one of them passes.

The constants are what `octet bounds --table` writes. The rows are results of float32, from the scales of the model, at every
exception, where another channel or a narrow comparator would take an accumulator for an exception, on both sides of the outermost
steps of every channel, and where a constant that is off by one gives another byte. tests/docs/vectors_test.py changes every constant
and finds a row that differs, and makes the mistakes that rows name.
"""

import csv
import functools
import io
import itertools

import numpy as np

from directed import NANS, PAIRS, add, bits, channels, finished, multiplier, pool, quantize, value
from resnet8 import *

F = np.float32

MISTAKES = {
    "exceptions-left-out": "the line alone: exceptions are not looked up",
    "exceptions-of-channels": "exceptions of a step apply in all its channels",
    "exceptions-of-steps": "exceptions of a channel apply in that channel of all steps",
    "exceptions-by-16-bits": "exceptions are found by the lowest 16 bits of the accumulator",
    "exception-of-zeros": "an empty place for an exception, all zeros, is taken for one: 0 gives 0",
    "not-saturated": "the lowest 8 bits are kept instead of saturating",
    "half-left-out": "the addend lacks the half: what is shifted out is dropped",
    "toward-zero": "the shift rounds toward zero, as a division in C does, not down",
    "other-channel": "the constants of the next channel",
    "start-left-out": "the sum begins at 0: no bias, no correction for the zero point",
    "exchanged": "the operands of the addition change places",
    "threshold-excluded": "the input must exceed a threshold where it may equal it",
    "nan-is-highest": "NaN counts as if it had reached every threshold",
    "infinity-is-nan": "infinities are taken for NaN",
    "sign-left-out": "the sign of the input is left out",
    "bits-compared": "input and threshold are compared as unsigned integers",
}


@functools.cache
def constants():
    table = temporary_folder() / "constants.csv"
    octet("bounds", OPERATORS, "--table", table)
    return table.read_text()


def rows_of_constants():
    return list(csv.DictReader(io.StringIO(constants())))


def line(row, **other):
    """y of accumulators, or of pairs of bytes, by the row's constants, some of them changed; without its exceptions."""
    m, m_b, addend, shift = (int({**row, **other}[name] or 0) for name in ("m", "m_b", "addend", "shift"))
    return lambda a, b=0: np.clip((a * m + b * m_b + addend) >> shift, -128, 127)


def changed(row):
    """The row's constants, each off by one, or by half a step."""
    shift = int(row["shift"])
    for name in ("m", "m_b", "shift"):
        if row[name]:
            yield from ({name: int(row[name]) + off} for off in (-1, 1) if int(row[name]) + off >= 0)
    yield from ({"addend": int(row["addend"]) + off} for off in (-(1 << shift >> 1), 1 << shift >> 1))


def both_sides_of_steps(y):
    """Where y has just changed or is about to."""
    edges = np.flatnonzero(np.diff(y))
    return np.stack([edges, edges + 1], axis=1)


def chosen(row, y, inputs, excepted):
    """Of candidates in order, whose right results are y: the ends, the outermost steps, exceptions, and what shows each change."""
    steps = both_sides_of_steps(y)
    at = {0, y.size - 1, *steps[:1].ravel().tolist(), *steps[-1:].ravel().tolist(), *excepted}
    for change in changed(row):
        wrong = line(row, **change)(*inputs) != y
        wrong[list(excepted)] = False  # an exception overrides the line
        where = np.flatnonzero(wrong)
        if where.size and not at & set(where.tolist()):
            at.add(int(where[0]))
    return sorted(at)


@functools.cache
def foreign():
    """By step and channel, the accumulators that only a wrong look-up takes for an exception: for every exception one of another channel, one
    of another step, and one that differs from it in its highest bits alone; and 0 in a channel of every step with exceptions, and in one without."""
    every, found = units(), {}
    def first(candidates, y):
        for place, acc in candidates:
            unit = every[place]
            if unit.least <= acc <= unit.greatest and acc not in unit.exceptions and unit(acc) != y:
                found.setdefault(place, set()).add(acc)
                return
    for (step, channel), unit in every.items():
        for acc, y in unit.exceptions.items():
            first((((other, k), acc) for other, k in every if other == step and k and k != channel), y)
            first((((other, k), acc) for other, k in every if other != step and k and k == channel), y)
            first((((step, channel), acc + side * (1 << width)) for width in range(31, 0, -1) for side in (-1, 1)), y)
    for step, has_some in itertools.product(dict.fromkeys(step for step, channel in every if channel), (False, True)):
        first((((name, channel), 0) for (name, channel), unit in every.items() if name == step and channel and bool(unit.exceptions) == has_some), 0)
    return found


def sum_rows(row, of_channel, requantize):
    """Rows of one channel, or of a pool, from its accumulators that stand beside a step."""
    least, greatest = int(row["least"]), int(row["greatest"])
    wrong, others = list(Constants(row).exceptions), foreign().get((row["step"], row["channel"]), ())
    near = np.arange(-129, 130)[:, None] + np.array([0.5])
    acc = np.floor((near - of_channel[1]) / np.float64(of_channel[0])).astype(np.int64) + np.arange(-2, 4)
    acc = np.unique(np.clip(np.concatenate([acc.ravel(), wrong, [least, greatest]]).astype(np.int64), least, greatest))
    excepted = np.flatnonzero(np.isin(acc, wrong)).tolist()
    inputs = np.union1d(acc[chosen(row, requantize(acc), (acc,), excepted)], [*others]).astype(np.int64)
    return [(row["step"], row["channel"], *cells) for cells in zip(inputs.tolist(), requantize(inputs).tolist())]


def addition_rows(row):
    names = steps()[row["step"]]["operations"][0]["inputs"]
    parameters = [number if number.dtype == F else int(number) for number in (tensors()[names[k]][()] for k in (1, 2, 4, 5, 6, 7))]
    a, b = (side.ravel() for side in PAIRS)
    y, _ = add(*parameters, a, b)
    order = np.argsort(a * int(row["m"]) + b * int(row["m_b"]), kind="stable")
    a, b, y = a[order], b[order], y[order]
    assert not row["exceptions"] and (line(row)(a, b) == y).all()
    return [(row["step"], "", f"{a[at]}/{b[at]}", int(y[at])) for at in chosen(row, y, (a, b), [])]


def quantize_rows(row):
    scale, zero = (tensors()[name][()] for name in steps()[row["step"]]["operations"][0]["inputs"][1:])
    thresholds = np.array([value(cell) for cell in row["thresholds"].split()])
    x = np.stack([np.nextafter(thresholds, F(-np.inf)), thresholds], axis=1).ravel()
    x = np.concatenate([[F(-np.inf), -x[-1], F(-0.0), F(2.0**-149)], x, [np.finfo(F).max, F(np.inf)], NANS])
    with np.errstate(invalid="ignore", over="ignore"):
        right, _ = quantize(x, scale, int(zero))
    return [(row["step"], "", bits(v), int(q)) for v, q in zip(x, right)]


@functools.cache
def vectors():
    found, of_channel = [], {(name, str(k)): scales for name, k, *scales in channels()}
    for row in rows_of_constants():
        if row["kind"] == "quantize":
            found += quantize_rows(row)
        elif row["kind"] == "addition":
            found += addition_rows(row)
        elif row["kind"] == "pool":
            x, y, z = tensors()["block3.relu2_scale"][()], tensors()["pool_scale"][()], int(tensors()["pool_zero_point"])
            found += sum_rows(row, (x / (y * F(64)), z), lambda acc: pool(x, y, 64, acc, z)[0])
        else:
            *scales, z, _, _ = of_channel[row["step"], row["channel"]]
            m = multiplier(*scales)
            found += sum_rows(row, (m, z), lambda acc: finished(F(acc) * m, z))
    return found


class Constants:
    """What one row of constants.csv computes, right or with one mistake."""

    def __init__(self, row):
        self.m, self.m_b, self.addend, self.shift, self.start = (int(row[name] or 0) for name in ("m", "m_b", "addend", "shift", "start"))
        self.exceptions = {acc: int(q) for where, q in (part.split(":") for part in row["exceptions"].split())
                           for acc in range(int(where.split("..")[0]), int(where.split("..")[-1]) + 1)}
        self.kind, self.thresholds = row["kind"], [value(cell) for cell in row["thresholds"].split()]
        self.least, self.greatest = (int(row[name] or 0) for name in ("least", "greatest"))

    def __call__(self, a, b=0, mistake=""):
        if mistake != "exceptions-left-out" and a in self.exceptions:
            return self.exceptions[a]
        total = a * self.m + b * self.m_b + self.addend - ((1 << self.shift >> 1) if mistake == "half-left-out" else 0)
        y = -(-total >> self.shift) if mistake == "toward-zero" and total < 0 else total >> self.shift
        return (y + 128) % 256 - 128 if mistake == "not-saturated" else min(max(y, -128), 127)

    def mistaken(self, given, neighbours):
        """The result of each mistake that this kind of step can make on an input."""
        if self.kind == "quantize":
            x, pattern = value(given), int(given, 16)
            def byte(reached):
                return -128 + sum(reached(threshold) for threshold in self.thresholds)
            return {"threshold-excluded": byte(lambda threshold: threshold < x), "nan-is-highest": byte(lambda threshold: not x < threshold),
                    "infinity-is-nan": byte(lambda threshold: np.isfinite(x) and threshold <= x), "sign-left-out": byte(lambda threshold: threshold <= abs(x)),
                    "bits-compared": byte(lambda threshold: int(bits(threshold), 16) <= pattern)}
        a, b = map(int, given.split("/")) if self.kind == "addition" else (int(given), 0)
        found = {name: self(a, b, name) for name in ("not-saturated", "half-left-out", "toward-zero")}
        if self.kind == "addition":
            return found | {"exchanged": self(b, a)}
        found["exceptions-left-out"] = self(a, mistake="exceptions-left-out")
        if self.kind == "pool":
            return found
        following, of_channels, of_steps = neighbours
        low = {acc % 2**16: y for acc, y in reversed(self.exceptions.items())}
        return found | {"other-channel": following(a), "start-left-out": self(a - self.start), "exceptions-of-channels": self.exceptions.get(a, of_channels.get(a, self(a))),
                        "exceptions-of-steps": self.exceptions.get(a, of_steps.get(a, self(a))), "exceptions-by-16-bits": self.exceptions.get(a, low.get(a % 2**16, self(a))),
                        "exception-of-zeros": self.exceptions.get(a, self(a) if a else 0)}


@functools.cache
def units():
    return {(row["step"], row["channel"]): Constants(row) for row in rows_of_constants()}


def neighbours(step, channel):
    """The unit of the next channel, and the exceptions of all channels of the step, and of that channel in all steps; the first where several have one."""
    every = units()
    def together(those):
        return {acc: y for place in reversed(those) for acc, y in every[place].exceptions.items()}
    return (every.get((step, str(int(channel) + 1)), every[step, "0"]), together([place for place in every if place[0] == step]),
            together([place for place in every if place[1] == channel]))


def labelled():
    """The rows, each with the mistakes that give another byte."""
    around = {place: neighbours(*place) for place in units() if place[1]}
    for step, channel, given, y in vectors():
        wrong = units()[step, channel].mistaken(str(given), around.get((step, channel)))
        yield step, channel, given, y, " ".join(name for name in MISTAKES if wrong.get(name, y) != y)


def files():
    rows = "".join(",".join(map(str, row)) + "\n" for row in labelled())
    return {"vectors/constants.csv": constants(), "vectors/steps.csv": f"step,channel,input,y,catches\n{rows}"}
