"""Numbers of docs/quantization/derivation.md."""

import functools

import numpy as np

from resnet8 import *


@functools.cache
def nearness():
    """How many requantized results lie nearer to a tie than float32 can tell, and how many come out otherwise."""
    counts = {"results": 0, "near": 0, "differing": 0}
    for step in accumulating():
        o, acc = operands(step["name"]), accumulators(step["name"])
        scales = o["w_scale"].astype(np.float64).reshape((-1,) + (1,) * (acc.ndim - 2))
        t = acc * (np.float64(o["x_scale"]) * scales / np.float64(o["y_scale"]))
        low, high = -128 - int(o["y_zero_point"]), 127 - int(o["y_zero_point"])
        exact = np.clip(np.rint(t), low, high) + o["y_zero_point"]
        counts["results"] += acc.size
        counts["near"] += int(((t > low) & (t < high) & (np.abs(t - np.floor(t) - 0.5) < 4.6e-5)).sum())
        counts["differing"] += int((exact != tensors()[step["outputs"][0]]).sum())
    return counts
