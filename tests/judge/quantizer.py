"""Judges octet quantize by ONNX Runtime: its quantizer's parameters, and its kernels' integers.

Usage: quantizer.py OCTET [--images N]

1. From the same ranges, scales, zero points, integer weights and int32 biases equal those of ONNX Runtime's quantizer,
   tensor by tensor, for every combination of options. What differs by design is counted by its reason.
2. Every model made passes onnx.checker, and Octet's integers equal ONNX Runtime's, image by image, in every integer
   tensor: operator format as it is; QDQ format as ONNX Runtime fuses it, where it does, and in its constants; dynamic
   models as they are.

On ResNet8 and drawn pictures; where $OCTET_SHARED, ../shared unless set, has them, on photos and on the MLPerf Tiny networks
too.
"""

import argparse
import collections
import itertools
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper
from onnxruntime.quantization import QuantType
from onnxruntime.quantization.calibrate import CalibrationMethod, TensorData, TensorsData
from onnxruntime.quantization.qdq_quantizer import QDQQuantizer
from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures  # noqa: E402

SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
TYPES = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}
KEEPS_SCALE = ("AveragePool", "Flatten", "Reshape", "Squeeze", "Transpose")
SUFFIXES = ("_scale", "_zero_point", "_quantized")

# The differences that docs/quantize.md explains.
SOFTMAX = "the network's Softmax stays float in Octet"
CLAMPED = "ONNX Runtime quantizes before a Relu that stays, Octet after it only"
BIAS = "the bias would leave int32: Octet raises the weights' scale, ONNX Runtime cuts the bias"

# Every way to quantize statically, for either type of activations.
VARIANTS = {
    "per channel": (),
    "per tensor": ("--per-tensor",),
    "symmetric activations": ("--symmetric-activations",),
    "asymmetric weights": ("--asymmetric-weights",),
    "reduced range": ("--reduce-range",),
    "power-of-two scales": ("--scales", "power-of-two"),
    "restricted zero points": ("--zero-points", "restricted"),
    "shared scale": ("--residual", "shared-scale"),
    **{f"pools with {form}": ("--average-pool", form, "--global-average-pool", form)
       for form in ("own-scale", "shared-scale", "shifted-scale")},
    "uint8 weights": ("--weights", "uint8"),
}
DYNAMIC = {
    **{f"{a},{w}": (f"--dynamic={a},{w}",) for a in ("symActivation", "asymActivation") for w in ("symWeight", "asymWeight")},
    "per channel": ("--dynamic", "--per-channel"),
    "uint8 activations": ("--dynamic", "--activations", "uint8"),
}


def run(*command):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {result.stderr}")
    return result.stdout


