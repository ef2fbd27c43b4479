"""Constants and rows of requantizers, from either of two folders that Octet has: docs/quantization/vectors, and what
`octet export MODEL --vectors FOLDER --directed` writes for a network of yours.
"""

import csv
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Channel:
    """q = saturate((acc * m + addend) >> shift), but on exceptions: (first, last, q)."""

    m: int
    addend: int
    shift: int
    low: int
    high: int
    exceptions: tuple = ()


@dataclass(frozen=True)
class Row:
    layer: str
    channel: int
    acc: int
    q: int
    catches: str


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def shipped(folder):
    """requantize.csv and steps.csv, and constants.csv beside them, of ResNet8; rows without a channel are of no sum."""
    constants = {}
    for row in table(folder / "constants.csv"):
        if row["channel"]:
            exceptions = tuple((int(acc), int(acc), int(q)) for acc, q in (pair.split(":") for pair in row["exceptions"].split()))
            constants[row["step"], int(row["channel"])] = Channel(int(row["m"]), int(row["addend"]), int(row["shift"]), -128, 127,
                                                                  exceptions)
    files = (("requantize.csv", ("layer", "acc", "q")), ("steps.csv", ("step", "input", "y")))
    rows = [Row(row[layer], int(row["channel"]), int(row[acc]), int(row[q]), row["catches"])
            for file, (layer, acc, q) in files for row in table(folder / file) if row["channel"]]
    return constants, rows


def exported(folder):
    """manifest.json, and the tables of directed rows that it names."""
    manifest = json.loads((folder / "manifest.json").read_text())
    epilogues = {step["name"]: step["epilogue"][0] for step in manifest["steps"] if step.get("epilogue")}
    constants, rows = {}, []
    for directed in manifest["directed"]:
        if directed["kind"] != "requantize":
            continue
        name, stage = directed["step"], epilogues[directed["step"]]
        found = [Row(name, int(row["channel"]), int(row["acc"]), int(row["q"]), row["catches"])
                 for row in table(folder / directed["table"])]
        for channel in {row.channel for row in found}:
            at = channel if len(stage["m"]) > 1 else 0
            exceptions = tuple((e["first"], e["last"], e["value"]) for e in stage["exceptions"] if e["channel"] == at)
            constants[name, channel] = Channel(stage["m"][at], stage["addend"][at], stage["shift"][at], stage["low"], stage["high"],
                                               exceptions)
        rows += found
    return constants, rows


def load(folder):
    return exported(folder) if (folder / "manifest.json").exists() and not (folder / "constants.csv").exists() else shipped(folder)


def signed_bits(numbers):
    return max(max(number, ~number).bit_length() + 1 for number in numbers)


def widths(constants, rows):
    """Parameters of octet_requantizer that hold all of this."""
    ranges = [last - first for channel in constants.values() for first, last, _ in channel.exceptions]
    sums = [row.acc * constants[row.layer, row.channel].m + constants[row.layer, row.channel].addend for row in rows]
    found = {"ACC_BITS": signed_bits([row.acc for row in rows] + [e[0] for c in constants.values() for e in c.exceptions]),
             "M_BITS": signed_bits(channel.m for channel in constants.values()),
             "SHIFT_BITS": max(6, max(channel.shift for channel in constants.values()).bit_length()),
             "EXCEPTIONS": max(1, max(len(channel.exceptions) for channel in constants.values())),
             "LENGTH_BITS": max([1, *(length.bit_length() for length in ranges)])}
    sums += [channel.addend for channel in constants.values()]
    return found | {"SUM_BITS": max(found["ACC_BITS"], found["M_BITS"], signed_bits(sums))}
