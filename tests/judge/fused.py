#!/usr/bin/env python3
"""Operators that ONNX Runtime's optimizer writes, and that have floats in them, against ONNX Runtime: random cases.

    fused.py --cases 2000 --seed 1 --run-cases build/tests/run_cases

Floats may differ by what octet/verify/float_tolerance.h allows, integers not at all. Prints, per operator, the cases,
the elements and the largest share of what is allowed. Ends with 0 when all are within it, 1 when not, 77 (skipped) when
a package is missing.
"""

import argparse
import collections
import sys

import quantized
import attention_cases
import fused_cases

import numpy as np
import onnxruntime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="this operator alone")
    parser.add_argument("--run-cases", default="build/tests/run_cases")
    parser.add_argument("--show", type=int, default=10, help="how many differing cases to print")
    options = parser.parse_args()
    print(f"onnxruntime {onnxruntime.__version__}; seed {options.seed}, {options.cases} cases")
    generators = fused_cases.GENERATORS + attention_cases.GENERATORS
    cases = [(index, fused_cases.make(options.seed, index, generators)) for index in range(options.cases)]
    cases = [(index, case) for index, case in cases if options.only in (None, case.op, case.title)]
    counts = collections.defaultdict(lambda: [0, 0, 0.0, 0])  # cases, elements, the largest share, differing
    failures = 0
    for (index, case), got in zip(cases, quantized.by_octet([case for _, case in cases], options.run_cases)):
        count = counts[case.title]
        count[0] += 1
        message = None
        try:
            want = quantized.by_runtime(case)
            if isinstance(got, str):
                message = got
        except Exception as error:  # the runtime throws many kinds
            message = f"the judge refuses: {str(error).splitlines()[0]}"
        for k, (mine, theirs) in enumerate(zip(got, want) if message is None else ()):
            if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
                message = f"output {k}: got {mine.dtype}{mine.shape}, want {theirs.dtype}{theirs.shape}"
                break
            distance = np.abs(mine.astype(np.float64) - theirs.astype(np.float64))
            allowed = case.tolerance(k, theirs)
            alike = (mine == theirs) | ((mine != mine) & (theirs != theirs))  # infinities and NaN too
            distance[alike] = 0
            wrong = ~(distance <= allowed)
            count[1] += wrong.size
            count[3] += int(wrong.sum())
            share = distance / np.maximum(allowed, 1e-300)
            count[2] = max(count[2], float(np.max(share, initial=0)))
            if wrong.any() and message is None:
                where = int(np.argmax(share))
                message = (f"output {k}: {int(wrong.sum())} of {wrong.size} differ, at {where} got {mine.flat[where]!r}, "
                           f"want {theirs.flat[where]!r}, within {allowed.flat[where]:.3g}")
        if message:
            failures += 1
            if failures <= options.show:
                print(f"case {index}: {quantized.describe(case)}\n    {message}")
    print(f"\n{'operator':34} {'cases':>7} {'elements':>12} {'of allowed':>10} {'differing':>10}")
    for op, (number, elements, share, wrong) in sorted(counts.items()):
        print(f"{op:34} {number:7} {elements:12,} {share:10.3f} {wrong:10}")
    print(f"{failures} of {len(cases)} cases differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