def constants(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


# ---- parameters


def channel_axes(model):
    """The axis of output channels of the weights of every Conv and Gemm."""
    axes = {}
    for node in model.graph.node:
        if node.op_type == "Conv":
            axes[node.input[1]] = 0
        elif node.op_type == "Gemm":
            axes[node.input[1]] = 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1
    return axes


def parameters_by_judge(simplified, ranges, o):
    """The constants that ONNX Runtime's quantizer makes of the same float model and ranges."""
    data = {
        name: TensorData(lowest=np.array(low, np.float32), highest=np.array(high, np.float32))
        for name, (low, high) in ranges.items()
    }
    options = {"ActivationSymmetric": o.symmetric_activations, "WeightSymmetric": o.symmetric_weights}
    options["ActivationRestrictedAsymmetric"] = o.restricted
    if o.per_channel and not o.symmetric_weights:  # per channel it is symmetric unless told for each tensor
        options["TensorQuantOverrides"] = {
            name: [{"axis": axis, "symmetric": False}] for name, axis in channel_axes(simplified).items()
        }
    quantizer = QDQQuantizer(
        simplified,
        o.per_channel,
        o.reduce_range,
        TYPES[o.weights],
        TYPES[o.activations],
        TensorsData(CalibrationMethod.MinMax, data),
        [],
        [],
        sorted(set(QLinearOpsRegistry) | set(QDQRegistry)),
        options,
    )
    return constants(quantizer.quantize_model())


Options = collections.namedtuple(
    "Options", "activations weights per_channel symmetric_activations symmetric_weights reduce_range restricted", defaults=[False]
)


def every_option():
    binary = (True, False)
    for o in itertools.starmap(Options, itertools.product(TYPES, TYPES, binary, binary, binary, binary)):
        if not (o.activations == "int8" and o.weights == "uint8"):  # no such kernels; ONNX Runtime refuses
            yield o
    for per_channel in binary:  # ONNX Runtime restricts the zero points of uint8 activations only
        yield Options("uint8", "int8", per_channel, False, True, False, restricted=True)


def flags_of(o):
    flags = ["--activations", o.activations, "--weights", o.weights, "--average-pool", "shared-scale"]
    flags += [] if o.per_channel else ["--per-tensor"]
    flags += ["--symmetric-activations"] if o.symmetric_activations else []
    flags += [] if o.symmetric_weights else ["--asymmetric-weights"]
    flags += ["--reduce-range"] if o.reduce_range else []
    flags += ["--zero-points", "restricted"] if o.restricted else []
    return flags


def tensor_of(name):
    """The tensor that a constant of a quantized model belongs to."""
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix).removesuffix("_quantized")
    return None


def shown(values):
    return None if values is None else values.ravel()[:8].tolist()


class Explanations:
    """Why a tensor of one model may differ, or None."""

    def __init__(self, simplified, o, theirs):
        self.producers = {out: node for node in simplified.graph.node for out in node.output}
        self.consumers = collections.defaultdict(list)
        self.constants = {}
        for node in simplified.graph.node:
            for name in node.input:
                self.consumers[name].append(node.op_type)
        for node in simplified.graph.node:
            if node.op_type not in ("Conv", "Gemm") or len(node.input) < 3:
                continue
            _, weights, bias = node.input
            # ONNX Runtime raises scales too, where all zero points of int8 weights are 0.
            cut = np.abs(theirs[bias + "_quantized"].astype(np.int64)).max() >= 2**31 - 2**18
            if cut and (o.weights != "int8" or theirs[weights + "_zero_point"].any()):
                self.constants |= {weights: BIAS, bias: BIAS}

    def source(self, tensor):
        """The tensor whose parameters it has."""
        producer = self.producers.get(tensor)
        return self.source(producer.input[0]) if producer and producer.op_type in KEEPS_SCALE else tensor

    def __call__(self, tensor):
        producer = self.producers.get(tensor)
        if producer is None:
            return self.constants.get(tensor)
        if producer.op_type == "Softmax":
            return SOFTMAX
        return CLAMPED if self.consumers[tensor] in (["Relu"], ["Clip"]) else None


def check_parameters(octet, model, ranges_file, work):
    ranges = json.loads(ranges_file.read_text())["ranges"]
    counts = collections.Counter()
    good = True
    for o in every_option():
        path, output = work / "simplified.onnx", work / "parameters.onnx"
        run(octet, "quantize", model, "-o", output, "--ranges", ranges_file, "--save-simplified", path, *flags_of(o))
        simplified = onnx.load(path)
        ours, theirs = constants(onnx.load(output)), parameters_by_judge(onnx.load(path), ranges, o)
        explain = Explanations(simplified, o, theirs)
        for name in ours.keys() | theirs.keys():
            tensor = tensor_of(name)
            if tensor is None or name.endswith(("_quantized_scale", "_quantized_zero_point")):
                continue  # a bias' scale and zero point have another name here
            mine, other = ours.get(name), theirs.get(name)
            if other is None and not name.endswith("_quantized"):  # of a bias, or of a tensor with its source's parameters
                suffix = name.removeprefix(tensor)
                other = theirs.get(f"{tensor}_quantized{suffix}", theirs.get(explain.source(tensor) + suffix))
            if mine is not None and other is not None and mine.dtype == other.dtype and np.array_equal(mine.ravel(), other.ravel()):
                counts["equal"] += 1
            elif reason := explain(explain.source(tensor)):
                counts[reason] += 1
            else:
                good = False
                counts["different"] += 1
                print(f"  {o}: {name}: octet {shown(mine)} onnxruntime {shown(other)}")
    print(f"{model.name}: scales, zero points, weights and biases for {len(list(every_option()))} sets of options")
    for reason, count in counts.most_common():
        print(f"  {count:6} {reason}")
    return good and counts["equal"] > 0


