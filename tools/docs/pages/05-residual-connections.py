"""Numbers of docs/quantization/05-residual-connections.md."""

import functools
import tempfile

import numpy as np
import onnx
from onnx import helper

import directed
from resnet8 import *

ADDITIONS = [step["name"] for step in steps().values() if step["kind"] == "addition"]
UINT8 = MODELS / "resnet8_uint8.onnx"


@functools.cache
def operators_of(model):
    """The integer program of a QDQ file, written as a file; a file of integer operators as it is."""
    if any(node.op_type == "QLinearAdd" for node in onnx.load(model).graph.node):
        return model
    program = temporary_folder() / "program.onnx"
    octet("lower", model, "-o", program)
    return program


@functools.cache
def addition(name, model=OPERATORS):
    """The node QLinearAdd `name` and its six parameters: scales are float32, zero points are numpy integers."""
    graph = onnx.load(operators_of(model)).graph
    constants = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    node = next(node for node in graph.node if node.op_type == "QLinearAdd" and node.name == name)
    roles = "a_scale a_zero b_scale b_zero c_scale c_zero".split()
    return node, {role: constants[node.input[k]][()] for role, k in zip(roles, (1, 2, 4, 5, 6, 7))}


@functools.cache
def runs_of_all_pairs(model, *options, form="QLinearAdd"):
    """What Octet makes of every pair in every addition of a network: 256 x 256 by name, a by rows. Other forms: the operands
    exchanged, or DQ, DQ, Add, Q."""
    dtype = addition(ADDITIONS[0], model)[1]["c_zero"].dtype
    limits = np.iinfo(dtype)
    values = np.arange(limits.min, limits.max + 1, dtype=dtype)
    a, b = np.meshgrid(values, values, indexing="ij")
    nodes, constants = [], []
    for name in ADDITIONS:
        constants += [numpy_helper.from_array(np.asarray(value), f"{name}.{role}") for role, value in addition(name, model)[1].items()]
        x, y = (["a", f"{name}.a_scale", f"{name}.a_zero"], ["b", f"{name}.b_scale", f"{name}.b_zero"])[::-1 if form == "exchanged" else 1]
        c = [f"{name}.c_scale", f"{name}.c_zero"]
        if form == "DQ, DQ, Add, Q":
            nodes += [helper.make_node("DequantizeLinear", x, [f"{name}.x"]), helper.make_node("DequantizeLinear", y, [f"{name}.y"]),
                      helper.make_node("Add", [f"{name}.x", f"{name}.y"], [f"{name}.z"]), helper.make_node("QuantizeLinear", [f"{name}.z", *c], [name])]
        else:
            nodes.append(helper.make_node("QLinearAdd", [*x, *y, *c], [name], domain="com.microsoft"))
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    graph = helper.make_graph(nodes, "pairs", [helper.make_tensor_value_info(name, kind, a.shape) for name in "ab"],
                              [helper.make_tensor_value_info(name, kind, a.shape) for name in ADDITIONS], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), f"{folder}/pairs.onnx")
        np.savez(f"{folder}/pairs.npz", a=a, b=b)
        octet("run", f"{folder}/pairs.onnx", "--policy", "as-written", "--input", f"{folder}/pairs.npz", "--output", f"{folder}/c.npz", *options)
        with np.load(f"{folder}/c.npz") as results:
            return {name: results[name].astype(np.int64) for name in ADDITIONS}


def all_pairs(name, model=OPERATORS, *options, form="QLinearAdd"):
    return runs_of_all_pairs(model, *options, form=form)[name]


# Other additions, in numpy. Arrays of all pairs, as all_pairs.

def differences(p):
    limits = np.iinfo(p["c_zero"].dtype)
    values = np.arange(limits.min, limits.max + 1)
    return (values - int(p["a_zero"]))[:, None], (values - int(p["b_zero"]))[None, :]


def exact(p):
    """The sum in units of c_scale, without the zero point. In float64: nearer than any tie that is none, and exact for powers of two."""
    a, b = differences(p)
    return (float(p["a_scale"]) * a + float(p["b_scale"]) * b) / float(p["c_scale"])


def finished(rounded, p):
    limits = np.iinfo(p["c_zero"].dtype)
    return np.clip(rounded.astype(np.int64) + int(p["c_zero"]), limits.min, limits.max)


