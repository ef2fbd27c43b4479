"""Every form of the operators that the standard defines by other operators: inputs given or not, ranks, attributes, versions."""

import itertools

import numpy as np
from onnx import TensorProto

from quantized_cases import F32, Case

UNARY = {  # attributes, and the versions whose bodies are looked at
    "Celu": ({"alpha": 0.7}, (12,)), "Elu": ({"alpha": 0.7}, (6, 22)), "HardSigmoid": ({"alpha": 0.3, "beta": 0.4}, (6, 22)),
    "HardSwish": ({}, (14, 22)), "LeakyRelu": ({"alpha": 0.3}, (16,)), "Mish": ({}, (18, 22)), "Relu": ({}, (14,)),
    "Selu": ({"alpha": 1.5, "gamma": 1.2}, (6, 22)), "Softplus": ({}, (1, 22)), "Softsign": ({}, (1, 22)),
    "Swish": ({"alpha": 1.7}, (24,)), "ThresholdedRelu": ({"alpha": 0.4}, (10, 22)), "Gelu": ({"approximate": "tanh"}, (20,)),
    "Shrink": ({"bias": 0.25, "lambd": 0.75}, (9,)),
}


def reals(rng, *shape):
    return rng.normal(size=shape).astype(F32)


def choices(**options):
    """Every combination of the options, as dictionaries without those that are None."""
    for values in itertools.product(*options.values()):
        yield {name: value for name, value in zip(options, values) if value is not None}


def unary(rng, op):
    attributes, versions = UNARY[op]
    for version in versions:
        for names in itertools.product(*[(False, True)] * len(attributes)):
            given = {name: value for (name, value), take in zip(attributes.items(), names) if take}
            yield Case(op, [2 * reals(rng, 3, 5)], given, opset=version)
    if op == "Shrink":
        for dtype, given in itertools.product((np.int8, np.int32, np.int64, np.uint8, np.uint16, np.float64), choices(lambd=(None, 1.5, 2.0, -1.5), bias=(None, 1.0, 0.75))):
            low = 0 if np.dtype(dtype).kind == "u" else -5
            yield Case(op, [rng.integers(low, 6, (3, 4)).astype(dtype)], given, opset=9)


def windows(rng, op):
    for dtype, size in itertools.product((np.int32, np.int64), (1, 2, 9, 16)):
        for given in choices(periodic=(None, 0, 1), output_datatype=(None, TensorProto.FLOAT, TensorProto.DOUBLE)):
            if size > 1 or given.get("periodic", 1):  # the standard divides by 0
                yield Case(op, [np.array(size, dtype)], given, opset=17)


def center_crop_pad(rng, _):
    index = np.int64  # the standard's body and the runtime fail on int32
    for dtype in (F32, np.uint8):
        x = rng.integers(0, 99, (5, 4, 7)).astype(dtype)
        for shape in ((5, 4, 7), (2, 9, 4), (8, 1, 6), (4, 5, 10)):
            yield Case("CenterCropPad", [x, np.array(shape, index)], opset=18)
        for axes in ((0,), (1, 2), (-1,), (-3, 1), (2, 0)):
            yield Case("CenterCropPad", [x, np.array([3, 6][:len(axes)], index)], {"axes": list(axes)}, opset=18)


def group_normalization(rng, _):
    for version, spatial in itertools.product((18, 21), ((3,), (2, 3), (2, 1, 3))):
        for given in choices(num_groups=(1, 2, 4), epsilon=(None, 0.1), stash_type=(None, 1) if version == 21 else (None,)):
            parameters = 4 if version == 21 else given["num_groups"]
            yield Case("GroupNormalization", [3 + reals(rng, 2, 4, *spatial), reals(rng, parameters), reals(rng, parameters)],
                       given, opset=version)


