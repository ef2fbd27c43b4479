#!/usr/bin/env python3
"""Computes the first QLinearConv of a model in numpy and compares every element with ONNX Runtime's. Of a QDQ file, it takes the first
Conv between DequantizeLinear and QuantizeLinear, which ONNX Runtime runs as a QLinearConv.

Prints the node's parameters and, where nothing differs, PASS with the largest difference 0. The computation is written
here from the equations of docs/quantization/02-qlinearconv.md and shares nothing with Octet:

    acc = B + Sum (x - z_x)(w - z_w)                                       integers
    y   = sat(rne(f32(acc) * M) + z_y),  M = (s_x * s_w) / s_y             float32, each operation rounded on its own

Needs numpy, onnx and onnxruntime; `make python` puts them into .venv.
"""

import argparse
import pathlib
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
    MISSING = None
except ImportError as problem:  # --help works without
    MISSING = problem

INPUTS = "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B".split()


class Unusable(Exception):
    """What is wrong with the model, in words."""


def folded_convolution(graph):
    """The first Conv whose inputs are dequantized and whose result is quantized, as one QLinearConv; None where there is none. A Relu in
    between is left out where the zero point is the least integer, so that it changes nothing."""
    makers = {output: node for node in graph.node for output in node.output}
    readers = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    least = {tensor.name: np.iinfo(array.dtype).min for tensor in graph.initializer if (array := numpy_helper.to_array(tensor)).dtype.kind in "iu"}
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def only_reader(name, kind):
        found = readers.get(name, [])
        return found[0] if len(found) == 1 and found[0].op_type == kind else None

    for conv in graph.node:
        dequantized = [makers.get(name) for name in conv.input if name]
        if conv.op_type != "Conv" or any(node is None or node.op_type != "DequantizeLinear" or len(node.input) < 3 for node in dequantized[:2]) \
                or any(node is None or node.op_type != "DequantizeLinear" for node in dequantized[2:]):
            continue
        relu = only_reader(conv.output[0], "Relu")
        quantize = only_reader((relu or conv).output[0], "QuantizeLinear")
        if quantize is None or len(quantize.input) < 3:
            continue
        zero = quantize.input[2]
        if relu is not None and (zero not in stored or int(stored[zero].reshape(())) != least[zero]):
            continue
        x, w = (list(node.input) for node in dequantized[:2])
        node = helper.make_node("QLinearConv", [*x, *w, *quantize.input[1:3], *(node.input[0] for node in dequantized[2:])], [quantize.output[0]],
                                name=conv.name)
        node.attribute.extend(conv.attribute)
        return node
    return None


def first_convolution(model):
    """The node, and its constant inputs by name."""
    node = next((node for node in model.graph.node if node.op_type == "QLinearConv" and node.domain in ("", "ai.onnx")), None)
    node = node or folded_convolution(model.graph)
    if node is None:
        raise Unusable("has no QLinearConv, and no Conv between DequantizeLinear and QuantizeLinear; octet quantize MODEL -o FILE writes them")
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    parameters = {}
    for role, name in zip(INPUTS, node.input):
        if role != "x" and name:
            if name not in stored:
                raise Unusable(f"computes {name}, the {role} of {node.name or node.output[0]}, when it runs; wanted a constant")
            parameters[role] = stored[name]
    return node, parameters


def attributes(node, w):
    """strides, dilations, pads (begins, then ends) and group, with their defaults."""
    given = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    if given.get("auto_pad", b"NOTSET") != b"NOTSET":
        raise Unusable(f"has {node.name or node.output[0]} with auto_pad {given['auto_pad'].decode()}; wanted pads")
    axes = w.ndim - 2
    return given.get("strides", [1] * axes), given.get("dilations", [1] * axes), given.get("pads", [0] * 2 * axes), given.get("group", 1)


