"""The requantizer in Verilog beside the float32 rule, with the constants of every channel of ResNet8 as they were exported.

Usage: requantizer_test.py OCTET [--every]

On the accumulators around every step of the output and every exception; with --every on each accumulator that can be. Changed
exceptions and changed constants must be noticed. The wanted bytes come from the multipliers that octet lower prints, in
float32, and not from the integers under test.
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np

from exported import Exported, Memory, ROOT, require_tools, run


def channels_of(exported):
    """For each channel of each sum of products: its place in channels.hex, and what the program says of it."""
    constants = {step["name"].replace(".", "_"): step["constants"] for step in exported.program["steps"]}
    field, requantizers = exported.parameters["FIELD_BITS"], exported.parameters["REQUANTIZERS"]
    steps = Memory(exported.folder / "steps.hex")
    for number, name in enumerate(exported.names):
        said = constants[name]
        if "multipliers" not in said:
            continue
        first = steps.get(number, 21 * field, field)
        low, high = (steps.get(number, 24 * field + at, 9, signed=True) for at in (9, 0))
        for m in range(said["channels"]):
            yield (first + m // requantizers, m % requantizers), (said, m, low, high)


def line_of(exported, as_exported, memory, place, said, m, low, high):
    fields, bits = exported.channel_fields()
    word, base = place[0], place[1] * bits
    record = memory.get(word, base, bits)
    words = [f"{record >> 32 * i & 0xffffffff:x}" for i in range((bits + 31) // 32)]
    exceptions = [as_exported.get(word, base + fields[f"first_{e}"][0], fields[f"first_{e}"][1], signed=True)
                  for e in range(exported.parameters["EXCEPTIONS"]) if as_exported.get(word, base + fields[f"used_{e}"][0], 1)]
    least, greatest, start = said["least"][m], said["greatest"][m], said["starts"][m]
    if as_exported.get(word, base + fields["m"][0], fields["m"][1]) == 0 and not exceptions:
        start, greatest = 0, least  # a constant: the accumulator is not even kept
    multiplier = np.float32(said["multipliers"][m]).view(np.uint32)
    return " ".join(str(x) for x in (len(words), *words, f"{multiplier:x}", least, greatest, start, said["y"]["zero_point"], low,
                                     high, *exceptions))


def build(exported, folder):
    p = exported.parameters
    names = ("ACC_BITS", "M_BITS", "SUM_BITS", "SHIFT_BITS", "EXCEPTIONS", "LENGTH_BITS")
    modules = [exported.folder / f"octet_{name}.v" for name in ("requantizer", "multiplier", "shift_saturate")]
    run("verilator", "-Wall", "--cc", "--exe", "--build", "-O3", "-CFLAGS", f"-O2 -std=c++20 -DOCTET_ACC_BITS={p['ACC_BITS']}",
        *(f"-G{name}={p[name]}" for name in names), "--top-module", "octet_requantizer", "--Mdir", folder / "verilated", "-o",
        folder / "requantizer", *modules, ROOT / "tests/hardware/requantizer_bench.cc")
    return folder / "requantizer"


def check(exported, bench, folder, memory, which="edges", only=None):
    as_exported = Memory(exported.folder / "channels.hex")
    lines = [line_of(exported, as_exported, memory, place, *said) for place, said in channels_of(exported) if only in (None, place)]
    (folder / "channels.txt").write_text("\n".join(lines) + "\n")
    done = subprocess.run([bench, folder / "channels.txt", which], capture_output=True, text=True)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return done.stdout


def notices_changes(exported, bench, folder):
    """Every exception's value, place and mark; start, m, addend and shift of a channel of every step."""
    fields, bits = exported.channel_fields()
    original = Memory(exported.folder / "channels.hex")
    tried, alive = 0, set()
    for place, (said, *_) in channels_of(exported):
        word, base = place[0], place[1] * bits
        changes = [(f"{name}_{e}", 0) for e in range(exported.parameters["EXCEPTIONS"])
                   if original.get(word, base + fields[f"used_{e}"][0], 1) for name in ("value", "first", "used")]
        if original.get(word, base + fields["m"][0], fields["m"][1]) != 0 and id(said) not in alive:
            alive.add(id(said))
            changes += [("start", 8), ("m", fields["m"][1] - 9), ("addend", fields["addend"][1] - 12), ("shift", 0)]
        for name, bit in changes:
            changed = Memory(exported.folder / "channels.hex")
            at = base + fields[name][0] + bit
            changed.set(word, at, 1, 1 - changed.get(word, at, 1))
            report = check(exported, bench, folder, changed, only=place)
            assert report.startswith("FAIL"), (place, name, report)
            tried += 1
    return tried


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    require_tools("verilator", "make", "g++")
    octet = options.octet.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("int8",) if not options.every else ("int8", "uint8"):
            exported = Exported(octet, ROOT / f"models/resnet8_{name}.onnx", folder / name, 64)
            work = folder / f"{name}_bench"
            work.mkdir()
            bench = build(exported, work)
            memory = Memory(exported.folder / "channels.hex")
            report = check(exported, bench, work, memory, "every" if options.every else "edges")
            assert report.startswith("PASS: 346 channels"), report
            print(f"{name}: {report.strip()}")
            if name == "int8":
                print(f"{notices_changes(exported, bench, work)} changed constants caught")


main()
