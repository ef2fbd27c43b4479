"""Random applications of the operators that ONNX Runtime's optimizer writes and that have floats in them, each with the
distance that is allowed."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from quantized_cases import F32, MICROSOFT, Case, chance, pick, sized

UNIT = 2.0**-23  # 2u


@dataclass
class FusedCase(Case):
    # What octet/verify/float_tolerance.h says: of one operation for each element, of `terms` numbers gathered, or, where
    # the sum of magnitudes is known, of a sum of `terms` products. 0: equal.
    terms: int = -1
    magnitudes: np.ndarray = None
    growth: float = 1.0  # by how much what is gathered depends on roundings before: softmax, on those of its scores

    def tolerance(self, output, want):
        if want.dtype.kind != "f" or self.terms == 0:
            return np.zeros(want.shape)
        size = np.abs(want.astype(np.float64))
        step = 16 * UNIT * size + 2 * UNIT
        if self.magnitudes is not None:
            step = (self.terms + 16) * UNIT * self.magnitudes
        elif self.terms > 0:
            largest = np.max(size[size < 1e30], initial=0)  # but for what masks
            step = np.full(want.shape, self.growth * (self.terms + 16) * UNIT * largest)
        return step + (2.0**-11 * size if want.dtype == np.float16 else 0)


def reals(rng, shape, spread=2.0, dtype=F32):
    return (rng.normal(size=shape) * spread).astype(dtype)


def some_shape(rng, low=1, high=4):
    return sized(rng, *([(1, 9)] * int(rng.integers(low, high + 1))))


def gelu(rng):
    return FusedCase("Gelu", [reals(rng, some_shape(rng))], domain=MICROSOFT)


def fast_gelu(rng):
    x = reals(rng, some_shape(rng))
    return FusedCase("FastGelu", [x, reals(rng, x.shape[-1:])] if chance(rng, 0.6) else [x], domain=MICROSOFT, terms=0)


def bias_gelu(rng):
    x = reals(rng, some_shape(rng))
    return FusedCase("BiasGelu", [x, reals(rng, x.shape[-1:])], domain=MICROSOFT)


def quick_gelu(rng):
    attributes = {"alpha": float(F32(rng.uniform(0.5, 2)))} if chance(rng, 0.6) else {}
    return FusedCase("QuickGelu", [reals(rng, some_shape(rng), 4.0)], attributes, MICROSOFT, terms=0)


def normalization(rng, op, opset):
    spread = pick(rng, 0.1, 1.0, 10.0)
    x = reals(rng, (*some_shape(rng, 0, 3), int(rng.integers(1, 40))), spread) + F32(spread * rng.normal())
    axis = int(rng.integers(len(x.shape)))
    inputs = [x, reals(rng, x.shape[axis:], 1.0)]
    if op == "LayerNormalization" and chance(rng, 0.6):
        inputs.append(reals(rng, x.shape[axis:], 1.0))
    attributes = {"axis": axis - x.ndim if chance(rng, 0.5) else axis}
    if chance(rng, 0.5):
        attributes["epsilon"] = float(F32(10.0 ** rng.uniform(-6, -1)))
    return FusedCase(op, inputs, attributes, opset=opset, terms=0)


def layer_normalization(rng):
    return normalization(rng, "LayerNormalization", pick(rng, 11, 12, 13, 16))


def simplified_layer_normalization(rng):
    return normalization(rng, "SimplifiedLayerNormalization", pick(rng, 11, 13, 17))


def skip(rng, op):
    batch, steps, hidden = sized(rng, (1, 3), (1, 5), (4, 80))
    shape = (batch, steps, hidden) if chance(rng, 0.7) else (steps, hidden)
    other = pick(rng, shape, shape, (steps, hidden), (1, steps, hidden)) if len(shape) == 3 else shape
    inputs = [reals(rng, shape), reals(rng, other), reals(rng, hidden, 1.0)]
    if op == "SkipLayerNormalization":
        inputs.append(reals(rng, hidden, 1.0) if chance(rng, 0.7) else None)
    if chance(rng, 0.5):
        inputs.append(reals(rng, hidden))
    attributes = {"epsilon": float(F32(10.0 ** rng.uniform(-8, -2)))} if chance(rng, 0.7) else {}
    return FusedCase(op, inputs, attributes, MICROSOFT, terms=0, outputs=("output_0", "", "", "output_3"))


def skip_layer_normalization(rng):
    return skip(rng, "SkipLayerNormalization")


def skip_simplified_layer_normalization(rng):
    return skip(rng, "SkipSimplifiedLayerNormalization")


def embed_layer_normalization(rng):
    batch, steps, hidden = sized(rng, (1, 3), (1, 6), (4, 40))
    words, positions, segments = (int(rng.integers(steps, steps + 20)) for _ in range(3))
    ids = lambda rows, shape=(batch, steps): rng.integers(0, rows, size=shape).astype(np.int32)
    table = lambda rows: reals(rng, (rows, hidden), 1.0)
    with_segments = chance(rng, 0.7)
    inputs = [ids(words), ids(segments) if with_segments else None, table(words), table(positions),
              table(segments) if with_segments else None, reals(rng, hidden), reals(rng, hidden),
              ids(3) if chance(rng, 0.6) else None]
    if chance(rng, 0.5):
        inputs.append(ids(positions, pick(rng, (batch, steps), (1, steps))))
    attributes = {"epsilon": float(F32(10.0 ** rng.uniform(-8, -2)))} if chance(rng, 0.7) else {}
    outputs = ("output_0", "output_1", "output_2") if chance(rng, 0.5) else 2
    return FusedCase("EmbedLayerNormalization", inputs, attributes, MICROSOFT, terms=0, outputs=outputs)


def qembed_layer_normalization(rng):
    batch, steps, hidden = sized(rng, (1, 3), (1, 6), (4, 40))
    words, positions, segments = (int(rng.integers(steps, steps + 20)) for _ in range(3))
    dtype = pick(rng, np.uint8, np.int8)
    info = np.iinfo(dtype)
    bytes_of = lambda *shape: rng.integers(info.min, info.max + 1, shape).astype(dtype)
    ids = lambda rows: rng.integers(0, rows, size=(batch, steps)).astype(np.int32)
    with_segments = chance(rng, 0.7)
    optional = lambda value: value if with_segments else None
    scale = lambda: F32(rng.uniform(0.001, 0.1))
    inputs = [ids(words), optional(ids(segments)), bytes_of(words, hidden), bytes_of(positions, hidden), optional(bytes_of(segments, hidden)),
              bytes_of(hidden), bytes_of(hidden), ids(2) if chance(rng, 0.6) else None, scale(), scale(), optional(scale()), scale(), scale(),
              bytes_of(), bytes_of(), optional(bytes_of()), bytes_of(), bytes_of()]
    attributes = {"epsilon": float(F32(10.0 ** rng.uniform(-8, -2)))} if chance(rng, 0.7) else {}
    return FusedCase("QEmbedLayerNormalization", [None if v is None else np.asarray(v) for v in inputs], attributes, MICROSOFT, outputs=2,
                     terms=hidden)


def fused_matmul(rng):
    m, k, n = sized(rng, (1, 9), (1, 40), (1, 9))
    batch = sized(rng, *([(1, 3)] * int(rng.integers(0, 3))))
    a_shape, b_shape = [*batch, m, k], [*(batch if chance(rng, 0.6) else ()), k, n]
    attributes = {}
    for name, shape in (("A", a_shape), ("B", b_shape)):
        if chance(rng, 0.5):
            attributes["trans" + name] = 1
            shape[-1], shape[-2] = shape[-2], shape[-1]
        if len(a_shape) == len(b_shape) > 2 and chance(rng, 0.3):
            attributes["transBatch" + name] = 1
            shape.insert(0, shape.pop(-2))
    if chance(rng, 0.6):
        attributes["alpha"] = float(F32(rng.uniform(-3, 3)))
    a, b = reals(rng, a_shape), reals(rng, b_shape)

    def matrices(x, name):
        if attributes.get("transBatch" + name):
            x = np.moveaxis(x, 0, -2)
        return np.swapaxes(x, -1, -2) if attributes.get("trans" + name) else x

    magnitudes = np.abs(matrices(a, "A").astype(np.float64)) @ np.abs(matrices(b, "B").astype(np.float64))
    return FusedCase("FusedMatMul", [a, b], attributes, MICROSOFT, terms=k + 1,
                     magnitudes=magnitudes * abs(attributes.get("alpha", 1.0)))


def packed(numbers, bits):
    """Rows of numbers of a few bits, from the lowest bits of a byte on."""
    each = 8 // bits
    rows = np.zeros((*numbers.shape[:-1], -(-numbers.shape[-1] // each) * each), np.uint8)
    rows[..., :numbers.shape[-1]] = numbers
    parts = rows.reshape(*rows.shape[:-1], -1, each)
    return sum((parts[..., k] << (bits * k)).astype(np.uint8) for k in range(each)).astype(np.uint8)


def matmul_nbits(rng):
    bits, block = pick(rng, 2, 4, 4, 8), pick(rng, 16, 32, 64, 128)
    k, n = sized(rng, (1, 300), (1, 20))
    blocks = -(-k // block)
    a = reals(rng, (*sized(rng, *([(1, 3)] * int(rng.integers(1, 3)))), k))
    q = np.zeros((n, blocks * block), np.uint8)
    q[:, :k] = rng.integers(0, 2**bits, (n, k))
    scales = rng.uniform(0.001, 0.1, (n, blocks)).astype(F32)
    kind = pick(rng, "none", "packed", "packed", "real")
    if kind == "real" and bits == 8:  # the runtime has none
        kind = "none"
    zeros = {"none": np.full((n, blocks), 2.0 ** (bits - 1)), "packed": rng.integers(0, 2**bits, (n, blocks)),
             "real": rng.uniform(0, 2**bits, (n, blocks)).astype(F32)}[kind]
    inputs = [a, packed(q.reshape(n, blocks, block), bits), pick(rng, scales, scales.reshape(-1))]
    inputs.append({"none": None, "packed": packed(zeros, bits), "real": zeros}[kind])
    bias = reals(rng, n) if chance(rng, 0.4) else None
    if bias is not None:
        inputs += [None, bias]
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    if chance(rng, 0.7):
        attributes["accuracy_level"] = pick(rng, 1, 4, 4)
    w = np.abs(q - np.repeat(zeros, block, axis=1)) * np.repeat(scales.astype(np.float64), block, axis=1)
    magnitudes = np.abs(a.astype(np.float64)) @ w[:, :k].T + (0 if bias is None else np.abs(bias))
    return FusedCase("MatMulNBits", inputs, attributes, MICROSOFT, terms=k, magnitudes=magnitudes, constant=(1, 2, 3, 5))


def dynamic_quantize_lstm(rng):
    steps, batch, size, hidden = sized(rng, (1, 6), (1, 4), (1, 20), (1, 12))
    direction = pick(rng, "forward", "forward", "reverse", "bidirectional")
    directions = 2 if direction == "bidirectional" else 1
    dtype, low, high = pick(rng, (np.uint8, 0, 255), (np.int8, -64, 64))  # what the runtime multiplies without saturation

    def weights(rows):
        return rng.integers(low, high + 1, (directions, rows, 4 * hidden)).astype(dtype)

    def parameters():
        shape = (directions, 4 * hidden) if chance(rng, 0.4) else (directions,)
        zero = np.zeros(directions) if dtype == np.int8 else rng.integers(100, 150, directions)
        zero = np.full(shape, zero[0]) if len(shape) == 2 else zero  # the runtime wants one for both directions then
        return [rng.uniform(0.002, 0.02, shape).astype(F32), zero.astype(dtype)]

    def maybe(array, probability=0.5):
        return array if chance(rng, probability) else None

    state = (directions, batch, hidden)
    lengths = rng.integers(1, steps + 1, batch).astype(np.int32)
    inputs = [reals(rng, (steps, batch, size)), weights(size), weights(hidden), maybe(reals(rng, (directions, 8 * hidden), 0.5)),
              maybe(lengths, 0.3), maybe(reals(rng, state, 0.5)), maybe(reals(rng, state, 0.5)),
              maybe(reals(rng, (directions, 3 * hidden), 0.5), 0.3), *parameters(), *parameters()]
    attributes = {"hidden_size": hidden, "direction": direction}
    if chance(rng, 0.2):
        attributes["clip"] = float(F32(rng.uniform(0.5, 3)))
    if chance(rng, 0.2):
        attributes["input_forget"] = 1
    return FusedCase("DynamicQuantizeLSTM", inputs, attributes, MICROSOFT, outputs=3, terms=0,
                     constant=pick(rng, (), (1, 2, 8, 9, 10, 11)))


def attention(rng):
    batch, heads, queries, keys, size, value_size, past = sized(rng, (1, 2), (1, 3), (1, 5), (1, 6), (1, 8), (1, 8), (0, 3))
    groups = int(rng.integers(1, 3))
    flat = chance(rng, 0.5)
    attributes = {"q_num_heads": heads * groups, "kv_num_heads": heads} if flat else {}

    def headed(count, sequence, width):
        return reals(rng, (batch, sequence, count * width) if flat else (batch, count, sequence, width), 1.0)

    inputs = [headed(heads * groups, queries, size), headed(heads, keys, size), headed(heads, keys, value_size)]
    if not chance(rng, 0.4):
        past = 0
    total = past + keys
    shape = pick(rng, (queries, total), (batch, 1, queries, total), (batch, heads * groups, queries, total))
    masks = [None, None, reals(rng, shape, 1.0), rng.random(shape) < 0.7]
    mask = masks[int(rng.integers(len(masks)))]
    inputs.append(mask)
    if past:
        inputs += [reals(rng, (batch, heads, past, size), 1.0), reals(rng, (batch, heads, past, value_size), 1.0)]
    if chance(rng, 0.4) and not (past and queries == 1 < keys):  # of one query the runtime forgets it
        attributes["is_causal"] = 1
    if chance(rng, 0.3):
        attributes["scale"] = float(F32(rng.uniform(0.1, 2)))
    if chance(rng, 0.3):
        attributes["softcap"] = float(F32(rng.uniform(1, 5)))
    outputs = ("output_0", "output_1", "output_2") if past else ("output_0",)
    if chance(rng, 0.4):
        attributes["qk_matmul_output_mode"] = int(rng.integers(4))
        outputs = (*outputs, *[""] * (3 - len(outputs)), "output_3")
    return FusedCase("Attention", inputs, attributes, opset=pick(rng, 23, 24), terms=total + size + 16, outputs=outputs)


def qattention(rng):
    batch, heads, steps, inside, size, past = sized(rng, (1, 3), (1, 3), (1, 6), (1, 20), (1, 8), (0, 3))
    hidden = heads * size
    w_type, low, high = pick(rng, (np.uint8, 0, 255), (np.int8, -64, 64))  # it has no kernel for int8 inputs
    lines = (3 * hidden,) if chance(rng, 0.4) else ()
    if not chance(rng, 0.4):
        past = 0
    total = past + steps
    ends = rng.integers(1, total + 1, batch)
    masks = [None, ends, np.concatenate([ends, rng.integers(0, ends)]), rng.integers(0, 2, (batch, total)),
             rng.integers(0, 2, (batch, steps, total)), np.concatenate([ends, rng.integers(0, 9, 2 * batch + 2)]),
             rng.integers(0, 2, (batch, 1)), rng.integers(0, 2, (1, 1))]
    mask = masks[int(rng.integers(len(masks)))]
    unidirectional = chance(rng, 0.4)
    whole = np.asarray(rng.integers(np.iinfo(w_type).min // 2, np.iinfo(w_type).max // 2, lines)).astype(w_type)
    inputs = [rng.integers(0, 256, (batch, steps, inside)).astype(np.uint8),
              rng.integers(low, high + 1, (inside, 3 * hidden)).astype(w_type), reals(rng, 3 * hidden, 0.5),
              F32(rng.uniform(0.001, 0.01)), rng.uniform(0.001, 0.01, lines).astype(F32),
              None if mask is None else mask.astype(np.int32), np.asarray(rng.integers(0, 256)).astype(np.uint8), whole]
    if past:
        inputs.append(reals(rng, (2, batch, heads, past, size), 1.0))
    projected = (inputs[0].astype(np.float64) - inputs[6]) @ (inputs[1].astype(np.float64) - inputs[7])
    projected = projected * inputs[3] * inputs[4] + inputs[2]
    lengths = np.linalg.norm(projected.reshape(batch, steps, 3, heads, size), axis=-1)
    growth = 1 + float(np.max(lengths[:, :, 0]) * np.max(lengths[:, :, 1]))  # no score is larger: scale is 1 at most
    attributes = {"num_heads": heads, "unidirectional": int(unidirectional)}
    if chance(rng, 0.3):
        attributes["mask_filter_value"] = pick(rng, -50.0, -np.inf, float(np.finfo(F32).min))
    if chance(rng, 0.3):
        attributes["scale"] = float(F32(rng.uniform(0.1, 1)))
    return FusedCase("QAttention", inputs, attributes, MICROSOFT, outputs=2 if past else 1, terms=total + size + 16, growth=growth,
                     constant=pick(rng, (), (1, 2, 3, 4, 6, 7)))


ACTIVATIONS = {"Relu": 0, "Sigmoid": 0, "Tanh": 0, "LeakyRelu": 1, "HardSigmoid": 2}  # and their parameters


def fused_conv(rng):
    group, inside, outside, image = sized(rng, (1, 2), (1, 3), (1, 4), (3, 9))
    x = reals(rng, (int(rng.integers(1, 3)), group * inside, image, image), 1.0)
    w = reals(rng, (group * outside, inside, 3, 3), 0.5)
    activation = pick(rng, *ACTIVATIONS, "Clip", "HardSwish")
    attributes = {"activation": activation, "group": group, "pads": [1, 1, 1, 1], "strides": [int(rng.integers(1, 3))] * 2}
    if activation == "Clip":
        attributes["activation_params"] = [-1.0, 1.5]
    elif ACTIVATIONS.get(activation):
        attributes["activation_params"] = [float(F32(v)) for v in rng.uniform(0.1, 0.9, ACTIVATIONS[activation])]
    bias = reals(rng, group * outside) if chance(rng, 0.7) else None
    steps = (image - 1) // attributes["strides"][0] + 1
    inputs = [x, w, bias, reals(rng, (x.shape[0], group * outside, steps, steps)) if chance(rng, 0.4) else None]
    while inputs[-1] is None:
        inputs.pop()
    # No activation is steeper than 1.5; the sum of magnitudes is at most this everywhere.
    largest = inside * 9 * float(np.abs(x).max() * np.abs(w).max()) + 20
    return FusedCase("FusedConv", inputs, attributes, MICROSOFT, terms=inside * 9 + 2, magnitudes=np.float64(2 * largest),
                     constant=(1,))


def fused_gemm(rng):
    m, k, n = sized(rng, (1, 9), (1, 40), (1, 9))
    attributes = {"transA": int(chance(rng, 0.3)), "transB": int(chance(rng, 0.5))}
    a, b = reals(rng, (k, m) if attributes["transA"] else (m, k), 1.0), reals(rng, (n, k) if attributes["transB"] else (k, n), 1.0)
    attributes["activation"] = activation = pick(rng, *ACTIVATIONS, "Elu", "Selu", "Softplus", "Softsign", "ThresholdedRelu", "Celu")
    if activation not in ("Relu", "Sigmoid", "Tanh", "Softplus", "Softsign"):
        attributes |= {f"activation_{name}": float(F32(rng.uniform(0.1, 0.9))) for name in ("alpha", "beta", "gamma")}
    if activation == "ThresholdedRelu":  # it jumps: not within the rounding of a sum
        attributes["activation_alpha"] = 1e-4 / 3
        a, b = np.round(a), np.round(b)
    inputs = [a, b] + ([np.round(reals(rng, n))] if chance(rng, 0.7) else [])
    largest = k * float(np.abs(a).max() * np.abs(b).max()) + 10
    return FusedCase("FusedGemm", inputs, attributes, MICROSOFT, terms=k + 2, magnitudes=np.float64(2 * largest))


def transpose_matmul(rng):
    case = fused_matmul(rng)
    case.op = "TransposeMatMul"
    return case if not any(name.startswith("transBatch") for name in case.attributes) else transpose_matmul(rng)


def gather_block_quantized(rng):
    block, bits = pick(rng, 16, 32), pick(rng, 4, 4, 8)
    rows, width, middle = sized(rng, (1, 9), (1, 4), (1, 3))
    shape = (rows, width * 20) if chance(rng, 0.5) else (rows, middle, width * 20)
    kind = pick(rng, "int4", "uint4", "uint8") if bits == 4 else "uint8"
    axis = len(shape) - 1 if kind == "uint8" else int(rng.integers(1, len(shape)))  # the runtime wants the last one
    numbers = rng.integers(0, 2**bits, shape).astype(np.uint8)
    blocks = [-(-n // block) if d == axis else n for d, n in enumerate(shape)]
    zeros = rng.integers(0, 2**bits, blocks).astype(np.uint8) if chance(rng, 0.6) else None
    if kind == "uint8":
        numbers, zeros = packed(numbers, bits), None if zeros is None else packed(zeros, bits)
    else:
        dtype, less = {"int4": (ml_dtypes.int4, 8), "uint4": (ml_dtypes.uint4, 0)}[kind]
        numbers, zeros = (None if v is None else (v.astype(np.int8) - less).astype(dtype) for v in (numbers, zeros))
    indices = rng.integers(-rows, rows, sized(rng, (1, 4), (1, 3))).astype(pick(rng, np.int32, np.int64))
    inputs = [numbers, indices, rng.uniform(0.001, 0.1, blocks).astype(F32)] + ([] if zeros is None else [zeros])
    return FusedCase("GatherBlockQuantized", inputs, {"bits": bits, "block_size": block, "quantize_axis": pick(rng, axis, axis - len(shape)),
                     "gather_axis": 0}, MICROSOFT, opset=21, terms=0, constant=(0, 2, 3))


GENERATORS = [
    gelu, fast_gelu, bias_gelu, quick_gelu, layer_normalization, simplified_layer_normalization, skip_layer_normalization,
    skip_simplified_layer_normalization, embed_layer_normalization, fused_matmul, matmul_nbits,
    qembed_layer_normalization, dynamic_quantize_lstm, attention, qattention, fused_conv, fused_gemm, transpose_matmul, gather_block_quantized,
]


def make(seed, index, generators=GENERATORS):
    """Case `index` of the run with this seed: the operators come in turn."""
    return generators[index % len(generators)](np.random.default_rng([seed, index]))
