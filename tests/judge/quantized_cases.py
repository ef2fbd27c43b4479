"""Random applications of the quantized operators, each with the judge that can decide it."""

from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

MICROSOFT = "com.microsoft"
F32 = np.float32

# Judges. The runtime is exact for unsigned x signed products only where they can't saturate in pairs: with weights
# within [-64, 64], or with its precision option, which acts on constant weights at the extended level.
RUNTIME = "onnxruntime"
PRECISE = "onnxruntime, precise"
REFERENCE = "onnx evaluator"  # computed by Octet in the arithmetic onnx-reference
FORMULA = "formula in numpy"  # where the runtime has no kernel


@dataclass
class Case:
    op: str
    inputs: list  # numpy arrays; None where an optional input is absent
    attributes: dict = field(default_factory=dict)
    domain: str = ""
    opset: int = 21
    outputs: int = 1  # or their names, "" for one that is left out
    judge: str = RUNTIME
    constant: tuple = ()  # inputs that the runtime gets as initializers

    @property
    def title(self):
        """The operator, with its domain where the standard has it too."""
        return f"{self.op} ({self.domain})" if self.domain and self.op in ("QuantizeLinear", "DequantizeLinear", "QLinearConv") \
            else self.op


def chance(rng, probability):
    return rng.random() < probability


def pick(rng, *choices):
    return choices[rng.integers(len(choices))]


def limits(dtype):
    info = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def numbers(rng, dtype, shape, low=None, high=None):
    """Integers over the whole range of the type, or of [low, high]; sometimes only its ends."""
    minimum, maximum = limits(dtype)
    low, high = minimum if low is None else low, maximum if high is None else high
    if chance(rng, 0.1):
        values = rng.choice([low, high], size=shape)
    else:
        values = rng.integers(low, high + 1, size=shape)
    return np.asarray(values).astype(dtype)


def scale(rng):
    """Powers of two make exact ties; the others are what quantizers choose, or extreme."""
    kind = rng.random()
    if kind < 0.35:
        return F32(2.0 ** rng.integers(-12, 4))
    if kind < 0.8:
        return F32(rng.uniform(0.001, 0.2))
    if kind < 0.95:
        return F32(10.0 ** rng.uniform(-5, 3))
    return F32(10.0 ** rng.uniform(-18, 12))


