"""The cocotb bench passes on the shipped vectors and on those exported for another network, and sees a wrong module.

Usage: cocotb_test.py OCTET
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*options):
    return subprocess.run([sys.executable, ROOT / "hardware/cocotb/run.py", *options], capture_output=True, text=True)


def rows_passed(*options):
    done = run(*options)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(re.search(r"^PASS: (\d+) rows$", done.stdout, re.M)[1])


def main(octet):
    shipped = run()
    if shipped.returncode == 77:
        print(shipped.stdout)
        return 77
    assert rows_passed() > 2500
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([octet, "export", ROOT / "models/resnet8_uint8.onnx", "--vectors", folder / "uint8", "--directed"], check=True,
                       stdout=subprocess.DEVNULL)
        assert rows_passed("--vectors", folder / "uint8") > 4000
        modules = folder / "modules"
        modules.mkdir()
        for module in (ROOT / "hardware").glob("octet_*.v"):
            shutil.copy(module, modules)
        for file, right, wrong in (("octet_requantizer.v", "acc <= start + sum;", "acc <= start + sum + 1;"),
                                   ("octet_shift_saturate.v", "fine <= coarse >>> rest;", "fine <= coarse >>> (rest ^ 1);")):
            before = (modules / file).read_text()
            assert right in before, (file, right)
            (modules / file).write_text(before.replace(right, wrong))
            for vectors in ((), ("--vectors", folder / "uint8")):
                done = run("--modules", modules, *vectors)
                assert done.returncode != 0 and "a mistake that gives this" in done.stdout + done.stderr, (wrong, vectors, done.stdout)
            (modules / file).write_text(before)
        empty = folder / "constants"
        subprocess.run([octet, "export", ROOT / "models/resnet8_uint8.onnx", "--vectors", empty], check=True, stdout=subprocess.DEVNULL)
        done = run("--vectors", empty)
        assert done.returncode == 1 and "has no directed rows" in done.stderr, done
    print("the bench passes, and sees wrong modules")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
