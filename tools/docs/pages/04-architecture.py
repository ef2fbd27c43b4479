"""Numbers of docs/quantization/04-architecture.md."""

import collections
import functools

import numpy as np

from resnet8 import *

def shape_of(shape):
    return "x".join(map(str, shape)) or "scalar"


@functools.cache
def graph(model):
    return onnx.load(model).graph


def operator_count(model, *names):
    return sum(node.op_type in names for node in graph(model).node)


def initializer_bytes(model):
    return sum(numpy_helper.to_array(c).nbytes for c in graph(model).initializer)


def forms():
    labels = {FLOAT: "float", QDQ: "QDQ", OPERATORS: "integer operators"}
    def row(model):
        nodes = len(graph(model).node)
        conversions = operator_count(model, "QuantizeLinear", "DequantizeLinear")
        return (f"`models/{model.name}`", labels[model], nodes, operator_count(model, "QuantizeLinear"), operator_count(model, "DequantizeLinear"),
                f"{100 * conversions / nodes:.0f} %", operator_count(model, "Relu"), len(graph(model).initializer), whole(initializer_bytes(model)))
    return table(["file", "form", "nodes:", "QuantizeLinear:", "DequantizeLinear:", "conversions:", "Relu:", "initializers:", "their bytes:"],
                 [row(model) for model in labels])


def flow():
    """The integer program as a drawing: steps, and what flows between them."""
    names = {step["name"]: f"s{k}" for k, step in enumerate(steps().values())}
    maker = {output: name for name, step in steps().items() for output in step["outputs"]}
    lines = ["flowchart TD", "  image([image]) -- float32 --> s0"]
    for name, step in steps().items():
        output, = step["outputs"]
        values = tensors()[output]
        scale = tensors().get(f"{output.removesuffix('_quantized')}_scale")
        detail = f"<br>s {scale:.4g}, z {tensors()[output.removesuffix('_quantized') + '_zero_point']}" if scale is not None else ""
        shape = "{{" if step["kind"] == "addition" else "["
        close = "}}" if step["kind"] == "addition" else "]"
        lines.append(f'  {names[name]}{shape}"{step["operations"][0]["operator"]}<br>{name}{detail}"{close}')
        for value in step["inputs"]:
            if value in maker:
                source = tensors()[value]
                lines.append(f"  {names[maker[value]]} -- {source.dtype} {shape_of(source.shape[1:])} --> {names[name]}")
    last = list(names.values())[-1]
    return fenced("mermaid", "\n".join([*lines, f"  {last} -- float32 10 --> probabilities([probabilities])"]))


def residual_lifetime(name):
    """How many steps a shortcut is kept while the other path is computed."""
    order = list(steps())
    producer = next(k for k, step in enumerate(steps().values()) if steps()[name]["inputs"][1] in step["outputs"])
    return order.index(name) - producer - 1


def pattern_initializers(layer="block1.conv1"):
    """The initializers around one layer of the QDQ file, by the node that reads them."""
    program = facts("lower", QDQ)
    sources = next(step for step in program["steps"] if step["name"] == layer)["sources"]
    by_name = {node.name: node for node in graph(QDQ).node}
    arrays = {c.name: numpy_helper.to_array(c) for c in graph(QDQ).initializer}
    def values(array):
        write = real if array.dtype == np.float32 else str
        return write(array[()]) if array.ndim == 0 else f"{write(array.min())} to {write(array.max())}"
    rows = [(f"`{source['name']}`", f"`{name}`", arrays[name].dtype, shape_of(arrays[name].shape), values(arrays[name]))
            for source in sources for name in by_name[source["name"]].input if name in arrays]
    return table(["node", "initializer", "type", "shape", "value"], rows)


def operator_initializers(layer="block1.conv1"):
    """The constants that QLinearConv reads, under their names in both files; their arrays are equal."""
    of_qdq = {c.name: numpy_helper.to_array(c) for c in graph(QDQ).initializer}
    sources = next(step for step in facts("lower", QDQ)["steps"] if step["name"] == layer)["sources"]
    around = {name for node in graph(QDQ).node if node.name in {source["name"] for source in sources} for name in node.input if name in of_qdq}
    rows = []
    for number, (role, name) in enumerate(zip(ROLES["QLinearConv"], steps()[layer]["operations"][0]["inputs"])):
        if number > 0:
            array = tensors()[name]
            in_qdq = name if name in around else next(other for other in sorted(around) if np.array_equal(of_qdq[other], array))
            assert of_qdq[in_qdq].dtype == array.dtype and np.array_equal(of_qdq[in_qdq], array)
            rows.append((number, f"`{'B' if role == 'bias' else role}`", f"`{name}`", "the same" if in_qdq == name else f"`{in_qdq}`"))
    return table(["#:", "input of QLinearConv", "initializer", "in the QDQ file"], rows)


def bias_parameters():
    """The bytes that the QDQ file has more than the file of integer operators: parameters of biases."""
    arrays = {c.name: numpy_helper.to_array(c) for c in graph(QDQ).initializer if "bias" in c.name}
    scales, zero_points = (sum(array.nbytes for name, array in arrays.items() if name.endswith(part)) for part in ("_scale", "_zero_point"))
    more = initializer_bytes(QDQ) - initializer_bytes(OPERATORS)
    assert more == scales + zero_points
    return {"more": more, "scales": scales, "zero_points": zero_points}


