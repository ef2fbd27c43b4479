"""Measures Octet beside the onnx package and ONNX Runtime's quantizer, in one run on one machine, and prints how many times
faster it is.

CPU time is taken, of one thread on both sides, and the best of several measurements counts; but for quantizing, where whole
processes run by turns, with all threads, and medians of CPU time and of time on the clock count. Run it with `make bench`.

How many times depends on the layer. The onnx package computes convolutions and matrix products of floats with BLAS; for
most float convolutions 50 times as fast would be more multiplications than a core has. Octet sums in a fixed order, so that
results are the same on every machine. Where the package multiplies int32 matrices, which BLAS does not, or loops in Python,
there is more room; where a layer is small, what is left is the overhead of a call.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from large_model import write_large_model
from layers import write_layers

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
SECONDS = 0.5  # per layer and side
ROUNDS = 7  # of whole processes


def seconds_of(call):
    """The shortest time of one call."""
    times = []
    while len(times) < 3 or sum(times) < SECONDS:
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)


def google_benchmark(program, *arguments):
    """Runs a program of Google Benchmark; returns the shortest time in seconds by the benchmark's name."""
    repetitions = 5
    output = subprocess.run(
        [BUILD / "benchmarks" / program, *arguments, f"--benchmark_min_time={SECONDS / repetitions}",
         f"--benchmark_repetitions={repetitions}", "--benchmark_format=json"],
        check=True, stdout=subprocess.PIPE).stdout
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    times = {}
    for run in json.loads(output)["benchmarks"]:
        if run["run_type"] == "iteration":
            name, seconds = run["run_name"], run["cpu_time"] * unit[run["time_unit"]]
            times[name] = min(seconds, times.get(name, seconds))
    return times


def compare(got, want):
    """What the two results have in common, in words; raises when they are not the same computation."""
    if got.dtype != want.dtype or got.shape != want.shape:
        raise SystemExit(f"got {got.dtype} {got.shape}, want {want.dtype} {want.shape}")
    if got.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)
        return "within 1e-3"
    # ONNX Runtime, whose arithmetic Octet has, rounds ties and near ties otherwise than the onnx package.
    steps = np.abs(got.astype(int) - want.astype(int))
    if steps.max() > 1:
        raise SystemExit(f"results are {steps.max()} steps apart")
    return "equal" if not steps.any() else f"{np.count_nonzero(steps)} of {steps.size} one step apart"


def load_table():
    path = BUILD / "benchmarks" / "large.onnx"
    size = write_large_model(path)
    ours, theirs = google_benchmark("load_benchmark", path)["load_model"], seconds_of(lambda: onnx.load(path))
    print(f"\nLoading a model of {size / 1e6:.0f} MB: octet::load_model is {theirs / ours:.1f}x faster than onnx.load")


def engine_table():
    folder = BUILD / "benchmarks" / "layers"
    folder.mkdir(parents=True, exist_ok=True)
    names = write_layers(folder)
    octet = google_benchmark("engine_benchmark", folder)
    print("\nReference engine and the onnx package's ReferenceEvaluator, in microseconds\n")
    print(f"{'layer':40} {'onnx':>8} {'octet':>8} {'faster':>8}  results")
    ratios = []
    for number, name in enumerate(names):
        stem = folder / f"{number:02}"
        inputs = dict(np.load(stem.with_suffix(".npz")))
        evaluator = ReferenceEvaluator(str(stem.with_suffix(".onnx")))
        verdict = compare(np.load(stem.with_suffix(".out.npz"))["y"], evaluator.run(None, inputs)[0])
        theirs, ours = seconds_of(lambda: evaluator.run(None, inputs)), octet[f"{number:02}"]
        ratios.append(theirs / ours)
        print(f"{name:40} {theirs * 1e6:8.0f} {ours * 1e6:8.1f} {ratios[-1]:7.1f}x  {verdict}")
    print(f"{'geometric mean':40} {'':8} {'':8} {statistics.geometric_mean(ratios):7.1f}x")
    print("\nThe onnx package computes float Conv and Gemm with BLAS, its quantized operators with int32 matrices without BLAS,"
          "\nand its pools in loops of Python; that is what the ratios differ by.")


def process_seconds(*command):
    """The CPU time of a process and of its threads, and the time on the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def quantize_table():
    model = BUILD.parent / "models" / "resnet8.onnx"
    images, output = BUILD / "benchmarks" / "images.bin", BUILD / "benchmarks" / "quantized.onnx"
    np.random.default_rng(1).integers(0, 256, size=(1000, 3073), dtype=np.uint8).tofile(images)
    print("\nQuantizing ResNet8 with 1,000 images, whole processes with all threads: ONNX Runtime's quant_pre_process and"
          f"\nquantize_static, and octet quantize. They ran by turns, {ROUNDS} times; medians, in seconds, and the median of the ratios."
          "\nThe last column leaves out the time that Python takes to import them.\n")
    print(f"{'calibration':12} {'time':6} {'onnxrt':>8} {'octet':>8} {'faster':>8} {'imported':>9}")
    imports = [process_seconds(sys.executable, "-c", "import sys; sys.path[0] = sys.argv[1]; import quantizing", HERE)
               for _ in range(ROUNDS)]
    for calibration in ("minmax", "percentile", "entropy"):
        theirs, ours = [], []
        for _ in range(ROUNDS):
            theirs.append(process_seconds(sys.executable, HERE / "quantizing.py", model, images, output, calibration))
            ours.append(process_seconds(BUILD / "octet", "quantize", model, "-o", output, "--data", images,
                                        "--calibration", calibration))
        for kind, their, our, start in zip(("CPU", "clock"), zip(*theirs), zip(*ours), zip(*imports)):
            start = statistics.median(start)
            faster, imported = (statistics.median((t - less) / o for t, o in zip(their, our)) for less in (0, start))
            print(f"{calibration:12} {kind:6} {statistics.median(their):8.2f} {statistics.median(our):8.2f}"
                  f" {faster:7.1f}x {imported:8.1f}x")


if __name__ == "__main__":
    load_table()
    engine_table()
    quantize_table()