def zero_point(rng, dtype):
    low, high = limits(dtype)
    special = [low, high, 0, low + 1, high - 1, (low + high + 1) // 2, (low + high + 3) // 2]
    value = pick(rng, *special) if chance(rng, 0.5) else rng.integers(low, high + 1)
    return np.asarray(value).astype(dtype)


def shaped(rng, value):
    """One element, as a scalar or as a vector."""
    return np.reshape(value, (1,) if chance(rng, 0.2) else ())


def multiplier(rng, spread):
    """A requantization multiplier that brings sums of the size `spread` into the range of 8 bits, more or less."""
    if chance(rng, 0.4):
        return F32(2.0 ** np.round(np.log2(64 / spread) + rng.integers(-3, 4)))
    return F32(64 / spread * 2.0 ** rng.uniform(-3, 3))


def sized(rng, *bounds):
    return tuple(int(rng.integers(low, high + 1)) for low, high in bounds)


# QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear


def granularity(rng, opset):
    """A shape, the attributes and the shape of the scale."""
    shape = sized(rng, *([(1, 6)] * int(rng.integers(1, 5))))
    kind = pick(rng, "tensor", "axis", "block") if opset >= 21 else pick(rng, "tensor", "axis") if opset >= 13 else "tensor"
    if kind == "tensor":
        return shape, {}, pick(rng, (), (1,))
    axis = int(rng.integers(len(shape)))
    attributes = {"axis": axis - len(shape) if chance(rng, 0.3) else axis}
    if kind == "axis":
        return shape, attributes, (shape[axis],)
    # The runtime takes a vector of one element for a scale of the whole tensor, and wants no blocks then.
    if len(shape) == 1:
        shape = (int(rng.integers(4, 20)),)
        block = int(rng.integers(1, shape[0]))
    else:
        block = int(rng.integers(1, shape[axis] + 1))
    scales = tuple(-(-size // block) if a == axis else size for a, size in enumerate(shape))
    return shape, attributes | {"block_size": block}, scales


def spread_scales(rng, scales):
    """`scales` over the tensor they belong to is a matter of shapes; for x, one of them will do."""
    return np.array([scale(rng) for _ in range(int(np.prod(scales, dtype=int)))], F32).reshape(scales)


def near_ties(rng, shape, step, low, high, beyond):
    """Reals around k + 1/2 steps, exact ties among them, and, if `beyond`, what int32 can't hold."""
    k = rng.integers(low - 3, high + 4, size=shape) + rng.choice([0.0, 0.5], size=shape)
    with np.errstate(over="ignore"):
        x = (k * float(step)).astype(F32)
        x = np.where(rng.random(shape) < 0.2, np.nextafter(x, F32(np.inf)), x)
        x = np.where(rng.random(shape) < 0.2, np.nextafter(x, F32(-np.inf)), x)
    odd = np.array([0.0, -0.0, 1e-40] + beyond * [1e30, -1e30, np.inf, -np.inf, np.nan], F32)
    return np.where(rng.random(shape) < 0.05, rng.choice(odd, size=shape), x).astype(F32)


def quantize_linear(rng):
    opset = pick(rng, 10, 13, 19, 21, 23, 24, 25)
    shape, attributes, scales_shape = granularity(rng, opset)
    types = [np.uint8, np.int8]
    if opset >= 21:
        types += [np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4]
    if opset >= 25:
        types += [ml_dtypes.uint2, ml_dtypes.int2]
    dtype = pick(rng, *types)
    scales = spread_scales(rng, scales_shape)
    # Only the runtime's vectorized loop saturates what int32 can't hold (octet/spec/quantized/quantize_linear.h).
    vectorized = dtype in (np.uint8, np.int8, np.uint16, np.int16) and "block_size" not in attributes
    if not vectorized:
        scales = scales.clip(F32(1e-2), F32(1e2))
    x = near_ties(rng, shape, scales.flat[0], *limits(dtype), vectorized)
    zero = np.array([zero_point(rng, dtype) for _ in range(scales.size)]).astype(dtype).reshape(scales_shape)
    inputs = [x, scales, zero]
    judge = RUNTIME
    if opset >= 21 and chance(rng, 0.15):
        inputs = inputs[:2]
        attributes["output_dtype"] = dtype
    elif dtype == np.uint8 and chance(rng, 0.15):
        inputs = inputs[:2]
    kind = rng.random()
    if opset >= 19 and kind < 0.2:
        inputs[0] = np.nan_to_num(x, nan=1.0).clip(-60000, 60000).astype(np.float16)
        inputs[1] = scales.clip(F32(2.0**-14), 60000).astype(np.float16)
    elif kind < 0.3:  # no kernel
        judge = REFERENCE
        inputs[0] = rng.integers(-(2**31), 2**31, size=shape).astype(np.int32) >> np.int32(rng.integers(0, 31))
        inputs[1] = scales.clip(F32(1.5), F32(1e3))
    elif opset >= 23 and kind < 0.5:  # `precision`, and types of x and the scale that differ: no kernel
        judge = REFERENCE
        finite = np.nan_to_num(x, nan=1.0, posinf=100.0, neginf=-100.0).clip(-600, 600)  # it can't convert infinity
        inputs[0] = finite.astype(pick(rng, F32, np.float16))
        inputs[1] = scales.clip(F32(0.01), F32(100)).astype(pick(rng, F32, np.float16))
        if chance(rng, 0.7) or inputs[0].dtype == inputs[1].dtype:
            attributes["precision"] = pick(rng, F32, np.float16, ml_dtypes.bfloat16, np.float64)
    if dtype in (ml_dtypes.uint2, ml_dtypes.int2) and judge == RUNTIME:
        judge = FORMULA
    return Case("QuantizeLinear", inputs, attributes, opset=opset, judge=judge)


def dequantize_linear(rng):
    opset = pick(rng, 10, 13, 19, 21, 23, 24, 25)
    shape, attributes, scales_shape = granularity(rng, opset)
    types = [np.uint8, np.int8, np.int32]
    if opset >= 21:
        types += [np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4]
    if opset >= 25:
        types += [ml_dtypes.uint2, ml_dtypes.int2]
    dtype = pick(rng, *types)
    scales = spread_scales(rng, scales_shape)
    judge = RUNTIME
    if opset >= 19 and chance(rng, 0.3):
        scales = scales.clip(F32(2.0**-14), F32(200)).astype(np.float16)
    x = numbers(rng, dtype, shape)
    zero = np.array([zero_point(rng, dtype) for _ in range(scales.size)]).astype(dtype).reshape(scales_shape)
    if dtype == np.int32:  # the standard wants 0; the runtime subtracts what there is
        zero = zero // 3
        x = x // 3
    inputs = [x, scales] if chance(rng, 0.15) else [x, scales, zero]
    if opset >= 23 and chance(rng, 0.3):
        attributes["output_dtype"] = pick(rng, F32, np.float16, ml_dtypes.bfloat16)
        if attributes["output_dtype"] == ml_dtypes.bfloat16:
            judge = REFERENCE
            inputs = [x, scales.astype(F32).clip(F32(1e-3), F32(200))] + inputs[2:]
            if dtype == np.int32:
                inputs = inputs[:2]
    if dtype in (ml_dtypes.uint2, ml_dtypes.int2):
        judge = REFERENCE if scales.dtype == F32 else FORMULA
    return Case("DequantizeLinear", inputs, attributes, opset=opset, judge=judge)


def microsoft_quantize_linear(rng):
    shape, attributes, scales_shape = granularity(rng, 13)
    dtype = pick(rng, np.uint8, np.int8, np.uint16, np.int16)
    scales = spread_scales(rng, scales_shape)
    x = near_ties(rng, shape, scales.flat[0], *limits(dtype), True)
    zero = np.array([zero_point(rng, dtype) for _ in range(scales.size)]).astype(dtype).reshape(scales_shape)
    inputs = [x, scales] if dtype == np.uint8 and chance(rng, 0.2) else [x, scales, zero]
    return Case("QuantizeLinear", inputs, attributes, domain=MICROSOFT, opset=pick(rng, 10, 13, 17))


def microsoft_dequantize_linear(rng):
    shape, attributes, scales_shape = granularity(rng, 13)
    dtype = pick(rng, np.uint8, np.int8, np.uint16, np.int16, np.int32)
    scales = spread_scales(rng, scales_shape)
    zero = np.array([zero_point(rng, dtype) for _ in range(scales.size)]).astype(dtype).reshape(scales_shape)
    inputs = [numbers(rng, dtype, shape), scales] + ([] if dtype == np.int32 else [zero])
    return Case("DequantizeLinear", inputs, attributes, domain=MICROSOFT, opset=pick(rng, 10, 13, 17))


def dynamic_quantize_linear(rng):
    shape = sized(rng, *([(1, 8)] * int(rng.integers(0, 5))))
    x = (rng.normal(rng.normal(), 1, size=shape) * 10.0 ** rng.uniform(-6, 6)).astype(F32)
    if chance(rng, 0.1):
        x = np.full(shape, pick(rng, 0.0, -0.0, 1.0, -1.0, 1e-40), F32)
    if chance(rng, 0.2):
        x = np.round(x * 4 / max(float(np.max(np.abs(x), initial=0)), 1e-30)).astype(F32) / F32(2)
    if chance(rng, 0.1) and x.size:  # NaN: where its place decides nothing in the runtime, below its vectors' length
        unusual = [np.inf, -np.inf, 3e38, -3e38, 1e-45, -1e-45, *([np.nan] if x.size < 8 else [])]
        x.flat[rng.integers(x.size, size=int(rng.integers(1, 4)))] = pick(rng, *unusual)
    if chance(rng, 0.05):
        x = (x / F32(max(float(np.max(np.abs(x), initial=0)), 1e-30)) * F32(10.0 ** rng.uniform(-45, -38))).astype(F32)
    return Case("DynamicQuantizeLinear", [x], opset=pick(rng, 11, 13, 21), outputs=3)


# Convolutions


def convolution(rng):
    """Shapes of x and w, and the attributes."""
    rank = pick(rng, 1, 2, 2, 2, 3)
    group = 1
    kind = rng.random()
    if kind < 0.2:  # depthwise, sometimes with a multiplier
        group = int(rng.integers(1, 9))
        channels, outputs = 1, group * pick(rng, 1, 1, 2)
    elif kind < 0.35:
        group = int(rng.integers(2, 4))
        channels, outputs = int(rng.integers(1, 4)), group * int(rng.integers(1, 4))
    elif kind < 0.5:  # what the runtime's symmetric kernel takes
        channels, outputs = 4 * int(rng.integers(1, 4)), 8 * int(rng.integers(2, 4))
    else:
        channels, outputs = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    kernel = sized(rng, *([(1, 4 if rank < 3 else 2)] * rank))
    strides = sized(rng, *([(1, 3)] * rank))
    dilations = sized(rng, *([(1, 2)] * rank)) if chance(rng, 0.3) else (1,) * rank
    attributes = {}
    if chance(rng, 0.7):
        attributes["kernel_shape"] = kernel
    if chance(rng, 0.7):
        attributes["strides"] = strides
    else:
        strides = (1,) * rank
    mode = pick(rng, "pads", "pads", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    pads = (0,) * (2 * rank)
    if mode == "pads":
        pads = sized(rng, *([(0, 2)] * (2 * rank)))
        attributes["pads"] = pads
    elif mode != "NOTSET" or chance(rng, 0.5):
        attributes["auto_pad"] = mode
    if mode.startswith("SAME"):
        dilations = (1,) * rank  # the runtime refuses others
    if max(dilations) > 1:
        attributes["dilations"] = dilations
    if group > 1 or chance(rng, 0.2):
        attributes["group"] = group
    effective = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    size = [int(rng.integers(max(e, 1), e + (8 if rank == 2 else 5))) for e in effective]
    x = (int(rng.integers(1, 3)), channels * group, *size)
    return x, (outputs, channels, *kernel), attributes


def channelwise(rng, outputs, one):
    return np.array([one() for _ in range(outputs)])


def qlinear_conv(rng):
    x_shape, w_shape, attributes = convolution(rng)
    x_type, w_type = pick(rng, (np.uint8, np.uint8), (np.uint8, np.int8), (np.uint8, np.int8), (np.int8, np.int8))
    y_type, judge = x_type, RUNTIME
    kind = rng.random()
    if kind < 0.08:
        x_type, w_type, y_type = (pick(rng, np.uint8, np.int8) for _ in range(3))
        judge = FORMULA
    elif kind < 0.13 and len(x_shape) == 4:
        x_type, w_type, y_type = (pick(rng, np.uint8, np.int8) for _ in range(3))
        judge = REFERENCE
    low = high = None
    if (x_type, w_type) == (np.uint8, np.int8) and judge == RUNTIME:
        if chance(rng, 0.5):
            judge = PRECISE
        else:
            low, high = -64, 64
    x, w = numbers(rng, x_type, x_shape), numbers(rng, w_type, w_shape, low, high)
    outputs = w_shape[0]
    x_scale, w_scale, w_zero = scale(rng), scale(rng), zero_point(rng, w_type)
    if w_type == np.int8 and chance(rng, 0.6):
        w_zero = np.int8(0)
    per_channel = chance(rng, 0.5)
    if per_channel:
        w_scale = w_scale * channelwise(rng, outputs, lambda: pick(rng, F32(1), F32(2), F32(rng.uniform(0.5, 2)))).astype(F32)
        if chance(rng, 0.5):
            w_zero = channelwise(rng, outputs, lambda: zero_point(rng, w_type)).astype(w_type)
        elif chance(rng, 0.7) or judge == PRECISE:
            w_zero = np.full(outputs, w_zero, w_type)
    terms = int(np.prod(w_shape[1:]))
    y_scale = F32(F32(x_scale * np.max(w_scale)) / multiplier(rng, 5000 * np.sqrt(terms)))
    inputs = [
        x, shaped(rng, x_scale), shaped(rng, zero_point(rng, x_type)),
        w, w_scale if per_channel else shaped(rng, w_scale), w_zero if np.ndim(w_zero) else shaped(rng, w_zero),
        shaped(rng, y_scale), shaped(rng, zero_point(rng, y_type)),
    ]
    if judge == REFERENCE:  # it wants scalars, and can't tell one channel from a vector of one
        inputs = [np.reshape(v, ()) if np.size(v) == 1 and v is not x and v is not w else v for v in inputs]
    if chance(rng, 0.6):
        size = 2 ** int(rng.integers(2, 31)) if chance(rng, 0.2) else 20000
        inputs.append(rng.integers(-size, size + 1, size=outputs).astype(np.int32))
    constant = (3, 4, 5, *range(1, 3), 6, 7, 8) if judge == PRECISE or chance(rng, 0.6) else pick(rng, (), (3,), (3, 4, 5, 8))
    return Case("QLinearConv", inputs, attributes, opset=pick(rng, 10, 13, 21, 25), judge=judge, constant=constant)


def microsoft_qlinear_conv(rng):
    """As the runtime's optimizer writes it, with channels first or last."""
    case = qlinear_conv(rng)
    while case.judge != RUNTIME:
        case = qlinear_conv(rng)
    case.domain = MICROSOFT
    if chance(rng, 0.8):
        case.attributes["channels_last"] = 1
        case.inputs[0] = np.ascontiguousarray(np.moveaxis(case.inputs[0], 1, -1))
    return case


def conv_integer(rng):
    x_shape, w_shape, attributes = convolution(rng)
    x_type, w_type = pick(rng, np.uint8, np.int8), pick(rng, np.uint8, np.int8)
    # The weights are the runtime's left operand: unsigned ones with signed activations saturate.
    low, high = (-64, 64) if (x_type, w_type) == (np.int8, np.uint8) else (None, None)
    inputs = [numbers(rng, x_type, x_shape, low, high), numbers(rng, w_type, w_shape)]
    judge = RUNTIME
    if chance(rng, 0.8):
        zero = zero_point(rng, x_type) if low is None else np.asarray(rng.integers(low, high + 1)).astype(x_type)
        inputs.append(shaped(rng, zero))
        if chance(rng, 0.7):
            inputs.append(shaped(rng, zero_point(rng, w_type)))
            if chance(rng, 0.2) and len(x_shape) == 4:
                inputs[3] = numbers(rng, w_type, w_shape[:1])
                inputs[2] = np.reshape(inputs[2], ())
                judge = REFERENCE
    return Case("ConvInteger", inputs, attributes, opset=pick(rng, 10, 13, 21, 25), judge=judge,
                constant=pick(rng, (), (1,), (1, 2, 3)))


# Matrix products


def product(rng):
    """Shapes of a and b."""
    m, k, n = sized(rng, (1, 16), (1, 40), (1, 40))
    if chance(rng, 0.15):
        k = int(rng.integers(100, 700))
    batch = sized(rng, *([(1, 3)] * int(rng.integers(0, 3))))
    kind = rng.random()
    if kind < 0.4:
        return (m, k), (k, n)
    if kind < 0.5:
        return (k,), (*batch, k, n)
    if kind < 0.6:
        return (*batch, m, k), (k,)
    if kind < 0.8:
        return (*batch, m, k), (k, n)
    other = tuple(1 if chance(rng, 0.3) else size for size in batch)
    return (*batch, m, k), (*other[int(rng.integers(len(other) + 1)):], k, n)


def columns(rng, b_shape):
    """The shape of a parameter per column of b that the runtime takes, or of one for all."""
    if len(b_shape) == 1 or chance(rng, 0.5):
        return ()
    if len(b_shape) == 2:
        return pick(rng, (b_shape[1],), (1, b_shape[1]))
    return (*b_shape[:-2], 1, b_shape[-1])


def rows(rng, a_shape):
    """The same per row of a: the runtime takes none of these."""
    return (a_shape[0],) if len(a_shape) == 2 and chance(rng, 0.5) else (*a_shape[:-1], 1)


def exact_pair(rng, pairs):
    """Types of a and b, and the range of b in which the runtime's products are exact."""
    a_type, b_type = pick(rng, *pairs)
    return (a_type, b_type, -64, 64) if (a_type, b_type) == (np.uint8, np.int8) else (a_type, b_type, None, None)


PAIRS = [(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)]


def qlinear_matmul(rng):
    a_shape, b_shape = product(rng)
    a_type, b_type, low, high = exact_pair(rng, PAIRS)
    y_type, judge, opset = a_type, RUNTIME, pick(rng, 10, 13, 21, 25)
    a_lines = ()
    kind = rng.random()
    b_lines = columns(rng, b_shape)
    if kind < 0.2:
        a_type, b_type, y_type = (pick(rng, np.uint8, np.int8) for _ in range(3))
        low = high = None
        judge = FORMULA
        if len(a_shape) > 1 and chance(rng, 0.6):
            a_lines = rows(rng, a_shape)
        if chance(rng, 0.4) and len(a_lines) != 1 and len(a_shape) > 1 and len(b_shape) > 1:
            judge = REFERENCE
    elif low is not None and opset < 21 and len(b_shape) == 2 and chance(rng, 0.4):
        low = high = None
        judge = PRECISE
    a_scale, b_scale = scale(rng), scale(rng)
    if a_lines:
        a_scale = a_scale * rng.uniform(0.5, 2, size=a_lines).astype(F32)
    if b_lines:
        b_scale = b_scale * pick(rng, F32(1), rng.uniform(0.5, 2, size=b_lines).astype(F32)) * np.ones(b_lines, F32)
    y_scale = F32(F32(np.max(a_scale) * np.max(b_scale)) / multiplier(rng, 5000 * np.sqrt(a_shape[-1])))
    a_zero = numbers(rng, a_type, a_lines) if a_lines else shaped(rng, zero_point(rng, a_type))
    b_zero = numbers(rng, b_type, b_lines) if b_lines else shaped(rng, zero_point(rng, b_type))
    inputs = [numbers(rng, a_type, a_shape), a_scale if a_lines else shaped(rng, a_scale), a_zero,
              numbers(rng, b_type, b_shape, low, high), b_scale if b_lines else shaped(rng, b_scale), b_zero,
              shaped(rng, y_scale), shaped(rng, zero_point(rng, y_type))]
    if judge == REFERENCE:
        inputs = [np.reshape(v, ()) if np.size(v) == 1 and k not in (0, 3) else v for k, v in enumerate(inputs)]
    if opset >= 21 and judge == RUNTIME and chance(rng, 0.2):
        for k in (1, 4, 6):
            inputs[k] = np.asarray(inputs[k]).clip(F32(2.0**-13), F32(200)).astype(np.float16)
    constant = (1, 2, 3, 4, 5, 6, 7) if judge == PRECISE or chance(rng, 0.5) else pick(rng, (), (3,))
    return Case("QLinearMatMul", inputs, opset=opset, judge=judge, constant=constant)


def matmul_integer(rng):
    a_shape, b_shape = product(rng)
    a_type, b_type, low, high = exact_pair(rng, [*PAIRS, (np.int8, np.uint8)])
    inputs = [numbers(rng, a_type, a_shape), numbers(rng, b_type, b_shape, low, high)]
    judge = RUNTIME
    if chance(rng, 0.8):
        inputs.append(shaped(rng, zero_point(rng, a_type)))
        if chance(rng, 0.15) and len(a_shape) > 1:
            inputs[2] = numbers(rng, a_type, (*a_shape[:-1], 1))
            judge = REFERENCE
        if chance(rng, 0.7):
            lines = columns(rng, b_shape)
            inputs.append(numbers(rng, b_type, lines) if lines else shaped(rng, zero_point(rng, b_type)))
    return Case("MatMulInteger", inputs, opset=pick(rng, 10, 13, 21, 25), judge=judge, constant=pick(rng, (), (1,), (1, 2, 3)))


def qgemm(rng):
    m, k, n = sized(rng, (1, 16), (1, 60), (1, 40))
    a_type, b_type, low, high = exact_pair(rng, PAIRS)
    y_type, judge = a_type, RUNTIME
    if chance(rng, 0.1):
        a_type, b_type, y_type = (pick(rng, np.uint8, np.int8) for _ in range(3))
        low = high = None
        judge = FORMULA
    elif low is not None and chance(rng, 0.4):
        low = high = None
        judge = PRECISE
    attributes = {}
    a_shape, b_shape = (m, k), (k, n)
    if chance(rng, 0.4):
        attributes["transA"], a_shape = 1, (k, m)
    if chance(rng, 0.4):
        attributes["transB"], b_shape = 1, (n, k)
    alpha = F32(1)
    if chance(rng, 0.4):
        alpha = F32(pick(rng, 0.5, 2.0, -1.0, float(F32(rng.uniform(0.1, 3)))))
        attributes["alpha"] = float(alpha)
    a_scale, b_scale = scale(rng), scale(rng)
    per_column = chance(rng, 0.5)
    b_zero = shaped(rng, zero_point(rng, b_type))
    if per_column:
        b_scale = (b_scale * rng.uniform(0.5, 2, size=n)).astype(F32)
        b_zero = numbers(rng, b_type, (n,))
    else:
        b_scale = np.reshape(b_scale, np.shape(b_zero))
    inputs = [numbers(rng, a_type, a_shape), shaped(rng, a_scale), shaped(rng, zero_point(rng, a_type)),
              numbers(rng, b_type, b_shape, low, high), b_scale, b_zero]
    c = None
    if chance(rng, 0.6):
        size = 2 ** int(rng.integers(2, 31)) if chance(rng, 0.2) else 20000
        c = rng.integers(-size, size + 1, size=pick(rng, (), (1,), (n,), (1, n), (m, 1), (m, n))).astype(np.int32)
    inputs.append(c)
    quantized = chance(rng, 0.75)
    if quantized or chance(rng, 0.3):
        inputs.append(shaped(rng, F32(abs(F32(alpha * a_scale * np.max(b_scale))) / multiplier(rng, 5000 * np.sqrt(k)))))
    if quantized:
        inputs.append(shaped(rng, zero_point(rng, y_type)))
    if judge == FORMULA and not quantized and inputs[-1] is None:
        inputs.pop()
    constant = tuple(k for k in (1, 2, 3, 4, 5, 6, 7, 8)) if judge == PRECISE or chance(rng, 0.5) else pick(rng, (), (3,))
    return Case("QGemm", inputs, attributes, MICROSOFT, judge=judge, constant=constant)


def matmul_integer_to_float(rng):
    a_shape, b_shape = product(rng)
    a_type, b_type, low, high = exact_pair(rng, PAIRS)
    lines = columns(rng, b_shape)
    b_scale = np.array([scale(rng) for _ in range(int(np.prod(lines, dtype=int)))], F32).reshape(lines)
    inputs = [numbers(rng, a_type, a_shape), numbers(rng, b_type, b_shape, low, high), shaped(rng, scale(rng)),
              b_scale if lines else shaped(rng, b_scale)]
    if chance(rng, 0.8):
        inputs.append(shaped(rng, zero_point(rng, a_type)))
        inputs.append(numbers(rng, b_type, lines) if lines else shaped(rng, zero_point(rng, b_type)))
    if chance(rng, 0.6):
        inputs += [None] * (6 - len(inputs))
        n = b_shape[-1] if len(b_shape) > 1 else 1
        size = float(np.float64(np.reshape(inputs[2], -1)[0]) * np.max(inputs[3]) * 5000)
        inputs.append((rng.normal(size=n) * min(size, 1e30)).astype(F32))
    return Case("MatMulIntegerToFloat", inputs, domain=MICROSOFT, constant=pick(rng, (), (1,), (1, 3, 5)))


def dynamic_quantize_matmul(rng):
    a_shape, b_shape = product(rng)
    b_type = pick(rng, np.uint8, np.int8)
    low, high = (-64, 64) if b_type == np.int8 else (None, None)
    lines = columns(rng, b_shape)
    b_scale = np.array([scale(rng) for _ in range(int(np.prod(lines, dtype=int)))], F32).reshape(lines)
    a = (rng.normal(rng.normal(), 1, size=a_shape) * 10.0 ** rng.uniform(-3, 3)).astype(F32)
    inputs = [a, numbers(rng, b_type, b_shape, low, high), b_scale if lines else shaped(rng, b_scale)]
    if chance(rng, 0.7):
        inputs.append(numbers(rng, b_type, lines) if lines else shaped(rng, zero_point(rng, b_type)))
    if chance(rng, 0.5):
        inputs += [None] * (4 - len(inputs))
        inputs.append(rng.normal(size=b_shape[-1] if len(b_shape) > 1 else 1).astype(F32))
    return Case("DynamicQuantizeMatMul", inputs, domain=MICROSOFT, constant=pick(rng, (), (1,), (1, 2, 3)))


# Elementwise


def broadcast_pair(rng):
    shape = sized(rng, *([(1, 5)] * int(rng.integers(0, 5))))
    a, b = ([1 if chance(rng, 0.25) else size for size in shape] for _ in range(2))
    return tuple(a[int(rng.integers(len(a) + 1)) if chance(rng, 0.3) else 0:]), tuple(b[int(rng.integers(len(b) + 1)) if chance(rng, 0.3) else 0:])


def every_pair(dtype):
    every = np.arange(limits(dtype)[0], limits(dtype)[1] + 1)
    return np.repeat(every, 256).astype(dtype), np.tile(every, 256).astype(dtype)


def binary(rng, op, a_scale, b_scale, c_scale):
    dtype = pick(rng, np.uint8, np.int8)
    if chance(rng, 0.1):
        a, b = every_pair(dtype)
    else:
        a_shape, b_shape = broadcast_pair(rng)
        a, b = numbers(rng, dtype, a_shape), numbers(rng, dtype, b_shape)
    zero = lambda: zero_point(rng, dtype)  # the runtime wants them all, as scalars
    inputs = [a, a_scale, zero(), b, b_scale, zero(), c_scale, zero()]
    return Case(op, inputs, domain=MICROSOFT, constant=pick(rng, (), (1, 2, 4, 5, 6, 7), (3,)))


def qlinear_add(rng):
    a_scale, b_scale = scale(rng), scale(rng)
    if chance(rng, 0.6):
        b_scale = F32(a_scale * pick(rng, F32(0.5), F32(1), F32(2), F32(rng.uniform(0.3, 3))))
    c_scale = F32(max(a_scale, b_scale) * pick(rng, F32(0.5), F32(1), F32(2), F32(rng.uniform(0.5, 3))))
    if chance(rng, 0.05):
        c_scale = F32(c_scale * F32(1e-9))
    return binary(rng, "QLinearAdd", a_scale, b_scale, c_scale)


def qlinear_mul(rng):
    a_scale, b_scale = scale(rng), scale(rng)
    product_scale = F32(a_scale * b_scale)
    c_scale = F32(product_scale / multiplier(rng, 5000))
    if chance(rng, 0.05):
        c_scale = F32(c_scale * F32(1e-9))
    return binary(rng, "QLinearMul", a_scale, b_scale, c_scale)


def every_number(rng, dtype):
    every = np.arange(limits(dtype)[0], limits(dtype)[1] + 1).astype(dtype)
    return rng.permutation(every).reshape(pick(rng, (256,), (2, 128), (1, 4, 8, 8)))


def unary(rng, op, y_scale, attributes=None):
    dtype = pick(rng, np.uint8, np.int8)
    x_scale = scale(rng)
    x_zero = None if chance(rng, 0.1) else shaped(rng, zero_point(rng, dtype))
    inputs = [every_number(rng, dtype), shaped(rng, x_scale), x_zero, shaped(rng, y_scale(x_scale)), shaped(rng, zero_point(rng, dtype))]
    return Case(op, inputs, attributes or {}, MICROSOFT, constant=pick(rng, (), (1, 2, 3, 4)))


def similar(rng):
    return lambda x: F32(x * pick(rng, F32(0.5), F32(1), F32(2), F32(rng.uniform(0.3, 3))))


def qlinear_leaky_relu(rng):
    attributes = {} if chance(rng, 0.2) else {"alpha": float(F32(pick(rng, 0.1, 0.5, -0.5, 2.0, float(rng.random()))))}
    return unary(rng, "QLinearLeakyRelu", similar(rng), attributes)


def qlinear_sigmoid(rng):
    return unary(rng, "QLinearSigmoid", lambda _: pick(rng, F32(1 / 256), F32(1 / 255), scale(rng)))


def qlinear_softmax(rng):
    dtype = pick(rng, np.uint8, np.int8)
    shape = sized(rng, *([(1, 8)] * int(rng.integers(1, 4))))
    if chance(rng, 0.3):
        shape = (*shape[:1], int(rng.integers(10, 300)))
    attributes = {"opset": pick(rng, 1, 11, 12, 13, 13, 18)}
    if chance(rng, 0.7) or len(shape) == 1:
        attributes["axis"] = int(rng.integers(-len(shape), len(shape)))
    y_scale = pick(rng, F32(1 / 256), F32(1 / 255), F32(1 / 256), F32(rng.uniform(0.001, 0.02)), F32(10.0 ** rng.uniform(-12, 0)))
    x_scale = pick(rng, F32(2.0 ** rng.integers(-8, 2)), F32(rng.uniform(0.001, 0.5)), F32(10.0 ** rng.uniform(-4, 1)))
    inputs = [numbers(rng, dtype, shape), shaped(rng, x_scale), shaped(rng, zero_point(rng, dtype)), shaped(rng, y_scale),
              shaped(rng, zero_point(rng, dtype))]
    return Case("QLinearSoftmax", inputs, attributes, MICROSOFT, constant=pick(rng, (), (1, 2, 3, 4)))


# Pools and movement


def image(rng, rank):
    return (int(rng.integers(1, 3)), int(rng.integers(1, 20)), *sized(rng, *([(1, 9 if rank < 3 else 5)] * rank)))


def channels_last(rng, x_shape, attributes):
    if not chance(rng, 0.4):
        return x_shape
    attributes["channels_last"] = 1
    return (x_shape[0], *x_shape[2:], x_shape[1])


def qlinear_global_average_pool(rng):
    dtype = pick(rng, np.uint8, np.int8)
    attributes = {}
    shape = channels_last(rng, image(rng, pick(rng, 1, 2, 2, 3)), attributes)
    x_scale = F32(rng.uniform(0.001, 0.2)) if chance(rng, 0.5) else F32(2.0 ** rng.integers(-8, 3))
    y_scale = similar(rng)(x_scale)
    inputs = [numbers(rng, dtype, shape), shaped(rng, x_scale), shaped(rng, zero_point(rng, dtype)), shaped(rng, y_scale),
              shaped(rng, zero_point(rng, dtype))]
    return Case("QLinearGlobalAveragePool", inputs, attributes, MICROSOFT)


def qlinear_average_pool(rng):
    dtype = pick(rng, np.uint8, np.int8)
    rank = pick(rng, 1, 2, 2, 3)
    shape = image(rng, rank)
    kernel = tuple(int(rng.integers(1, min(size, 4) + 1)) for size in shape[2:])
    attributes = {"kernel_shape": shape[2:] if chance(rng, 0.1) else kernel}
    kernel = attributes["kernel_shape"]
    if chance(rng, 0.7):
        attributes["strides"] = sized(rng, *([(1, 3)] * rank))
    mode = pick(rng, "pads", "none", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if mode == "pads":
        attributes["pads"] = tuple(int(rng.integers(0, k)) for k in kernel + kernel)
    elif mode != "none":
        attributes["auto_pad"] = mode
    if chance(rng, 0.4):
        attributes["ceil_mode"] = 1
    if chance(rng, 0.4):
        attributes["count_include_pad"] = 1
    shape = channels_last(rng, shape, attributes)
    x_scale = scale(rng)
    y_scale = similar(rng)(x_scale)
    if kernel == shape[2:] or kernel == shape[1:-1]:  # the runtime refuses multipliers outside [2^-32, 256)
        x_scale, y_scale = F32(0.02), F32(0.03)
    elif chance(rng, 0.05):
        y_scale = F32(y_scale * F32(1e-9))
    inputs = [numbers(rng, dtype, shape), x_scale, zero_point(rng, dtype), y_scale, zero_point(rng, dtype)]  # scalars only
    return Case("QLinearAveragePool", inputs, attributes, MICROSOFT)


def nhwc_max_pool(rng):
    rank = pick(rng, 1, 2, 2, 3)
    shape = image(rng, rank)
    kernel = tuple(int(rng.integers(1, min(size, 4) + 1)) for size in shape[2:])
    attributes = {"kernel_shape": kernel}
    if chance(rng, 0.7):
        attributes["strides"] = sized(rng, *([(1, 3)] * rank))
    mode = pick(rng, "pads", "none", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if mode == "pads":
        attributes["pads"] = tuple(int(rng.integers(0, k)) for k in kernel + kernel)
    elif mode != "none":
        attributes["auto_pad"] = mode
    if chance(rng, 0.4):
        attributes["ceil_mode"] = 1
    if mode in ("pads", "none") and chance(rng, 0.3):
        attributes["dilations"] = tuple(2 if 2 * (k - 1) < size else 1 for k, size in zip(kernel, shape[2:]))
    x = numbers(rng, pick(rng, np.uint8, np.int8), (shape[0], *shape[2:], shape[1]))
    return Case("NhwcMaxPool", [x], attributes, MICROSOFT)


def qlinear_concat(rng):
    dtype = pick(rng, np.uint8, np.int8)
    shape = sized(rng, *([(1, 6)] * int(rng.integers(1, 5))))
    axis = int(rng.integers(len(shape)))
    y_scale, y_zero = scale(rng), zero_point(rng, dtype)
    inputs = [shaped(rng, y_scale), shaped(rng, y_zero)]
    for _ in range(int(rng.integers(1, 5))):
        part = list(shape)
        part[axis] = int(rng.integers(1, 30))
        x_scale, x_zero = (y_scale, y_zero) if chance(rng, 0.3) else (similar(rng)(y_scale), zero_point(rng, dtype))
        inputs += [numbers(rng, dtype, part), shaped(rng, x_scale), shaped(rng, x_zero)]
    constant = pick(rng, (), tuple(k for k in range(len(inputs)) if k < 2 or k % 3 != 2))
    return Case("QLinearConcat", inputs, {"axis": axis - len(shape) if chance(rng, 0.3) else axis}, MICROSOFT, constant=constant)


def qlinear_where(rng):
    dtype = pick(rng, np.uint8, np.int8)
    shape = sized(rng, *([(1, 9)] * int(rng.integers(0, 4))))
    condition, x, y = ([1 if chance(rng, 0.2) else size for size in shape] for _ in range(3))
    z_scale, z_zero = scale(rng), zero_point(rng, dtype)
    operand = lambda own: [numbers(rng, dtype, own), *(map(lambda v: shaped(rng, v), (z_scale, z_zero) if chance(rng, 0.3) else (similar(rng)(z_scale), zero_point(rng, dtype))))]
    inputs = [rng.random(condition) < 0.5, *operand(x), *operand(y), shaped(rng, z_scale), shaped(rng, z_zero)]
    return Case("QLinearWhere", inputs, domain=MICROSOFT, constant=pick(rng, (), (2, 3, 5, 6, 7, 8)))


# How many cases of each, out of their sum.
SHARES = {
    quantize_linear: 10, dequantize_linear: 10, dynamic_quantize_linear: 4, qlinear_conv: 22, conv_integer: 8,
    microsoft_qlinear_conv: 6,
    microsoft_quantize_linear: 2, microsoft_dequantize_linear: 2,
    qlinear_matmul: 10, matmul_integer: 8, qgemm: 8, matmul_integer_to_float: 5, dynamic_quantize_matmul: 4,
    qlinear_add: 12, qlinear_mul: 8, qlinear_leaky_relu: 4, qlinear_sigmoid: 4, qlinear_softmax: 8,
    qlinear_global_average_pool: 4, qlinear_average_pool: 8, qlinear_concat: 4, qlinear_where: 4, nhwc_max_pool: 4,
}


def make(seed, index):
    """Case `index` of the run with this seed, whatever the number of cases."""
    rng = np.random.default_rng([seed, index])
    generators = list(SHARES)
    weights = np.array([SHARES[g] for g in generators], float)
    return generators[rng.choice(len(generators), p=weights / weights.sum())](rng)
