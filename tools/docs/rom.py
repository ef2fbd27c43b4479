"""docs/quantization/vectors/constants.csv and steps.csv: the integer constants of ResNet8, and rows that no wrong one of them passes.

The constants are what `octet bounds --table` writes. The rows are results of float32, from the scales of the model, at every
exception, where another channel or a narrow comparator would take an accumulator for an exception, on both sides of the outermost
steps of every channel, and where a constant has the least room. tests/docs/vectors_test.py finds that no
constant has more room in the rows than in everything that can occur, and makes the mistakes that rows name.
"""

import csv
import functools
import io
import itertools

import numpy as np

from directed import NANS, PAIRS, add, bits, channels, finished, multiplier, pool, quantize, value
from resnet8 import *

F = np.float32
SATURATED = {"pool": (2048, 4096, 8192)}  # sums of one bit, which a register that lacks it takes for 0

MISTAKES = {
    "exceptions-left-out": "the line alone: exceptions are not looked up",
    "exceptions-of-channels": "exceptions of a step apply in all its channels",
    "exceptions-of-steps": "exceptions of a channel apply in that channel of all steps",
    "exceptions-by-16-bits": "exceptions are found by the lowest 16 bits of the accumulator",
    "exception-of-zeros": "an empty place for an exception, all zeros, is taken for one: 0 gives 0",
    "wrap": "the lowest 8 bits are kept instead of saturating",
    "no-half": "the addend lacks the half: what is shifted out is dropped",
    "to-zero": "the shift rounds toward zero, as a division in C does, not down",
    "neighbour": "the constants of the next channel",
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


def both_sides_of_steps(y):
    """Where y has just changed or is about to."""
    edges = np.flatnonzero(np.diff(y))
    return np.stack([edges, edges + 1], axis=1)


def binding(row, y, inputs):
    """Of candidates in order, whose right results are y: those that say the most of a constant when the others are right, for each constant and
    each side. y <= (factor * constant + rest) / 2^shift < y + 1, where y is neither saturated end, is a least and a greatest constant: of all
    candidates only the largest least and the smallest greatest count, and any constant beyond these is wrong there."""
    shift, addend = int(row["shift"]), int(row["addend"])
    factors = {"addend": np.ones_like(y), "m": inputs[0]} | ({"m_b": inputs[1]} if row["m_b"] else {})
    total = sum(factors[name] * int(row[name] or 0) for name in factors if name != "addend") + addend
    fall = np.where(y > -128, total - (y << shift), -1)  # by how much the sum may; -1 where it may by any
    rise = np.where(y < 127, (y + 1 << shift) - 1 - total, -1)
    for factor in factors.values():
        for less, more in ((fall, rise), (rise, fall)):
            room = np.where(factor > 0, less, np.where(factor < 0, more, -1))
            where = np.flatnonzero(room >= 0)
            limit = room[where] // np.abs(factor[where])
            yield where[limit == limit.min(initial=2**62)]


def stuck(a, b):
    """The operands of an addition with one bit that is always 0, or always 1; and with -128 taken for -127."""
    for bit in (1 << k for k in range(8)):
        for change in (lambda v: v & ~bit, lambda v: v | bit):
            yield from (((change(a) + 128) % 256 - 128, b), (a, (change(b) + 128) % 256 - 128))
    yield from ((np.maximum(a, -127), b), (a, np.maximum(b, -127)))


def chosen(row, y, inputs, excepted):
    """Of candidates in order, whose right results are y: the ends, the outermost steps, exceptions, and what shows a wrong constant."""
    steps = both_sides_of_steps(y)
    at = {0, y.size - 1, *steps[:1].ravel().tolist(), *steps[-1:].ravel().tolist(), *excepted}
    lines = np.setdiff1d(np.arange(y.size), excepted)  # an exception overrides the line
    shown_by = [lines[where] for where in binding(row, y[lines], [one[lines] for one in inputs])]
    for shift in range(64):
        shown_by.append(lines[(line(row, shift=shift)(*inputs) != y)[lines]])
    if row["kind"] == "addition":
        shown_by += [np.flatnonzero(line(row)(*pair) != y) for pair in stuck(*inputs)]
    for where in shown_by:
        if len(where) and not at & set(where.tolist()):
            at.add(int(where[0]))
    return sorted(at)


@functools.cache
def foreign():
    """By step and channel, the accumulators that only a wrong look-up takes for an exception: for every exception one of another channel, one
    of another step, and those that differ from it in the highest bits alone and in the lowest; for a step and a bit of the channel's number, where
    a look-up leaves that bit out; and 0 in a channel of every step with exceptions, and in one without."""
    every, found, left_out = units(), {}, set()
    def first(candidates, y):
        for place, acc in candidates:
            unit = every[place]
            if unit.least <= acc <= unit.greatest and acc not in unit.exceptions and unit(acc) != y:
                found.setdefault(place, set()).add(acc)
                return True
        return False
    for (step, channel), unit in every.items():
        for acc, y in unit.exceptions.items():
            first((((other, k), acc) for other, k in every if other == step and k and k != channel), y)
            first((((other, k), acc) for other, k in every if other != step and k and k == channel), y)
            first((((step, channel), acc + side * (1 << width)) for width in range(31, 0, -1) for side in (-1, 1)), y)
            first([((step, channel), acc ^ 1)], y)
            for other in ((step, str(int(channel) ^ 1 << k)) for k in range(6)):
                bit = step, int(other[1]) ^ int(channel)
                if other in every and bit not in left_out and first([(other, acc)], y):
                    left_out.add(bit)
    for step, has_some in itertools.product(dict.fromkeys(step for step, channel in every if channel), (False, True)):
        first((((name, channel), 0) for (name, channel), unit in every.items() if name == step and channel and bool(unit.exceptions) == has_some), 0)
    return found


def sum_rows(row, of_channel, requantize):
    """Rows of one channel, or of a pool, from its accumulators that stand beside a step."""
    least, greatest = int(row["least"]), int(row["greatest"])
    wrong, others = list(Constants(row).exceptions), foreign().get((row["step"], row["channel"]), ())
    near = np.arange(-129, 130)[:, None] + np.array([0.5])
    acc = np.floor((near - of_channel[1]) / np.float64(of_channel[0])).astype(np.int64) + np.arange(-2, 4)
    beside = (np.array(wrong, np.int64)[:, None] + np.arange(-8, 9)).ravel()
    acc = np.unique(np.clip(np.concatenate([acc.ravel(), beside, [least, -1, 1, greatest]]).astype(np.int64), least, greatest))
    excepted = np.flatnonzero(np.isin(acc, wrong)).tolist()
    inputs = np.union1d(acc[chosen(row, requantize(acc), (acc,), excepted)], [*others, *SATURATED.get(row["step"], [])]).astype(np.int64)
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
    beyond = [value(cell) for cell in ("bb008082", "33008082", "40000000", "7f900000", "7f800010")]
    x = np.concatenate([[F(-np.inf), -x[-1], F(-0.0), F(2.0**-149)], x, [np.finfo(F).max, F(np.inf)], NANS, beyond])
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
        total = a * self.m + b * self.m_b + self.addend - ((1 << self.shift >> 1) if mistake == "no-half" else 0)
        y = -(-total >> self.shift) if mistake == "to-zero" and total < 0 else total >> self.shift
        return (y + 128) % 256 - 128 if mistake == "wrap" else min(max(y, -128), 127)

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
        found = {name: self(a, b, name) for name in ("wrap", "no-half", "to-zero")}
        if self.kind == "addition":
            return found | {"exchanged": self(b, a)}
        found["exceptions-left-out"] = self(a, mistake="exceptions-left-out")
        if self.kind == "pool":
            return found
        following, of_channels, of_steps = neighbours
        low = {acc % 2**16: y for acc, y in reversed(self.exceptions.items())}
        return found | {"neighbour": following(a), "start-left-out": self(a - self.start), "exceptions-of-channels": self.exceptions.get(a, of_channels.get(a, self(a))),
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
