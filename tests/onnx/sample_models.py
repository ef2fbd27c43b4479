"""Small models that together use everything the .onnx format has: seeds of the fuzz targets, and what must survive
loading and saving."""

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, TypeProto, helper, numpy_helper

FLOAT, INT8, UINT8, INT32, INT64, BOOL = (
    TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL)
# Types of the format that Octet does not know yet.
UNKNOWN_TYPES = {TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2}
PACKED_BITS = {TensorProto.UINT4: 4, TensorProto.INT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.UINT2: 2,
               TensorProto.INT2: 2}


def value(name, shape=(1,), dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def model(nodes, inputs, outputs, initializers=(), opset=21, domains=(), **fields):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=10, **fields)


def identity(initializers=(), **fields):
    return model([helper.make_node("Identity", ["x"], ["y"])], [value("x")], [value("y")], initializers, **fields)


def data_types():
    return sorted(set(TensorProto.DataType.values()) - {TensorProto.UNDEFINED, TensorProto.STRING} - UNKNOWN_TYPES)


def tensors_raw():
    for dtype in data_types():
        bits = PACKED_BITS.get(dtype, 8 * helper.tensor_dtype_to_np_dtype(dtype).itemsize)
        size = (5 * bits + 7) // 8
        raw = bytes([1, 0, 1, 1, 0]) if dtype == BOOL else bytes(range(1, size + 1))
        if dtype in PACKED_BITS:
            raw = raw[:-1] + bytes([raw[-1] & (3 if bits == 2 else 15)])
        yield TensorProto(data_type=dtype, dims=[5], name=f"raw{dtype}", raw_data=raw)


def tensors_typed():
    for dtype in data_types():
        tensor = TensorProto(data_type=dtype, dims=[2, 2], name=f"typed{dtype}")
        if dtype in (FLOAT, TensorProto.COMPLEX64):
            tensor.float_data.extend([0.5, -0.0, 3, 4, 5, 6, 7, 8][: 4 if dtype == FLOAT else 8])
        elif dtype in (TensorProto.DOUBLE, TensorProto.COMPLEX128):
            tensor.double_data.extend([0.5, -0.0, 3, 4, 5, 6, 7, 8][: 4 if dtype == TensorProto.DOUBLE else 8])
        elif dtype == INT64:
            tensor.int64_data.extend([-1, 0, 1, 1 << 62])
        elif dtype in (TensorProto.UINT32, TensorProto.UINT64):
            tensor.uint64_data.extend([0, 1, 2, (1 << 32) - 1])
        elif dtype in PACKED_BITS:
            tensor.int32_data.extend([0x21, 0x9F] if PACKED_BITS[dtype] == 4 else [0xE4])
        else:
            tensor.int32_data.extend([0, 1, 1, 0] if dtype == BOOL else [0, 1, 2, 127])
        yield tensor
    yield TensorProto(data_type=TensorProto.STRING, dims=[3], name="strings", string_data=[b"", b"\xff", b"text"])
    yield TensorProto(data_type=FLOAT, dims=[0, 3], name="empty")
    yield TensorProto(data_type=FLOAT, dims=[], name="scalar", float_data=[2])


def attributes():
    sparse = onnx.SparseTensorProto(values=constant("", np.float32([1, 2])), indices=constant("", np.int64([3, 7])),
                                    dims=[10])
    described = AttributeProto(name="described", type=AttributeProto.INT, i=1, doc_string="documentation")
    node = helper.make_node("Everything", ["x", ""], ["y", ""], name="node", domain="test", doc_string="doc",
                            f=0.0, i=-1, s=b"\x00\xff", t=constant("inner", np.int8([1])), floats=[0.5, 1.5],
                            ints=[1, -2], strings=["a", ""], sparse=sparse,
                            tp=helper.make_tensor_type_proto(FLOAT, ["N", 3]),
                            tensors=[constant("first", np.int8([1])), constant("", np.float32([]))],
                            graphs=[helper.make_graph([], "one", [], []), helper.make_graph([], "two", [], [])])
    node.attribute.append(described)
    node.attribute.append(AttributeProto(name="no_ints", type=AttributeProto.INTS))
    return model([node], [value("x")], [value("y")], domains=["test"])


