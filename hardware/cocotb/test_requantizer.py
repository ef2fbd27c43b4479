"""octet_requantizer beside the directed vectors of Octet, with cocotb: a bench to copy.

The vectors are docs/quantization/vectors/requantize.csv: accumulators at which mistakes of rounding, ties and saturation show,
the wanted byte, and the mistakes that each row catches. The constants are those of ResNet8, from constants.csv beside
it. run.py builds and runs this.
"""

import collections
import csv
import os
import pathlib

import cocotb
from cocotb.triggers import Timer

VECTORS = pathlib.Path(os.environ["VECTORS"])
LATENCY = 7


def rows(name):
    with open(VECTORS / name, newline="") as file:
        return list(csv.DictReader(file))


def record_of(constants, widths):
    """The bits of `record`, the lowest first: start, m, addend, shift, then slots of first, length, value, used."""
    fields = [(0, widths["ACC_BITS"]), (int(constants["m"]), widths["M_BITS"]), (int(constants["addend"]), widths["SUM_BITS"]),
              (int(constants["shift"]), widths["SHIFT_BITS"])]
    exceptions = [(int(a), int(q)) for a, q in (pair.split(":") for pair in constants["exceptions"].split())]
    for slot in range(widths["EXCEPTIONS"]):
        acc, q = exceptions[slot] if slot < len(exceptions) else (0, 0)
        fields += [(acc, widths["ACC_BITS"]), (0, widths["LENGTH_BITS"]), (q, 8), (slot < len(exceptions), 1)]
    record = at = 0
    for value, bits in fields:
        record |= (int(value) & ((1 << bits) - 1)) << at
        at += bits
    return record


async def cycle(dut):
    dut.clock.value = 0
    await Timer(5, "step")
    dut.clock.value = 1
    await Timer(5, "step")


@cocotb.test()
async def gives_the_bytes_of_every_directed_vector(dut):
    """One accumulator a cycle, each with the constants of its channel; results come LATENCY cycles later."""
    names = ("ACC_BITS", "M_BITS", "SUM_BITS", "SHIFT_BITS", "EXCEPTIONS", "LENGTH_BITS")
    widths = {name: int(getattr(dut, name).value) for name in names}
    constants = {(row["step"], row["channel"]): record_of(row, widths) for row in rows("constants.csv") if row["channel"]}
    vectors = [row for row in rows("requantize.csv") if row["channel"]]  # the others are of no network
    assert len(vectors) > 1000, len(vectors)
    dut.low.value, dut.high.value = -128 & 511, 127
    waiting = collections.deque()
    for row in vectors + [None] * LATENCY:
        if row is not None:
            dut.sum.value = int(row["acc"]) & ((1 << widths["ACC_BITS"]) - 1)
            dut.record.value = constants[row["layer"], row["channel"]]
        waiting.append(row)
        await cycle(dut)
        if len(waiting) < LATENCY:
            continue
        then = waiting.popleft()
        if then is None:
            break
        got = dut.q.value.to_signed()
        assert got == int(then["q"]), (f"{then['layer']}, channel {then['channel']}, accumulator {then['acc']}: {got}, wanted "
                                       f"{then['q']}; a mistake that gives this: {then['catches']}")
    cocotb.log.info("%d vectors, all equal", len(vectors))