def accumulators(x, w, bias, strides, dilations, pads, group):
    """Stage 1, in int64: x and w are less their zero points, so that padding is 0."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:axes], pads[axes:])])
    reach = [dilation * (size - 1) + 1 for dilation, size in zip(dilations, w.shape[2:])]
    windows = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(2, 2 + axes)))
    windows = windows[(slice(None), slice(None), *(slice(None, None, step) for step in strides), *(slice(None, None, step) for step in dilations))]
    inputs, outputs = x.shape[1] // group, w.shape[0] // group
    sums = [np.tensordot(windows[:, g * inputs:(g + 1) * inputs], w[g * outputs:(g + 1) * outputs],
                         axes=([1, *range(2 + axes, 2 + 2 * axes)], [1, *range(2, 2 + axes)])) for g in range(group)]
    acc = np.moveaxis(np.concatenate(sums, axis=-1), -1, 1) + bias.reshape(-1, *[1] * axes)
    return (acc + 2**31) % 2**32 - 2**31  # an int32 wraps


def requantized(acc, multiplier, zero_point):
    """Stage 2: to nearest, ties to even, the zero point after rounding."""
    limits = np.iinfo(zero_point.dtype)
    t = acc.astype(np.int32).astype(np.float32) * multiplier.reshape(-1, *[1] * (acc.ndim - 2))
    t = np.clip(t, np.float32(limits.min - int(zero_point)), np.float32(limits.max - int(zero_point)))
    return (np.rint(t).astype(np.int64) + int(zero_point)).astype(zero_point.dtype)


def computed(node, x, p):
    w, x_zero = p["w"], p["x_zero_point"].astype(np.int64).reshape(())
    w_zero = p["w_zero_point"].astype(np.int64).reshape(-1, *[1] * (w.ndim - 1))
    bias = p.get("B", np.zeros(w.shape[0], np.int32)).astype(np.int64)
    acc = accumulators(x.astype(np.int64) - x_zero, w.astype(np.int64) - w_zero, bias, *attributes(node, w))
    multiplier = (np.float32(p["x_scale"].reshape(())) * p["w_scale"]) / np.float32(p["y_scale"].reshape(()))
    return requantized(acc, np.broadcast_to(multiplier.reshape(-1), (w.shape[0],)), p["y_zero_point"].reshape(()))


def judged(model, node, p, seed):
    """Bytes of every value at random, and what ONNX Runtime makes of the node alone."""
    group = attributes(node, p["w"])[3]
    x_zero, y_zero = p["x_zero_point"], p["y_zero_point"]
    limits = np.iinfo(x_zero.dtype)
    shape = (1, p["w"].shape[1] * group, *[16] * (p["w"].ndim - 2))
    x = np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype=x_zero.dtype, endpoint=True)
    value = lambda name, dtype, dims: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims)
    alone = helper.make_graph([node], "first", [value(node.input[0], x.dtype, x.shape)], [value(node.output[0], y_zero.dtype, None)],
                              [numpy_helper.from_array(p[role], name) for role, name in zip(INPUTS, node.input) if role in p])
    made = helper.make_model(alone, opset_imports=list(model.opset_import), ir_version=min(model.ir_version, 10))
    options = onnxruntime.SessionOptions()
    if (x.dtype, p["w"].dtype) == (np.uint8, np.int8):  # exact sums on machines whose pairs of products saturate
        options.add_session_config_entry("session.x64quantprecision", "1")
    else:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return x, session.run(None, {node.input[0]: x})[0]


def shown(array):
    array = np.asarray(array)
    text = f"{array.dtype} {list(array.shape)}"
    if array.size == 1:
        return f"{text}  {array.reshape(())!s}"
    return f"{text}  {array.min()!s} to {array.max()!s}"


def validate(path, seed):
    model = onnx.load(path)
    node, p = first_convolution(model)
    print(f"{path}: {node.name or node.output[0]}, QLinearConv")
    for role in INPUTS[1:]:
        print(f"  {role:14} {shown(p[role]) if role in p else 'absent'}")
    strides, dilations, pads, group = attributes(node, p["w"])
    print(f"  strides {list(strides)}, dilations {list(dilations)}, pads {list(pads)}, group {group}")
    print(f"  weights are quantized per {'channel' if p['w_scale'].size > 1 else 'tensor'}")
    x, theirs = judged(model, node, p, seed)
    ours = computed(node, x, p)
    difference = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
    largest = int(difference.max(initial=0))
    verdict = "PASS" if largest == 0 and ours.shape == theirs.shape and ours.dtype == theirs.dtype else "FAIL"
    print(f"{verdict}: {ours.size:,} elements, {int((difference > 0).sum()):,} differing, largest difference {largest}")
    return verdict == "PASS"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL", type=pathlib.Path, help="an .onnx file, such as models/resnet8_int8_qoperator.onnx")
    parser.add_argument("--seed", type=int, default=1, help="of the random input (default: 1)")
    options = parser.parse_args(arguments)
    if MISSING:
        print(f"{MISSING}; `make python` installs it: .venv/bin/python {sys.argv[0]} {options.model}", file=sys.stderr)
        return 2
    try:
        if not options.model.is_file():
            raise Unusable("is not there; models/resnet8_int8_qoperator.onnx is in the box")
        return 0 if validate(options.model, options.seed) else 1
    except Unusable as problem:
        print(f"{options.model} {problem}", file=sys.stderr)
    except Exception as problem:  # onnx and its runtime have many ways to say that a file is none of theirs
        print(f"{options.model}: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