def types():
    tensor = helper.make_tensor_type_proto(FLOAT, ["batch", 3, None])
    kinds = {
        "sequence": helper.make_sequence_type_proto(tensor),
        "map": helper.make_map_type_proto(INT64, tensor),
        "optional": helper.make_optional_type_proto(tensor),
        "sparse": helper.make_sparse_tensor_type_proto(INT64, [2]),
        "opaque": TypeProto(opaque_type=TypeProto.Opaque(domain="d", name="n")),
        "no_rank": helper.make_tensor_type_proto(INT8, None),
        "scalar": helper.make_tensor_type_proto(BOOL, []),
        "no_type": None,
    }
    result = identity()
    for name, kind in kinds.items():
        info = result.graph.value_info.add(name=name, doc_string="about " + name)
        if kind is not None:
            info.type.CopyFrom(kind)
    image = result.graph.input[0].type
    image.denotation = "IMAGE"
    image.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    return result


def control_flow():
    then = helper.make_graph([helper.make_node("Add", ["x", "inner"], ["a"])], "then", [], [value("a")],
                             [constant("inner", np.float32([1]))])
    otherwise = helper.make_graph([helper.make_node("Neg", ["x"], ["b"])], "else", [], [value("b")])
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["more"]), helper.make_node("Add", ["state", "x"], ["next"])], "body",
        [value("i", [], INT64), value("go", [], BOOL), value("state")], [value("more", [], BOOL), value("next")])
    return model([helper.make_node("If", ["condition"], ["c"], then_branch=then, else_branch=otherwise),
                  helper.make_node("Loop", ["trips", "", "c"], ["y"], body=body)],
                 [value("x"), value("condition", [], BOOL)], [value("y")], [constant("trips", np.int64(3))])


def functions():
    reference = AttributeProto(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope")
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(reference)
    first = helper.make_function("test", "Leaky", ["a"], ["b"], [leaky], [helper.make_opsetid("", 17)], ["slope"],
                                 doc_string="doc")
    second = helper.make_function(
        "test", "Leaky", ["a"], ["c"],
        [helper.make_node("Constant", [], ["k"], value_float=2.0), helper.make_node("Mul", ["a", "k"], ["b"]),
         helper.make_node("Leaky", ["b"], ["c"], domain="test", slope=0.25)],
        [helper.make_opsetid("", 17), helper.make_opsetid("test", 1)], overload="twice",
        value_info=[value("b", ["N"])])
    second.attribute_proto.append(helper.make_attribute("unused", 3))
    second.metadata_props.add(key="k", value="v")
    call = helper.make_node("Leaky", ["x"], ["y"], domain="test", overload="twice", name="call")
    swish = helper.make_node("HardSwish", ["y"], ["z"])
    result = model([call, swish], [value("x")], [value("z")], domains=["test"])
    result.functions.extend([first, second])
    return result


def annotations():
    """What Octet only passes on."""
    result = identity([constant("w", np.int8([1, 2]))], producer_name="producer", producer_version="1",
                      domain="org.example", model_version=3, doc_string="doc")
    helper.set_model_props(result, {"author": "Zoë", "": ""})
    graph = result.graph
    for message in (graph, graph.node[0], graph.input[0], graph.initializer[0]):
        message.metadata_props.add(key="about", value=message.DESCRIPTOR.name)
    graph.doc_string = "graph"
    graph.initializer[0].doc_string = "weights"
    annotation = graph.quantization_annotation.add(tensor_name="y")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="s")
    training = result.training_info.add()
    training.algorithm.CopyFrom(helper.make_graph([helper.make_node("Neg", ["y"], ["g"])], "step", [], [value("g")]))
    training.update_binding.add(key="w", value="g")
    result.configuration.add(name="two", num_devices=2, device=["0", "1"])
    placement = graph.node[0].device_configurations.add(configuration_id="two", pipeline_stage=1)
    placement.sharding_spec.add(tensor_name="x", device=[0, 1]).sharded_dim.add(axis=0).simple_sharding.add(
        dim_value=1, num_shards=2)
    return result


def sparse_initializers():
    result = identity()
    result.graph.sparse_initializer.add(values=constant("sparse", np.float32([1, 2])),
                                        indices=constant("", np.int64([3, 7])), dims=[10])
    return result


