"""Judges octet quantize by ONNX Runtime: its quantizer's parameters, and its kernels' integers.

Usage: quantizer.py OCTET [--images N]

1. From the same ranges, scales, zero points, integer weights and int32 biases equal those of ONNX Runtime's quantizer,
   tensor by tensor, for every combination of options below.
2. Every model made passes onnx.checker, and Octet's integers equal ONNX Runtime's, image by image: operator format on
   every integer tensor, QDQ format where ONNX Runtime fuses it, dynamic models on every integer tensor.

Exit code 77: the data is not there.
"""

import argparse
import itertools
import json
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
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))

# What ONNX Runtime's quantizer makes 8-bit and Octet does not, by design: a Softmax that is the network's result.
# A pool with one input and output: ONNX Runtime gives AveragePool's result the parameters of its input in QDQ format.
DIFFERENT_BY_DESIGN = {"Softmax", "AveragePool"}


def run(*command):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {result.stderr}")
    return result.stdout


def constants(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


def judge_parameters(simplified, ranges, options):
    """ONNX Runtime's quantizer on the same float model and ranges."""
    data = {
        name: TensorData(lowest=np.array(low, np.float32), highest=np.array(high, np.float32))
        for name, (low, high) in ranges.items()
    }
    activation = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}[options["activations"]]
    weight = {"int8": QuantType.QInt8, "uint8": QuantType.QUInt8}[options["weights"]]
    quantizer = QDQQuantizer(
        onnx.load(simplified),
        options["per_channel"],
        options["reduce_range"],
        weight,
        activation,
        TensorsData(CalibrationMethod.MinMax, data),
        [],
        [],
        sorted(set(QLinearOpsRegistry) | set(QDQRegistry)),
        {"ActivationSymmetric": options["symmetric_activations"], "WeightSymmetric": options["symmetric_weights"]},
    )
    return constants(quantizer.quantize_model())


def flags_of(options):
    flags = ["--activations", options["activations"], "--weights", options["weights"]]
    flags += [] if options["per_channel"] else ["--per-tensor"]
    flags += ["--symmetric-activations"] if options["symmetric_activations"] else []
    flags += [] if options["symmetric_weights"] else ["--asymmetric-weights"]
    flags += ["--reduce-range"] if options["reduce_range"] else []
    return flags


def check_parameters(octet, model, ranges_file, work):
    ranges = json.loads(ranges_file.read_text())["ranges"]
    total = differing = 0
    for activations, weights, per_channel, symmetric_activations, symmetric_weights, reduce_range in itertools.product(
        ("int8", "uint8"), ("int8", "uint8"), (True, False), (False, True), (True, False), (False, True)
    ):
        if activations == "int8" and weights == "uint8":
            continue  # ONNX Runtime has no such kernels and refuses
        options = dict(
            activations=activations,
            weights=weights,
            per_channel=per_channel,
            symmetric_activations=symmetric_activations,
            symmetric_weights=symmetric_weights,
            reduce_range=reduce_range,
        )
        simplified, output = work / "simplified.onnx", work / "parameters.onnx"
        run(octet, "quantize", model, "-o", output, "--ranges", ranges_file, "--save-simplified", simplified, *flags_of(options))
        ours = constants(onnx.load(output))
        theirs = judge_parameters(simplified, ranges, options)
        names = {o: n.op_type for n in onnx.load(simplified).graph.node for o in n.output}
        for name, mine in ours.items():
            tensor = name.removesuffix("_scale").removesuffix("_zero_point").removesuffix("_quantized")
            if not name.endswith(("_scale", "_zero_point", "_quantized")) or names.get(tensor) in DIFFERENT_BY_DESIGN:
                continue
            other = theirs.get(name)
            if other is None and name.endswith(("_scale", "_zero_point")):
                other = theirs.get(name.replace("_scale", "_quantized_scale").replace("_zero_point", "_quantized_zero_point"))
            if other is None:
                continue  # a tensor that only one of the two makes 8-bit
            total += 1
            if mine.dtype != other.dtype or not np.array_equal(mine.ravel(), other.ravel()):
                differing += 1
                print(f"  {options}: {name}: octet {mine.ravel()[:4]} onnxruntime {other.ravel()[:4]}")
    print(f"{model.name}: {total} parameters and constants compared, {differing} differ")
    return total > 0 and differing == 0


