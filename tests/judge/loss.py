"""Judges octet loss by ONNX Runtime's debugger of quantization, onnxruntime.quantization.qdq_loss_debug.

Usage: loss.py OCTET

Three networks (ResNet8, one with depthwise convolutions and Clip, one with attention), each quantized by Octet, by Octet with
symmetric activations, which keep their Relu, and by ONNX Runtime:

1. The figures: from the tensors that Octet computes, compute_activation_error and compute_weight_error give the numbers of
   octet loss, to a billionth of a dB. Both are handed float64, in which Octet sums; in float32, as they come, ONNX
   Runtime's sums are off by more than that.
2. The tensors: from those that ONNX Runtime itself computes, they are the same to a hundredth of a dB. Float sums differ in
   their last bits, and now and then one of them is rounded to the next integer.

Where a Relu was dropped, the debugger looks for its name in front of the QuantizeLinear. In Octet's files the value there has
the name of what it is, the Relu's input, and the debugger passes such tensors over.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization import qdq_loss_debug as debug

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures  # noqa: E402

FIGURES, TENSORS = 1e-9, 0.01  # dB


class Reader(CalibrationDataReader):
    def __init__(self, name, samples):
        self.batches = iter([{name: samples[i:i + 1]} for i in range(len(samples))])

    def get_next(self):
        return next(self.batches, None)


def save(path, nodes, shape, result, constants):
    graph = helper.make_graph(nodes, path.stem, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def depthwise(path, rng):
    node, weights = helper.make_node, lambda *shape: rng.normal(0, 0.4, shape).astype(np.float32)
    save(path, [node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1] * 4), node("Clip", ["c1", "low", "six"], ["r1"]),
                node("Conv", ["r1", "w2", "b2"], ["c2"], pads=[1] * 4, group=8), node("Clip", ["c2", "low", "six"], ["r2"]),
                node("Conv", ["r2", "w3", "b3"], ["c3"]), node("Add", ["c3", "x"], ["s"]), node("Relu", ["s"], ["r3"]),
                node("GlobalAveragePool", ["r3"], ["y"])], ["N", 3, 32, 32], ["N", 3, 1, 1],
         {"w1": weights(8, 3, 3, 3), "b1": weights(8), "w2": weights(8, 1, 3, 3), "b2": weights(8), "w3": weights(3, 8, 1, 1),
          "b3": weights(3), "low": np.float32(0), "six": np.float32(6)})


def attention(path, rng):
    node, weights = helper.make_node, lambda *shape: rng.normal(0, 0.25, shape).astype(np.float32)
    save(path, [node("Reshape", ["x", "shape"], ["t"]), node("MatMul", ["t", "wq"], ["q"]), node("MatMul", ["t", "wk"], ["k"]),
                node("MatMul", ["t", "wv"], ["v"]), node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["a"]),
                node("Softmax", ["a"], ["p"], axis=-1), node("MatMul", ["p", "v"], ["o"]), node("Add", ["o", "t"], ["s"]),
                node("Sigmoid", ["s"], ["g"]), node("MatMul", ["g", "wy"], ["y"])], ["N", 3, 32, 32], ["N", 96, 4],
         {"shape": np.array([0, 96, 32]), "wq": weights(32, 32), "wk": weights(32, 32), "wv": weights(32, 32), "wy": weights(32, 4)})


def run(octet, *arguments):
    subprocess.run([octet, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def tensors_of(octet, model, samples, folder):
    run(octet, "run", model, "--input", samples, "--all", "--policy", "as-written", "--output", folder / "all.npz")
    with np.load(folder / "all.npz") as arrays:
        return {name: [arrays[name].astype(np.float64)] for name in arrays.files if arrays[name].dtype == np.float32}


def tensors_by_judge(model, name, samples, folder):
    debug.modify_model_output_intermediate_tensors(str(model), str(folder / "augmented.onnx"))
    found = debug.collect_activations(str(folder / "augmented.onnx"), Reader(name, samples))
    return {tensor: [np.concatenate(values).astype(np.float64)] for tensor, values in found.items()}


def ratio_to(infinite, value):
    """ONNX Runtime keeps sums from being 0 where Octet says that there is no noise."""
    return infinite if value == "Infinity" else value


def judge(octet, label, reference, quantized, samples, folder):
    np.save(folder / "samples.npy", samples)
    run(octet, "loss", reference, quantized, "--data", folder / "samples.npy", "--json", folder / "loss.json")
    loss = json.loads((folder / "loss.json").read_text())
    ours = {tensor["name"]: tensor for tensor in loss["tensors"]}
    given = onnx.load(reference).graph.input[0].name
    failures, counts = [], {"tensors": 0, "weights": 0}
    sources = {FIGURES: [tensors_of(octet, model, folder / "samples.npy", folder) for model in (quantized, reference)],
               TENSORS: [tensors_by_judge(model, given, samples, folder) for model in (quantized, reference)]}
    for tolerance, (mine, wanted) in sources.items():
        matching = debug.create_activation_matching(mine, wanted)
        errors = debug.compute_activation_error({name: match for name, match in matching.items() if "float" in match})
        for name, error in errors.items():
            dequantized = name if name + "_QuantizeLinear_Input" in mine else name + "_DequantizeLinear_Output"
            found = ours.get(name)
            if not found or found["counterpart"] != dequantized:
                failures.append(f"{label}: {name} is compared with {found and found['counterpart']}, not with {dequantized}")
                continue
            counts["tensors"] += 1
            if abs(ratio_to(error["xmodel_err"], found["total"]["sqnr"]) - error["xmodel_err"]) > tolerance:
                failures.append(f"{label}: {name} has {found['total']['sqnr']} dB, ONNX Runtime's debugger says {error['xmodel_err']}")
    weights = debug.compute_weight_error({name: {side: value.astype(np.float64) for side, value in match.items()}
                                          for name, match in debug.create_weight_matching(str(reference), str(quantized)).items()})
    by_name = {weight["name"]: weight["noise"]["sqnr"] for weight in loss["weights"]}
    biases = {node.input[2] for node in onnx.load(reference).graph.node if node.op_type in ("Conv", "Gemm") and len(node.input) > 2}
    for name, error in weights.items():
        if name in biases:
            continue  # the debugger multiplies int32 and float32 in float64, DequantizeLinear in float32
        counts["weights"] += 1
        if abs(ratio_to(error, by_name[name]) - error) > FIGURES:
            failures.append(f"{label}: {name} has {by_name[name]} dB, ONNX Runtime's debugger says {error}")
    print(f"{label}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return failures, counts


def against_itself(octet, quantized, folder):
    """A quantized file loses nothing beside itself, and no tensor's own error is told."""
    run(octet, "loss", quantized, quantized, "--data", folder / "samples.npy", "--json", folder / "same.json")
    tensors = json.loads((folder / "same.json").read_text())["tensors"]
    wrong = [tensor["name"] for tensor in tensors if tensor["total"]["sqnr"] is not None or tensor["own"] is not None]
    return [f"{quantized.name} beside itself: {wrong} of {len(tensors)} tensors"] if wrong or len(tensors) < 8 else []