def old_ir():
    """IR version 1: no operator sets, attributes without type, initializers that are inputs."""
    result = model([helper.make_node("Add", ["x", "w"], ["y"], axis=0, broadcast=1)], [value("x"), value("w")],
                   [value("y")], [constant("w", np.float32([1]))])
    result.ir_version = 1
    del result.opset_import[:]
    for attribute in result.graph.node[0].attribute:
        attribute.ClearField("type")
    return result


def named_domain():
    result = identity()
    result.opset_import[0].domain = "ai.onnx"
    result.graph.node[0].domain = "ai.onnx"
    return result


def quantized_convolution():
    zero, scale = constant("zero", np.uint8(3)), constant("scale", np.float32(0.5))
    weights = constant("w", np.arange(8, dtype=np.int8).reshape(2, 1, 2, 2))
    per_channel = constant("w_scale", np.float32([0.25, 0.5]))
    zeros = constant("w_zero", np.int8([0, 0]))
    node = helper.make_node("QLinearConv", ["q", "scale", "zero", "w", "w_scale", "w_zero", "scale", "zero"], ["r"],
                            kernel_shape=[2, 2], strides=[1, 1], pads=[0, 1, 0, 1], group=1)
    return model([helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]), node,
                  helper.make_node("DequantizeLinear", ["r", "scale", "zero"], ["y"])],
                 [value("x", ["N", 1, 4, 4])], [value("y", ["N", 2, 3, 5])], [zero, scale, weights, per_channel, zeros])


def quantized_products():
    s, z = constant("s", np.float32(0.5)), constant("z", np.int8(1))
    b = constant("b", np.ones((3, 2), np.int8))
    return model([helper.make_node("QLinearMatMul", ["a", "s", "z", "b", "s", "z", "s", "z"], ["c"]),
                  helper.make_node("QLinearAdd", ["c", "s", "z", "c", "s", "z", "s", "z"], ["d"],
                                   domain="com.microsoft"),
                  helper.make_node("MatMulInteger", ["d", "e"], ["y"])],
                 [value("a", [4, 3], INT8)], [value("y", [4, 5], INT32)], [s, z, b, constant("e", np.ones((2, 5), np.int8))],
                 domains=["com.microsoft"])


def dynamic_quantization():
    return model([helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
                  helper.make_node("ConvInteger", ["q", "w", "z"], ["i"], kernel_shape=[1, 1]),
                  helper.make_node("Cast", ["i"], ["f"], to=FLOAT), helper.make_node("Mul", ["f", "s"], ["y"])],
                 [value("x", [1, 1, 3, 3])], [value("y", [1, 2, 3, 3])], [constant("w", np.ones((2, 1, 1, 1), np.uint8))])


def blocked_weights():
    weights = TensorProto(data_type=TensorProto.INT4, dims=[4, 3], name="w", raw_data=bytes(range(6)))
    return model([helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=2),
                  helper.make_node("MatMul", ["x", "d"], ["y"])],
                 [value("x", ["N", 4])], [value("y", ["N", 3])], [weights, constant("s", np.ones((2, 3), np.float32))])


def convolution():
    channels = [constant(n, np.float32([1, 2])) for n in ("gamma", "beta", "mean", "variance")]
    return model([helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3], auto_pad="SAME_UPPER", strides=[2, 2]),
                  helper.make_node("BatchNormalization", ["c", "gamma", "beta", "mean", "variance"], ["n"]),
                  helper.make_node("Relu", ["n"], ["r"]),
                  helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], ceil_mode=1, dilations=[1, 1]),
                  helper.make_node("GlobalAveragePool", ["p"], ["g"]), helper.make_node("Flatten", ["g"], ["f"]),
                  helper.make_node("Gemm", ["f", "k", "b"], ["l"], transB=1, alpha=0.5),
                  helper.make_node("Softmax", ["l"], ["y"], axis=-1)],
                 [value("x", ["N", 1, 8, 8])], [value("y", ["N", 3])],
                 [constant("w", np.ones((2, 1, 3, 3), np.float32)), *channels,
                  constant("k", np.ones((3, 2), np.float32)), constant("b", np.float32([1, 2, 3]))])


