#!/usr/bin/env python3
"""Quantized operators of Octet against ONNX Runtime: random cases, every element equal.

    quantized.py --cases 20000 --seed 1 --run-cases build/tests/run_cases

Prints, per operator and judge, the cases, the elements and how many differ; each differing case with its number, which
--only runs alone. Ends with 0 when all are equal, 1 when not, 77 (skipped) when a package is missing.
"""

import argparse
import collections
import struct
import subprocess
import sys

try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnx.reference
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

from quantized_cases import FORMULA, PRECISE, REFERENCE, RUNTIME, make
from quantized_formulas import FORMULAS

PER_PROCESS = 500
NARROW = {np.dtype(t) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)}
TYPES = {number: helper.tensor_dtype_to_np_dtype(number) for number in range(1, 27) if number != TensorProto.STRING}


def attribute(value):
    return helper.np_dtype_to_tensor_dtype(np.dtype(value)) if isinstance(value, type) else value


def model_of(case, constant):
    """One node. Inputs in `constant` are initializers, the others graph inputs."""
    names = ["" if value is None else f"input_{k}" for k, value in enumerate(case.inputs)]
    outputs = case.outputs if isinstance(case.outputs, tuple) else [f"output_{k}" for k in range(case.outputs)]
    attributes = {name: attribute(value) for name, value in case.attributes.items()}
    node = helper.make_node(case.op, names, outputs, domain=case.domain, **attributes)
    inputs, initializers = [], []
    for k, (name, value) in enumerate(zip(names, case.inputs)):
        if value is None:
            continue
        tensor = numpy_helper.from_array(np.asarray(value), name)
        if k in constant:
            initializers.append(tensor)
        else:
            inputs.append(helper.make_tensor_value_info(name, tensor.data_type, tensor.dims))
    graph = helper.make_graph([node], "case", inputs, [onnx.ValueInfoProto(name=name) for name in outputs if name],
                              initializers)
    imports = [helper.make_opsetid("", case.opset)]
    if case.domain:
        imports.append(helper.make_opsetid(case.domain, 1))
    return helper.make_model(graph, opset_imports=imports, ir_version=10 if case.opset < 23 else 11)


def narrow_output(case):
    """Whether the output has a type that the runtime's Python interface does not hand out."""
    if case.op != "QuantizeLinear":
        return False
    dtype = case.inputs[2].dtype if len(case.inputs) > 2 else np.dtype(case.attributes.get("output_dtype", np.uint8))
    return dtype in NARROW


def by_runtime(case):
    # Types that can't be fed are constants.
    constant = {k for k, value in enumerate(case.inputs) if value is not None and np.asarray(value).dtype in NARROW}
    model = model_of(case, constant | set(case.constant))
    if narrow_output(case):  # x * 1 as a float32
        one = numpy_helper.from_array(np.float32(1), "one")
        model.graph.initializer.append(one)
        model.graph.node.append(helper.make_node("DequantizeLinear", ["output_0", "one"], ["real"]))
        model.graph.output[0].name = "real"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_DISABLE_ALL
    if case.judge == PRECISE:
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
        options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = {f"input_{k}": np.asarray(v) for k, v in enumerate(case.inputs)
             if v is not None and k not in constant and k not in case.constant}
    results = session.run(None, feeds)
    if narrow_output(case):
        results = [result.astype(np.int8) for result in results]
    return results


def by_judge(case):
    if case.judge == FORMULA:
        return FORMULAS[case.op](case, *case.inputs)
    if case.judge == REFERENCE:
        model = model_of(case, set())
        feeds = {f"input_{k}": np.asarray(v) for k, v in enumerate(case.inputs) if v is not None}
        with np.errstate(all="ignore"):
            return onnx.reference.ReferenceEvaluator(model).run(None, feeds)
    return by_runtime(case)


