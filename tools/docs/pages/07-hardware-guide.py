"""Numbers of docs/quantization/07-hardware-guide.md."""

import functools
import math

import numpy as np

import rom
from resnet8 import *

files = rom.files


def wiring():
    """What constants.csv does not say: who reads what, and where."""
    def row(step):
        operation = step["operations"][0]
        names, geometry = operation["inputs"], operation["attributes"]
        is_addition = step["kind"] == "addition"
        zero = "" if is_addition or step["kind"] == "quantize" else int(tensors()[names[2]][()])
        return (f"`{step['name']}`", f"`{names[0]}`", f"`{names[3]}`" if is_addition else "", f"`{step['outputs'][0]}`", zero, *((geometry["strides"][0], geometry["pads"][0]) if "strides" in geometry else ("", "")))
    return table(["step", "reads a", "reads b", "writes", "z_x:", "stride:", "pad:"],
                 [row(step) for step in steps().values() if step["kind"] in ("quantize", "convolution", "matrix product", "addition", "pool")])


# Requantization without floats.

class Channel:
    """The requantization of one output channel: by float32 (14), and the constants in integers that `octet bounds` has for it."""

    def __init__(self, step, number):
        constants = step["constants"]
        self.layer, self.number, self.zero_point = step["name"], number, constants["y"]["zero_point"]
        self.least, self.greatest = constants["least"][number], constants["greatest"][number]
        self.multiplier = np.float32(constants["multipliers"][number])
        found = bounds()[self.layer]["channels"][number]["requantizer"]
        self.exceptions = [(acc, q) for first, last, q in found["exceptions"] for acc in range(first, last + 1)]
        self.form = {"m": found["m"], "addend": found["addend"], "shift": found["shift"]}

    def requantized(self, acc):
        t = acc.astype(np.float32) * self.multiplier
        t = np.clip(t, np.float32(-128 - self.zero_point), np.float32(127 - self.zero_point))
        return np.rint(t).astype(np.int64) + self.zero_point


@functools.cache
def channels(name):
    return [Channel(steps()[name], number) for number in range(steps()[name]["constants"]["channels"])]


def every_channel():
    return [channel for step in accumulating() for channel in channels(step["name"])]


@functools.cache
def ties_up():
    """The proven widths with multipliers for hardware that adds a half and drops the fraction."""
    return {step["name"]: step for step in facts("bounds", OPERATORS, "--rounding", "ties-up")["steps"]}


def of_ties_up(channel):
    """m, addend and shift as `octet bounds` proves them, or None."""
    proven = ties_up()[channel.layer]["channels"][channel.number]["multiplier"]
    return proven and {**proven, "addend": (1 << proven["shift"] >> 1) + (channel.zero_point << proven["shift"])}


def signed_bits(v):
    return (v if v >= 0 else ~v).bit_length() + 1


def sum_bits(channel, form):
    return max(signed_bits(form["m"] * acc + form["addend"]) for acc in (channel.least, channel.greatest))


def widest_alive(name):
    """Of the accumulators of a layer but those of dead channels, whose bias alone fills 32 bits."""
    return max(channel["final"]["bits"] for channel in bounds()[name]["channels"] if channel["final"]["bits"] < 32)


def widest(form):
    """Bits of m, of the addend and of the sum, over the channels for which `form` gives constants."""
    found = [(channel, form(channel)) for channel in every_channel() if form(channel)]
    return {"m": max(constants["m"].bit_length() for _, constants in found), "addend": max(signed_bits(constants["addend"]) for _, constants in found),
            "sum": max(sum_bits(*pair) for pair in found)}


def record(kind):
    """What constants.csv has for steps of a kind that have no channels: bits of each constant, and the bytes that hold them."""
    rows = [row for row in rom.rows_of_constants() if row["kind"] == kind]
    bits = {name: max(measure(int(row[name])) for row in rows) for name, measure in
            (("m", int.bit_length), ("m_b", int.bit_length), ("addend", signed_bits), ("shift", int.bit_length)) if rows[0][name]}
    return ", ".join(f"`{name}` ({width})" for name, width in bits.items()) + f", {-(-sum(bits.values()) // 8)} bytes"


def of_table(channel):
    return channel.form


def widths():
    def row(name):
        b = bounds()[name]
        proven = [channel["multiplier"]["bits"] for channel in b["channels"] if channel["multiplier"]]
        return (f"`{name}`", b["products"], b["final"]["bits"], widest_alive(name), b["raw"]["bits"], b["textbook"]["bits"],
                f"{len(proven)} of {len(b['channels'])}", max(proven), sum(channel["ties"] for channel in b["channels"]))
    return table(["layer", "products:", "accumulator:", "without dead channels:", "raw:", "textbook:", "channels with an equal multiplier:", "its bits:", "float32 ties:"],
                 [row(step["name"]) for step in accumulating()])


def forms():
    def row(name):
        of_octet = [channel["multiplier"] for channel in ties_up()[name]["channels"]]
        every = channels(name)
        for channel, proven in zip(every, of_octet):  # the free constant costs no channel and no bit
            assert not proven or not channel.exceptions and channel.form["m"].bit_length() <= proven["bits"]
        left = [channel for channel in every if channel.exceptions]
        return (f"`{name}`", len(every), sum(m is not None for m in of_octet), max(m["bits"] for m in of_octet if m),
                len(every) - len(left), max(channel.form["m"].bit_length() for channel in every), max(sum_bits(channel, channel.form) for channel in every),
                len(left), sum(len(channel.exceptions) for channel in left))
    return table(["layer", "channels:", "addend fixed:", "bits of m:", "addend free:", "bits of m:", "bits of the sum:", "neither:", "exceptions:"],
                 [row(step["name"]) for step in accumulating()])