def fma(x, y, c):
    return np.float32(np.float64(x) * np.float64(y) + np.float64(c))


def pytorch(p):
    """quantized::add of PyTorch's AVX2 kernel: dequantize with fma, add, multiply by the reciprocal, round, add the zero point."""
    limits = np.iinfo(p["c_zero"].dtype)
    values = np.arange(limits.min, limits.max + 1, dtype=np.float32)
    a = fma(p["a_scale"], values, p["a_scale"] * np.float32(-int(p["a_zero"])))[:, None]
    b = fma(p["b_scale"], values, p["b_scale"] * np.float32(-int(p["b_zero"])))[None, :]
    return finished(np.rint((a + b) * (np.float32(1) / p["c_scale"])), p)


def rounded_operands(p):
    """Each operand rounded to the step of c, then added."""
    a, b = differences(p)
    return finished(np.rint(a * float(p["a_scale"]) / float(p["c_scale"])) + np.rint(b * float(p["b_scale"]) / float(p["c_scale"])), p)


# Tables.

def scales():
    def row(name):
        node, p = addition(name)
        ratio_a, ratio_b = p["a_scale"] / p["c_scale"], p["b_scale"] / p["c_scale"]
        return (f"`{name}`", f"`{node.input[0]}`", real(p["a_scale"]), p["a_zero"], f"`{node.input[3]}`", real(p["b_scale"]), p["b_zero"],
                real(p["c_scale"]), p["c_zero"], f"{p['a_scale'] / p['b_scale']:.3g}", real(ratio_a), real(ratio_b))
    return table(["addition", "a", "scale:", "z:", "b", "scale:", "z:", "c scale:", "z:", "s_a / s_b:", "s_a / s_c:", "s_b / s_c:"],
                 [row(name) for name in ADDITIONS])


NETWORKS = {"shipped, int8": OPERATORS, "shipped, uint8": UINT8,
            "`--activations uint8 --symmetric-activations`": quantized("--activations", "uint8", "--symmetric-activations"),
            "`--scales power-of-two`": quantized("--scales", "power-of-two")}
SYMMETRIC = NETWORKS["`--activations uint8 --symmetric-activations`"]
POWER_OF_TWO = NETWORKS["`--scales power-of-two`"]
SHARED = quantized("--residual", "shared-scale")


def orders():
    others = {"exact sum": lambda n, m: finished(np.rint(exact(addition(n, m)[1])), addition(n, m)[1]),
              "DQ, DQ, Add, Q": lambda n, m: all_pairs(n, m, form="DQ, DQ, Add, Q"),
              "SSE2": lambda n, m: all_pairs(n, m, "--arithmetic", "onnxruntime-sse2"),
              "ARM": lambda n, m: all_pairs(n, m, "--arithmetic", "onnxruntime-arm"),
              "portable": lambda n, m: all_pairs(n, m, "--arithmetic", "onnxruntime-portable"),
              "exchanged": lambda n, m: all_pairs(n, m, form="exchanged"),
              "PyTorch": lambda n, m: pytorch(addition(n, m)[1]),
              "TFLite": lambda n, m: all_pairs(n, m, "--arithmetic", "fixed-double")}
    rows = [(network, *(whole(sum(int((other(name, model) != all_pairs(name, model)).sum()) for name in ADDITIONS)) for other in others.values()))
            for network, model in NETWORKS.items()]
    return table(["network", *(f"{name}:" for name in others)], rows)


def total_pairs():
    return whole(len(ADDITIONS) * 65536)


@functools.cache
def sides(name, model=OPERATORS):
    """The pairs that decide: where a step of c begins (lower) and where it ends (upper), for each a."""
    c = all_pairs(name, model)
    low, high = c.min(), c.max()
    limits = np.iinfo(addition(name, model)[1]["c_zero"].dtype)
    begins = np.pad(c[:, 1:] > c[:, :-1], ((0, 0), (1, 0)), constant_values=True) & (c > limits.min)
    ends = np.pad(c[:, 1:] > c[:, :-1], ((0, 0), (0, 1)), constant_values=True) & (c < limits.max)
    assert low == limits.min and high == limits.max
    return [(np.nonzero(at)[0] + limits.min, np.nonzero(at)[1] + limits.min, c[at]) for at in (begins, ends)]