def mean_variance_normalization(rng, _):
    # The body subtracts the square of the mean from the mean of squares: both must be small.
    shifted = lambda *shape: F32(0.5) + reals(rng, *shape)
    for version in (9, 13):
        yield Case("MeanVarianceNormalization", [shifted(6, 5, 4, 5)], opset=version)
        for axes in ([0], [1, 2], [-1], [0, 2, 3], [0, 1, 2, 3]):
            yield Case("MeanVarianceNormalization", [shifted(6, 5, 4, 5)], {"axes": axes}, opset=version)
        yield Case("MeanVarianceNormalization", [shifted(6, 9)], {"axes": [1]}, opset=version)


def layer_normalization(rng, op):
    versions = (17,) if op == "LayerNormalization" else (23,)
    for version, axis in itertools.product(versions, (None, -1, -2, -3, 0, 1, 2)):
        for given in choices(axis=(axis,), epsilon=(None, 0.1), stash_type=(None, 1)):
            shape = (2, 3, 4)[(-1 if axis is None else axis):] if axis != 0 else (2, 3, 4)
            x = 1 + reals(rng, 2, 3, 4)
            yield Case(op, [x, reals(rng, *shape)], given, opset=version)
            if op == "LayerNormalization":
                yield Case(op, [x, reals(rng, *shape), reals(rng, *shape)], given, opset=version, outputs=3)
            elif axis in (None, -1):
                yield Case(op, [x, reals(rng, 1)], given, opset=version)