def by_octet(cases, run_cases):
    """The outputs of each case, or the message of its error."""
    stream = []
    for case in cases:
        name = b"onnx-reference" if case.judge == REFERENCE else b"onnxruntime"
        model = model_of(case, set(range(len(case.inputs)))).SerializeToString()
        stream += [struct.pack("<Q", len(name)), name, struct.pack("<Q", len(model)), model]
    done = subprocess.run([run_cases], input=b"".join(stream), stdout=subprocess.PIPE, check=True).stdout
    position = 0

    def number():
        nonlocal position
        position += 8
        return struct.unpack_from("<q", done, position - 8)[0]

    def blob():
        nonlocal position
        size = number()
        position += size
        return done[position - size:position]

    results = []
    for _ in cases:
        if not number():
            results.append(blob().decode())
            continue
        outputs = []
        for _ in range(number()):
            dtype = np.dtype(TYPES[number()])
            shape = [number() for _ in range(number())]
            data = blob()
            if dtype in NARROW:
                dtype = np.dtype(np.int8)
            outputs.append(np.frombuffer(data, dtype).reshape(shape))
        results.append(outputs)
    assert position == len(done)
    return results


def differing(got, want):
    """The elements that differ; all when types or shapes do."""
    want = np.asarray(want)
    if want.dtype in NARROW:
        want = want.astype(np.int8)
    if got.dtype != want.dtype or got.shape != want.shape:
        return np.ones(max(got.size, 1), bool)
    if got.dtype.kind in "fV":  # equal bits; any NaN equals any other
        same = got.view(f"u{got.itemsize}") == want.view(f"u{got.itemsize}")
        return ~(same | (np.isnan(got) & np.isnan(want))).reshape(-1)
    return (got != want).reshape(-1)


def describe(case):
    inputs = ["-" if v is None else f"{np.asarray(v).dtype}{list(np.shape(v))}" for v in case.inputs]
    return f"{case.op} opset {case.opset} {case.attributes} ({', '.join(inputs)}), {case.judge}, constant {case.constant}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case alone and print its tensors")
    parser.add_argument("--run-cases", default="build/tests/run_cases")
    parser.add_argument("--show", type=int, default=20, help="how many differing cases to print")
    options = parser.parse_args()
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}, numpy {np.__version__}; "
          f"seed {options.seed}, {options.cases} cases")

    counts = collections.defaultdict(lambda: [0, 0, 0])  # cases, elements, differing
    shown = failures = 0
    indices = [options.only] if options.only is not None else range(options.cases)
    for first in range(0, len(indices), PER_PROCESS):
        chunk = [(index, make(options.seed, index)) for index in indices[first:first + PER_PROCESS]]
        for (index, case), got in zip(chunk, by_octet([case for _, case in chunk], options.run_cases)):
            try:
                want = by_judge(case)
            except Exception as error:  # the runtime throws many kinds
                want = f"the judge refuses: {str(error).splitlines()[0]}"
            count = counts[case.title, case.judge]
            count[0] += 1
            if isinstance(got, str) or isinstance(want, str):
                failures += 1
                count[2] += 1
                message = got if isinstance(got, str) else want
            else:
                wrong = np.concatenate([differing(g, w) for g, w in zip(got, want)])
                count[1] += wrong.size
                count[2] += int(wrong.sum())
                if not wrong.any():
                    message = None
                else:
                    failures += 1
                    where = int(np.argmax(wrong))
                    flat = [np.concatenate([np.asarray(t).reshape(-1).astype(np.float64) for t in side]) for side in (got, want)]
                    message = f"{int(wrong.sum())} of {wrong.size} differ, first {where}: got {flat[0][where]!r}, want {flat[1][where]!r}" \
                        if flat[0].size == flat[1].size else f"got {[g.shape for g in got]}, want {[np.shape(w) for w in want]}"
            if message and shown < options.show:
                shown += 1
                print(f"case {index}: {describe(case)}\n    {message}")
            if options.only is not None:
                for k, value in enumerate(case.inputs):
                    print(f"input {k}: {None if value is None else np.asarray(value).tolist()}")
                print("got ", got if isinstance(got, str) else [g.tolist() for g in got])
                print("want", want if isinstance(want, str) else [np.asarray(w).tolist() for w in want])

    print(f"\n{'operator':34} {'judge':22} {'cases':>7} {'elements':>12} {'differing':>10}")
    for (op, judge), (cases, elements, wrong) in sorted(counts.items()):
        print(f"{op:34} {judge:22} {cases:7} {elements:12,} {wrong:10}")
    total = np.sum(list(counts.values()), axis=0)
    print(f"{'all':34} {'':22} {total[0]:7} {total[1]:12,} {total[2]:10}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
