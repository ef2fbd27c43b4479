#!/usr/bin/env python3
"""The operators that the standard defines by other operators, in all their forms, against ONNX Runtime and against the standard's
own bodies as the onnx package expands and evaluates them.

    functions.py --run-cases build/tests/run_cases

Floats may differ by 64 roundings of the largest number, integers not at all; normalizations must have the runtime's bits. Prints, per operator, the forms, how many each judge
took and the largest share of what is allowed. Fails, too, where the standard has such an operator and there are no forms of it.
Ends with 0 when all agree, 1 when not, 77 (skipped) when a package is missing.
"""

import argparse
import collections
import sys

import quantized
from function_forms import ELSEWHERE, FORMS

import numpy as np
import onnx
import onnx.inliner
import onnx.reference
import onnxruntime

ALLOWED = 64 * 2.0**-23
EQUAL = {"GroupNormalization", "LayerNormalization"}  # to the runtime's, to the last bit
NOT_EVALUATED = {"Range"}  # the evaluator's Loop adds a dimension


def with_defaults(model, case):
    """The expansion wants every attribute that has a default."""
    (node,) = model.graph.node
    for name, attribute in onnx.defs.get_schema(case.op, case.opset).attributes.items():
        if name not in case.attributes and attribute.default_value.name:
            node.attribute.append(attribute.default_value)
    return model


def by_body(case):
    """The standard's body, in NumPy. None where the version has none."""
    schema = onnx.defs.get_schema(case.op, case.opset)
    if case.op in NOT_EVALUATED or not (schema.has_function or schema.has_context_dependent_function):
        return None
    model = with_defaults(quantized.model_of(case, set()), case)
    model = onnx.shape_inference.infer_shapes(model)
    model = onnx.inliner.inline_selected_functions(model, [("", case.op)], inline_schema_functions=True)
    if any(node.op_type == case.op for node in model.graph.node):
        return None
    feeds = {f"input_{k}": np.asarray(v) for k, v in enumerate(case.inputs) if v is not None}
    with np.errstate(all="ignore"):
        return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


def answer(judge, case):
    """None where the judge refuses the form."""
    try:
        return judge(case)
    except Exception:  # they throw many kinds
        return None


def difference(got, want, least):
    """`least` is the least number that counts as the largest. The share of what is allowed, or what is wrong."""
    share = 0.0
    for k, (mine, theirs) in enumerate(zip(got, want)):
        theirs = np.asarray(theirs)
        if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
            return f"output {k}: got {mine.dtype}{list(mine.shape)}, want {theirs.dtype}{list(theirs.shape)}"
        a, b = mine.astype(np.float64), theirs.astype(np.float64)
        distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
        largest = np.max(np.abs(b[np.isfinite(b)]), initial=least)
        allowed = ALLOWED * largest if mine.dtype.kind == "f" else 0
        if not np.all(distance <= allowed):
            at = int(np.argmax(np.nan_to_num(distance, nan=np.inf)))
            return f"output {k} at {at}: got {mine.flat[at]!r}, want {theirs.flat[at]!r}, within {allowed:.3g}"
        share = max(share, float(np.max(distance, initial=0)) / max(allowed, 1e-300))
    return share


def defined_by_others():
    return {s.name for s in onnx.defs.get_all_schemas_with_history()
            if s.domain == "" and (s.has_function or s.has_context_dependent_function)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run-cases", default="build/tests/run_cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="this operator alone")
    parser.add_argument("--show", type=int, default=5, help="how many differing forms of an operator to print")
    options = parser.parse_args()
    failures = collections.Counter()
    for name in sorted(defined_by_others() - set(FORMS) - ELSEWHERE):
        print(f"{name}: there are no forms of it")
        failures[name] += 1
    rows = []
    for op in sorted(FORMS) if options.only is None else [options.only]:
        cases = list(FORMS[op](np.random.default_rng(options.seed), op))
        judged, largest = collections.Counter(), 0.0
        for case, got in zip(cases, quantized.by_octet(cases, options.run_cases)):
            verdicts = {}
            for judge in (quantized.by_runtime, by_body):
                want = answer(judge, case)
                if want is not None:
                    judged[judge.__name__] += 1
                    least = 1 if op.endswith("Window") else 0
                    verdicts[judge.__name__] = got if isinstance(got, str) else difference(got, want, least)
                    if op in EQUAL and judge is quantized.by_runtime and verdicts[judge.__name__] != 0:
                        verdicts[judge.__name__] = f"it is not equal: {verdicts[judge.__name__]}"
            if not verdicts:
                verdicts["no judge"] = "neither takes this form"
            for judge, found in verdicts.items():
                if isinstance(found, float):
                    largest = max(largest, found)
                    continue
                failures[op] += 1
                if failures[op] <= options.show:
                    print(f"{judge}: {quantized.describe(case)}\n    {found}")
        rows.append((op, len(cases), judged["by_runtime"], judged["by_body"], largest, failures[op]))
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}\n\n"
          f"{'operator':28} {'forms':>6} {'runtime':>8} {'body':>6} {'of allowed':>10} {'differing':>10}")
    for op, forms, runtime, body, largest, wrong in rows:
        print(f"{op:28} {forms:6} {runtime:8} {body:6} {largest:10.3f} {wrong:10}")
    print(f"{sum(failures.values())} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
