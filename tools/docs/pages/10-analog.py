"""Numbers of docs/quantization/10-analog.md."""

import csv
import functools
import io
import sys

import numpy as np

from resnet8 import *

sys.path.insert(0, str(MODELS.parent / "tests/support"))
from pictures import pictures  # noqa: E402

PICTURES, ROWS = 32, (64, 128, 256, 576)


@functools.cache
def drawn():
    """Pictures of shapes, drawn by a program: the exact network's own predictions are what others are held to."""
    file = temporary_folder() / "pictures.npy"
    np.save(file, pictures(PICTURES).astype(np.float32) / np.float32(255))
    return file


def sweep(*options):
    return list(csv.DictReader(io.StringIO(octet("sweep", OPERATORS, "--data", drawn(), *options))))


def share(row):
    return f"{100 * int(row['differing']) / int(row['elements']):.1f} %"


def weights(name):
    """Of a layer, less its zero point: one column of the array for each output channel, in the order of the products."""
    w = operands(name)["w"].astype(np.int64)
    return w.transpose(0, *range(2, w.ndim), 1).reshape(len(w), -1)


def tiles(columns, rows):
    return [columns[:, k:k + rows] for k in range(0, columns.shape[1], rows)]


def bits_to_hold(least, greatest):
    return max(v.bit_length() if v >= 0 else (~v).bit_length() for v in (int(least), int(greatest))) + 1


def lossless(columns, rows):
    """Bits of a converter that reads every sum of any tile exactly, for inputs of 0 to 255 steps: unit steps, no range to spare."""
    return max(bits_to_hold(255 * np.minimum(tile, 0).sum(axis=1).min(), 255 * np.maximum(tile, 0).sum(axis=1).max()) for tile in tiles(columns, rows))


def arrays():
    def row(step):
        columns = weights(step["name"])
        return (f"`{step['name']}`", columns.shape[1], columns.shape[0], 2 * columns.shape[0], *(len(tiles(columns, rows)) for rows in ROWS[:3]),
                *(lossless(columns, rows) for rows in ROWS[:3]))
    return table(["layer", "rows:", "columns:", "differential:", *(f"tiles of {rows}:" for rows in ROWS[:3]), *(f"lossless bits, {rows}:" for rows in ROWS[:3])],
                 [row(step) for step in accumulating()])


@functools.cache
def converters():
    return sweep("--tile-rows", "128", "--adc-bits", "5..12", "--adc-range", "1,0.25,0.125")


def same(bits, share_of_range):
    """Predictions that a converter keeps."""
    return next(row["same_prediction"] for row in converters() if (row["adc-bits"], row["adc-range"]) == (str(bits), share_of_range))


def converter_table():
    ranges = ("1", "0.25", "0.125")
    found = {(row["adc-bits"], row["adc-range"]): row for row in converters()}
    return table(["bits:", *(f"range {one}: same prediction, of {PICTURES}:" for one in ranges), *(f"range {one}: bytes that differ:" for one in ranges)],
                 [(bits, *(found[str(bits), one]["same_prediction"] for one in ranges), *(share(found[str(bits), one]) for one in ranges)) for bits in range(5, 13)])


def rows_table():
    rows = sweep("--tile-rows", ",".join(map(str, ROWS)), "--adc-bits", "8", "--adc-range", "1,0.125")
    found = {(row["tile-rows"], row["adc-range"]): row for row in rows}
    return table(["rows of a tile:", *(f"range {one}: {what}:" for one in ("1", "0.125") for what in ("same prediction", "bytes that differ"))],
                 [(rows, *(cell for one in ("1", "0.125") for cell in (found[str(rows), one]["same_prediction"], share(found[str(rows), one])))) for rows in ROWS])


def noise_table():
    rows = [(level, [sweep("--tile-rows", "128", "--weight-noise", level, "--seed", str(seed))[0] for seed in (1, 2, 3)]) for level in ("0.002", "0.005", "0.01", "0.02", "0.05")]
    return table(["deviation of a weight:", f"same prediction, of {PICTURES}, for three chips:", "bytes that differ:"],
                 [(f"{100 * float(level):g} %", ", ".join(one["same_prediction"] for one in some), share(some[0])) for level, some in rows])


def slices_table():
    """A weight of 8 bits, sign by differential columns, in slices of b bits: magnitudes of 7 bits. Inputs of 8 bits at once, or one by one."""
    def row(b):
        count, rows = -(-7 // b), 128
        return b, count, 2 * count, (rows * 255 * (2**b - 1)).bit_length(), (rows * (2**b - 1)).bit_length(), 8
    return table(["bits of a slice:", "slices:", "columns of a filter:", "bits to read 128 rows, bytes at once:", "one bit of the input at a time:", "readings then:"],
                 [row(b) for b in (1, 2, 4, 7)])


def measured():
    names = [name for name in pitfalls() if name.startswith("analog")]
    networks = list(pitfalls()["exact"])
    return table(["top-1, points, 1,017 images", *networks], [(name, *pitfalls()[name].values()) for name in names])
