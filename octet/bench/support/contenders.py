"""Other runtimes, held ready to be timed: contenders.py, told what to do in lines of JSON on standard input, answers each in one.

    {"open": "onnxruntime", "model": "m.onnx", "inputs": "i.npz", "outputs": "o.npz", "threads": 1}
        makes contender 0, 1, ... and runs it once: {"runtime": ..., "settings": ..., "load": nanoseconds, "first_run": nanoseconds}
    {"run": 0, "times": 10}
        runs contender 0 ten times: {"nanoseconds": [...]}

Inputs and outputs are bound once, so that a run is one call into the runtime. {"error": ...} is the answer to what fails.
"""

import json
import os
import sys
import textwrap
import time
import zipfile

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what libraries print is no answer


def load(path):
    import numpy

    with numpy.load(path) as archive:
        return {name: numpy.ascontiguousarray(archive[name]) for name in archive.files}


def save(path, arrays):
    """As numpy.savez, for arrays of any name."""
    import numpy

    with zipfile.ZipFile(path, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                numpy.lib.format.write_array(member, numpy.asanyarray(array))


def nanoseconds_of(call):
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start


class OnnxRuntime:
    def __init__(self, model, threads, exact=False):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.settings = f"intra_op_num_threads={threads}, inter_op_num_threads=1, optimizations and spinning as by default"
        if exact:
            options.add_session_config_entry("session.x64quantprecision", "1")
            self.settings += ", session.x64quantprecision=1"
        self.runtime = f"ONNX Runtime {onnxruntime.__version__}"
        start = time.perf_counter_ns()
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.load = time.perf_counter_ns() - start

    def bind(self, inputs):
        import onnxruntime

        self.binding = self.session.io_binding()
        for name, array in inputs.items():
            self.binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
        names = [output.name for output in self.session.get_outputs()]
        for name in names:
            self.binding.bind_output(name, "cpu")
        self.first_run = nanoseconds_of(self.run)
        self.results = dict(zip(names, self.binding.get_outputs()))
        self.binding.clear_binding_outputs()
        for name, value in self.results.items():  # later runs write where the first one did
            self.binding.bind_ortvalue_output(name, value)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return {name: value.numpy() for name, value in self.results.items()}


class OpenVino:
    def __init__(self, model, threads):
        import openvino

        # Its own choice for floats on some processors is bfloat16.
        properties = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        self.settings = ", ".join(f"{name}={value}" for name, value in properties.items())
        self.runtime = f"OpenVINO {openvino.__version__.split('-')[0]}"
        start = time.perf_counter_ns()
        self.compiled = openvino.Core().compile_model(model, "CPU", properties)
        self.load = time.perf_counter_ns() - start

    def bind(self, inputs):
        import openvino

        self.request = self.compiled.create_infer_request()
        for name, array in inputs.items():
            self.request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
        self.first_run = nanoseconds_of(self.run)

    def run(self):
        self.request.infer(share_inputs=True, share_outputs=True)

    def outputs(self):
        return {name: self.request.get_tensor(output).data for output in self.compiled.outputs for name in output.names}


KINDS = {
    "onnxruntime": OnnxRuntime,
    "onnxruntime-exact": lambda *arguments: OnnxRuntime(*arguments, exact=True),
    "openvino": OpenVino,
}
contenders = []


def answer(request):
    if "run" in request:
        run = contenders[request["run"]].run
        return {"nanoseconds": [nanoseconds_of(run) for _ in range(request["times"])]}
    contender = KINDS[request["open"]](request["model"], request["threads"])
    contender.inputs = load(request["inputs"])  # bound arrays must stay
    contender.bind(contender.inputs)
    save(request["outputs"], contender.outputs())
    contenders.append(contender)
    return {fact: getattr(contender, fact) for fact in ("runtime", "settings", "load", "first_run")}


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except ImportError as error:
        reply = {"error": f"{sys.executable}: {error}", "missing": error.name}
    except Exception as error:  # a line for the reader, whatever it is
        reply = {"error": textwrap.shorten(f"{type(error).__name__}: {error}", 300, placeholder=" …")}
    print(json.dumps(reply), file=answers, flush=True)
