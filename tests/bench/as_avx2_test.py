"""Under benchmarks/as_avx2 ONNX Runtime chooses the kernels of a CPU without VNNI: it saturates, and in its exact mode it does not.

Usage: as_avx2_test.py

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


def main():
    missing = [tool for tool in ("objdump", "gcc") if not shutil.which(tool)]
    if platform.machine() != "x86_64" or "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        missing.append("an x86 CPU with AVX2")
    if missing:
        print("skipped: there is no " + " and no ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, ROOT / "benchmarks/as_avx2/as_avx2.py", folder, sys.executable, "-c", SATURATION,
                               ROOT / "models/resnet8_uint8.onnx"], stdout=subprocess.PIPE, text=True, check=True)
        file, differing = done.stdout.split()
        assert pathlib.Path(folder).resolve() in pathlib.Path(file).parents, file
        assert int(differing) > 40, done.stdout
        print(f"{differing} of 80 outputs are saturated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