# ---- integers


def session_for(model, precise):
    """Optimized and precise, where unsigned activations meet signed weights; as it is elsewhere."""
    options = ort.SessionOptions()
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if precise else levels.ORT_DISABLE_ALL
    options.log_severity_level = 3
    if precise:
        options.add_session_config_entry("session.x64quantprecision", "1")
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def unoptimized(path):
    """ONNX Runtime runs every node as it is written: uint8 x int8 products are never fused, so no CPU saturates them in QDQ files.
    By default it saturates on x86 CPUs without VNNI, and session.x64quantprecision does not load some of these files."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def noise_of(quantized, model, x):
    """The results of the quantized model, and how much of the float model's signal is noise in them."""
    reals, ours = (unoptimized(path).run(None, {"x": x})[0] for path in (model, quantized))
    return ours, np.linalg.norm(ours - reals) / np.linalg.norm(reals)


def integers_by_judge(model, inputs, wanted, precise):
    """The tensors in `wanted`, as a function of their names, that ONNX Runtime computes."""
    known = {o.name for o in model.graph.output}
    for node in model.graph.node:
        model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in node.output if n and n not in known and wanted(n))
    session = session_for(model, precise)
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


def tensors_by_octet(octet, model, inputs, work):
    np.savez(work / "inputs.npz", **inputs)
    run(octet, "run", model, "--input", work / "inputs.npz", "--output", work / "tensors.npz", "--all", "--policy", "as-written")
    with np.load(work / "tensors.npz") as archive:
        return {name: archive[name] for name in archive.files}


def compare_integers(title, ours, theirs):
    tensors = elements = differing = 0
    for name, other in theirs.items():
        if np.issubdtype(other.dtype, np.integer):
            tensors += 1
            elements += other.size
            differing += int(np.count_nonzero(ours[name].astype(np.int64) != other.astype(np.int64)))
    print(f"  {title:55} {tensors:3} tensors {elements:12,} integers {differing} differ")
    return tensors > 0 and differing == 0


def same_constants(title, operators, pairs):
    """Both formats say the same numbers."""
    ours, others = constants(operators), constants(pairs)
    activations = [n for n in others if n.endswith(("_scale", "_zero_point")) and n in ours]
    different = [n for n in activations if not np.array_equal(ours[n], others[n])]
    stored = sorted(v.tobytes() for n, v in others.items() if n.endswith("_quantized"))
    different += [] if stored == sorted(v.tobytes() for n, v in ours.items() if "_quantized" in n and v.size > 1) else ["weights"]
    print(f"  {title:55} {len(activations) + len(stored):3} constants {', '.join(different) or 'the same in both formats'}")
    return not different