def rotary_embedding(rng, _):
    """Three or four dimensions, halves or neighbours, all or a part of a head, caches by position or by place; with num_heads as the
    heads are, as the positions are, or not at all, which four dimensions ignore."""
    for heads, steps in ((3, 3), (2, 5)):
        for flat, interleaved, part, by_position in itertools.product((False, True), (None, 0, 1), (None, 8), (False, True)):
            for count in (heads,) if flat else (None, heads, steps):
                turned = part or 12
                x = reals(rng, 2, steps, heads * 12) if flat else reals(rng, 2, heads, steps, 12)
                cache = (9, turned // 2) if by_position else (2, steps, turned // 2)
                inputs = [x, reals(rng, *cache), reals(rng, *cache)] + ([rng.integers(0, 9, (2, steps))] if by_position else [])
                given = {"interleaved": interleaved, "rotary_embedding_dim": part, "num_heads": count}
                yield Case("RotaryEmbedding", inputs, {k: v for k, v in given.items() if v is not None}, opset=23)


def attention(rng, _):
    batch, keys, steps, length, size, wide, past = 2, 2, 3, 4, 6, 5, 2
    masks = [(), (3,), (2, 1, 3), (2, 4, 3)]  # what stands before the last dimension
    for version, flat, groups, before, mask, kind in itertools.product((23, 24), (False, True), (1, 2), (0, past), masks, (bool, F32)):
        if not mask and kind is bool:
            continue
        total = before + length
        headed = lambda count, sequence, width: reals(rng, *((batch, sequence, count * width) if flat else (batch, count, sequence, width)))
        inputs = [headed(keys * groups, steps, size), headed(keys, length, size), headed(keys, length, wide), None]
        if mask:
            shape = (*[n if n in (1, 3) or d != 1 else keys * groups for d, n in enumerate(mask)], total)
            inputs[3] = rng.random(shape) < 0.8 if kind is bool else reals(rng, *shape)
            if kind is bool:
                inputs[3][..., 0] = True  # a row that sees nothing is another question
        if before:
            inputs += [reals(rng, batch, keys, before, size), reals(rng, batch, keys, before, wide)]
        given = {"q_num_heads": keys * groups, "kv_num_heads": keys} if flat else {}
        number = int(rng.integers(8))
        given |= {"is_causal": number & 1} | ({"scale": 0.4} if number & 2 else {}) | ({"softcap": 2.0} if number & 4 else {})
        outputs = ("output_0", "output_1", "output_2") if before else 1
        yield Case("Attention", inputs if inputs[-1] is not None else inputs[:3], given, opset=version, outputs=outputs)


def comparison(rng, op):
    for version, dtype in itertools.product((12, 16), (F32, np.int32, np.int64, np.float64)):
        yield Case(op, [rng.integers(0, 3, (4, 5)).astype(dtype), rng.integers(0, 3, 5).astype(dtype)], opset=version)


def softmax(rng, op):
    for axis in (None, -1, 0, 1, 2):
        yield Case(op, [reals(rng, 3, 4, 5)], {} if axis is None else {"axis": axis}, opset=13)


def reduction(rng, op):
    x = np.abs(reals(rng, 2, 3, 4)) + F32(0.1)
    for given in choices(keepdims=(None, 0, 1), noop_with_empty_axes=(None, 0, 1)):
        for axes in (None, [0], [1, -1], [-3, 1, 2], []):
            if op in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp") and not axes \
                    and given.get("noop_with_empty_axes"):
                continue  # the standard's own bodies and ONNX Runtime disagree whether the function is applied then
            yield Case(op, [x] if axes is None else [x, np.array(axes, np.int64)], given, opset=18)


def clip(rng, _):
    for low, high in itertools.product((None, -0.5), (None, 0.75)):
        for dtype in (F32, np.float64):
            inputs = [reals(rng, 3, 4).astype(dtype)] + [None if v is None else np.array(v, dtype) for v in (low, high)]
            while inputs[-1] is None:
                inputs.pop()
            yield Case("Clip", inputs, opset=13)
    yield Case("Clip", [rng.integers(-9, 9, (3, 4)).astype(np.int32), np.array(-2, np.int32), np.array(5, np.int32)], opset=13)


def cast_like(rng, _):
    for version, (source, target) in itertools.product((15, 19, 21), itertools.permutations((F32, np.float16, np.int32, np.uint8, np.bool_), 2)):
        yield Case("CastLike", [rng.integers(0, 9, (3, 4)).astype(source), np.zeros(2, target)], opset=version)


def prelu(rng, _):
    for shape in ((1,), (5,), (3, 1, 1), (3, 4, 5)):
        yield Case("PRelu", [reals(rng, 2, 3, 4, 5), reals(rng, *shape)], opset=16)


def number_range(rng, _):
    for dtype, (start, limit, delta) in itertools.product((F32, np.float64, np.int32, np.int64), ((0, 5, 1), (7, -2, -3), (3, 3, 1), (1, 10, 4))):
        yield Case("Range", [np.array(v, dtype) for v in (start, limit, delta)], opset=11)


def dynamic_quantize_linear(rng, _):
    for x in (reals(rng, 3, 4), np.abs(reals(rng, 5)), -np.abs(reals(rng, 5))):  # of zeros the body's scale is 0, the runtime's 1
        yield Case("DynamicQuantizeLinear", [x], opset=11, outputs=3)


FORMS = {
    **dict.fromkeys(UNARY, unary), **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), windows),
    **dict.fromkeys(("GreaterOrEqual", "LessOrEqual"), comparison), **dict.fromkeys(("Softmax", "LogSoftmax"), softmax),
    **dict.fromkeys(("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"), reduction),
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), layer_normalization),
    "Attention": attention, "CastLike": cast_like, "CenterCropPad": center_crop_pad, "Clip": clip,
    "DynamicQuantizeLinear": dynamic_quantize_linear, "GroupNormalization": group_normalization,
    "MeanVarianceNormalization": mean_variance_normalization, "PRelu": prelu, "Range": number_range, "RotaryEmbedding": rotary_embedding,
}

# Of these the onnx package's own cases are the test.
ELSEWHERE = {"AffineGrid", "Bernoulli", "CausalConvWithState", "DepthToSpace", "LinearAttention", "NegativeLogLikelihoodLoss",
             "SequenceMap", "SoftmaxCrossEntropyLoss", "SpaceToDepth", "SwiGLU"}