def session_for(model, level, exact_u8):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 3
    if exact_u8:
        options.add_session_config_entry("session.x64quantprecision", "1")
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def expose(model, wanted):
    """The model with every tensor in `wanted` among its outputs."""
    exposed = onnx.ModelProto()
    exposed.CopyFrom(model)
    known = {o.name for o in exposed.graph.output}
    made = [o for n in exposed.graph.node for o in n.output if o]
    for name in made:
        if name not in known and wanted(name):
            exposed.graph.output.append(onnx.ValueInfoProto(name=name))
    return exposed


def octet_tensors(octet, model, inputs, work):
    np.savez(work / "inputs.npz", **inputs)
    run(octet, "run", model, "--input", work / "inputs.npz", "--output", work / "tensors.npz", "--all")
    with np.load(work / "tensors.npz") as archive:
        return {name: archive[name] for name in archive.files}


def compare_integers(title, ours, theirs, rename=lambda name: name):
    tensors = elements = differing = 0
    for name, other in theirs.items():
        mine = ours.get(rename(name))
        if mine is None or not np.issubdtype(other.dtype, np.integer):
            continue
        tensors += 1
        elements += other.size
        differing += int(np.count_nonzero(mine.astype(np.int64) != other.astype(np.int64)))
    print(f"{title}: {tensors} integer tensors, {elements} elements, {differing} differ")
    return tensors > 0 and differing == 0


def run_judge(model, inputs, level, exact_u8):
    session = session_for(expose(model, lambda name: True), level, exact_u8)
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


def check_integers(octet, model, ranges_file, images, work):
    good = True
    disabled, extended = ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    inputs = {onnx.load(model).graph.input[0].name: images}
    for activations in ("int8", "uint8"):
        for per in ((), ("--per-tensor",)):
            operators, pairs = work / "operators.onnx", work / "pairs.onnx"
            common = ("--ranges", ranges_file, "--activations", activations, *per)
            run(octet, "quantize", model, "-o", operators, "--format", "qoperator", *common)
            run(octet, "quantize", model, "-o", pairs, *common)
            for path in (operators, pairs):
                onnx.checker.check_model(str(path), full_check=True)
            ours = octet_tensors(octet, operators, inputs, work)
            label = f"{model.name} {activations} {'per tensor' if per else 'per channel'}"
            exact_u8 = activations == "uint8"
            judge = run_judge(onnx.load(operators), inputs, extended if exact_u8 else disabled, exact_u8)
            good &= compare_integers(label + ", operators", ours, judge)
            if activations == "uint8":
                # Only the results of QuantizeLinear, so that nothing between them is held back from fusion.
                quantized = expose(onnx.load(pairs), lambda name: name.endswith("_QuantizeLinear_Output"))
                session = session_for(quantized, extended, True)
                names = [o.name for o in session.get_outputs()]
                judge = dict(zip(names, session.run(names, inputs)))
                good &= compare_integers(
                    label + ", QDQ fused", ours, judge, lambda n: n.replace("_QuantizeLinear_Output", "_quantized")
                )
    kinds = [f"{a},{w}" for a in ("symActivation", "asymActivation") for w in ("symWeight", "asymWeight")]
    for kind in kinds:
        dynamic = work / "dynamic.onnx"
        run(octet, "quantize", model, "-o", dynamic, f"--dynamic={kind}")
        onnx.checker.check_model(str(dynamic), full_check=True)
        ours = octet_tensors(octet, dynamic, inputs, work)
        good &= compare_integers(f"{model.name} dynamic {kind}", ours, run_judge(onnx.load(dynamic), inputs, disabled, False))
    return good


def cifar(count):
    raw = np.fromfile(SHARED / "data/cifar10/train.bin", np.uint8).reshape(-1, 3073)[:count]
    return raw[:, 1:].reshape(-1, 3, 32, 32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=4)
    arguments = parser.parse_args()
    if not (SHARED / "data/cifar10/train.bin").exists():
        print(f"SKIPPED: there is no {SHARED}/data/cifar10/train.bin; set OCTET_SHARED")
        return 77
    print(f"ONNX Runtime {ort.__version__}, {arguments.images} images")
    images = cifar(max(arguments.images, 32))
    good = True
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for model, pixels in (
            (ROOT / "models/resnet8.onnx", "unit"),
            (SHARED / "models/mlperf_tiny_resnet8.onnx", "byte"),
        ):
            ranges = work / "ranges.json"
            data = work / "data.npy"
            scaled = (images / np.float32(255) if pixels == "unit" else images).astype(np.float32)
            np.save(data, scaled)
            run(arguments.octet, "quantize", model, "-o", work / "q.onnx", "--data", data, "--save-ranges", ranges)
            good &= check_parameters(arguments.octet, model, ranges, work)
            good &= check_integers(arguments.octet, model, ranges, scaled[: arguments.images], work)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