def check_static(octet, model, ranges_file, inputs, work):
    good = True
    for activations, (variant, flags) in itertools.product(TYPES, VARIANTS.items()):
        if activations == "int8" and "uint8" in flags:
            continue
        operators, pairs = work / "operators.onnx", work / "pairs.onnx"
        common = ("--ranges", ranges_file, "--activations", activations, *flags)
        run(octet, "quantize", model, "-o", operators, "--format", "qoperator", *common)
        run(octet, "quantize", model, "-o", pairs, *common)
        for path in (operators, pairs):
            onnx.checker.check_model(str(path), full_check=True)
        ours = tensors_by_octet(octet, operators, inputs, work)
        title = f"{activations} {variant}"
        precise = activations == "uint8"
        judge = integers_by_judge(onnx.load(operators), inputs, lambda name: True, precise)
        good &= compare_integers(title + ", operators", ours, judge)
        if precise and "--symmetric-activations" not in flags:  # a Relu that stays is not fused
            # Only the results of QuantizeLinear, so that nothing between them is held back from fusion.
            judge = integers_by_judge(onnx.load(pairs), inputs, lambda name: name.endswith("_QuantizeLinear_Output"), True)
            fused = {name.replace("_QuantizeLinear_Output", "_quantized"): values for name, values in judge.items()}
            good &= compare_integers(title + ", QDQ fused", ours, fused)
        else:
            good &= same_constants(title + ", QDQ", onnx.load(operators), onnx.load(pairs))
    return good


def check_dynamic(octet, model, inputs, work):
    good = True
    for kind, flags in DYNAMIC.items():
        path = work / "dynamic.onnx"
        run(octet, "quantize", model, "-o", path, *flags)
        onnx.checker.check_model(str(path), full_check=True)
        judge = integers_by_judge(onnx.load(path), inputs, lambda name: True, "uint8" in flags)
        good &= compare_integers(f"dynamic {kind}", tensors_by_octet(octet, path, inputs, work), judge)
    return good


def masked_attention(path):
    """Attention as older exporters write it: scores that are -inf above the diagonal, by an Add and by a Where."""
    random = np.random.default_rng(1)
    weights = {name: random.normal(size=(16, 16)).astype(np.float32) for name in ("wq", "wk", "wv")}
    constants = {**weights, "mask": np.triu(np.full((6, 6), -np.inf, np.float32), 1), "below": np.tril(np.ones((6, 6), bool)),
                 "lowest": np.float32(-np.inf)}
    nodes = [("MatMul", ["x", "wq"], "q", {}), ("MatMul", ["x", "wk"], "k", {}), ("MatMul", ["x", "wv"], "v", {}),
             ("Transpose", ["k"], "turned", {"perm": [0, 2, 1]}), ("MatMul", ["q", "turned"], "scores", {}),
             ("Add", ["scores", "mask"], "added", {}), ("Softmax", ["added"], "first", {"axis": -1}),
             ("Where", ["below", "scores", "lowest"], "chosen", {}), ("Softmax", ["chosen"], "second", {"axis": -1}),
             ("MatMul", ["first", "v"], "values", {}), ("MatMul", ["second", "values"], "y", {})]
    shape = ["N", 6, 16]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(op, inputs, [output], name=output, **attributes) for op, inputs, output, attributes in nodes], "masked",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape)],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)


def check_masked(octet, work):
    """What holds infinities stays float, what does not is quantized, and the result is near the float one's."""
    model, data, quantized = work / "masked.onnx", work / "x.npy", work / "masked_q.onnx"
    masked_attention(model)
    x = np.random.default_rng(2).normal(size=(32, 6, 16)).astype(np.float32)
    np.save(data, x)
    good = True
    for calibration in ("minmax", "moving-average", "percentile", "entropy", "mse"):
        run(octet, "quantize", model, "-o", quantized, "--data", data, "--calibration", calibration, "--activations", "uint8")
        products = [node for node in onnx.load(quantized).graph.node if node.op_type == "QuantizeLinear"]
        ours, noise = noise_of(quantized, model, x)
        fine = len(products) >= 6 and np.isfinite(ours).all() and noise < 0.5
        print(f"{'ok' if fine else 'FAILED'}: attention behind masks of -inf, {calibration}: {noise:.3f} of the signal is noise")
        good &= fine
    return good


