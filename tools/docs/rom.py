"""docs/quantization/vectors/constants.csv and steps.csv: the integer constants of ResNet8, and rows that no wrong one of them passes.

The constants are what `octet bounds --table` writes. The rows are results of float32, from the scales of the model, at every
exception, on both sides of the outermost steps of every channel, and where a constant that is off by one gives another byte.
tests/docs/vectors_test.py changes every constant and finds a row that differs, and makes the mistakes that rows name.
"""

import csv
import functools
import io

import numpy as np

from directed import PAIRS, add, bits, channels, finished, multiplier, pool, quantize, value
from resnet8 import *

F = np.float32

MISTAKES = {
    "exceptions-left-out": "the line alone: exceptions are not looked up",
    "not-saturated": "the lowest 8 bits are kept instead of saturating",
    "half-left-out": "the addend lacks the half: what is shifted out is dropped",
    "toward-zero": "the shift rounds toward zero, as a division in C does, not down",
    "other-channel": "the constants of the next channel",
    "start-left-out": "the sum begins at 0: no bias, no correction for the zero point",
    "exchanged": "the operands of the addition change places",
    "threshold-excluded": "the input must exceed a threshold where it may equal it",
    "nan-is-highest": "NaN counts as if it had reached every threshold",
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


def sum_rows(row, of_channel, requantize):
    """Rows of one channel, or of a pool, from its accumulators that stand beside a step."""
    least, greatest = int(row["least"]), int(row["greatest"])
    wrong = [int(part.split(":")[0]) for part in row["exceptions"].split()]
    near = np.arange(-129, 130)[:, None] + np.array([0.5])
    acc = np.floor((near - of_channel[1]) / np.float64(of_channel[0])).astype(np.int64) + np.arange(-2, 4)
    acc = np.unique(np.clip(np.concatenate([acc.ravel(), wrong, [least, greatest]]).astype(np.int64), least, greatest))
    y = requantize(acc)
    excepted = np.flatnonzero(np.isin(acc, wrong)).tolist()
    return [(row["step"], row["channel"], int(acc[at]), int(y[at])) for at in chosen(row, y, (acc,), excepted)]


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
    x = np.append(x, F(np.nan))
    with np.errstate(invalid="ignore"):
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

    def __call__(self, a, b=0, mistake=""):
        if mistake != "exceptions-left-out" and a in self.exceptions:
            return self.exceptions[a]
        total = a * self.m + b * self.m_b + self.addend - ((1 << self.shift >> 1) if mistake == "half-left-out" else 0)
        y = -(-total >> self.shift) if mistake == "toward-zero" and total < 0 else total >> self.shift
        return (y + 128) % 256 - 128 if mistake == "not-saturated" else min(max(y, -128), 127)

    def mistaken(self, given, following):
        """The result of each mistake that this kind of step can make on an input."""
        if self.kind == "quantize":
            return {"threshold-excluded": -128 + sum(threshold < value(given) for threshold in self.thresholds),
                    "nan-is-highest": -128 + sum(not value(given) < threshold for threshold in self.thresholds)}
        a, b = map(int, given.split("/")) if self.kind == "addition" else (int(given), 0)
        found = {name: self(a, b, name) for name in ("not-saturated", "half-left-out", "toward-zero")}
        if self.kind == "addition":
            return found | {"exchanged": self(b, a)}
        found["exceptions-left-out"] = self(a, mistake="exceptions-left-out")
        return found if self.kind == "pool" else found | {"other-channel": following(a), "start-left-out": self(a - self.start)}


def labelled():
    """The rows, each with the mistakes that give another byte."""
    every = {(row["step"], row["channel"]): Constants(row) for row in rows_of_constants()}
    def following(step, channel):
        return every.get((step, str(int(channel) + 1)), every[step, "0"]) if channel else None
    for step, channel, given, y in vectors():
        wrong = every[step, channel].mistaken(str(given), following(step, channel))
        yield step, channel, given, y, " ".join(name for name in MISTAKES if wrong.get(name, y) != y)


def files():
    rows = "".join(",".join(map(str, row)) + "\n" for row in labelled())
    return {"vectors/constants.csv": constants(), "vectors/steps.csv": f"step,channel,input,y,catches\n{rows}"}
