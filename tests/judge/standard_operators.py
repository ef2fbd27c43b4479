#!/usr/bin/env python3
"""Operators of the standard that move, select, transform and sample, against ONNX Runtime and the onnx package.

    standard_operators.py --cases 400 --seed 1 --run-cases build/tests/run_cases --octet build/octet

Integers and what is moved must be equal, and so must shapes. A float may differ by so many steps of float32, each of the size of
the largest number of the result, as its operator's row says: the runtime adds up in another order. Fourier transforms of other lengths
than powers of two are judged by the onnx package, since the runtime makes them in float32 of numbers that are much larger than the
result (Bluestein's convolution), and is off by a hundred steps. With --octet, `octet verify` must agree with the runtime on the first case
of the operators that add up most. Ends with 0 when all agree, 1 when not, 77 (skipped) when a package
is missing.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import quantized
from quantized_cases import REFERENCE, RUNTIME, Case, chance, pick

import numpy as np
import onnx
import onnxruntime

F32 = np.float32


def normal(rng, *shape):
    return rng.normal(size=shape).astype(F32)


def sizes(rng, rank, low=1, high=7):
    return [int(n) for n in rng.integers(low, high, rank)]


def scalar(value, dtype=np.int64):
    return np.array(value, dtype)


EQUATIONS = ("ij,jk->ik", "bhid,bhjd->bhij", "bhij,bhjd->bhid", "ii->i", "ij->ji", "ij->", "i,j->ij", "bij,bjk", "...ij,...jk->...ik", "ij,jk,kl->il", "bqhd,bkhd->bhqk",
             "bhqk,bkhd->bqhd", "nchw,nkc->nkhw", "abc,cd->abd", "i...,i...->...", "ab,cd->dacb", "btn,bts->bns", "ij,ij->")


def einsum(rng):
    equation = pick(rng, *EQUATIONS)
    lengths = collections.defaultdict(lambda: int(rng.integers(1, 6)))
    more = sizes(rng, int(rng.integers(0, 3)), 1, 4)
    inputs = []
    for term in equation.split("->")[0].split(","):
        before, dots, behind = term.partition("...")
        shape = [lengths[letter] for letter in before] + (more if dots else []) + [lengths[letter] for letter in behind]
        inputs.append(normal(rng, *shape))
    return Case("Einsum", inputs, {"equation": equation}, opset=pick(rng, 12, 21))


def non_max_suppression(rng):
    batch, classes, boxes = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.integers(1, 40))
    corners = rng.random((batch, boxes, 4)).astype(F32) * pick(rng, 1, 10)
    scores = np.round(rng.random((batch, classes, boxes)) * pick(rng, 10, 1000)).astype(F32) / 100  # ties
    inputs = [corners, scores, scalar([int(rng.integers(0, 20))]), scalar([rng.random()], F32)]
    if chance(rng, 0.7):
        inputs.append(scalar([rng.random()], F32))
    return Case("NonMaxSuppression", inputs, {"center_point_box": int(rng.integers(2))}, opset=pick(rng, 10, 11))


def grid_sample(rng):
    spatial = 2 if chance(rng, 0.7) else 3
    x = normal(rng, *sizes(rng, 2, 1, 3), *sizes(rng, spatial, 1, 7))
    grid = (rng.random((x.shape[0], *sizes(rng, spatial, 1, 5), spatial)) * 2 - 1).astype(F32) * F32(pick(rng, 0.9, 1.3, 4))
    mode = pick(rng, "linear", "nearest", "cubic") if spatial == 2 else pick(rng, "linear", "nearest")
    return Case("GridSample", [x, grid], {"mode": mode, "padding_mode": pick(rng, "zeros", "border", "reflection"), "align_corners": int(rng.integers(2))}, opset=20)


def fourier_judge(length):
    return RUNTIME if length & (length - 1) == 0 else REFERENCE


def dft(rng):
    x = normal(rng, *sizes(rng, 2, 1, 4), int(rng.integers(1, 40)), int(rng.integers(1, 3)))
    inverse = chance(rng, 0.4)
    onesided = x.shape[-1] == 1 and not inverse and chance(rng, 0.5)
    axis = int(pick(rng, -2, 0, 1))
    length = int(rng.integers(1, 50)) if chance(rng, 0.3) else None
    return Case("DFT", [x, None if length is None else scalar(length), scalar(axis)], {"inverse": int(inverse), "onesided": int(onesided)}, opset=20, judge=fourier_judge(length or x.shape[axis]))


def stft(rng):
    length = pick(rng, 16, 32, int(rng.integers(2, 33)))
    x = normal(rng, int(rng.integers(1, 3)), length + int(rng.integers(0, 60)), 1)
    window = rng.random(length).astype(F32)
    return Case("STFT", [x, scalar(int(rng.integers(1, 20))), window, scalar(length)], {"onesided": int(rng.integers(2))}, opset=17, judge=fourier_judge(length))


def lp_normalization(rng):
    x = normal(rng, *sizes(rng, int(rng.integers(1, 4))))
    if chance(rng, 0.2):
        x[0] = 0
    return Case("LpNormalization", [x], {"axis": int(rng.integers(-x.ndim, x.ndim)), "p": pick(rng, 1, 2)}, opset=pick(rng, 1, 22))


def lrn(rng):
    x = normal(rng, *sizes(rng, 4, 1, 9))
    return Case("LRN", [x], {"size": pick(rng, 1, 3, 5), "alpha": float(F32(rng.random())), "beta": pick(rng, 0.5, 0.75), "bias": pick(rng, 1.0, 2.0)}, opset=13)


def lp_pool(rng):
    x = normal(rng, *sizes(rng, 2, 1, 3), *sizes(rng, 2, 4, 9))
    attributes = {"kernel_shape": sizes(rng, 2, 1, 4), "strides": sizes(rng, 2, 1, 3), "p": pick(rng, 1, 2, 3)}
    if chance(rng, 0.5):
        attributes["pads"] = [int(rng.integers(0, k)) for k in attributes["kernel_shape"] * 2]
    return Case("LpPool", [x], attributes, opset=18)


def global_lp_pool(rng):
    return Case("GlobalLpPool", [normal(rng, *sizes(rng, 4))], {"p": pick(rng, 1, 2, 3)}, opset=2)


def hardmax(rng):
    x = np.round(normal(rng, *sizes(rng, int(rng.integers(2, 5)))))
    return Case("Hardmax", [x], {"axis": int(rng.integers(-x.ndim, x.ndim))}, opset=pick(rng, 11, 13))


def det(rng):
    size = int(rng.integers(1, 6))
    return Case("Det", [normal(rng, *sizes(rng, int(rng.integers(0, 3))), size, size)], opset=11)


def max_unpool(rng):
    """Half of them with output_shape: at least as long along every axis as the length that is left out. Indices count its elements, and
    may be equal."""
    spatial = int(rng.integers(1, 4))
    x = normal(rng, *sizes(rng, 2, 1, 3), *sizes(rng, spatial, 1, 5))
    kernel, stride = sizes(rng, spatial, 1, 4), sizes(rng, spatial, 1, 4)
    pads = [int(rng.integers(0, k)) if d > 1 else 0 for d, k in zip(x.shape[2:], kernel)]
    lengths = [max(1, (d - 1) * s + k - p) for d, k, s, p in zip(x.shape[2:], kernel, stride, pads)]
    stated = chance(rng, 0.5)
    if stated:
        lengths = [d + int(rng.integers(0, 4)) for d in lengths]
    shape = [*x.shape[:2], *lengths]
    indices = rng.integers(0, np.prod(shape), x.shape)
    attributes = {"kernel_shape": kernel, "strides": stride, "pads": [0] * spatial + pads}
    return Case("MaxUnpool", [x, indices] + [np.array(shape, np.int64)] * stated, attributes, opset=11)


def regions(rng, count, extent):
    corners = np.sort(rng.random((count, 2, 2)) * extent, axis=1).astype(F32)
    return corners.reshape(count, 4)


def roi_align(rng):
    x = normal(rng, int(rng.integers(1, 3)), *sizes(rng, 1, 1, 3), *sizes(rng, 2, 4, 12))
    rois = regions(rng, int(rng.integers(1, 5)), 24)
    attributes = {"output_height": int(rng.integers(1, 4)), "output_width": int(rng.integers(1, 4)), "sampling_ratio": int(rng.integers(0, 4)), "spatial_scale": pick(rng, 0.5, 0.25), "mode": pick(rng, "avg", "max")}
    opset = pick(rng, 10, 16)
    if opset == 16:
        attributes["coordinate_transformation_mode"] = pick(rng, "half_pixel", "output_half_pixel")
    return Case("RoiAlign", [x, rois, rng.integers(0, x.shape[0], rois.shape[0])], attributes, opset=opset)


def max_roi_pool(rng):
    x = normal(rng, int(rng.integers(1, 3)), *sizes(rng, 1, 1, 3), *sizes(rng, 2, 4, 12))
    rois = regions(rng, int(rng.integers(1, 5)), 20)
    batch = rng.integers(0, x.shape[0], (rois.shape[0], 1)).astype(F32)
    return Case("MaxRoiPool", [x, np.concatenate([batch, rois], axis=1)], {"pooled_shape": sizes(rng, 2, 1, 4), "spatial_scale": pick(rng, 0.5, 1.0)}, opset=1)


def compress(rng):
    x = normal(rng, *sizes(rng, 3))
    axis = int(rng.integers(-3, 3))
    flat = chance(rng, 0.3)
    length = int(rng.integers(1, (x.size if flat else x.shape[axis]) + 1))
    return Case("Compress", [x, rng.random(length) < 0.5], {} if flat else {"axis": axis}, opset=11)


def reverse_sequence(rng):
    x = normal(rng, *sizes(rng, int(rng.integers(2, 4))))
    time = int(rng.integers(2))
    lengths = rng.integers(1, x.shape[time] + 1, x.shape[1 - time])
    return Case("ReverseSequence", [x, lengths], {"time_axis": time, "batch_axis": 1 - time}, opset=10)


def unique(rng):
    x = np.round(normal(rng, *sizes(rng, int(rng.integers(1, 4)))))
    attributes = {"sorted": int(rng.integers(2))}
    if chance(rng, 0.5):
        attributes["axis"] = int(rng.integers(-x.ndim, x.ndim))
    return Case("Unique", [x], attributes, opset=11, outputs=4)


def col2im(rng):
    image, block, strides = sizes(rng, 2, 4, 8), sizes(rng, 2, 1, 4), sizes(rng, 2, 1, 3)
    blocks = [(i - b) // s + 1 for i, b, s in zip(image, block, strides)]
    x = normal(rng, int(rng.integers(1, 3)), int(rng.integers(1, 3)) * block[0] * block[1], blocks[0] * blocks[1])
    return Case("Col2Im", [x, scalar(image), scalar(block)], {"strides": strides}, opset=18)


def affine_grid(rng):
    spatial = int(rng.integers(2, 4))
    batch = int(rng.integers(1, 3))
    return Case("AffineGrid", [normal(rng, batch, spatial, spatial + 1), scalar([batch, 1, *sizes(rng, spatial, 2, 6)])], {"align_corners": int(rng.integers(2))}, opset=20)


def mel_weight_matrix(rng):
    rate = pick(rng, 8192, 16000)
    return Case("MelWeightMatrix", [scalar(int(rng.integers(1, 20))), scalar(pick(rng, 16, 64, 100)), scalar(rate), scalar(pick(rng, 0.0, 100.0), F32), scalar(rate / 2, F32)], opset=17)


# The maker, and how many steps of float32 results may be apart.
MAKERS = {"Einsum": (einsum, 8), "NonMaxSuppression": (non_max_suppression, 0), "GridSample": (grid_sample, 8), "DFT": (dft, 16), "STFT": (stft, 16), "LpNormalization": (lp_normalization, 4), "LRN": (lrn, 8),
          "LpPool": (lp_pool, 16), "GlobalLpPool": (global_lp_pool, 16), "Hardmax": (hardmax, 0), "Det": (det, 64), "MaxUnpool": (max_unpool, 0), "RoiAlign": (roi_align, 8), "MaxRoiPool": (max_roi_pool, 0),
          "Compress": (compress, 0), "ReverseSequence": (reverse_sequence, 0), "Unique": (unique, 0), "Col2Im": (col2im, 2), "AffineGrid": (affine_grid, 8), "MelWeightMatrix": (mel_weight_matrix, 1)}

VERIFIED = {"Einsum", "DFT", "STFT", "GridSample"}


def difference(got, want, steps):
    if isinstance(got, str):
        return got
    for mine, theirs in zip(got, want):
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            return f"got {mine.dtype}{mine.shape}, want {theirs.dtype}{theirs.shape}"
        if theirs.dtype != F32 or steps == 0:
            wrong = mine != theirs
        else:
            largest = np.abs(theirs).max(initial=0)
            wrong = ~(np.abs(mine - theirs) <= steps * F32(2)**-23 * largest)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            return f"{int(wrong.sum())} of {wrong.size} differ, at {at} got {mine.flat[at]!r}, want {theirs.flat[at]!r}"
    return None


def verified(octet, case):
    """What `octet verify` says against a case, floats being its inputs, or None."""
    constant = {k for k, value in enumerate(case.inputs) if value is not None and (np.asarray(value).dtype != F32 or k >= 2)}
    feeds = {f"input_{k}": value for k, value in enumerate(case.inputs) if value is not None and k not in constant}
    if not feeds:
        return None
    with tempfile.TemporaryDirectory() as folder:
        model, inputs = pathlib.Path(folder) / "model.onnx", pathlib.Path(folder) / "inputs.npz"
        onnx.save(quantized.model_of(case, constant), model)
        np.savez(inputs, **feeds)
        done = subprocess.run([octet, "verify", model, "--input", inputs, "--python", sys.executable], capture_output=True, text=True)
    return None if done.returncode == 0 else f"octet verify ends with {done.returncode}: {done.stderr or done.stdout}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="this operator alone")
    parser.add_argument("--run-cases", default="build/tests/run_cases")
    parser.add_argument("--octet", help="the tool, for octet verify")
    parser.add_argument("--show", type=int, default=6, help="how many differing cases to print")
    options = parser.parse_args()
    names = [name for name in MAKERS if options.only in (None, name)]
    cases = [(names[index % len(names)], MAKERS[names[index % len(names)]][0](np.random.default_rng([options.seed, index]))) for index in range(options.cases)]
    counts, failures, refusals = collections.Counter(), collections.Counter(), collections.Counter()
    for index, ((name, case), got) in enumerate(zip(cases, quantized.by_octet([case for _, case in cases], options.run_cases))):
        counts[name] += 1
        try:
            want = quantized.by_judge(case)
        except Exception as error:  # the runtime throws many kinds
            refusals[name] += 1
            message = f"the judge refuses: {str(error).splitlines()[0]}"
        else:
            message = difference(got, want, MAKERS[name][1])
        if message is None and options.octet and name in VERIFIED and index < len(names):
            message = verified(options.octet, case)
        if message:
            failures[name] += 1
            if failures[name] <= options.show:
                print(f"case {index} {name}: {quantized.describe(case)}\n    {message}")
    print(f"onnxruntime {onnxruntime.__version__}; seed {options.seed}\n\n{'operator':20} {'cases':>7} {'differing':>10}")
    for name in names:
        print(f"{name:20} {counts[name]:7} {failures[name]:10}")
    print(f"{sum(failures.values())} of {len(cases)} cases differ, {sum(refusals.values())} of them because the runtime refuses")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
