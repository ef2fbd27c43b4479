#!/usr/bin/env python3
"""octet verify of a segmentation network takes little more than the runs that it compares.

    verify_time.py OCTET [--pixels 192] [--width 24] [--save FILE]

The network is as dynamic quantization writes it: DynamicQuantizeLinear and ConvInteger, residual blocks, a decoder with Resize and Concat.
The processor time of verify, which has ONNX Runtime run the file and the program, is compared with that of one run of the file by ONNX
Runtime and one by Octet. With --pixels 1024 --width 40 --blocks 6,10,24,12 it has 177 billion products in 116 convolutions. Ends with 77
(skipped) when a package is missing.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    import onnxruntime  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

MOST = 10  # times as long as the runs
RUN = """
import sys, numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1])
given = session.get_inputs()[0]
session.run(None, {given.name: numpy.random.default_rng(1).random(given.shape, dtype=numpy.float32)})
"""


class Network:
    def __init__(self, seed=1):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants, self.quantized, self.convolutions = [], [], {}, 0

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, op, inputs, **attributes):
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def bytes_of(self, x):
        if x not in self.quantized:
            names = [f"{x}_quantized", f"{x}_scale", f"{x}_zero_point"]
            self.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], names, f"{x}_quantize"))
            self.quantized[x] = names
        return self.quantized[x]

    def convolution(self, x, inputs, outputs, kernel, stride=1, dilation=1, relu=True):
        number, products = self.convolutions, inputs * kernel * kernel
        self.convolutions += 1
        q, scale, zero = self.bytes_of(x)
        weights = self.constant(f"w{number}", self.rng.integers(-127, 128, (outputs, inputs, kernel, kernel), dtype=np.int8))
        weight_scale = self.constant(f"ws{number}", np.float32(2 / (127 * np.sqrt(products))))
        bias = self.constant(f"b{number}", self.rng.normal(0, 0.05, (1, outputs, 1, 1)).astype(np.float32))
        sums = self.node("ConvInteger", [q, weights, zero], kernel_shape=[kernel] * 2, pads=[dilation * (kernel // 2)] * 4,
                         strides=[stride] * 2, dilations=[dilation] * 2)
        real = self.node("Mul", [self.node("Cast", [sums], to=TensorProto.FLOAT), self.node("Mul", [scale, weight_scale])])
        y = self.node("Add", [real, bias])
        return self.node("Relu", [y]) if relu else y


def network(pixels, width, blocks):
    net, channels, skips = Network(), width, []
    x = net.convolution(net.convolution("x", 3, width, 7, stride=2), width, width, 3, stride=2)
    for stage, count in enumerate(blocks):
        outputs = width * 2**stage
        for block in range(count):
            stride, dilation = 2 if block == 0 and 0 < stage < 3 else 1, 2 if stage == 3 else 1
            y = net.convolution(x, channels, outputs, 3, stride, dilation)
            y = net.convolution(y, outputs, outputs, 3, dilation=dilation, relu=False)
            if channels != outputs or stride > 1:
                x = net.convolution(x, channels, outputs, 1, stride, relu=False)
            x, channels = net.node("Relu", [net.node("Add", [x, y])]), outputs
        skips.append((x, channels, min(stage, 2)))
    net.constant("twice", np.float32([1, 1, 2, 2]))
    level = skips[-1][2]
    for skip, inputs, at in reversed(skips[:-1]):
        while level > at:
            x = net.node("Resize", [x, "", "twice"], mode="linear", coordinate_transformation_mode="half_pixel")
            level -= 1
        x = net.node("Concat", [x, skip], axis=1)
        x, channels = net.convolution(net.convolution(x, channels + inputs, inputs, 3), inputs, inputs, 3), inputs
    y = net.convolution(x, channels, 8, 1, relu=False)
    graph = helper.make_graph(net.nodes, "segmentation", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, pixels, pixels])],
                              [helper.make_tensor_value_info(y, TensorProto.FLOAT, None)], net.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def processor_time(words):
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)  # with the processes that it waited for
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{words}: exit {process.returncode}, {said}"
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--pixels", type=int, default=192)
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--blocks", default="3,4,6,3", help="of each stage")
    parser.add_argument("--save", help="write the network, and end")
    options = parser.parse_args()
    model = network(options.pixels, options.width, [int(count) for count in options.blocks.split(",")])
    if options.save:
        return onnx.save(model, options.save)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "segmentation.onnx"
        onnx.save(model, path)
        runs = processor_time([sys.executable, "-c", RUN, path]) + processor_time([options.octet, "run", path, "--random", "1"])
        verify = processor_time([options.octet, "verify", path, "--random", "1", "--python", sys.executable])
    print(f"one run by ONNX Runtime and one by Octet take {runs:.1f} s, verify {verify:.1f} s: {verify / runs:.1f} times, at most {MOST} wanted")
    return verify > MOST * runs


if __name__ == "__main__":
    sys.exit(main())
