"""What a call of session.run costs above the C++ engine, beside ONNX Runtime's: ResNet8, batch 1, one thread.

Usage: python_call.py   with the package octet on the path
"""

import time

import numpy as np
import onnxruntime

import octet

MODEL = "models/resnet8_int8.onnx"
MOST_ABOVE = 10  # microseconds


def median(call, runs=2000):
    """In microseconds."""
    for _ in range(100):
        call()
    times = []
    for _ in range(runs):
        before = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - before)
    return sorted(times)[runs // 2] / 1000


def main():
    feed = {"image": np.random.default_rng(0).random((1, 3, 32, 32), np.float32)}
    session = octet.InferenceSession(MODEL, threads=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    other = onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
    engine = octet.bench(MODEL, input=feed, seconds=2).measurements[0].contenders[0].median_ns / 1000
    call, theirs = median(lambda: session.run(None, feed)), median(lambda: other.run(None, feed))
    print(f"C++ engine {engine:.1f} us, session.run {call:.1f} us: {call - engine:.1f} us above; "
          f"ONNX Runtime's session.run {theirs:.1f} us")
    if call - engine > MOST_ABOVE:
        raise SystemExit(f"more than {MOST_ABOVE} us above")


main()