def totals():
    left = [channel for channel in every_channel() if channel.exceptions]
    nearest = [ties_up()[channel.layer]["channels"][channel.number]["differing"] for channel in left]
    exceptions = [len(channel.exceptions) for channel in left]
    return {"channels": len(every_channel()), "left": len(left), "nearest": sum(nearest), "wrong": sum(exceptions), "most": max(exceptions),
            "fixed": sum(channel["multiplier"] is not None for step in ties_up().values() for channel in step["channels"]),
            "accumulators": sum(channel.greatest - channel.least + 1 for channel in every_channel())}


EXAMPLE = ("block2.shortcut", 5)  # saturates at both ends


def example():
    """The example's channel with the multiplier that `octet bounds` proves, as a C program that tries every accumulator."""
    name, number = EXAMPLE
    channel = channels(name)[number]
    proven = of_ties_up(channel)
    return fenced("c", f"""
#include <stdio.h>

/* {name}, output channel {number}: M = {real(channel.multiplier)}, z_y = {channel.zero_point} */
static const struct requantizer example = {{.m = {proven['m']}, .shift = {proven['shift']}, .addend = {proven['addend']}}};

int main(void)
{{
    int32_t equal = 0, all = 0;
    for (int32_t acc = {channel.least}; acc <= {channel.greatest}; acc++, all++)
        equal += requantize_integer(acc, &example) == requantize_float32(acc, {float(channel.multiplier).hex()}f, {channel.zero_point});
    printf("%d of %d accumulators equal\\n", equal, all);
    return equal != all;
}}""".strip())


BLOCK = 32


def narrow_weights():
    """What 4-bit weights, and blocks of them, mean for each layer: sizes and widths that follow from shapes alone."""
    def bits(largest):
        return largest.bit_length() + 1
    rows = []
    for step in accumulating():
        w = operands(step["name"])["w"]
        blocks = -(-w.shape[1] // BLOCK) * math.prod(w.shape[2:])
        products = math.prod(w.shape[1:])
        rows.append((f"`{step['name']}`", products, whole(w.size), whole(w.size // 2), bits(255 * 128 * products), bits(255 * 8 * products), blocks, whole(2 * len(w) * blocks), bits(255 * 8 * min(BLOCK, w.shape[1]))))
    return table(["layer", "products:", "bytes of 8 bits:", "of 4 bits:", "accumulator, 8 x 8:", "8 x 4:", f"blocks of {BLOCK} in a sum:", "bytes of float16 scales:", "accumulator of a block:"], rows)


def narrow_accuracy():
    rows = {"float": "float", "int8, minmax, weights per channel": "8 bits, all of it", "4-bit weights per channel, float activations": "4-bit weights, a scale per channel, activations float",
            "4-bit weights in blocks of 32 input channels, float activations": "the same in blocks of 32 input channels", "4-bit weights in blocks of 16 input channels, float activations": "of 16"}
    return table(["network", "top-1, of 1,017 images", "predictions as float:"], [(what, *accuracy(row)[:2]) for row, what in rows.items()])


def weight_bytes():
    return sum(operands(step["name"])["w"].size for step in accumulating())


# What the tests of the C and the Verilog read.

WINDOWS_OF = "block1.conv1"


def vectors():
    forms = list(map(of_table, every_channel()))
    exceptions = [channel.exceptions for channel in every_channel()]
    flat = [pair for pairs in exceptions for pair in pairs]
    o = operands(WINDOWS_OF)
    padded = np.pad(o["x"][0], ((0, 0), (1, 1), (1, 1)), constant_values=np.int8(o["x_zero_point"]))
    positions = [(row, column) for row in (0, 13, 31) for column in (0, 17, 31)]
    chosen = [number for number, channel in enumerate(channels(WINDOWS_OF)) if not channel.exceptions]
    of_chosen = [channels(WINDOWS_OF)[number].form for number in chosen]
    result = tensors()[steps()[WINDOWS_OF]["outputs"][0]][0]
    channel = channels(EXAMPLE[0])[EXAMPLE[1]]
    every = np.arange(channel.least, channel.greatest + 1)
    return {
        "least": np.int32([channel.least for channel in every_channel()]), "greatest": np.int32([channel.greatest for channel in every_channel()]),
        "multipliers": np.float32([channel.multiplier for channel in every_channel()]),
        "zero_points": np.int8([channel.zero_point for channel in every_channel()]),
        "m": np.int32([form["m"] for form in forms]), "addends": np.int64([form["addend"] for form in forms]), "shifts": np.int8([form["shift"] for form in forms]),
        "exception_counts": np.int32([len(pairs) for pairs in exceptions]),
        "exception_acc": np.int32([acc for acc, _ in flat]), "exception_q": np.int8([q for _, q in flat]),
        "windows": np.stack([padded[:, i:i + 3, j:j + 3].ravel() for i, j in positions]), "w": o["w"][chosen],
        "starts": np.int32(steps()[WINDOWS_OF]["constants"]["starts"])[chosen], "unit_m": np.int32([form["m"] for form in of_chosen]),
        "unit_addend": np.int64([form["addend"] for form in of_chosen]), "unit_shift": np.int8([form["shift"] for form in of_chosen]),
        "wanted": np.stack([result[chosen, i, j] for i, j in positions]), "filters": np.int32(len(chosen)),
        "every_first": np.int32(channel.least), "every_count": np.int32(every.size), "every_q": channel.requantized(every).astype(np.int8),
        "every_m": np.int32(channel.form["m"]), "every_addend": np.int64(channel.form["addend"]), "every_shift": np.int8(channel.form["shift"]),
    }
