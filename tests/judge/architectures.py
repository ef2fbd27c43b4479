"""Small float networks, one for each family that people deploy, written as today's exporters write them.

architectures.all() gives (name, model, samples): samples are a list of inputs by name. Weights are random; what counts is
which operators meet which.
"""

import math
import re

import numpy as np
from onnx import TensorProto, helper, numpy_helper

F32 = np.float32
IMAGE = [1, 3, 32, 32]
TOKENS, WIDTH, HEADS = 8, 32, 4


class Builder:
    def __init__(self, name, shape, opset=17):
        self.name, self.scope, self.shape, self.opset = name, re.sub(r"\W+", "_", name), shape, opset
        self.random = np.random.default_rng(len(name) + sum(map(ord, name)))
        self.nodes, self.initializers, self.inputs = [], [], [("x", TensorProto.FLOAT, shape)]

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def floats(self, *values):
        return self.constant(np.asarray(values[0] if len(values) == 1 else values, F32))

    def integers(self, *values):
        return self.constant(np.asarray(values, np.int64))

    def normal(self, *shape, deviation=1.0):
        return self.constant((self.random.normal(size=shape) * deviation).astype(F32))

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"/{self.scope}/{kind}_{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"/{self.scope}/{kind}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    # ---- what many networks have

    def conv(self, x, inputs, channels, kernel=3, stride=1, group=1, bias=True, axes=2, **attributes):
        w = self.normal(channels, inputs // group, *[kernel] * axes, deviation=math.sqrt(2 * group / (inputs * kernel**axes)))
        more = [self.normal(channels, deviation=0.1)] if bias else []
        return self.op("Conv", x, w, *more, kernel_shape=[kernel] * axes, strides=[stride] * axes, group=group,
                       pads=[kernel // 2] * 2 * axes, **attributes)

    def norm(self, x, channels):
        return self.op("BatchNormalization", x, self.floats(self.random.uniform(0.5, 1.5, channels)), self.normal(channels, deviation=0.1),
                       self.normal(channels, deviation=0.1), self.floats(self.random.uniform(0.5, 1.5, channels)))

    def dense(self, x, inputs, channels):
        return self.op("Gemm", x, self.normal(channels, inputs, deviation=inputs**-0.5), self.normal(channels, deviation=0.1), transB=1)

    def linear(self, x, inputs, channels):
        """Of three axes, as torch writes it."""
        return self.op("Add", self.normal(channels, deviation=0.1), self.op("MatMul", x, self.normal(inputs, channels, deviation=inputs**-0.5)))

    def head(self, x, channels, mean=False):
        if mean:
            return self.dense(self.op("ReduceMean", x, axes=[2, 3], keepdims=0), channels, 10)
        return self.dense(self.op("Flatten", self.op("GlobalAveragePool", x), axis=1), channels, 10)

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def gelu(self, x):
        half = self.op("Add", self.op("Erf", self.op("Div", x, self.floats(math.sqrt(2)))), self.floats(1.0))
        return self.op("Mul", self.op("Mul", x, half), self.floats(0.5))

    def layer_norm(self, x, width):
        return self.op("LayerNormalization", x, self.floats(self.random.uniform(0.5, 1.5, width)), self.normal(width, deviation=0.1), axis=-1)

    def squeeze(self, x, channels, gate):
        s = self.op("Relu", self.conv(self.op("GlobalAveragePool", x), channels, channels // 4, 1))
        return self.op("Mul", x, self.op(gate, self.conv(s, channels // 4, channels, 1)))

    def heads(self, x, turned=False):
        x = self.op("Reshape", x, self.integers(1, TOKENS, HEADS, WIDTH // HEADS))
        return self.op("Transpose", x, perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3])

    def attention(self, x, mask=None):
        q, k, v = self.heads(self.linear(x, WIDTH, WIDTH)), self.heads(self.linear(x, WIDTH, WIDTH), True), self.heads(self.linear(x, WIDTH, WIDTH))
        scores = self.op("Mul", self.op("MatMul", q, k), self.floats((WIDTH // HEADS) ** -0.5))
        if mask:
            scores = mask(scores)
        y = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", y, self.integers(1, TOKENS, WIDTH)), WIDTH, WIDTH)

    def transformer_block(self, x, mask=None):
        x = self.op("Add", x, self.attention(self.layer_norm(x, WIDTH), mask))
        y = self.linear(self.gelu(self.linear(self.layer_norm(x, WIDTH), WIDTH, 2 * WIDTH)), 2 * WIDTH, WIDTH)
        return self.op("Add", x, y)

    # ---- the result

    def finish(self, y):
        self.nodes.append(helper.make_node("Identity", [y], ["y"], name="y"))
        inputs = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in self.inputs]
        graph = helper.make_graph(self.nodes, self.name, inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9)

    def samples(self, count=8):
        def one(kind, shape):
            if kind == TensorProto.INT64:
                return self.random.integers(0, 16, shape)
            return self.random.normal(size=shape).astype(F32)

        return [{name: one(kind, shape) for name, kind, shape in self.inputs} for _ in range(count)]


def resnet(b):
    x = b.op("Relu", b.norm(b.conv("x", 3, 16, bias=False), 16))
    y = b.norm(b.conv(b.op("Relu", b.norm(b.conv(x, 16, 16, bias=False), 16)), 16, 16, bias=False), 16)
    x = b.op("Relu", b.op("Add", y, x))
    y = b.conv(b.op("Relu", b.conv(x, 16, 24, stride=2)), 24, 24)
    return b.head(b.op("Relu", b.op("Add", y, b.conv(x, 16, 24, 1, stride=2))), 24)


def resnet_new_exporter(b):
    x = b.op("Relu", b.conv("x", 3, 16))
    x = b.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    return b.head(b.op("Relu", b.op("Add", b.conv(x, 16, 16), x)), 16, mean=True)


def vgg(b):
    x = b.op("MaxPool", b.op("Relu", b.conv("x", 3, 16)), kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("MaxPool", b.op("Relu", b.conv(x, 16, 16)), kernel_shape=[4, 4], strides=[4, 4])
    return b.dense(b.op("Relu", b.dense(b.op("Flatten", x, axis=1), 256, 64)), 64, 10)


def mobilenet_v2(b):
    x = b.op("Clip", b.conv("x", 3, 16, stride=2), b.floats(0.0), b.floats(6.0))
    y = b.op("Clip", b.conv(x, 16, 48, 1), b.floats(0.0), b.floats(6.0))
    y = b.op("Clip", b.conv(y, 48, 48, group=48), b.floats(0.0), b.floats(6.0))
    return b.head(b.op("Add", x, b.conv(y, 48, 16, 1)), 16)


def mobilenet_v3(b):
    x = b.op("HardSwish", b.conv("x", 3, 16, stride=2))
    y = b.op("HardSwish", b.conv(x, 16, 16, 5, group=16))
    x = b.op("Add", x, b.conv(b.squeeze(y, 16, "HardSigmoid"), 16, 16, 1))
    return b.head(b.op("HardSwish", b.conv(x, 16, 32, 1)), 32)


def efficientnet(b):
    x = b.silu(b.conv("x", 3, 16, stride=2))
    y = b.silu(b.conv(b.silu(b.conv(x, 16, 32, 1)), 32, 32, group=32))
    return b.head(b.silu(b.op("Add", x, b.conv(b.squeeze(y, 32, "Sigmoid"), 32, 16, 1))), 16)


def densenet(b):
    x = b.conv("x", 3, 16)
    for channels in (16, 24):
        y = b.conv(b.op("Relu", b.norm(x, channels)), channels, 8, bias=False)
        x = b.op("Concat", x, y, axis=1)
    x = b.conv(b.op("Relu", b.norm(x, 32)), 32, 16, 1)
    return b.head(b.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]), 16)


def inception(b):
    x = b.op("Relu", b.conv("x", 3, 16, stride=2))
    pool = b.op("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    parts = [b.conv(x, 16, 8, 1), b.conv(b.op("Relu", b.conv(x, 16, 8, 1)), 8, 8, 5), b.conv(pool, 16, 8, 1)]
    return b.head(b.op("Concat", *[b.op("Relu", part) for part in parts], axis=1), 24)


def shufflenet(b):
    x = b.op("Relu", b.conv("x", 3, 16, stride=2))
    left, right = b.op("Split", x, outputs=2, axis=1)
    right = b.op("Relu", b.conv(b.conv(b.op("Relu", b.conv(right, 8, 8, 1)), 8, 8, group=8), 8, 8, 1))
    x = b.op("Concat", left, right, axis=1)
    x = b.op("Transpose", b.op("Reshape", x, b.integers(1, 2, 8, 16, 16)), perm=[0, 2, 1, 3, 4])
    x = b.op("Reshape", x, b.integers(1, 16, 16, 16))
    return b.head(b.op("Relu", b.conv(x, 16, 24, 1)), 24, mean=True)


def face_detector(b):
    x = b.op("PRelu", b.conv("x", 3, 16, stride=2), b.constant(b.random.uniform(0.1, 0.4, (16, 1, 1)).astype(F32)))
    x = b.op("Pad", x, b.integers(0, 0, 1, 1, 0, 0, 1, 1))
    x = b.op("PRelu", b.conv(x, 16, 16), b.constant(b.random.uniform(0.1, 0.4, (16, 1, 1)).astype(F32)))
    return b.op("Sigmoid", b.conv(b.op("LeakyRelu", b.conv(x, 16, 16), alpha=0.1), 16, 5, 1))


def yolo(b):
    x = b.silu(b.conv("x", 3, 16, stride=2))
    left, right = b.op("Split", x, outputs=2, axis=1)
    y = b.op("Add", right, b.silu(b.conv(b.silu(b.conv(right, 8, 8)), 8, 8)))
    x = b.silu(b.conv(b.op("Concat", left, right, y, axis=1), 24, 16, 1))
    deep = b.silu(b.conv(x, 16, 16, stride=2))
    pools = [deep]
    for _ in range(2):
        pools.append(b.op("MaxPool", pools[-1], kernel_shape=[5, 5], pads=[2, 2, 2, 2]))
    deep = b.silu(b.conv(b.op("Concat", *pools, axis=1), 48, 16, 1))
    up = b.op("Resize", deep, "", b.floats(1.0, 1.0, 2.0, 2.0), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    y = b.conv(b.silu(b.conv(b.op("Concat", up, x, axis=1), 32, 16)), 16, 12, 1)
    return b.op("Sigmoid", b.op("Reshape", y, b.integers(1, 12, -1)))


def unet(b):
    top = b.op("Relu", b.conv("x", 3, 8))
    x = b.op("Relu", b.conv(b.op("MaxPool", top, kernel_shape=[2, 2], strides=[2, 2]), 8, 16))
    up = b.op("ConvTranspose", x, b.normal(16, 8, 2, 2, deviation=0.2), b.normal(8, deviation=0.1), kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("Relu", b.conv(b.op("Concat", up, top, axis=1), 16, 8))
    return b.conv(x, 8, 2, 1)


def super_resolution(b):
    x = b.op("Relu", b.conv(b.op("Relu", b.conv("x", 3, 16, 5)), 16, 16))
    return b.op("DepthToSpace", b.conv(x, 16, 12), blocksize=2, mode="CRD")


def convnext(b):
    x = b.conv("x", 3, 16, 5, stride=2)
    y = b.op("Transpose", b.conv(x, 16, 16, 7, group=16), perm=[0, 2, 3, 1])
    y = b.linear(b.gelu(b.linear(b.layer_norm(y, 16), 16, 64)), 64, 16)
    y = b.op("Transpose", b.op("Mul", y, b.floats(b.random.uniform(0.5, 1, 16))), perm=[0, 3, 1, 2])
    return b.head(b.op("Add", x, y), 16, mean=True)


def vision_transformer(b):
    x = b.op("Reshape", b.conv("x", 3, WIDTH, 4, stride=8), b.integers(1, WIDTH, -1))
    x = b.op("Slice", b.op("Transpose", x, perm=[0, 2, 1]), b.integers(0), b.integers(TOKENS - 1), b.integers(1))
    x = b.op("Concat", b.normal(1, 1, WIDTH), x, axis=1)
    x = b.transformer_block(b.op("Add", x, b.normal(1, TOKENS, WIDTH, deviation=0.2)))
    return b.dense(b.op("Gather", b.layer_norm(x, WIDTH), b.constant(np.int64(0)), axis=1), WIDTH, 10)


def bert(b):
    b.inputs = [("ids", TensorProto.INT64, [1, TOKENS])]
    x = b.op("Add", b.op("Gather", b.normal(16, WIDTH), "ids"), b.normal(1, TOKENS, WIDTH))
    x = b.layer_norm(x, WIDTH)
    mask = np.where(np.arange(TOKENS) < 6, 0, np.finfo(F32).min).astype(F32).reshape(1, 1, 1, TOKENS)
    return b.linear(b.transformer_block(x, lambda scores: b.op("Add", scores, b.constant(mask))), WIDTH, 4)


def gpt(b):
    b.inputs = [("ids", TensorProto.INT64, [1, TOKENS])]
    x = b.op("Add", b.op("Gather", b.normal(16, WIDTH), "ids"), b.normal(1, TOKENS, WIDTH))
    mask = np.triu(np.full((TOKENS, TOKENS), -np.inf, F32), 1).reshape(1, 1, TOKENS, TOKENS)
    x = b.transformer_block(x, lambda scores: b.op("Add", scores, b.constant(mask)))
    return b.op("MatMul", b.layer_norm(x, WIDTH), b.normal(WIDTH, 16, deviation=0.2))


def keyword_spotter(b):
    x = b.op("Relu", b.conv("x", 1, 16, 5, stride=2))
    for _ in range(2):
        x = b.op("Relu", b.conv(b.op("Relu", b.conv(x, 16, 16, group=16)), 16, 16, 1))
    return b.op("Softmax", b.head(x, 16), axis=-1)


def temporal_convolution(b):
    x = b.op("Relu", b.conv("x", 8, 16, axes=1))
    x = b.op("Relu", b.op("Add", x, b.conv(x, 16, 16, axes=1)))
    return b.dense(b.op("ReduceMean", x, axes=[2], keepdims=0), 16, 4)


def autoencoder(b):
    x = "x"
    for inputs, channels in ((64, 32), (32, 8), (8, 32)):
        x = b.op("Relu", b.norm(b.dense(x, inputs, channels), channels))
    return b.dense(x, 32, 64)


def recurrent(kind, gates):
    def write(b):
        w, r, bias = b.normal(1, gates * 16, 8, deviation=0.3), b.normal(1, gates * 16, 16, deviation=0.2), b.normal(1, 2 * gates * 16, deviation=0.1)
        y, last = b.op(kind, "x", w, r, bias, outputs=2, hidden_size=16) if kind == "GRU" else b.op(kind, "x", w, r, bias, outputs=3, hidden_size=16)[:2]
        return b.dense(b.op("Squeeze", last, b.integers(0)), 16, 4)

    return write


ARCHITECTURES = {
    "ResNet": (resnet, IMAGE), "ResNet, newer exporter": (resnet_new_exporter, IMAGE), "VGG": (vgg, IMAGE),
    "MobileNetV2": (mobilenet_v2, IMAGE), "MobileNetV3": (mobilenet_v3, IMAGE), "EfficientNet": (efficientnet, IMAGE),
    "DenseNet": (densenet, IMAGE), "Inception": (inception, IMAGE), "ShuffleNetV2": (shufflenet, IMAGE),
    "Face detector": (face_detector, IMAGE), "YOLO": (yolo, IMAGE), "U-Net": (unet, IMAGE),
    "Super-resolution": (super_resolution, [1, 3, 16, 16]), "ConvNeXt": (convnext, IMAGE),
    "Vision transformer": (vision_transformer, IMAGE), "BERT": (bert, None), "GPT": (gpt, None),
    "Keyword spotter": (keyword_spotter, [1, 1, 24, 10]), "Temporal convolution": (temporal_convolution, [1, 8, 32]),
    "Autoencoder": (autoencoder, [1, 64]), "LSTM": (recurrent("LSTM", 4), [12, 1, 8]), "GRU": (recurrent("GRU", 3), [12, 1, 8]),
}


def all():
    for name, (write, shape) in ARCHITECTURES.items():
        builder = Builder(name, shape)
        model = builder.finish(write(builder))
        yield name, model, builder.samples()