def shapes():
    ints = lambda name, *values: constant(name, np.int64(values))
    return model([helper.make_node("Shape", ["x"], ["s"], start=0, end=2),
                  helper.make_node("Concat", ["s", "rest"], ["t"], axis=0),
                  helper.make_node("Reshape", ["x", "t"], ["r"]),
                  helper.make_node("Transpose", ["r"], ["p"], perm=[2, 0, 1]),
                  helper.make_node("Slice", ["p", "begin", "end", "axes", "steps"], ["c"]),
                  helper.make_node("Unsqueeze", ["c", "axes"], ["u"]), helper.make_node("Squeeze", ["u", "axes"], ["q"]),
                  helper.make_node("Pad", ["q", "pads"], ["w"], mode="reflect"),
                  helper.make_node("Split", ["w"], ["a", "b"], axis=0, num_outputs=2),
                  helper.make_node("Gather", ["a", "axes"], ["g"], axis=1),
                  helper.make_node("Expand", ["g", "wide"], ["e"]), helper.make_node("Tile", ["e", "wide"], ["y"]),
                  helper.make_node("ConstantOfShape", ["t"], ["k"], value=constant("", np.int8([1]))),
                  helper.make_node("Range", ["zero", "ten", "two"], ["range"])],
                 [value("x", [2, 3, 4])], [value("y", None), value("k", None, INT8), value("range", None, INT64)],
                 [ints("rest", -1), ints("begin", 3), ints("end", -1000), ints("axes", 0), ints("steps", -1),
                  ints("pads", 1, 0, 0, 1, 0, 0), ints("wide", 2, 1, 3), constant("zero", np.int64(0)),
                  constant("ten", np.int64(10)), constant("two", np.int64(2))])


def reductions():
    return model([helper.make_node("ReduceMean", ["x", "axes"], ["m"], keepdims=0),
                  helper.make_node("ArgMax", ["x"], ["i"], axis=1), helper.make_node("TopK", ["x", "k"], ["t", "j"]),
                  helper.make_node("Where", ["b", "x", "x"], ["w"]), helper.make_node("Clip", ["w", "", "k_f"], ["c"]),
                  helper.make_node("Resize", ["c", "", "scales"], ["y"], mode="linear")],
                 [value("x", [2, 3]), value("b", [1, 3], BOOL)], [value("y", [4, 6]), value("m", None), value("i", None, INT64)],
                 [constant("axes", np.int64([-1])), constant("k", np.int64([2])), constant("k_f", np.float32(6)),
                  constant("scales", np.float32([2, 2]))])


def recurrent():
    weights = lambda name, *shape: constant(name, np.zeros(shape, np.float32))
    return model([helper.make_node("LSTM", ["x", "w", "r"], ["", "h"], hidden_size=2),
                  helper.make_node("GRU", ["x", "v", "u"], ["y"], hidden_size=2, direction="forward")],
                 [value("x", [3, 1, 2])], [value("y", [3, 1, 1, 2]), value("h", [1, 1, 2])],
                 [weights("w", 1, 8, 2), weights("r", 1, 8, 2), weights("v", 1, 6, 2), weights("u", 1, 6, 2)])


def transformer():
    return model([helper.make_node("LayerNormalization", ["x", "one"], ["n"], axis=-1),
                  helper.make_node("MatMul", ["n", "w"], ["q"]), helper.make_node("Gelu", ["q"], ["g"]),
                  helper.make_node("Erf", ["g"], ["e"]), helper.make_node("Add", ["e", "x"], ["y"])],
                 [value("x", ["batch", "tokens", 4])], [value("y", ["batch", "tokens", 4])],
                 [constant("one", np.ones(4, np.float32)), constant("w", np.ones((4, 4), np.float32))])


def unicode_names():
    return model([helper.make_node("Neg", ["größe"], ["出力"], name="知")], [value("größe", ["höhe"])], [value("出力", ["höhe"])])


def samples():
    """Pairs of a name and a model."""
    yield "minimal", identity()
    yield "tensors_raw", identity(tensors_raw())
    yield "tensors_typed", identity(tensors_typed())
    for make in (attributes, types, control_flow, functions, annotations, sparse_initializers, old_ir, named_domain,
                 quantized_convolution, quantized_products, dynamic_quantization, blocked_weights, convolution, shapes,
                 reductions, recurrent, transformer, unicode_names):
        yield make.__name__, make()
