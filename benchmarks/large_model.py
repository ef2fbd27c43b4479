"""A residual network of 50 MB, for load_benchmark and for the onnx package."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

# Channels and number of blocks per stage; a block is two convolutions of 3x3 with bias.
STAGES = [(64, 3), (128, 5), (256, 6), (320, 2)]


def write_large_model(path):
    """Writes the model; returns its size in bytes."""
    random = np.random.default_rng(50)
    nodes, weights, described, x, channels = [], [], [], "image", 64

    def add(op_type, inputs, name, **attributes):
        nodes.append(helper.make_node(op_type, inputs, [f"/{name}/{op_type}_output_0"], f"/{name}/{op_type}", **attributes))
        output = nodes[-1].output[0]
        described.append(helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, ["N", channels, "H", "W"]))
        return output

    def convolution(x, name, inputs, kernel):
        for suffix, shape in (("weight", (channels, inputs, kernel, kernel)), ("bias", (channels,))):
            weights.append(numpy_helper.from_array(random.standard_normal(shape, np.float32), f"{name}.{suffix}"))
        return add("Conv", [x, f"{name}.weight", f"{name}.bias"], name, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4)

    for stage, (width, blocks) in enumerate(STAGES):
        inputs, channels = channels, width
        x = convolution(x, f"stage{stage}.enter", inputs, 1)
        for block in range(blocks):
            name = f"stage{stage}.block{block}"
            y = add("Relu", [convolution(x, name + ".conv1", channels, 3)], name + ".relu1")
            y = add("Add", [convolution(y, name + ".conv2", channels, 3), x], name)
            x = add("Relu", [y], name + ".relu2")
    graph = helper.make_graph(
        nodes, "residual", [helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, ["N", 64, "H", "W"])],
        [helper.make_tensor_value_info(x, onnx.TensorProto.FLOAT, ["N", channels, "H", "W"])], weights, value_info=described)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    return path.stat().st_size