@functools.cache
def integer_form(name, model=OPERATORS, first=0):
    """The smallest shift from `first` on, with m_a, m_b and the addend, for which floor((m_a a + m_b b + addend) / 2^shift), saturated, is c for all pairs."""
    (a0, b0, c0), (a1, b1, c1) = sides(name, model)
    _, p = addition(name, model)
    for shift in range(first, 32):
        near_a, near_b = (int(float(p[f"{x}_scale"]) / float(p["c_scale"]) * 2**shift) for x in "ab")
        for m_a in range(near_a - 1, near_a + 3):
            for m_b in range(near_b - 1, near_b + 3):
                for some in (slice(None, None, 97), slice(None)):  # a few of them say no soon
                    least = int(((c0[some] << shift) - a0[some] * m_a - b0[some] * m_b).max())
                    most = int((((c1[some] + 1) << shift) - a1[some] * m_a - b1[some] * m_b).min()) - 1
                    if least > most:
                        break
                else:
                    return {"shift": shift, "m_a": m_a, "m_b": m_b, "addend": (least + most) // 2, "choices": most - least + 1}
    return None


def common_shift():
    return next(shift for shift in range(32) if all(integer_form(name, first=shift)["shift"] == shift for name in ADDITIONS))


def sum_bits(form):
    ends = [form["m_a"] * a + form["m_b"] * b + form["addend"] for a in (-128, 127) for b in (-128, 127)]
    return max(max(ends).bit_length(), (-min(ends) - 1).bit_length()) + 1


def confirmed(name, form):
    a = np.arange(-128, 128)
    c = np.clip((form["m_a"] * a[:, None] + form["m_b"] * a[None, :] + form["addend"]) >> form["shift"], -128, 127)
    assert (c == all_pairs(name)).all()
    return c.size


def of_octet(name):
    """The constants that `octet bounds` has for an addition."""
    found, = [step for step in facts("bounds", OPERATORS)["combining"] if step["name"] == name]
    assert not found["exceptions"]
    return {"shift": found["shift"], "m_a": found["m"], "m_b": found["m_b"], "addend": found["addend"]}


def integer_forms():
    for name in ADDITIONS:  # two searches, one result
        assert of_octet(name).items() <= integer_form(name).items()
    rows = []
    for first in (0, common_shift()):
        for name in ADDITIONS:
            form = integer_form(name, first=first)
            rows.append((f"`{name}`", form["shift"], whole(form["m_a"]), form["m_a"].bit_length(), whole(form["m_b"]), form["m_b"].bit_length(),
                         whole(form["addend"]), sum_bits(form), whole(confirmed(name, form))))
    return table(["addition", "shift:", "m_a:", "bits:", "m_b:", "bits:", "addend:", "sum, bits:", "pairs equal:"], rows)


def ties_even_form(name, model):
    """The smallest shift for which rne((m_a a + m_b b + addend) / 2^shift) is exact, where the ratios are powers of two, confirmed for all pairs."""
    _, p = addition(name, model)
    ratio_a, ratio_b = float(p["a_scale"] / p["c_scale"]), float(p["b_scale"] / p["c_scale"])
    shift = next(n for n in range(32) if (ratio_a * 2**n).is_integer() and (ratio_b * 2**n).is_integer())
    a, b = differences(p)
    total = int(ratio_a * 2**shift) * a + int(ratio_b * 2**shift) * b
    assert (finished(np.rint(total / 2**shift), p) == all_pairs(name, model)).all()
    return {"shift": shift, "m_a": int(ratio_a * 2**shift), "m_b": int(ratio_b * 2**shift)}


def shared_scales():
    def row(name):
        p, s = addition(name)[1], addition(name, SHARED)[1]
        assert s["a_scale"] == s["b_scale"] == s["c_scale"] and s["a_zero"] == s["b_zero"] == s["c_zero"]
        z = int(s["c_zero"])
        a = np.arange(-128, 128)
        assert (np.clip(a[:, None] + a[None, :] - z, -128, 127) == all_pairs(name, SHARED)).all()
        coarser = [f"{s['c_scale'] / p[f'{x}_scale']:.2f}" for x in "abc"]
        return (f"`{name}`", real(s["c_scale"]), z, *coarser)
    return table(["addition", "shared scale:", "zero point:", "coarser than s_a:", "than s_b:", "than s_c:"], [row(name) for name in ADDITIONS])


def rounded_operands_table():
    def row(name):
        p = addition(name)[1]
        wrong = rounded_operands(p) != all_pairs(name)
        node, = [node for node in onnx.load(OPERATORS).graph.node if node.name == name]
        a, b = (tensors()[node.input[k]].astype(int) + 128 for k in (0, 3))
        on_image = wrong[a, b]
        return f"`{name}`", whole(int(wrong.sum())), f"{100 * wrong.mean():.1f} %", int(np.abs(rounded_operands(p) - all_pairs(name)).max()), \
            whole(int(on_image.sum())), whole(on_image.size)
    return table(["addition", "pairs that differ:", "of 65,536:", "by at most:", "elements on the sample image:", "of:"], [row(name) for name in ADDITIONS])


def measured_accuracy():
    rows = {"**default**, the ranges in the box": "QLinearAdd, integer form, DQ-Add-Q, FloatFunctional; the shipped network",
            "int8, minmax, weights per channel": "QLinearAdd", "int8, operands of additions rounded first": "requantized operands",
            "int8, shared scale": "shared scale", "int8, operands of additions with one scale": "one scale for both operands",
            "int8, the same with symmetric activations": "one scale for both operands, as TensorRT", "int8, additions behind the sum of a convolution": "behind the convolution's sum, as TensorRT", "int8, power-of-two scales": "powers of two, in the whole network"}
    return table(["addition", "row of accuracy.md", "top-1, of 1,017 images", "predictions as float:"],
                 [(what, row.replace("*", ""), *accuracy(row)[:2]) for row, what in rows.items()])


def integer_cost(part):
    forms = [integer_form(name) for name in ADDITIONS]
    return {"multiplier": max(form[m].bit_length() for form in forms for m in ("m_a", "m_b")), "sum": max(map(sum_bits, forms)),
            "shifts": f"{min(form['shift'] for form in forms)} to {max(form['shift'] for form in forms)}"}[part]


def puzzle():
    """The pair of block3.add of the symmetric uint8 network whose exact sum rounds otherwise."""
    p = addition("block3.add", SYMMETRIC)[1]
    (a, b), = np.argwhere(finished(np.rint(exact(p)), p) != all_pairs("block3.add", SYMMETRIC))
    return int(a), int(b)


def vectors():
    parts = {"a": [], "b": [], "c": [], "reals": [], "zeros": [], "forms": [], "pairs": [], "counts": []}
    shift = common_shift()
    for name in ADDITIONS:
        node, p = addition(name)
        form = integer_form(name, first=shift)
        for part, at in (("a", node.input[0]), ("b", node.input[3]), ("c", node.output[0])):
            parts[part].append(tensors()[at].ravel())
        parts["reals"] += [p["a_scale"], p["b_scale"], p["c_scale"]]
        parts["zeros"] += [p["a_zero"], p["b_zero"], p["c_zero"]]
        parts["forms"] += [form["m_a"], form["m_b"], form["addend"]]
        parts["pairs"].append(all_pairs(name).ravel())
        parts["counts"].append(tensors()[node.output[0]].size)
    return {"all_a": np.concatenate(parts["a"]), "all_b": np.concatenate(parts["b"]), "all_c": np.concatenate(parts["c"]),
            "scales": np.float32(parts["reals"]), "zero_points": np.int8(parts["zeros"]), "forms": np.int32(parts["forms"]),
            "shift": np.int32(shift), "pairs": np.concatenate(parts["pairs"]).astype(np.int8), "counts": np.int32(parts["counts"]),
            **{f"directed_{name}": directed.cells("add.csv", *(f"{x}_{name}" for x in "abc")) for name in ("scale", "zero_point")},
            "directed_abc": directed.cells("add.csv", "a", "b", "c"), "directed_count": np.int32(len(directed.vectors("add.csv")[1])),
            "shared_zero_point": np.int8(addition("block1.add", SHARED)[1]["c_zero"]),
            "shared_pairs": all_pairs("block1.add", SHARED).astype(np.int8).ravel()}
