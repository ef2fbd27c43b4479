"""Runs a command as on another x86 CPU.

Usage: as_cpu.py CPU COMMAND...

CPU is `avx2` (AVX2 and FMA, without AVX-512, VNNI and AMX) or `avx2-vnni` (the same with AVX-VNNI, which is emulated where
this CPU lacks it).

ONNX Runtime and OpenVINO choose their kernels by CPUID, and have no option for it. Copies of both packages go to build/as_cpu; in
their shared objects each CPUID instruction becomes an undefined one, which as_cpu.c, preloaded, answers. Programs of
build/ that COMMAND names are copied and patched likewise; as avx2, OCTET_CPU tells Octet's engine. Prepared copies are reused.

Results and chosen kernels are those of the other CPU. Speed is not: it is that of this CPU, and emulated instructions are slow.
"""

import fcntl
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
FOLDER = ROOT / "build/as_cpu"
CPUS = ("avx2", "avx2-vnni")
PACKAGES = ("onnxruntime", "openvino")
CPUID, UNDEFINED = b"\x0f\xa2", b"\x0f\xff"


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


def is_library(path):
    return ".so" in path.suffixes and path.is_file() and not path.is_symlink()


def prepare_packages():
    """Patches copies of the packages, unless that was done before with the same ones."""
    sys.path[:] = [path for path in sys.path if pathlib.Path(path).resolve() != FOLDER]  # inside another as_cpu.py
    found = {name: importlib.util.find_spec(name) for name in PACKAGES}
    packages = {name: pathlib.Path(spec.origin).parent for name, spec in found.items() if spec}
    facts = [(str(path), path.stat().st_size, path.stat().st_mtime)
             for package in packages.values() for path in sorted(package.rglob("*.so*"))]
    sources = [path.read_bytes() for path in sorted(HERE.iterdir()) if path.is_file()]
    wanted = hashlib.sha256(b"".join([repr(facts).encode(), *sources])).hexdigest()
    done = FOLDER / "done"
    if done.exists() and done.read_text() == wanted:
        return
    for name in (*PACKAGES, "programs"):
        shutil.rmtree(FOLDER / name, ignore_errors=True)
    for name, package in packages.items():
        shutil.copytree(package, FOLDER / name, symlinks=True, ignore=shutil.ignore_patterns("*_gpu_plugin*", "*_npu_plugin*"))
        for library in filter(is_library, sorted((FOLDER / name).rglob("*.so*"))):
            replace_cpuid(library)
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", HERE / "as_cpu.c", HERE / "vnni.c", "-o",
                    FOLDER / "as_cpu.so"], check=True)
    done.write_text(wanted)


def is_built_program(path):
    return os.path.isfile(path) and (ROOT / "build") in path.parents and FOLDER not in path.parents and path.read_bytes()[:4] == b"\x7fELF"


def patched(argument):
    """The argument, or the patched copy of the program in build/ that it names."""
    program = pathlib.Path(argument).absolute()
    if not is_built_program(program):
        return argument
    copy = FOLDER / "programs" / program.relative_to(ROOT / "build")
    facts = program.stat()
    if not copy.exists() or copy.stat().st_mtime_ns != facts.st_mtime_ns:
        copy.parent.mkdir(parents=True, exist_ok=True)
        unfinished = copy.with_name(copy.name + ".unfinished")
        shutil.copy(program, unfinished)
        replace_cpuid(unfinished)
        os.utime(unfinished, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        unfinished.replace(copy)
    return str(copy)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in CPUS:
        sys.exit(__doc__.split("\n\n")[1])
    cpu, *command = sys.argv[1:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare_packages()
        command = [patched(argument) for argument in command]
    paths = [str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ.update(PYTHONPATH=":".join(paths), LD_PRELOAD=str(FOLDER / "as_cpu.so"), OCTET_AS_CPU=cpu)
    if (layout := ROOT / "build" / "octet-layout").exists():  # it is not next to the patched programs
        os.environ.setdefault("OCTET_LAYOUT", str(layout))
    if cpu == "avx2":  # as avx2-vnni Octet chooses VNNI itself, in the patched programs
        os.environ["OCTET_CPU"] = cpu
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
