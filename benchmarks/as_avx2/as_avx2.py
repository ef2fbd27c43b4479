"""Runs a command on this x86 CPU as on one with AVX2 and without AVX-512, VNNI and AMX.

Usage: as_avx2.py FOLDER COMMAND...

ONNX Runtime and OpenVINO choose their kernels by CPUID, and have no option for it. Copies of both packages go to FOLDER, once; in
their shared objects each CPUID instruction becomes an undefined one, which cpuid.c, preloaded, answers. Octet has the
environment variable OCTET_CPU. COMMAND runs with all of that in its environment.

What this shows is which kernels run and what they compute. Their speed is that of this CPU, whose AVX2 may be better or worse than
that of a CPU that has nothing else.
"""

import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

PACKAGES = ("onnxruntime", "openvino")
CPUID, UNDEFINED = b"\x0f\xa2", b"\x0f\xff"
HERE = pathlib.Path(__file__).resolve().parent


def sections(library):
    """Of the sections with code: address, place in the file."""
    listing = subprocess.run(["objdump", "-h", library], check=True, capture_output=True, text=True).stdout
    for line in re.finditer(r"^ +\d+ \S+ +([0-9a-f]+) +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) .*\n.*\bCODE\b", listing, re.M):
        size, address, place = (int(number, 16) for number in line.groups())
        yield range(address, address + size), place


def cpuid_places(library):
    """Where in the file the CPUID instructions are. Bytes alone don't tell: 0F A2 is also a part of longer instructions."""
    code = list(sections(library))
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True) as listing:
        for line in listing.stdout:
            if line.endswith("cpuid\n") and (found := re.match(r" *([0-9a-f]+):\s+cpuid$", line)):
                address = int(found[1], 16)
                yield next(place + address - addresses.start for addresses, place in code if address in addresses)
    if listing.returncode != 0:
        sys.exit(f"objdump -d {library} ended with code {listing.returncode}")


def replace_cpuid(library):
    if CPUID not in library.read_bytes():
        return
    places = list(cpuid_places(library))
    with open(library, "r+b") as file:
        for place in places:
            file.seek(place)
            if file.read(2) != CPUID:
                sys.exit(f"{library}: no CPUID at {place:#x}, where objdump has one")
            file.seek(place)
            file.write(UNDEFINED)
    print(f"{library.name}: {len(places)} CPUID instructions", file=sys.stderr)


def is_library(path):
    return ".so" in path.suffixes and path.is_file() and not path.is_symlink()


def prepare(folder):
    """Fills `folder`, unless it was filled from the same packages before."""
    found = {name: importlib.util.find_spec(name) for name in PACKAGES}
    packages = {name: pathlib.Path(spec.origin).parent for name, spec in found.items() if spec}
    facts = [(str(path), path.stat().st_size, path.stat().st_mtime)
             for package in packages.values() for path in sorted(package.rglob("*.so*"))]
    sources = [path.read_bytes() for path in (pathlib.Path(__file__), HERE / "cpuid.c")]
    wanted = hashlib.sha256(b"".join([repr(facts).encode(), *sources])).hexdigest()
    done = folder / "done"
    if done.exists() and done.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    for name, package in packages.items():
        shutil.copytree(package, folder / name, symlinks=True, ignore=shutil.ignore_patterns("*_gpu_plugin*", "*_npu_plugin*"))
        for library in filter(is_library, sorted((folder / name).rglob("*.so*"))):
            replace_cpuid(library)
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", HERE / "cpuid.c", "-o", folder / "cpuid.so"],
                   check=True)
    done.write_text(wanted)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    folder = pathlib.Path(sys.argv[1]).resolve()
    prepare(folder)
    os.environ.update(PYTHONPATH=str(folder), LD_PRELOAD=str(folder / "cpuid.so"), OCTET_CPU="avx2")
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