def main(octet):
    failures, total = [], {}
    samples = pictures(4).astype(np.float32) / np.float32(255)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rng = np.random.default_rng(7)
        depthwise(folder / "depthwise.onnx", rng)
        attention(folder / "attention.onnx", rng)
        np.save(folder / "calibration.npy", samples)
        for network in (ROOT / "models/resnet8.onnx", folder / "depthwise.onnx", folder / "attention.onnx"):
            simplified, quantized = folder / "simplified.onnx", folder / "quantized.onnx"
            for how in ((), ("--symmetric-activations",), None):
                run(octet, "quantize", network, "-o", quantized, "--data", folder / "calibration.npy", "--save-simplified", simplified,
                    *(how or ()))
                if how is None:
                    quantize_static(str(simplified), str(quantized), Reader(onnx.load(network).graph.input[0].name, samples),
                                    quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QInt8,
                                    weight_type=QuantType.QInt8)
                label = f"{network.stem}, {'ONNX Runtime' if how is None else ' '.join(('Octet', *how))}"
                more, counts = judge(octet, label, simplified, quantized, samples, folder)
                failures += more
                total = {what: total.get(what, 0) + count for what, count in counts.items()}
            failures += against_itself(octet, quantized, folder)
    if not all(total.values()):
        failures.append(f"something was never compared: {total}")
    print("\n".join(failures) or f"equal: {total}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
