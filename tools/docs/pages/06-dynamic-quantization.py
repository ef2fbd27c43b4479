"""Numbers of docs/quantization/06-dynamic-quantization.md."""

import collections
import functools
import math

import numpy as np

import dynamic as dynamic_vectors
from resnet8 import *

KINDS = ["symActivation,symWeight", "symActivation,asymWeight", "asymActivation,symWeight", "asymActivation,asymWeight"]
INTEGER = ("ConvInteger", "MatMulInteger")
files = dynamic_vectors.files


@functools.cache
def dynamic(kinds="asymActivation,symWeight"):
    model = temporary_folder() / "dynamic.onnx"
    octet("quantize", FLOAT, f"--dynamic={kinds}", "-o", model)
    return model


def nodes(model):
    return facts("inspect", model)["nodes"]


def operators(model):
    return collections.Counter(node["op_type"] for node in nodes(model))


def one_activation(kinds):
    """The operators that find the parameters of one activation and quantize it, in order."""
    names = [node["name"] for node in nodes(dynamic(kinds))]
    first = names.index("conv")
    return ", ".join(node["op_type"] for node in nodes(dynamic(kinds))[:first])


def nodes_by_kind():
    def row(label, model):
        count = operators(model)
        reductions = count["ReduceMin"] + count["ReduceMax"]
        integer = sum(number for name, number in count.items() if name in INTEGER or name.startswith("Q") and name != "QuantizeLinear")
        return label, sum(count.values()), integer, count["QuantizeLinear"], reductions, whole(facts("lower", model)["memory_bytes"])
    return table(["network", "nodes:", "on integers:", "QuantizeLinear:", "reductions:", "memory at the peak, bytes:"],
                 [row("static, operators on integers", OPERATORS), *(row(f"`--dynamic={kinds}`", dynamic(kinds)) for kinds in KINDS)])


@functools.cache
def layers():
    """Of every layer: the operator, the elements it reads and writes, products, and how many windows it looks at."""
    found, values = [], tensors(dynamic(), "as-written")
    for node in onnx.load(dynamic()).graph.node:
        if node.op_type in INTEGER:
            x, w, y = (values[name] for name in (node.input[0], node.input[1], node.output[0]))
            products = w[0].size if node.op_type == "ConvInteger" else w.shape[0]
            found.append({"name": node.name, "x": node.input[0].removesuffix("_quantized"), "in": x.size, "out": y.size, "products": products * y.size,
                          "window_sums": products * (math.prod(y.shape[2:]))})
    return found


def cost(kind):
    """Operations beside the products, for each layer: what a static network does, and what this one adds."""
    rows, seen, total = [], set(), collections.Counter()
    for layer in layers():
        first = layer["x"] not in seen
        seen.add(layer["x"])
        counts = {"products": layer["products"], "reduce": (2 if kind.startswith("asym") else 1) * layer["in"] * first, "divide": layer["in"] * first,
                  "scale": layer["out"], "bias": layer["out"], "windows": layer["window_sums"] if kind.endswith("asymWeight") else 0}
        total.update(counts)
        rows.append((f"`{layer['name']}`", *map(whole, counts.values())))
    rows.append(("all", *map(whole, total.values())))
    return table(["layer", "products:", "comparisons:", "divisions:", "scalings to float:", "bias additions:", "window sums:"], rows)


def added_share():
    """Window sums, in percent of the products."""
    products = sum(layer["products"] for layer in layers())
    windows = sum(layer["window_sums"] for layer in layers())
    return f"{100 * windows / products:.1f}"


def float_bytes():
    """Bytes that one layer hands to the next: as float32, and as int8 in the static network."""
    read = {layer["x"]: layer["in"] for layer in layers()}
    return {"float": whole(4 * sum(read.values())), "int8": whole(sum(read.values()))}


def accuracies():
    rows = [("float", "float"), ("static: int8, minmax, weights per channel", "int8, minmax, weights per channel"),
            ("static: int8, minmax, weights per tensor", "int8, minmax, weights per tensor")]
    rows += [(f"`--dynamic={kinds}`", f"dynamic, {kinds}") for kinds in KINDS]
    return table(["network", "top-1, of 1,017 images", "predictions as float:"], [(label, *accuracy(row)[:2]) for label, row in rows])


def small_floats():
    rows = [("float32", "float"), ("dlfloat16, nothing in 8 bits", "dlfloat16"), ("`--dynamic=symActivation,symWeight`, float32 between layers", "dynamic, symActivation,symWeight"),
            ("the same, dlfloat16 between layers", "dynamic, symActivation,symWeight, dlfloat16 between layers")]
    return table(["network", "top-1, of 1,017 images", "predictions as float:"], [(label, *accuracy(row)[:2]) for label, row in rows])


def weight_parameters():
    def parameters(kinds, layer):
        node = next(node for node in onnx.load(dynamic(kinds)).graph.node if node.name == layer)
        base = node.input[1].removesuffix("_weights")
        return tensors(dynamic(kinds), "as-written")[f"{base}_weights_scale"], tensors(dynamic(kinds), "as-written")[node.input[3]]
    rows = []
    for layer in layers():
        (symmetric, _), (scale, zero_point) = (parameters(f"asymActivation,{kind}", layer["name"]) for kind in ("symWeight", "asymWeight"))
        rows.append((f"`{layer['name']}`", real(symmetric), real(scale), int(zero_point)))
    return table(["layer", "symmetric: scale:", "asymmetric: scale:", "zero point:"], rows)


def flushed():
    """Rows of dynamic.csv on which a unit differs that takes subnormal numbers for 0."""
    return sum("flush-to-zero" in row[-1].split() for row in dynamic_vectors.vectors())


