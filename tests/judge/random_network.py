"""Small random quantized networks in QDQ form: random_network.make(seed, layers) gives a model and its inputs.

Every value is an 8-bit tensor with its own scale and zero point behind QuantizeLinear. Layers pick any earlier values,
so there are residuals and branches. The same seed with fewer layers gives the same network, cut short.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

TYPES = {"int8": (np.int8, TensorProto.INT8), "uint8": (np.uint8, TensorProto.UINT8)}


class Network:
    def __init__(self, seed, layers):
        self.random = np.random.default_rng(seed)
        self.layers, self.transposed = layers, False
        self.ends, self.floats, self.boxes = [], [], []
        self.nodes, self.initializers, self.values = [], [], []  # values: (name of the integers, type, shape, s, z)
        self.opset = int(self.random.choice([13, 15, 17, 19, 20, 21, 22, 23, 24, 25, 26]))
        # Mostly one type, as real networks are; some mix them.
        self.types = [["uint8"], ["uint8"], ["int8"], ["int8"], ["int8", "uint8"]][self.random.integers(5)]

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, items):
        return items[self.random.integers(len(items))]

    def name(self, kind):
        return f"{kind}_{len(self.nodes)}_{len(self.initializers)}"

    def constant(self, kind, array):
        name = self.name(kind)
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, **attributes):
        output = self.name(op.lower())
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"{op}_{len(self.nodes)}", **attributes))
        return output

    def scale(self, around):
        """A float32 scale; now and then a power of two, where ties are common."""
        value = np.float32(around * 2.0 ** self.random.uniform(-1, 1))
        return np.float32(2.0 ** np.round(np.log2(value))) if self.chance(0.3) else value

    def zero_point(self, kind):
        low, high = (-128, 127) if kind == "int8" else (0, 255)
        return int(self.pick([low, low, 0 if kind == "int8" else 128, self.random.integers(low, high + 1)]))

    def quantize(self, value, shape, scale, zero_point, kind):
        s, z = self.constant("scale", scale), self.constant("zero", TYPES[kind][0](zero_point))
        integers = self.node("QuantizeLinear", [value, s, z])
        self.values.append((integers, kind, shape, scale, zero_point))

    def dequantize(self, value):
        integers, kind, _, scale, zero_point = value
        s, z = self.constant("scale", scale), self.constant("zero", TYPES[kind][0](zero_point))
        return self.node("DequantizeLinear", [integers, s, z])

    def clamped(self, value):
        if self.chance(0.4):
            return self.node("Relu", [value])
        if self.chance(0.15):
            return self.node("Clip", [value, self.constant("min", np.float32(0)), self.constant("max", np.float32(6))])
        return value

    def result(self, value, shape, magnitude):
        """Quantizes a float value whose numbers are of about that magnitude."""
        kind = self.pick(self.types)
        clamped, scale, zero = self.clamped(value), self.scale(magnitude / 64), self.zero_point(kind)
        self.quantize(clamped, shape, scale, zero, kind)
        if self.chance(0.05):  # quantized once more, the same way or another
            self.quantize(clamped, shape, *self.pick([(scale, zero), (self.scale(magnitude / 64), zero)]), kind)
        # Wanted in float, too. A Relu behind a sum would be judged by its own rounding, and not by the sum's.
        if self.chance(0.03):
            self.floats.append((value, shape))

    def sum(self, value, shape, magnitude):
        """The same for a sum of products; now and then so steep that what cancels is all that does not saturate."""
        if self.chance(0.97):
            return self.result(value, shape, magnitude)
        kind = self.pick(self.types)
        self.quantize(value, shape, self.scale(magnitude * 2.0 ** -self.random.integers(12, 36)), self.zero_point(kind), kind)

    def weights(self, shape, channels, axis):
        """Integers, their DequantizeLinear, and the scales, one or one per channel."""
        kind = "int8" if self.chance(0.8) else "uint8"
        dtype = TYPES[kind][0]
        full = self.chance(0.3)
        low, high = (-127, 128) if full else (-40, 41)
        centre = 0 if kind == "int8" else 128
        integers = (self.random.integers(low, high, shape) + centre).clip(*((-128, 127) if centre == 0 else (0, 255)))
        per_channel = self.chance(0.5)
        count = channels if per_channel else 1
        scales = np.array([self.scale(0.01) for _ in range(count)], np.float32)
        zeros = np.full(count, centre, dtype)
        if not per_channel:
            scales, zeros = scales.reshape(()), zeros.reshape(())
            if self.chance(0.2):
                zeros = dtype(centre + 3)
        # Of a product with 4 bits ONNX Runtime makes MatMulNBits: blocked_product has those.
        if self.opset >= 21 and len(shape) == 4 and self.chance(0.15):
            name, least = self.pick([("INT4", -8), ("UINT4", 0)])
            narrow = [self.integers(name, self.random.integers(least, least + 16, shape)), self.constant("scale", scales * np.float32(4)),
                      self.integers(name, self.random.integers(least, least + 16, scales.shape))]
            weight = self.node("DequantizeLinear", narrow, **({"axis": axis} if per_channel else {}))
            return weight, np.broadcast_to(scales * np.float32(4), channels), per_channel
        integers, moves = integers.astype(dtype), []
        if self.chance(0.2):  # as exporters store them: behind a Transpose, or flat
            order = [int(d) for d in self.random.permutation(len(shape))]
            moves.append(("Transpose", [], {"perm": order}))
            integers, axis = integers.transpose(np.argsort(order)), order[axis]
        if self.chance(0.1):
            moves.append(("Reshape", [self.constant("shape", np.array(integers.shape, np.int64))], {}))
            integers, axis = integers.reshape(1, *integers.shape), axis + 1
        attributes = {"axis": axis} if per_channel else {}
        inputs = [self.constant("weights", np.ascontiguousarray(integers)), self.constant("scale", scales), self.constant("zero", zeros)]
        weight = self.node("DequantizeLinear", inputs, **attributes)
        for op, others, attributes in reversed(moves):
            weight = self.node(op, [weight, *others], **attributes)
        return weight, np.broadcast_to(scales, channels), per_channel

    def bias(self, channels, x_scale, w_scales, per_channel, off=False):
        scales = (np.float32(x_scale) * w_scales).astype(np.float32)
        if off:
            scales = (scales * np.float32(1.03)).astype(np.float32)  # not what the accumulator is in
        integers = self.random.integers(-3000, 3000, channels).astype(np.int32)
        if self.chance(0.2):  # a float constant: what DequantizeLinear would make of the integers, or something between
            return self.constant("bias", ((integers + self.pick([0, 0.3])) * scales).astype(np.float32))
        if per_channel:
            return self.node("DequantizeLinear", [self.constant("bias", integers), self.constant("scale", scales)], axis=0)
        return self.node("DequantizeLinear", [self.constant("bias", integers), self.constant("scale", scales[0])])

    # ---- layers; each takes what there is, or does nothing

    def images(self):
        return [value for value in self.values if len(value[2]) == 4]

    def convolution(self):
        x = self.pick(self.images())
        n, c, h, w = x[2]
        group = self.pick([g for g in (1, 1, 2, c) if c % g == 0])
        m = group * int(self.random.integers(1, 4)) if group > 1 else int(self.pick([1, 3, 4, 8, 16]))
        k = int(self.pick([1, 3])) if min(h, w) >= 3 else 1
        stride, pad = int(self.pick([1, 1, 2])), int(self.pick([0, 1])) if k == 3 else 0
        weight, w_scales, per_channel = self.weights((m, c // group, k, k), m, 0)
        inputs = [self.dequantize(x), weight]
        if self.chance(0.7):
            # ONNX Runtime checks a convolution's bias scale, and ignores a Gemm's.
            inputs.append(self.bias(m, x[3], w_scales, per_channel, off=self.chance(0.1)))
        y = self.node("Conv", inputs, kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4, group=group)
        size = [(d + 2 * pad - k) // stride + 1 for d in (h, w)]
        self.sum(y, (n, m, *size), float(x[3]) * 100 * 0.2 * np.sqrt(k * k * c // group))

    def transposed_convolution(self):
        x = self.pick(self.images())
        n, c, h, w = x[2]
        group = self.pick([g for g in (1, 1, 1, 2) if c % g == 0])
        each = int(self.random.integers(1, 4))
        k, stride = int(self.random.integers(1, 5)), int(self.random.integers(1, 4))
        pads = [int(p) for p in self.random.integers(0, 2, 4)] if k > 2 else [0] * 4
        more = int(self.random.integers(0, stride))
        weight, w_scales, per_channel = self.weights((c, each, k, k), each, 1)
        inputs, m = [self.dequantize(x), weight], each * group
        if self.chance(0.6):
            inputs.append(self.bias(m, x[3], np.resize(w_scales, m), per_channel))
        size = [stride * (d - 1) + more + k - pads[i] - pads[i + 2] for i, d in enumerate((h, w))]
        if min(size) < 1 or max(size) > 24:
            return
        y = self.node("ConvTranspose", inputs, kernel_shape=[k, k], strides=[stride] * 2, pads=pads, group=group, output_padding=[more] * 2)
        self.result(y, (n, m, *size), float(x[3]) * 100 * 0.2 * np.sqrt(k * k * c // group))

    def product(self):
        rows = [value for value in self.values if len(value[2]) == 2]
        if not rows:
            return
        x = self.pick(rows)
        n, k = x[2]
        m = int(self.random.integers(1, 12))
        magnitude = float(x[3]) * 100 * 0.2 * np.sqrt(k)
        if self.chance(0.5):
            weight, _, _ = self.weights((k, m), m, 1)
            self.sum(self.node("MatMul", [self.dequantize(x), weight]), (n, m), magnitude)
        else:
            weight, w_scales, per_channel = self.weights((m, k), m, 0)
            inputs = [self.dequantize(x), weight]
            if self.chance(0.7):
                inputs.append(self.bias(m, x[3], w_scales, per_channel))
            self.sum(self.node("Gemm", inputs, transB=1), (n, m), magnitude)

    def blocked_product(self):
        """By weights of 4 or 8 bits in blocks, a scale for each block of a column or row."""
        rows = [value for value in self.values if len(value[2]) == 2]
        if not rows:
            return
        x = self.pick(rows)
        (n, k), m, block, axis = x[2], int(self.random.integers(1, 12)), int(self.pick([2, 16, 32])), int(self.chance(0.3))
        kind, low, high = self.pick([("INT4", -8, 8), ("UINT4", 0, 16), ("INT8", -128, 128), ("UINT8", 0, 256)])
        blocks = (-(-k // block), m) if axis == 0 else (k, -(-m // block))
        scales = np.array([self.scale(0.1 if high <= 16 else 0.01) for _ in range(blocks[0] * blocks[1])], np.float32).reshape(blocks)
        alike = self.chance(0.3)  # along the blocks: they are channels, then
        scales = np.repeat(scales.take([0], axis), blocks[axis], axis) if alike else scales
        inputs = [self.integers(kind, self.random.integers(low, high, (k, m))), self.constant("scale", scales)]
        # ONNX Runtime makes int8 uint8, and gives what has no zero point one for the whole tensor: that it refuses then.
        if kind == "INT8" or self.chance(0.5):
            zeros = self.random.integers(low, high, blocks)
            inputs.append(self.integers(kind, np.repeat(zeros.take([0], axis), blocks[axis], axis) if alike else zeros))
        weight = self.node("DequantizeLinear", inputs, axis=axis, block_size=block)
        if high > 16:  # else ONNX Runtime makes QLinearMatMul or MatMulIntegerToFloat of it, which do not take blocks
            weight = self.node("Abs", [weight])
        self.result(self.node("MatMul", [self.dequantize(x), weight]), (n, m), float(x[3]) * 100 * np.sqrt(k))

    def wide(self):
        """A sum of products of 16 bits, by weights of 8 or 16, with a result of 16."""
        x = self.pick([value for value in self.values if len(value[2]) in (2, 4)])
        shape, dtype = x[2], self.pick([np.int16, np.uint16])
        middle = 0 if dtype is np.int16 else 32768

        def through(value, around):
            zero = dtype(middle + int(self.pick([0, 0, self.random.integers(-32768, 32768)])))
            parameters = [self.constant("scale", self.scale(around)), self.constant("zero", zero)]
            return self.node("DequantizeLinear", [self.node("QuantizeLinear", [value, *parameters]), *parameters])

        channels = int(self.pick([1, 3, 4, 8]))
        k, turned = (1, False) if len(shape) == 4 else (shape[1], self.chance(0.5))
        form = (channels, shape[1], 1, 1) if len(shape) == 4 else (channels, k) if turned else (k, channels)
        axis = 1 if len(shape) == 2 and not turned else 0
        if self.chance(0.6):
            weight, scales, per_channel = self.weights(form, channels, axis)
        else:
            integers = self.constant("weights", self.random.integers(-32767, 32768, form).astype(np.int16))
            scales, per_channel = np.full(channels, self.scale(0.01 / 256), np.float32), False
            weight = self.node("DequantizeLinear", [integers, self.constant("scale", scales[0])])
        inputs = [through(self.dequantize(x), float(x[3]) / 128), weight]
        if axis == 0 and self.chance(0.6):
            inputs.append(self.bias(channels, x[3] / np.float32(128), scales, per_channel, off=True))
        op = "Conv" if len(shape) == 4 else "Gemm" if turned else "MatMul"
        y = self.node(op, inputs, **({"transB": 1} if turned else {"kernel_shape": [1, 1]} if op == "Conv" else {}))
        shape = (shape[0], channels, *shape[2:])
        magnitude = float(x[3]) * 100 * 0.2 * np.sqrt(x[2][1])
        if self.chance(0.8):
            y = through(self.clamped(y), magnitude / 2.0 ** self.random.integers(10, 15))
        self.result(y, shape, magnitude)

    def integers(self, kind, array):
        name = self.name("blocks")
        self.initializers.append(helper.make_tensor(name, getattr(TensorProto, kind), array.shape, array.flatten().tolist()))
        return name

    def binary(self):
        a = self.pick(self.values)
        others = [value for value in self.values if value[2] == a[2]]
        b = self.pick(others)
        op = self.pick(["Add", "Add", "Add", "Mul", "Sub"])
        size = 100 * max(float(a[3]), float(b[3]))
        y = self.node(op, [self.dequantize(a), self.dequantize(b)])
        self.result(y, a[2], size if op != "Mul" else 100 * 100 * float(a[3]) * float(b[3]))

    def extreme(self):
        """Where float32 ends: integers read with scales that overflow, or whose products do or lose their digits."""
        x = self.pick(self.values)
        integers, kind, shape, scale, _ = x
        low, high = (-128, 127) if kind == "int8" else (0, 255)
        zero = int(self.pick([0, 0, low, high]))
        extreme = np.float32(self.pick([2.6793887e36, 1.3344e36, 2e30, 1e19, 1e-19, 3e-30, 1.1754944e-38, 1e-42]))
        y = self.dequantize((integers, kind, shape, extreme, zero))
        op = self.pick(["Add", "Add", "Mul", "Concat", "MaxPool", "AveragePool", "Reshape"])
        moves = op in ("MaxPool", "Reshape")
        if op in ("Add", "Mul"):
            y = self.node(op, [self.dequantize(x), y])
        elif op == "Reshape":
            y = self.node(op, [y, self.constant("shape", np.array(shape, np.int64))])
        elif len(shape) == 4 and op == "Concat":
            y, shape = self.node(op, [self.dequantize(x), y], axis=1), (shape[0], 2 * shape[1], *shape[2:])
        elif len(shape) == 4:
            y = self.node(op, [y], kernel_shape=[1, 1])
        # ONNX Runtime moves bytes between equal parameters, also those that are infinite on the way.
        sizes = [float(extreme) * (2 if moves else 1), float(extreme) * float(scale)]
        if op != "AveragePool":  # which it refuses to compute where the scales are too far apart
            sizes.append(float(scale))
        result = np.float32(self.pick([size for size in sizes if 1e-44 < size < 3e38]))
        y = self.clamped(y)
        self.quantize(y, shape, result, self.pick([zero, self.zero_point(kind)]), kind)
        if not 1e-3 < result < 1e3:  # products of it would overflow in one order of the sum and not in another
            self.ends.append(self.values.pop())

    def concatenation(self):
        a = self.pick(self.images())
        same = [v for v in self.images() if v[2][0] == a[2][0] and v[2][2:] == a[2][2:]]
        parts = [a] + [self.pick(same) for _ in range(int(self.random.integers(1, 3)))]
        shape = (a[2][0], sum(part[2][1] for part in parts), *a[2][2:])
        y = self.node("Concat", [self.dequantize(part) for part in parts], axis=1)
        if self.chance(0.4):  # a scale they share
            self.quantize(y, shape, a[3], a[4], a[1])
        else:
            self.result(y, shape, 100 * float(a[3]))

    def pool(self):
        x = self.pick(self.images())
        n, c, h, w = x[2]
        op = self.pick(["MaxPool", "AveragePool", "GlobalAveragePool", "ReduceMean"])
        if op == "ReduceMean":
            return self.mean(x)
        if op == "GlobalAveragePool":
            return self.result(self.node(op, [self.dequantize(x)]), (n, c, 1, 1), 60 * float(x[3]))
        k = min(2, h, w)
        pad = int(self.chance(0.2)) if k == 2 else 0
        attributes = {"count_include_pad": int(self.chance(0.5))} if op == "AveragePool" else {}
        y = self.node(op, [self.dequantize(x)], kernel_shape=[k, k], strides=[k, k], pads=[pad] * 4, **attributes)
        shape = (n, c, *[(d + 2 * pad - k) // k + 1 for d in (h, w)])
        self.moved(x, y, shape) if op == "MaxPool" else self.result(y, shape, 60 * float(x[3]))

    def mean(self, x):
        """A global average pool as newer exporters write it; now and then of axes that are not the pixels."""
        axes = self.pick([[2, 3], [2, 3], [-1, -2], [1, 2], [1], [3]])
        keep = int(self.chance(0.5))
        inputs, attributes = [self.dequantize(x)], {"keepdims": keep}
        if self.opset < 18:
            attributes["axes"] = axes
        else:
            inputs.append(self.constant("axes", np.array(axes, np.int64)))
        shape = np.mean(np.empty(x[2], np.int8), tuple(axes), keepdims=bool(keep)).shape
        self.result(self.node("ReduceMean", inputs, **attributes), tuple(map(int, shape)), 60 * float(x[3]))

    def moved(self, x, y, shape):
        """Behind an operator that only moves bytes: the parameters stay, mostly."""
        if self.chance(0.8):
            self.quantize(y, shape, x[3], x[4], x[1])
        else:
            self.result(y, shape, 100 * float(x[3]))

    def move(self):
        x = self.pick(self.values)
        y, shape = self.dequantize(x), x[2]
        if len(shape) == 4 and self.chance(0.5):
            y, shape = self.node("Flatten", [y]), (shape[0], int(np.prod(shape[1:])))
        elif len(shape) == 4 and not self.transposed:  # ONNX Runtime makes two that meet vanish, and merges pairs then
            self.transposed = True
            y, shape = self.node("Transpose", [y], perm=[0, 1, 3, 2]), (*shape[:2], shape[3], shape[2])
        else:
            y = self.node("Reshape", [y, self.constant("shape", np.array(shape, np.int64))])
        self.moved(x, y, shape)

    def split(self):
        """One value in pieces, each quantized as it likes."""
        x = self.pick([value for value in self.values if max(value[2]) > 1])
        shape = x[2]
        axis = int(self.pick([d for d in range(len(shape)) if shape[d] > 1]))
        first = int(self.random.integers(1, shape[axis]))
        lengths = [first, shape[axis] - first]
        outputs = [self.name("split") + suffix for suffix in "ab"]
        inputs = [self.dequantize(x), self.constant("lengths", np.array(lengths, np.int64))]
        self.nodes.append(helper.make_node("Split", inputs, outputs, name=outputs[0], axis=axis))
        for output, length in zip(outputs, lengths):
            self.moved(x, output, tuple(length if d == axis else shape[d] for d in range(len(shape))))

    def arrange(self):
        """Pad by a number or by what is there, Resize to the nearest, Tile, GatherND."""
        x = self.pick(self.images())
        op = self.pick(["Pad", "Pad", "Pad", "Resize", "Tile", "GatherND"])
        n, c, h, w = x[2]
        y = self.dequantize(x)
        if op == "Pad":
            pads = [int(p) for p in self.random.integers(0, 2 if min(h, w) > 1 else 1, 4)]
            mode = self.pick(["constant", "constant", "constant", "reflect", "edge"])
            inputs = [y, self.constant("pads", np.array([0, 0, *pads[:2], 0, 0, *pads[2:]], np.int64))]
            if mode == "constant" and self.chance(0.7):  # of the integers, or between them, or far away
                low = -128 if x[1] == "int8" else 0
                fill = np.float32(self.random.integers(low - x[4], low + 256 - x[4])) * np.float32(x[3])
                inputs.append(self.constant("value", np.float32(self.pick([0, fill, fill, 0.3 * fill, 1e4]))))
            y, shape = self.node(op, inputs, mode=mode), (n, c, h + pads[0] + pads[2], w + pads[1] + pads[3])
        elif op == "Resize":
            scales = self.constant("scales", np.array([1, 1, 2, 2], np.float32))
            coordinates = self.pick(["asymmetric", "half_pixel"])
            nearest = self.pick(["floor", "round_prefer_floor"])
            y = self.node(op, [y, "", scales], coordinate_transformation_mode=coordinates, nearest_mode=nearest)
            shape = (n, c, 2 * h, 2 * w)
        elif op == "Tile":
            y, shape = self.node(op, [y, self.constant("repeats", np.array([1, 2, 1, 1], np.int64))]), (n, 2 * c, h, w)
        else:
            y, shape = self.node(op, [y, self.constant("indices", np.array([[0, c - 1]], np.int64))]), (1, h, w)
        self.moved(x, y, shape)

    def function(self):
        x = self.pick(self.values)
        op = self.pick(["Sigmoid", "LeakyRelu", "Tanh", "HardSwish", "Relu", "Identity", "HardSigmoid", "Elu"])
        if op == "HardSwish" and self.opset < 14:
            return
        self.result(self.node(op, [self.dequantize(x)]), x[2], 1 if op in ("Sigmoid", "Tanh") else 100 * float(x[3]))

    def composed(self):
        """What exporters spell out: x through a few operators that meet again, one table."""
        x = self.pick(self.values)
        a, number = self.dequantize(x), lambda value: self.constant("number", np.float32(value))
        which = self.pick(["hard swish", "silu", "scaled", "shared"])
        if which == "hard swish":
            t = self.node("Clip", [self.node("Add", [a, number(3)]), number(0), number(6)])
            y = self.node("Div", [self.node("Mul", [a, t]), number(6)])
        elif which == "silu":
            y = self.node("Mul", [a, self.node("Sigmoid", [a])])
        elif which == "scaled":
            y = self.node("Mul", [self.node("Sub", [number(1), a]), self.constant("number", np.float32([0.25]))])
        else:
            t = self.node("Add", [a, number(0.5)])
            y = self.node("Sub", [self.node("Mul", [t, t]), t])
        self.result(y, x[2], 100 * float(x[3]))

    def by_channel(self):
        """Numbers of its own for each channel: PRelu, BatchNormalization, a scale and an offset."""
        x = self.pick(self.images())
        c = x[2][1]
        y = self.dequantize(x)
        numbers = lambda low, high, shape: self.constant("numbers", self.random.uniform(low, high, shape).astype(np.float32))
        which = self.pick(["PRelu", "BatchNormalization", "scale", "columns"])
        if which == "PRelu":
            y = self.node("PRelu", [y, numbers(-1, 1, (c, 1, 1))])
        elif which == "BatchNormalization":
            parameters = [numbers(0.5, 2, c), numbers(-1, 1, c), numbers(-1, 1, c), numbers(0.1, 2, c)]
            y = self.node("BatchNormalization", [y, *parameters])
        elif which == "scale":
            y = self.node("Add", [self.node("Mul", [y, numbers(-1, 1, (1, c, 1, 1))]), numbers(-1, 1, (c, 1, 1))])
        else:
            y = self.node("Mul", [y, numbers(-1, 1, x[2][3])])
        self.result(y, x[2], 100 * float(x[3]))

    # ---- what has no integer form: floats between DequantizeLinear and QuantizeLinear

    def numbers(self, *shape, low=-1, high=1):
        return self.constant("numbers", self.random.uniform(low, high, shape).astype(np.float32))

    def product_of_axes(self):
        """Einsum, by a constant or by itself."""
        x = self.pick([value for value in self.values if len(value[2]) in (2, 4)])
        a, size, m = self.dequantize(x), 100 * float(x[3]), int(self.random.integers(1, 6))
        if len(x[2]) == 2:
            n, k = x[2]
            equation, others, shape = self.pick([("ij,jk->ik", [self.numbers(k, m)], (n, m)), ("ij,kj->ik", [a], (n, n)), ("ij->ji", [], (k, n))])
        else:
            n, c, h, w = x[2]
            equation, others, shape = self.pick([("nchw,mc->nmhw", [self.numbers(m, c)], (n, m, h, w)), ("nchw,nchv->nchwv", [a], (n, c, h, w * w)),
                                                 ("bchw,bchv->bcwv", [a], (n, c, w, w)), ("nchw->nwhc", [], (n, w, h, c))])
        y = self.node("Einsum", [a, *others], equation=equation)
        if equation.endswith("hwv"):
            y = self.node("Reshape", [y, self.constant("shape", np.array(shape, np.int64))])
        self.result(y, shape, size * (size if others == [a] else 2))

    def sample(self):
        """GridSample at constant places, some of them outside."""
        if self.opset < 16:
            return
        x = self.pick(self.images())
        n, c, _, _ = x[2]
        h, w = (int(d) for d in self.random.integers(1, 6, 2))
        modes = ["linear", "nearest", "cubic"] if self.opset >= 20 else ["bilinear", "nearest", "bicubic"]
        y = self.node("GridSample", [self.dequantize(x), self.numbers(n, h, w, 2, low=-1.3, high=1.3)], mode=self.pick(modes),
                      padding_mode=self.pick(["zeros", "border", "reflection"]), align_corners=int(self.chance(0.5)))
        self.result(y, (n, c, h, w), 100 * float(x[3]))

    def normalization(self):
        x = self.pick(self.images())
        c, width = x[2][1], x[2][3]
        y, op = self.dequantize(x), self.pick(["LRN", "LpNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization", "Softmax"])
        if op == "LRN":
            y = self.node(op, [y], size=int(self.pick([1, 3])), alpha=0.5, beta=0.75, bias=1.0)
        elif op in ("LpNormalization", "Softmax"):
            y = self.node(op, [y], axis=int(self.pick([1, 3, -1])), **({"p": int(self.pick([1, 2]))} if op[0] == "L" else {}))
        elif op == "LayerNormalization" and self.opset >= 17:
            y = self.node(op, [y, self.numbers(width, low=0.5), self.numbers(width)])
        elif op == "InstanceNormalization" or (op == "GroupNormalization" and self.opset >= 21):
            y = self.node(op, [y, self.numbers(c, low=0.5), self.numbers(c)], **({"num_groups": c} if op[0] == "G" else {}))
        self.result(y, x[2], 2)

    def reduction(self):
        """To the largest, the least, a norm; or sums and products from place to place."""
        x = self.pick(self.images())
        op = self.pick(["ReduceMax", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSum", "ReduceLogSumExp", "CumSum", "CumProd"])
        if op == "CumProd" and self.opset < 26:
            return
        y, shape, axis = self.dequantize(x), x[2], int(self.random.integers(1, 4))
        if op.startswith("Cum"):
            y = self.node(op, [y, self.constant("axis", np.int64(axis))], exclusive=int(self.chance(0.5)), reverse=int(self.chance(0.5)))
        else:
            axes, keep = self.pick([[axis], [2, 3]]), int(self.chance(0.5))
            given = self.opset >= (13 if op == "ReduceSum" else 18)
            inputs = [self.constant("axes", np.array(axes, np.int64))] if given else []
            y = self.node(op, [y, *inputs], keepdims=keep, **({} if given else {"axes": axes}))
            shape = tuple(map(int, np.sum(np.empty(shape, np.int8), tuple(axes), keepdims=bool(keep)).shape))
        if op in ("ReduceMax", "ReduceMin"):
            return self.moved(x, y, shape)
        self.result(y, shape, 300 * float(x[3]))

    def spectrum(self):
        """DFT of rows, of a power of two: others the runtime makes in float32 of numbers much larger than the result."""
        rows = [value for value in self.values if len(value[2]) == 2]
        if not rows or self.opset < 17:
            return
        x = self.pick(rows)
        (n, k), length, once = x[2], int(self.pick([1, 2, 8, 16])), int(self.chance(0.5))
        y = self.node("Reshape", [self.dequantize(x), self.constant("shape", np.array([n, k, 1], np.int64))])
        axis = {"axis": 1} if self.opset < 20 else {}
        inputs = [y, self.constant("length", np.int64(length))] + ([self.constant("axis", np.int64(1))] if not axis else [])
        shape = (n, 2 * (length // 2 + 1 if once else length))
        y = self.node("Reshape", [self.node("DFT", inputs, onesided=once, **axis), self.constant("shape", np.array(shape, np.int64))])
        self.result(y, shape, 200 * float(x[3]) * np.sqrt(length))

    def newer_function(self):
        x = self.pick(self.values)
        op, since = self.pick([("Celu", 12), ("Selu", 6), ("Softplus", 1), ("Softsign", 1), ("Mish", 18), ("Gelu", 20), ("Shrink", 9), ("ThresholdedRelu", 10)])
        if self.opset >= since:
            self.result(self.node(op, [self.dequantize(x)]), x[2], 100 * float(x[3]))

    def suppression(self):
        """Boxes and scores of one value each; which boxes stay is an output."""
        x, s = self.pick(self.values), self.pick(self.values)
        boxes, scores = int(np.prod(x[2])) // 4, int(np.prod(s[2]))
        if not boxes or scores < boxes:
            return
        flat = lambda value, size: self.node("Slice", [self.node("Reshape", [self.dequantize(value), self.constant("shape", np.int64([-1]))]),
                                                       self.constant("begin", np.int64([0])), self.constant("end", np.int64([size]))])
        corners = self.node("Reshape", [flat(x, 4 * boxes), self.constant("shape", np.int64([1, boxes, 4]))])
        ranks = self.node("Reshape", [flat(s, boxes), self.constant("shape", np.int64([1, 1, boxes]))])
        limits = [self.constant("most", np.int64([int(self.random.integers(1, 9))])), self.constant("overlap", np.float32([self.random.random()]))]
        self.boxes.append(self.node("NonMaxSuppression", [corners, ranks, *limits], center_point_box=int(self.chance(0.5))))

    def build(self):
        n, c, h, w = 1, int(self.pick([1, 2, 3, 4, 8])), int(self.random.integers(2, 8)), int(self.random.integers(2, 8))
        kind = self.pick(self.types)
        scale, zero = self.scale(0.02), self.zero_point(kind)
        self.quantize("input", (n, c, h, w), scale, zero, kind)
        layers = [self.convolution] * 4 + [self.product] * 2 + [self.binary] * 3
        layers += [self.concatenation, self.pool, self.pool, self.move, self.move, self.function, self.split, self.arrange]
        layers += [self.composed, self.by_channel, self.transposed_convolution]
        layers += [self.product_of_axes, self.sample, self.normalization, self.reduction, self.spectrum, self.newer_function]
        if self.chance(0.1):
            layers += [self.suppression] * 3
        if self.opset >= 21:
            layers += [self.blocked_product] * 2 + [self.wide] * 2
        if self.chance(0.1):
            layers += [self.extreme] * 5
        for _ in range(self.layers):
            self.pick(layers)()
        read = {name for node in self.nodes for name in node.input}
        ends = [value for value in self.values if value[0] not in read] + self.ends or self.values[-1:]
        outputs = []
        for value in ends:
            if self.chance(0.7):
                outputs.append(helper.make_tensor_value_info(self.dequantize(value), TensorProto.FLOAT, value[2]))
            else:
                outputs.append(helper.make_tensor_value_info(value[0], TYPES[value[1]][1], value[2]))
        for value, shape in self.floats:
            outputs.append(helper.make_tensor_value_info(value, TensorProto.FLOAT, shape))
        for name in self.boxes:
            outputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, ("boxes", 3)))
        inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, (n, c, h, w))]
        graph = helper.make_graph(self.nodes, "network", inputs, outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
        low, high = (-128 - zero, 127 - zero) if kind == "int8" else (-zero, 255 - zero)
        x = (self.random.uniform(low - 5, high + 5, (n, c, h, w)) * scale).astype(np.float32)
        return model, {"input": x}


def make(seed, layers):
    return Network(seed, layers).build()
