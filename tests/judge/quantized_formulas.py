"""The operators' formulas in numpy, for what ONNX Runtime has no kernel for. Written from the formulas alone."""

import itertools

import ml_dtypes
import numpy as np

F32 = np.float32


def limits(dtype):
    info = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def requantize(accumulator, multiplier, zero, dtype):
    low, high = limits(dtype)
    zero = int(np.reshape(zero, -1)[0])
    with np.errstate(all="ignore"):
        real = accumulator.astype(np.int32).astype(F32) * np.asarray(multiplier, F32)
    return (np.rint(np.clip(real, low - zero, high - zero)).astype(np.int64) + zero).astype(dtype)


def expand(parameter, shape, axis, block):
    """A scale or zero point of QuantizeLinear at every element of x."""
    if np.size(parameter) == 1:
        return np.reshape(parameter, ())
    if block:
        return np.take(np.repeat(parameter, block, axis), range(shape[axis]), axis)
    return np.reshape(parameter, [-1 if a == axis % len(shape) else 1 for a in range(len(shape))])


def quantize_linear(case, x, scale, zero=None):
    axis, block = case.attributes.get("axis", 1), case.attributes.get("block_size", 0)
    dtype = zero.dtype if zero is not None else case.attributes["output_dtype"]
    low, high = limits(dtype)
    zero = 0 if zero is None else expand(zero.astype(np.int64), x.shape, axis, block)
    with np.errstate(all="ignore"):
        real = x.astype(F32) / expand(scale.astype(F32), x.shape, axis, block)
    real = np.where(np.isnan(real), low - zero, np.clip(real, low - zero, high - zero))
    return [(np.rint(real).astype(np.int64) + zero).astype(dtype)]


def dequantize_linear(case, x, scale, zero=None):
    axis, block = case.attributes.get("axis", 1), case.attributes.get("block_size", 0)
    x = x.astype(np.int64) - (0 if zero is None else expand(zero.astype(np.int64), x.shape, axis, block))
    with np.errstate(all="ignore"):
        y = x.astype(F32) * expand(scale.astype(F32), x.shape, axis, block)
        return [y.astype(case.attributes.get("output_dtype", scale.dtype))]


def convolve(x, w, attributes):
    """x and w as int64, less their zero points; padding is 0."""
    rank, group = x.ndim - 2, attributes.get("group", 1)
    kernel, strides = w.shape[2:], attributes.get("strides", (1,) * rank)
    dilations = attributes.get("dilations", (1,) * rank)
    pads = attributes.get("pads", (0,) * (2 * rank))
    effective = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    mode = attributes.get("auto_pad", "NOTSET")
    if mode.startswith("SAME"):
        total = [max(0, (-(-i // s) - 1) * s + e - i) for i, s, e in zip(x.shape[2:], strides, effective)]
        head = [t // 2 if mode == "SAME_UPPER" else t - t // 2 for t in total]
        pads = (*head, *(t - h for t, h in zip(total, head)))
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])])
    size = [(i - e) // s + 1 for i, e, s in zip(x.shape[2:], effective, strides)]
    y = np.zeros((x.shape[0], w.shape[0], *size), np.int64)
    for tap in itertools.product(*map(range, kernel)):
        window = x[(..., *(slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in zip(tap, dilations, size, strides)))]
        for g in range(group):
            inputs, outputs = w.shape[1], w.shape[0] // group
            part = w[(slice(g * outputs, (g + 1) * outputs), slice(None), *tap)]
            y[:, g * outputs:(g + 1) * outputs] += np.einsum("nc...,mc->nm...", window[:, g * inputs:(g + 1) * inputs], part)
    return y


def by_channel(parameter, rank):
    return np.reshape(parameter, (-1, *(1,) * (rank - 1))) if np.size(parameter) > 1 else np.reshape(parameter, ())


def qlinear_conv(case, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None):
    y = convolve(x.astype(np.int64) - int(np.reshape(x_zero, -1)[0]),
                 w.astype(np.int64) - by_channel(w_zero.astype(np.int64), w.ndim), case.attributes)
    if bias is not None:
        y += by_channel(bias.astype(np.int64), w.ndim - 1) if bias.size > 1 else bias.astype(np.int64)[0]
    y = y.astype(np.uint64).astype(np.uint32).astype(np.int32)
    x_scale, y_scale = F32(np.reshape(x_scale, -1)[0]), F32(np.reshape(y_scale, -1)[0])
    return [requantize(y, by_channel(x_scale * w_scale / y_scale, w.ndim - 1), y_zero, y_zero.dtype)]


def by_row(parameter, rank):
    parameter = np.reshape(parameter, ()) if np.size(parameter) == 1 else parameter
    return parameter[:, None] if np.ndim(parameter) == 1 and rank > 1 else parameter


def one(parameter):
    return np.reshape(parameter, ()) if np.size(parameter) == 1 else parameter


def qlinear_matmul(case, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    y = (a.astype(np.int64) - by_row(a_zero.astype(np.int64), a.ndim)) @ (b.astype(np.int64) - one(b_zero.astype(np.int64)))
    scales = by_row(a_scale, a.ndim) * one(b_scale) / one(y_scale)
    if np.ndim(scales) > np.ndim(y):  # the row or column that a vector stands for is not in y
        scales = scales[..., 0] if b.ndim == 1 else scales[..., 0, :]
    return [requantize(np.asarray(y), scales, y_zero, y_zero.dtype)]


def qgemm(case, a, a_scale, a_zero, b, b_scale, b_zero, c=None, y_scale=None, y_zero=None):
    a = a.T if case.attributes.get("transA") else a
    b = b.T if case.attributes.get("transB") else b
    y = (a.astype(np.int64) - one(a_zero.astype(np.int64))) @ (b.astype(np.int64) - one(b_zero.astype(np.int64)))
    y = y + (0 if c is None else c.astype(np.int64))
    y = y.astype(np.uint64).astype(np.uint32).astype(np.int32)
    scales = F32(case.attributes.get("alpha", 1)) * one(a_scale) * one(b_scale)
    if y_scale is not None:
        scales = scales / one(y_scale)
    if y_zero is None:
        return [y.astype(F32) * np.asarray(scales, F32)]
    return [requantize(y, scales, y_zero, y_zero.dtype)]


FORMULAS = {
    "QuantizeLinear": quantize_linear, "DequantizeLinear": dequantize_linear, "QLinearConv": qlinear_conv,
    "QLinearMatMul": qlinear_matmul, "QGemm": qgemm,
}