def initializer_kinds():
    """What the initializers of both files are, and how many bytes."""
    def kind(name, array):
        if name.endswith("_scale"):
            return "scales, per tensor" if array.ndim == 0 else "scales, per channel"
        if name.endswith("_zero_point"):
            return "zero points, per tensor" if array.ndim == 0 else "zero points, per channel"
        return "biases" if array.dtype == np.int32 else "weights"
    def counted(model):
        count, size = collections.Counter(), collections.Counter()
        for c in graph(model).initializer:
            array = numpy_helper.to_array(c)
            count[kind(c.name, array)] += 1
            size[kind(c.name, array)] += array.nbytes
        return count, size
    (count, size), (op_count, op_size) = counted(QDQ), counted(OPERATORS)
    types = {"weights": "int8", "biases": "int32", "scales, per channel": "float32", "zero points, per channel": "int8, int32 of a bias",
             "scales, per tensor": "float32", "zero points, per tensor": "int8"}
    return table(["kind", "type", "in the QDQ file:", "bytes:", "integer operators:", "bytes:"],
                 [(name, type_, count[name], whole(size[name]), op_count[name], whole(op_size[name])) for name, type_ in types.items()])


def fusion():
    program = facts("lower", QDQ)
    sources = [source["name"] for step in program["steps"] for source in step["sources"]]
    uses = collections.Counter(sources)
    def row(step):
        names = ", ".join(f"`{source['name']}`" + (f" ({uses[source['name']]} readers)" if uses[source["name"]] > 1 else "") for source in step["sources"])
        return f"`{step['name']}`", step["operations"][0]["operator"], len(step["sources"]), names
    rows = [row(step) for step in program["steps"]]
    assert set(sources) == {node.name for node in graph(QDQ).node}
    return table(["step", "operator", "nodes:", "of the QDQ file"], rows)


def counts():
    program = facts("lower", QDQ)
    before = collections.Counter(node.op_type for node in graph(QDQ).node)
    after = collections.Counter(step["operations"][0]["operator"] for step in program["steps"])
    names = sorted(before | after, key=lambda name: (-before[name], -after[name], name))
    return table(["operator", "QDQ file:", "program:"], [*((name, before[name] or "", after[name] or "") for name in names),
                                                        ("**all**", sum(before.values()), sum(after.values()))])


def bias_scales():
    """How far the bias scales of the QDQ file are from the float32 product of the scales of x and w, in float32 steps."""
    arrays = {c.name: numpy_helper.to_array(c) for c in graph(QDQ).initializer}
    by_output = {output: node for node in graph(QDQ).node for output in node.output}
    steps_off, channels = 0, 0
    for node in graph(QDQ).node:
        if node.op_type in ("Conv", "Gemm"):
            x, w, bias = (arrays[by_output[name].input[1]] for name in node.input)
            products = x * w
            steps_off = max(steps_off, int(np.abs(products.view(np.int32) - bias.view(np.int32)).max()))
            channels += bias.size
    return {"steps": steps_off, "channels": channels}


def widths():
    bits = [step["final"]["bits"] for step in bounds().values()]
    return f"{min(bits)} to {max(bits)}"


# PyTorch's arithmetic on ResNet8, in numpy.

@functools.cache
def float_biases():
    """The float bias of each layer, from a network that still has them: what dynamic quantization writes."""
    model = temporary_folder() / "dynamic.onnx"
    octet("quantize", FLOAT, "--dynamic", "-o", model)
    arrays = {c.name: numpy_helper.to_array(c) for c in graph(model).initializer}
    return {name: array for name, array in arrays.items() if name.endswith(("bias", "bias_folded"))}


def fbgemm():
    """Results that differ on the sample image when the bias stays float, as in FBGEMM: fl(fl(f32(acc) + fl(b / fl(s_x s_w))) M)."""
    program = facts("lower", QDQ)
    differing, results = 0, 0
    for step in accumulating():
        o = operands(step["name"])
        sources = next(other for other in program["steps"] if other["name"] == step["name"])["sources"]
        bias_name = next(source["name"] for source in sources if "bias" in source["name"]).removesuffix("_DequantizeLinear")
        column = (-1,) + (1,) * (tensors()[step["outputs"][0]].ndim - 2)
        scale = (o["x_scale"] * o["w_scale"]).reshape(column)
        raw = accumulators(step["name"]) - o["bias"].astype(np.int64).reshape(column)
        t = (raw.astype(np.float32) + float_biases()[bias_name].reshape(column) / scale) * (scale / o["y_scale"])
        zero = int(o["y_zero_point"])
        y = np.clip(np.rint(t).astype(np.int64) + zero, -128, 127)
        differing += int((y != tensors()[step["outputs"][0]]).sum())
        results += y.size
    return {"differing": whole(differing), "results": whole(results)}


def reciprocal_multipliers():
    """Multipliers of ResNet8 that change when the division by y_scale is a product with its reciprocal, as in QNNPACK."""
    differing, channels = 0, 0
    for step in accumulating():
        o = operands(step["name"])
        products = o["x_scale"] * o["w_scale"]
        differing += int((products / o["y_scale"] != products * (np.float32(1) / o["y_scale"])).sum())
        channels += products.size
    return {"differing": differing, "channels": channels}