def check_functions(octet, work):
    """Functions of the standard, which Octet expands to run them, are written as they are, in their own opset and the next."""
    random = np.random.default_rng(3)
    w, ones, turns = random.normal(size=(8, 8)).astype(np.float32), np.ones(8, np.float32), np.arange(8, dtype=np.float32).reshape(1, 4, 2)
    functions = [("RMSNormalization", ["q", "ones"], {}, (23, 24)), ("GroupNormalization", ["q", "pair", "pair"], {"num_groups": 2}, (21, 24)),
                 ("MeanVarianceNormalization", ["q"], {"axes": [2, 3]}, (18, 24)), ("RotaryEmbedding", ["q", "cos", "sin"], {}, (23, 24))]
    constants = {"w": w, "ones": ones, "pair": np.ones(2, np.float32), "cos": np.tile(np.cos(turns), (1, 1, 2)), "sin": np.tile(np.sin(turns), (1, 1, 2))}
    model, data, quantized = work / "function.onnx", work / "x.npy", work / "function_q.onnx"
    x = random.normal(size=(1, 2, 4, 8)).astype(np.float32)
    np.save(data, x)
    good = True
    for name, inputs, attributes, opsets in functions:
        for opset in opsets:
            nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["q"], name="q"), onnx.helper.make_node(name, inputs, ["n"], name="n", **attributes),
                     onnx.helper.make_node("MatMul", ["n", "w"], ["y"], name="y")]
            graph = onnx.helper.make_graph(nodes, name, [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
                                           [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, x.shape)],
                                           [onnx.numpy_helper.from_array(value, key) for key, value in constants.items() if key in [*inputs, "w"]])
            onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=10), model)
            for how in (["--data", data], ["--data", data, "--format", "qoperator"], ["--dynamic"]):
                run(octet, "quantize", model, "-o", quantized, *how)
                run(octet, "verify", quantized, "--input", data, "--python", sys.executable)
                kept = [node.op_type for node in onnx.load(quantized).graph.node].count(name)
                _, noise = noise_of(quantized, model, x)
                fine = kept == 1 and noise < 0.05
                print(f"{'ok' if fine else 'FAILED'}: {name} of opset {opset}, {how[-1] if how[-1] != data else 'QDQ'}: {noise:.3f} of the signal is noise")
                good &= fine
    return good


def samples(count):
    """The models with samples for them."""
    count = max(count, 32)
    yield ROOT / "models/resnet8.onnx", pictures(count).astype(np.float32) / np.float32(255)
    if not (SHARED / "data/cifar10/train.bin").exists():
        print(f"ResNet8 on drawn pictures alone: there is no {SHARED}/data/cifar10/train.bin; OCTET_SHARED says where the data is")
        return
    raw = np.fromfile(SHARED / "data/cifar10/train.bin", np.uint8).reshape(-1, 3073)[:count]
    images = raw[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32)
    yield ROOT / "models/resnet8.onnx", images / np.float32(255)
    yield SHARED / "models/mlperf_tiny_resnet8.onnx", images
    yield SHARED / "models/mlperf_tiny_kws_dscnn.onnx", np.load(SHARED / "data/kws01_inputs.npz")["x_nchw"][:count]


def main():
    logging.getLogger().setLevel(logging.ERROR)
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=4)
    arguments = parser.parse_args()
    print(f"ONNX Runtime {ort.__version__}, {arguments.images} images")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        good &= check_masked(arguments.octet, work)
        good &= check_functions(arguments.octet, work)
        for model, data in samples(arguments.images):
            ranges = work / "ranges.json"
            np.save(work / "data.npy", data)
            run(arguments.octet, "quantize", model, "-o", work / "q.onnx", "--data", work / "data.npy", "--save-ranges", ranges)
            good &= check_parameters(arguments.octet, model, ranges, work)
            inputs = {onnx.load(model).graph.input[0].name: data[: arguments.images]}
            good &= check_static(arguments.octet, model, ranges, inputs, work)
            good &= check_dynamic(arguments.octet, model, inputs, work)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
