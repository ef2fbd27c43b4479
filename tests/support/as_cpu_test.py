"""tools/as_cpu makes programs see another CPU: ONNX Runtime saturates as avx2 and is exact as avx2-vnni, and every emulated
instruction computes what the CPU's own does.

Usage: as_cpu_test.py OCTET

Skipped where this is not an x86 CPU with AVX2, or objdump and gcc are not there.
"""

import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Prints how many of 80 outputs differ from those of the exact mode.
SATURATION = """
import sys
import numpy, onnxruntime

def outputs(precision):
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", precision)
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    return session.run(None, {"image": numpy.random.default_rng(1).random((8, 3, 32, 32), numpy.float32)})[0]

print(onnxruntime.__file__)
print(numpy.count_nonzero(outputs("0") != outputs("1")))
"""


def run_as(cpu, *command):
    done = subprocess.run([sys.executable, ROOT / "tools/as_cpu/as_cpu.py", cpu, *command], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"as {cpu}: {command} ended with {done.returncode}: {done.stdout}"
    return done.stdout


def saturated(cpu):
    file, differing = run_as(cpu, sys.executable, "-c", SATURATION, ROOT / "models/resnet8_uint8.onnx").split()
    assert ROOT / "build/as_cpu" in pathlib.Path(file).parents, file
    return int(differing)


def main(octet):
    missing = [tool for tool in ("objdump", "gcc") if not shutil.which(tool)]
    if platform.machine() != "x86_64" or "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        missing.append("x86 CPU with AVX2")
    if missing:
        print("skipped: there is no " + " and no ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "vnni_test")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-mavx2", "-fno-pie", "-no-pie", "-pthread", ROOT / "tests/support/vnni_test.c",
                        "-o", program], check=True)
        print(run_as("avx2-vnni", program).strip())
    assert saturated("avx2") > 40
    assert saturated("avx2-vnni") == 0
    # Octet's own kernels: the CPU that is asked for is there, and a run by its kernels gives the same bits.
    if not {"avx512f", "avx_vnni"} & set(pathlib.Path("/proc/cpuinfo").read_text().split()):
        listed = run_as("avx2-vnni", "sh", "-c", 'OCTET_CPU=avx2-vnni exec "$0" run "$1" --random 1 --dim N=1', octet,
                        ROOT / "models/resnet8_uint8.onnx")
        assert listed == subprocess.run([octet, "run", ROOT / "models/resnet8_uint8.onnx", "--random", "1", "--dim", "N=1"], check=True,
                                        stdout=subprocess.PIPE, text=True).stdout
    print("ONNX Runtime saturates as avx2 and is exact as avx2-vnni")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
