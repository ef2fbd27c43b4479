"""Octet: the exact integer program of an 8-bit ONNX network, proven, explained and run.

    session = octet.InferenceSession("resnet8_int8.onnx")     # as in onnxruntime
    program = octet.lower("resnet8_int8.onnx")                # its integer program
    octet.quantize("resnet8.onnx", "q.onnx", data="images/")  # every command is a function
"""

from __future__ import annotations

from . import _octet
from ._errors import Error, OctetWarning
from ._models import Model, Program, Step
from ._results import Facts, Result
from .commands import (
    bench,
    bounds,
    compare,
    compile,
    conformance,
    draw,
    evaluate,
    explain,
    export,
    export_c,
    export_vectors,
    export_verilog,
    inspect,
    load_model,
    loss,
    lower,
    ops,
    quantize,
    run,
    save_model,
    sensitivity,
    simulate,
    sweep,
    tune,
    verify,
    version,
)
from .session import InferenceSession, NodeArg, SessionOptions, ThreadPool

__version__: str = _octet.__version__

__all__ = [
    "Error",
    "Facts",
    "InferenceSession",
    "Model",
    "NodeArg",
    "OctetWarning",
    "Program",
    "Result",
    "SessionOptions",
    "Step",
    "ThreadPool",
    "bench",
    "bounds",
    "compare",
    "compile",
    "conformance",
    "draw",
    "evaluate",
    "explain",
    "export",
    "export_c",
    "export_vectors",
    "export_verilog",
    "inspect",
    "load_model",
    "loss",
    "lower",
    "ops",
    "quantize",
    "run",
    "save_model",
    "sensitivity",
    "simulate",
    "sweep",
    "tune",
    "verify",
    "version",
]
