"""ONNX Runtime as a judge: onnxruntime_judge.py [options] MODEL INPUTS.npz OUTPUTS.npz

Runs MODEL on the arrays of INPUTS.npz and writes every output to OUTPUTS.npz. Beside it, OUTPUTS.npz.json says what was
executed: {"runtime": ..., "made_by": {tensor: operator}, "operators": {operator: count}}.
"""

import argparse
import collections
import json
import os
import sys
import tempfile
import zipfile

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}. Install the packages numpy, onnx and onnxruntime there, or name a Python that has them "
             "with --python or $OCTET_PYTHON (in the project's folder, make python makes .venv/bin/python)")

LEVELS = {
    "off": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
}


def save(path, arrays):
    """As numpy.savez, for arrays of any name. Each goes from `arrays` when it is written."""
    with zipfile.ZipFile(path, "w", allowZip64=True) as archive:
        for name in list(arrays):
            with archive.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                numpy.lib.format.write_array(member, numpy.asanyarray(arrays.pop(name)))


def session_of(model, level, precision, executed, without=(), threads=0):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads  # 0: as many as it likes
    options.graph_optimization_level = LEVELS[level]
    options.log_severity_level = 4  # what is an error comes as an exception
    options.optimized_model_filepath = executed
    if precision:  # no 16-bit saturation of u8 x s8 sums
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without))


def run(session, inputs):
    wanted = {value.name for value in session.get_inputs() + session.get_overridable_initializers()}
    with numpy.load(inputs) as given:
        arrays = {name: given[name] for name in given.files if name in wanted}
    return dict(zip([value.name for value in session.get_outputs()], session.run(None, arrays)))


# It copies the type of a zero point into output_dtype, and another optimizer changes the zero point from int8 to uint8.
FRAGILE = "QDQPropagationTransformer"


def judge(model, inputs, outputs, level="extended", precision=False, save_graph=None, without=()):
    runtime = f"ONNX Runtime {onnxruntime.__version__}"
    with tempfile.TemporaryDirectory() as folder:
        executed = save_graph or os.path.join(folder, "executed.onnx")
        try:
            results = run(session_of(model, level, precision, executed, without), inputs)
        except Exception as error:  # its own rewriting can go wrong: then with less of it
            if level == "off":
                raise
            first_line = str(error).splitlines()[0]
            try:
                results = run(session_of(model, level, precision, executed, [*without, FRAGILE]), inputs)
                runtime += f", without {FRAGILE}, because with it: {first_line}"
                without = [*without, FRAGILE]
            except Exception:
                if without:  # without any optimizer it would be the answer to another question
                    raise error
                level, precision = "off", False
                results = run(session_of(model, level, precision, executed), inputs)
                runtime += f", without optimizations, because with them: {first_line}"
        nodes = [(node.op_type, list(node.output)) for node in onnx.load(executed, load_external_data=False).graph.node]
        if any(op == "DynamicQuantizeLSTM" for op, _ in nodes):  # threads share its batch, and each takes its own scale of h
            results = run(session_of(model, level, precision, executed, without, threads=1), inputs)
            runtime += ", on one thread, because DynamicQuantizeLSTM depends on their number"
    facts = {
        "runtime": runtime,
        "made_by": {output: op for op, outputs_of_node in nodes for output in outputs_of_node if output in results},
        "operators": collections.Counter(op for op, _ in nodes),
    }
    with open(f"{outputs}.json", "w", encoding="utf-8") as file:
        json.dump(facts, file)
    save(outputs, results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", choices=LEVELS, default="extended")
    parser.add_argument("--precision", action="store_true")
    parser.add_argument("--save-graph", help="write the graph that was executed")
    parser.add_argument("--without", action="append", default=[], help="an optimizer to leave out")
    parser.add_argument("model")
    parser.add_argument("inputs")
    parser.add_argument("outputs")
    try:
        judge(**vars(parser.parse_args()))
    except Exception as error:  # one line for the reader, whatever it is
        return f"{type(error).__name__}: {' '.join(str(error).split())}"


if __name__ == "__main__":
    sys.exit(main())
