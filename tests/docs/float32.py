"""float32 on exact fractions: roundings that say what they do, for the tests of the vectors."""

import math
import struct
from fractions import Fraction

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
    """To the nearest float32, ties to even; a float where that is infinite."""
    v = Fraction(v)
    if v == 0:
        return v
    exponent = math.floor(math.log2(abs(v.numerator)) - math.log2(v.denominator))
    exponent += (abs(v) >= Fraction(2) ** (exponent + 1)) - (abs(v) < Fraction(2) ** exponent)
    unit = Fraction(2) ** max(exponent - 23, -149)
    rounded = rounding(v / unit) * unit
    return math.copysign(math.inf, v) if abs(rounded) >= Fraction(2) ** 128 else rounded


def sat(v):
    return min(max(v, -128), 127)


def wrap(v):
    return (v + 128) % 256 - 128


def number(bits):
    """A float32 from its bits: a fraction, or a float where it is none."""
    value = struct.unpack(">f", bytes.fromhex(bits))[0]
    return Fraction(value) if math.isfinite(value) else value
