"""A twin of a network that computes the same and is hard to quantize: channels between a Relu and the next layer are multiplied
by powers of two, and that layer's weights divided by them. In float not a bit changes; one scale per tensor no longer serves all
channels.

Usage: hard_twin.py MODEL TWIN [SEED]
"""

import collections
import sys

import numpy as np
import onnx
from onnx import numpy_helper

LAYERS = ("Conv", "Gemm", "BatchNormalization")
LARGEST = 4  # exponent of 2, up and down


class Twin:
    def __init__(self, model, seed):
        self.model, self.graph, self.rng = model, model.graph, np.random.default_rng(seed)
        self.producers = {output: node for node in self.graph.node for output in node.output}
        self.readers = collections.defaultdict(list)
        for node in self.graph.node:
            for name in node.input:
                self.readers[name].append(node)
        self.outputs = {output.name for output in self.graph.output}
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}

    def reader(self, name):
        """The one node that reads a value, or None."""
        alone = len(self.readers[name]) == 1 and name not in self.outputs
        return self.readers[name][0] if alone else None

    def scale(self, name, factors, axis):
        array = numpy_helper.to_array(self.constants[name])
        shape = [1] * array.ndim
        shape[axis] = -1
        self.constants[name].CopyFrom(numpy_helper.from_array(array * factors.reshape(shape).astype(np.float32), name))

    def scale_result(self, node, factors):
        if node.op_type == "BatchNormalization":  # gamma and beta
            self.scale(node.input[1], factors, 0)
            self.scale(node.input[2], factors, 0)
            return
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        self.scale(node.input[1], factors, 0 if node.op_type == "Conv" or transposed else 1)
        if len(node.input) > 2:
            self.scale(node.input[2], factors, 0)

    def scale_input(self, node, factors):
        group = next((a.i for a in node.attribute if a.name == "group"), 1)
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        if group > 1:  # depthwise: a row of weights for each channel
            self.scale(node.input[1], factors, 0)
        else:
            self.scale(node.input[1], factors, 1 if node.op_type == "Conv" or transposed else 0)

    def fits(self, before, after):
        if before is None or after is None or before.op_type not in LAYERS or after.op_type not in ("Conv", "Gemm"):
            return False
        group = next((a.i for a in after.attribute if a.name == "group"), 1)
        shape = list(self.constants[after.input[1]].dims) if after.input[1] in self.constants else []
        own = all(self.reader(name) is not None for node in (before, after) for name in list(node.input)[1:])
        return own and shape and (group == 1 or (shape[1] == 1 and shape[0] == group))

    def make(self):
        """The pairs of layers that were scaled, by the names of their results."""
        pairs = []
        for relu in self.graph.node:
            if relu.op_type != "Relu" or self.reader(relu.input[0]) is None:
                continue
            before, after = self.producers.get(relu.input[0]), self.reader(relu.output[0])
            if not self.fits(before, after):
                continue
            channels = self.constants[before.input[1]].dims[0] if before.op_type != "Gemm" else self.constants[before.input[2]].dims[0]
            factors = 2.0 ** self.rng.integers(-LARGEST, LARGEST + 1, channels)
            self.scale_result(before, factors)
            self.scale_input(after, 1 / factors)
            pairs.append((before.output[0], after.output[0]))
        return pairs


def write_twin(model, twin, seed=1):
    made = Twin(onnx.load(model), seed)
    pairs = made.make()
    onnx.save(made.model, twin)
    return pairs


if __name__ == "__main__":
    for first, second in write_twin(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1):
        print(f"scaled between {first} and {second}")
