#!/usr/bin/env python3
"""Float operators that give ONNX Runtime's bits, against ONNX Runtime: every float exponent, ties of their steps,
denormals, infinities, NaN, and every length of a vector's rest.

    floats.py --cases 400 --seed 1 --run-cases build/tests/run_cases

Every element must have the same bits; one NaN is as good as another. Octet's are those of AVX2 and FMA on every machine;
the runtime's depend on it. So on machines with AVX-512 the operators that it has other kernels for are left out. Ends with
0 when all are equal, 1 when not, 77 (skipped) when a package is missing, or where there is no AVX2 and FMA.
"""

import argparse
import collections
import sys

import quantized
from quantized_cases import MICROSOFT, Case, chance, pick

import numpy as np
import onnxruntime

F32 = np.float32
SPECIAL = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754942e-38, 3.4028235e38, -3.4028235e38,
                    88.72284, -87.33655, -103.97208, 88.37627, 0.921875, -0.92187494, 3.725, 9, -9, 18, 6, -3, 3], F32)


def numbers(rng, shape):
    """Of every exponent, or around 0 as activations are."""
    if chance(rng, 0.3):
        bits = rng.integers(0, 2**32, shape, dtype=np.uint64).astype(np.uint32)
        return bits.view(F32)
    x = (rng.normal(size=shape) * pick(rng, 1e-3, 0.3, 1.0, 4.0, 40.0)).astype(F32)
    if chance(rng, 0.5) and x.size:
        x.flat[rng.integers(x.size, size=1 + x.size // 16)] = rng.choice(SPECIAL, 1 + x.size // 16)
    return x


def sizes(rng, ndim):
    return tuple(int(n) for n in rng.integers(1, 9, ndim - 1)) + (int(rng.integers(1, 70)),)


def unary(op, **fixed):
    def make(rng):
        return Case(op, [numbers(rng, sizes(rng, int(rng.integers(1, 4))))], **fixed)
    return make


def softmax(rng, op):
    x = numbers(rng, sizes(rng, int(rng.integers(1, 5))))
    return Case(op, [x], {"axis": int(rng.integers(-x.ndim, x.ndim))}, opset=pick(rng, 11, 13, 21))


def bias_gelu(rng):
    x = numbers(rng, sizes(rng, 2))
    return Case("BiasGelu", [x, numbers(rng, x.shape[-1:])], domain=MICROSOFT)


def global_average_pool(rng):
    x = numbers(rng, sizes(rng, int(rng.integers(3, 6))))
    return Case("GlobalAveragePool", [x])


def average_pool(rng):
    rank = int(rng.integers(1, 4))
    image = [int(n) for n in rng.integers(3, 20, rank)]
    kernel = [int(rng.integers(1, n + 1)) for n in image]
    attributes = {"kernel_shape": kernel, "strides": [int(n) for n in rng.integers(1, 4, rank)],
                  "pads": [int(rng.integers(0, k)) for k in kernel * 2],
                  "count_include_pad": int(rng.integers(2))}
    return Case("AveragePool", [numbers(rng, (*rng.integers(1, 4, 2), *image))], attributes,
                opset=pick(rng, 7, 10, 11, 19, 22))


def reduction(rng, op):
    x = numbers(rng, sizes(rng, int(rng.integers(1, 6))))
    axes = np.sort(rng.permutation(x.ndim)[:int(rng.integers(1, x.ndim + 1))])
    return Case(op, [x, axes.astype(np.int64)], {"keepdims": int(rng.integers(2))}, opset=18, constant=(1,))


def layer_normalization(rng):
    x = numbers(rng, sizes(rng, int(rng.integers(1, 5))))
    axis = int(rng.integers(x.ndim))
    inputs = [x, numbers(rng, x.shape[axis:])]
    if chance(rng, 0.7):
        inputs.append(numbers(rng, x.shape[axis:]))
    return Case("LayerNormalization", inputs, {"axis": axis, "epsilon": float(F32(10.0 ** rng.uniform(-6, -1)))}, opset=17)


def instance_normalization(rng):
    x = numbers(rng, sizes(rng, int(rng.integers(3, 6))))
    return Case("InstanceNormalization", [x, numbers(rng, x.shape[1:2]), numbers(rng, x.shape[1:2])], {"epsilon": float(F32(10.0 ** rng.uniform(-6, -1)))},
                opset=pick(rng, 6, 22))


MAKERS = {
    "Tanh": unary("Tanh"), "Sigmoid": unary("Sigmoid"), "Exp": unary("Exp"), "Erf": unary("Erf"),
    "Gelu": unary("Gelu", opset=20), "Gelu tanh": unary("Gelu", opset=20, attributes={"approximate": "tanh"}),
    "Gelu ms": unary("Gelu", domain=MICROSOFT), "BiasGelu": bias_gelu,
    "HardSwish": unary("HardSwish", opset=14), "HardSigmoid": unary("HardSigmoid"),
    "Softmax": lambda rng: softmax(rng, "Softmax"), "LogSoftmax": lambda rng: softmax(rng, "LogSoftmax"),
    "GlobalAveragePool": global_average_pool, "AveragePool": average_pool, "ReduceMean": lambda rng: reduction(rng, "ReduceMean"),
    "ReduceSum": lambda rng: reduction(rng, "ReduceSum"),
    "LayerNormalization": layer_normalization, "InstanceNormalization": instance_normalization,
}


WITH_AVX512 = {"Exp", "Erf", "Gelu", "Gelu ms", "BiasGelu", "Softmax", "LogSoftmax"}  # have kernels of their own for it


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="this operator alone")
    parser.add_argument("--run-cases", default="build/tests/run_cases")
    parser.add_argument("--show", type=int, default=6, help="how many differing cases to print")
    options = parser.parse_args()
    with open("/proc/cpuinfo", encoding="ascii") as file:
        flags = set(next((line for line in file if line.startswith("flags")), "").split())
    if not {"avx2", "fma"} <= flags:
        print("SKIPPED: the runtime's floats are others here, for want of AVX2 and FMA")
        return 77
    left_out = WITH_AVX512 if "avx512f" in flags else set()
    if left_out:
        print(f"LEFT OUT, because the runtime has kernels for AVX-512: {', '.join(sorted(left_out))}")
    names = [name for name in MAKERS if options.only in (None, name) and name not in left_out]
    cases = []
    for index in range(options.cases):
        name = names[index % len(names)]
        cases.append((index, name, MAKERS[name](np.random.default_rng([options.seed, index]))))
    counts = collections.defaultdict(lambda: [0, 0, 0])  # cases, elements, differing
    failures = collections.Counter()
    for (index, name, case), got in zip(cases, quantized.by_octet([case for _, _, case in cases], options.run_cases)):
        counts[name][0] += 1
        message = None
        try:
            want = quantized.by_runtime(case)
        except Exception as error:  # the runtime throws many kinds
            message, want = f"the judge refuses: {str(error).splitlines()[0]}", []
        if isinstance(got, str):
            message = got
        for mine, theirs in zip(got, want) if message is None else ():
            if mine.shape != theirs.shape:
                message = f"got {mine.shape}, want {theirs.shape}"
                break
            wrong = (mine.view(np.uint32) != theirs.view(np.uint32)) & ~(np.isnan(mine) & np.isnan(theirs))
            counts[name][1] += wrong.size
            counts[name][2] += int(wrong.sum())
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                message = f"{int(wrong.sum())} of {wrong.size} differ, at {at} got {mine.flat[at]!r}, want {theirs.flat[at]!r}"
                if case.inputs[0].shape == mine.shape:
                    message += f", x is {case.inputs[0].flat[at]!r}"
        if message:
            failures[name] += 1
            if failures[name] <= options.show:
                print(f"case {index} {name}: {quantized.describe(case)}\n    {message}")
    print(f"onnxruntime {onnxruntime.__version__}; seed {options.seed}\n\n{'operator':20} {'cases':>7} {'elements':>10} {'differing':>10}")
    for name in names:
        print(f"{name:20} {counts[name][0]:7} {counts[name][1]:10,} {counts[name][2]:10}")
    print(f"{sum(failures.values())} of {len(cases)} cases differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