NUMBERS = {"asymmetric": 0, "symmetric": 1, "uint8": 2}
UNIT_KINDS = {"uint8": 0, "asymmetric": 1, "symmetric": 2}  # of the Verilog


def random_tensors(count):
    """Tensors of any bits, of any size of numbers, and of numbers around 1, in turns."""
    rng = np.random.default_rng(60)
    for number in range(count):
        size = int(rng.integers(1, 17))
        yield (rng.integers(0, 2**32, size, dtype=np.uint64).astype(np.uint32).view(np.float32), (rng.normal(size=size) * 10.0 ** rng.uniform(-44, 38)).astype(np.float32),
               rng.normal(rng.normal(), 1, size).astype(np.float32))[number % 3]


@functools.cache
def unit_tensors():
    """What the Verilog is tried on: kind and numbers, then the scale's bits, the zero point and the bytes that are right."""
    rows = [(kind, np.array([int(cell, 16) for cell in cells.split()], np.uint32).view(np.float32)) for kind, cells, *_ in dynamic_vectors.vectors()]
    rows += [(kind, x) for x in random_tensors(600) for kind in UNIT_KINDS]
    rows += [(kind, tensors(dynamic(), "as-written")["flatten"].ravel()) for kind in UNIT_KINDS]
    with np.errstate(all="ignore"):
        return [(kind, x, *dynamic_vectors.found(kind, x)) for kind, x in rows]


def unit_vectors():
    kinds, x, scales, zeros, q = zip(*unit_tensors())
    return {"unit_x": np.concatenate(x), "unit_q": np.concatenate([np.array(cells.split(), np.int32) for cells in q]),
            "unit_scales": np.array([int(bits, 16) for bits in scales], np.uint32).view(np.int32), "unit_zero_points": np.int32(zeros), "unit_counts": np.int32([part.size for part in x]),
            "unit_kinds": np.int8([UNIT_KINDS[kind] for kind in kinds]), "unit_tensors": np.int32(len(x)), "unit_elements": np.int32(sum(part.size for part in x))}


def part_vectors():
    """What the parts of the unit are tried on: pairs of numbers that are not negative with quotient and sum, and numbers with their nearest integers."""
    rng = np.random.default_rng(62)
    a, b = (rng.integers(0, 0x7f800001, 1000, dtype=np.uint32).view(np.float32) for _ in "ab")
    near = np.minimum(a * rng.uniform(0.1, 10, a.size), 3e38).astype(np.float32)
    tiny, small = rng.integers(0, 1 << 24, 500, dtype=np.uint32), np.float32(2.0) ** rng.integers(1, 30, 500).astype(np.float32)  # their quotients are subnormal, and some are ties
    a, b = np.concatenate([a, a, tiny.view(np.float32)]), np.concatenate([b, near, small])
    half = (np.arange(0, 520, dtype=np.float32) + np.float32(0.5)).view(np.uint32)
    t = np.concatenate([(half + off).view(np.float32) for off in np.arange(-3, 4, dtype=np.int64).astype(np.uint32)] + [rng.uniform(0, 600, 500).astype(np.float32), np.float32(2.0) ** np.arange(-140, 120)]).astype(np.float32)
    with np.errstate(all="ignore"):
        quotient, total = a / b, a + b
        nearest = np.minimum(np.rint(t), 511)
        less = np.minimum(np.rint(np.float32(-128) + t) + 128, 511)
    exact = ~(np.isnan(quotient) | np.isnan(total))
    return {"pair_a": a[exact], "pair_b": b[exact], "pair_quotient": quotient[exact], "pair_sum": total[exact], "pairs": np.int32(exact.sum()),
            "lone_t": t, "lone_nearest": nearest.astype(np.int32), "lone_less": less.astype(np.int32), "lone": np.int32(t.size)}


def reciprocal_errors():
    """Of normal tensors, the bytes that differ when x is multiplied by the rounded reciprocal of the scale: per million."""
    rng, wrong, count = np.random.default_rng(61), 0, 0
    for _ in range(200):
        x = rng.normal(rng.normal(), 1, 5000).astype(np.float32)
        right, other = (np.array(dynamic_vectors.found("asymmetric", x, mistake)[2].split(), int) for mistake in ("", "reciprocal"))
        wrong, count = wrong + int((right != other).sum()), count + x.size
    return f"{1e6 * wrong / count:.1f}"


def vectors():
    """Every activation of the two networks, each with what its own graph makes of it, and the rows of dynamic.csv; for the Verilog, what unit_tensors() says."""
    names = list(dict.fromkeys(layer["x"] for layer in layers()))
    x, q, scale, zero, kinds = [], [], [], [], []
    for kind in ("symmetric", "asymmetric"):
        values = tensors(dynamic(f"{kind.removesuffix('metric')}Activation,symWeight"), "as-written")
        for name in names:
            x.append(values[name].ravel()), q.append(values[f"{name}_quantized"].ravel())
            scale.append(values[f"{name}_scale"]), zero.append(0 if kind == "symmetric" else values[f"{name}_zero_point"])
            kinds.append(NUMBERS[kind])
    for kind, cells, scale_bits, zero_point, result, _ in dynamic_vectors.vectors():
        x.append(np.array([int(cell, 16) for cell in cells.split()], np.uint32).view(np.float32)), q.append(np.array(result.split(), np.int32))
        scale.append(np.uint32(int(scale_bits, 16)).view(np.float32)), zero.append(zero_point), kinds.append(NUMBERS[kind])
    return unit_vectors() | part_vectors() | {"all_x": np.concatenate(x), "all_q": np.concatenate(q).astype(np.int32), "scales": np.float32(scale), "zero_points": np.int32(zero), "counts": np.int32([part.size for part in x]), "kinds": np.int8(kinds), "tensors": np.int32(len(x))}
