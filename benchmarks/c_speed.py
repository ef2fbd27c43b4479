"""How fast ResNet8 in exported C is, beside the C of emx-onnx-cgen and beside ONNX Runtime, by turns in one process. Fills docs/export-c.md.

Usage: c_speed.py OCTET PAGE [--seconds 10]

Each of them computes the same image, one after the other, for so long; what counts is the least time of each, and their ratios. Needs
gcc, clang, and the packages of tools/requirements.txt and tools/requirements-bench.txt: tools/setup.sh bench.
"""

import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL, IMAGE = ROOT / "models/resnet8_uint8.onnx", ROOT / "models/sample_image.npy"
BEGIN, END = "<!-- speed: benchmarks/c_speed.py -->\n", "<!-- end -->"
FLAGS = "-O3 -march=native"


class Library(ctypes.Structure):
    """octet_library, as octet/export/c_library.cc has it."""
    _fields_ = [("mark", ctypes.c_uint32), ("version", ctypes.c_uint32), ("bytes", ctypes.c_uint64), ("made_by", ctypes.c_char_p),
                ("policy", ctypes.c_char_p), ("inputs", ctypes.c_int32), ("outputs", ctypes.c_int32), ("tensors", ctypes.c_int32),
                ("input", ctypes.c_void_p), ("output", ctypes.c_void_p), ("tensor", ctypes.c_void_p),
                ("run", ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p)))]


def address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def exported(octet, compiler, folder, image, result):
    """What runs the C of octet compile once."""
    file = folder / f"{compiler}.so"
    subprocess.run([octet, "compile", MODEL, "-o", file], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "CC": compiler, "CFLAGS": FLAGS})
    library = Library.in_dll(ctypes.CDLL(str(file)), "octet_library")
    inputs, outputs = (ctypes.c_void_p * 1)(address(image)), (ctypes.c_void_p * 1)(address(result))
    return lambda: library.run(inputs, outputs)


def rival(folder, image, result):
    source, file = folder / "rival.c", folder / "rival.so"
    subprocess.run([pathlib.Path(sys.executable).parent / "emx-onnx-cgen", "compile", MODEL, source, "--input-dim", "N=1",
                    "--large-weight-threshold", "0", "--model-name", "rival"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["gcc", *FLAGS.split(), "-shared", "-fPIC", source, "-o", file, "-lm"], check=True)
    function = ctypes.CDLL(str(file)).rival
    given, made = address(image), address(result)
    return lambda: function(given, made)


def runtime(image, result, threads=None):
    options = onnxruntime.SessionOptions()
    if threads:
        options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    binding.bind_cpu_input("image", image)
    binding.bind_output("probabilities", element_type=np.float32, shape=result.shape, buffer_ptr=result.ctypes.data, device_type="cpu")
    return lambda: session.run_with_iobinding(binding)


def least_times(contenders, seconds):
    """By turns, so that all meet the same machine."""
    least, end = [float("inf")] * len(contenders), time.monotonic() + seconds
    while time.monotonic() < end:
        for k, run in enumerate(contenders):
            for _ in range(5):
                start = time.perf_counter_ns()
                run()
                least[k] = min(least[k], time.perf_counter_ns() - start)
    return least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    octet, image = options.octet.resolve(), np.load(IMAGE)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        titles = ["`octet compile`, gcc", "`octet compile`, clang", "ONNX Runtime", "ONNX Runtime, one thread", "emx-onnx-cgen, gcc"]
        results = [np.zeros((1, 10), np.float32) for _ in titles]
        contenders = [exported(octet, "gcc", folder, image, results[0]), exported(octet, "clang", folder, image, results[1]),
                      runtime(image, results[2]), runtime(image, results[3], 1), rival(folder, image, results[4])]
        least = least_times(contenders, options.seconds)
        subprocess.run([octet, "run", MODEL, "--input", IMAGE, "-o", folder / "y.npy"], check=True, stdout=subprocess.DEVNULL)
        exact = np.load(folder / "y.npy")
    assert all((result == exact).all() for result in results[:2]), "the compiled network is not exact"
    assert all(result.argmax() == exact.argmax() for result in results), "they do not compute the same network"
    cpu = next(line.partition(": ")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    table = [f"On {cpu}, {os.cpu_count()} cores, ONNX Runtime {onnxruntime.__version__}, `{FLAGS}`:", "",
             "| | us per image | times gcc's | largest error of a probability |", "|---|--:|--:|--:|"]
    table += [f"| {title} | {nanoseconds / 1e3:,.0f} | {nanoseconds / least[0]:.2f} | {'none' if (result == exact).all() else f'{abs(result - exact).max():.2g}'} |"
              for title, nanoseconds, result in zip(titles, least, results)]
    print("\n".join(table))
    text = options.page.read_text()
    before, rest = text.split(BEGIN, 1)
    options.page.write_text(before + BEGIN + "\n".join(table) + "\n" + rest[rest.index(END):])


main()
