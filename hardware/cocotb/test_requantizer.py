"""octet_requantizer beside the directed vectors of Octet, with cocotb: a bench to copy.

Rows are accumulators at which mistakes of rounding, ties and saturation show, the wanted byte, and the mistakes that each of
them catches; vectors.py reads them and the constants of every channel. run.py builds and runs this.
"""

import collections
import os
import pathlib

import cocotb
from cocotb.triggers import Timer

from vectors import load

VECTORS = pathlib.Path(os.environ["VECTORS"])
LATENCY = 7


def record_of(channel, widths):
    """The bits of `record`, the lowest first: start, m, addend, shift, then slots of first, length, value, used."""
    fields = [(0, widths["ACC_BITS"]), (channel.m, widths["M_BITS"]), (channel.addend, widths["SUM_BITS"]),
              (channel.shift, widths["SHIFT_BITS"])]
    for slot in range(widths["EXCEPTIONS"]):
        used = slot < len(channel.exceptions)
        first, last, q = channel.exceptions[slot] if used else (0, 0, 0)
        fields += [(first, widths["ACC_BITS"]), (last - first, widths["LENGTH_BITS"]), (q, 8), (used, 1)]
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
    constants, rows = load(VECTORS)
    [(low, high)] = {(channel.low, channel.high) for channel in constants.values()}
    dut.low.value, dut.high.value = low & 511, high & 511
    records = {place: record_of(channel, widths) for place, channel in constants.items()}
    waiting = collections.deque()
    for row in rows + [None] * LATENCY:
        if row is not None:
            dut.sum.value = row.acc & ((1 << widths["ACC_BITS"]) - 1)
            dut.record.value = records[row.layer, row.channel]
        waiting.append(row)
        await cycle(dut)
        if len(waiting) < LATENCY:
            continue
        then = waiting.popleft()
        if then is None:
            break
        got = dut.q.value.to_signed() if low < 0 else dut.q.value.to_unsigned()
        assert got == then.q, (f"{then.layer}, channel {then.channel}, accumulator {then.acc}: {got}, wanted {then.q}; a mistake that "
                               f"gives this: {then.catches}")
    cocotb.log.info("%d vectors, all equal", len(rows))
