"""ResNet8's layers as single-node models with inputs, for engine_benchmark and for the onnx package."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(8)


def floats(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def uint8s(*shape):
    return RANDOM.integers(0, 256, shape, dtype=np.uint8)


def int8s(*shape):
    return RANDOM.integers(-127, 128, shape, dtype=np.int8)


def convolutions(inputs, outputs, size, kernel, stride):
    """One layer in float and in 8 bits, with a scale per output channel."""
    name = f"{inputs}->{outputs} {kernel}x{kernel} stride {stride}, {size}x{size}"
    attributes = {"strides": [stride] * 2, "pads": [kernel // 2] * 4}
    weights = outputs, inputs, kernel, kernel
    yield f"Conv {name}", [floats(1, inputs, size, size)], [floats(*weights), floats(outputs)], attributes
    quantized = [np.float32(0.02), np.uint8(128), int8s(*weights), np.full(outputs, 0.01, np.float32),
                 np.zeros(outputs, np.int8), np.float32(0.3), np.uint8(128), RANDOM.integers(-999, 999, outputs, np.int32)]
    yield f"QLinearConv {name}", [uint8s(1, inputs, size, size)], quantized, attributes


def layers():
    """Name, which begins with the operator; inputs; constants, which follow the inputs; attributes."""
    for inputs, outputs, size, kernel, stride in [
        (3, 16, 32, 3, 1), (16, 16, 32, 3, 1), (16, 32, 32, 3, 2), (16, 32, 32, 1, 2), (32, 32, 16, 3, 1),
        (32, 64, 16, 3, 2), (64, 64, 8, 3, 1)]:
        yield from convolutions(inputs, outputs, size, kernel, stride)
    image = 1, 16, 32, 32
    scale, zero_point = np.float32(0.05), np.uint8(128)
    yield "QuantizeLinear 16x32x32", [floats(*image)], [scale, zero_point], {}
    yield "DequantizeLinear 16x32x32", [uint8s(*image)], [scale, zero_point], {}
    yield "Add 16x32x32", [floats(*image), floats(*image)], [], {}
    yield "Relu 16x32x32", [floats(*image)], [], {}
    yield "MaxPool 2x2, 16x32x32", [floats(*image)], [], {"kernel_shape": [2, 2], "strides": [2, 2]}
    yield "AveragePool 8x8, 64x8x8", [floats(1, 64, 8, 8)], [], {"kernel_shape": [8, 8]}
    yield "Gemm 64->10", [floats(1, 64)], [floats(10, 64), floats(10)], {"transB": 1}
    yield "QLinearMatMul 64->10", [uint8s(1, 64)], [
        np.float32(0.02), zero_point, int8s(64, 10), np.float32(0.01), np.int8(0), np.float32(0.1), zero_point], {}
    yield "Softmax 10", [floats(1, 10)], [], {}


def write_layers(folder):
    """Writes <number>.onnx and <number>.npz per layer; returns the layers' names in that order."""
    names = []
    for name, inputs, constants, attributes in layers():
        op_type = name.split()[0]
        input_names = [f"x{i}" for i in range(len(inputs))]
        constant_names = [f"c{i}" for i in range(len(constants))]
        graph = helper.make_graph(
            [helper.make_node(op_type, input_names + constant_names, ["y"], **attributes)],
            op_type,
            [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in zip(input_names, inputs)],
            [helper.make_empty_tensor_value_info("y")],
            [numpy_helper.from_array(np.asarray(c), n) for n, c in zip(constant_names, constants)],
        )
        model = onnx.shape_inference.infer_shapes(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
        stem = folder / f"{len(names):02}"
        onnx.save(model, stem.with_suffix(".onnx"))
        np.savez(stem.with_suffix(".npz"), **dict(zip(input_names, inputs)))
        names.append(name)
    return names
