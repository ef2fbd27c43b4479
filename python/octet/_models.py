"""Models and programs, and what is accepted where a model is wanted."""

from __future__ import annotations

import functools
import json
import os
import typing

import numpy as np

from . import _octet
from ._errors import Error
from ._results import Facts, facts_of, page_of

#: A file, a model, a program (whose model it is), an onnx.ModelProto or its bytes.
ModelLike = typing.Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "Model", "Program", typing.Any]


class Model:
    """A network as a value. `octet.load_model` and `octet.quantize` make them.

    >>> import octet
    >>> model = octet.load_model("models/resnet8_int8.onnx")
    >>> model.inputs
    [('image', 'float32', ['N', 3, 32, 32])]
    >>> model.opset
    17
    """

    _impl: _octet.Model

    def __init__(self, model: ModelLike) -> None:
        self._impl = impl_of(model)

    @property
    def name(self) -> str:
        """Its file, or "model" where it has none."""
        return self._impl.name

    @property
    def inputs(self) -> list[tuple[str, str, list[typing.Any] | None]]:
        """Name, element type and shape of each input that has no default."""
        return self._impl.inputs

    @property
    def outputs(self) -> list[tuple[str, str, list[typing.Any] | None]]:
        """Name, element type and shape of each output."""
        return self._impl.outputs

    @property
    def opset(self) -> int:
        """The version of the standard's operators."""
        return self._impl.opset

    @property
    def sha256(self) -> str:
        """Of what it computes, whatever its file is called."""
        return self._impl.sha256

    @property
    def compiled(self) -> bool:
        """Whether the file is a library that `octet.compile` made."""
        return self._impl.compiled

    @property
    def metadata(self) -> dict[str, str]:
        """The properties that the file holds."""
        return self._impl.metadata

    def to_bytes(self) -> bytes:
        """The model as an .onnx file holds it."""
        return self._impl.to_bytes()

    SerializeToString = to_bytes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .onnx file: whole, or not at all."""
        self._impl.save({"path": path})

    def __repr__(self) -> str:
        def listed(values: list[tuple[str, str, list[typing.Any] | None]]) -> str:
            return ", ".join(f"{name}: {dtype}{'' if shape is None else shape}" for name, dtype, shape in values)

        return f"<octet.Model {self.name}: {listed(self.inputs)} -> {listed(self.outputs)}>"

    def __reduce__(self) -> tuple[typing.Any, tuple[bytes, str]]:
        return _model_of_bytes, (self.to_bytes(), self.name)


def _model_of_bytes(data: bytes, name: str) -> Model:
    return wrap(_octet.parse_model(data, name))


def wrap(impl: _octet.Model) -> Model:
    model = Model.__new__(Model)
    model._impl = impl
    return model


def impl_of(model: ModelLike) -> _octet.Model:
    """Whatever is accepted as a model, as C++ holds it."""
    if isinstance(model, Model):
        return model._impl
    if isinstance(model, Program):
        return model._impl.model
    if isinstance(model, _octet.Model):
        return model
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _octet.parse_model(bytes(model), "model")
    if hasattr(model, "SerializeToString"):
        return _octet.parse_model(model.SerializeToString(), "model")
    if isinstance(model, (str, os.PathLike)):
        return _octet.load_model({"model": model})
    raise Error(
        f"the model is {model!r:.60} ({type(model).__name__}); wanted a path, an octet.Model or octet.Program, "
        "an onnx.ModelProto, or the bytes of a model"
    )


class Step:
    """A step of a program: what it computes, its constants, and why it was fused or not.

    >>> import octet
    >>> step = octet.lower("models/resnet8_int8.onnx").steps["block1.conv1"]
    >>> step.kind, step.accumulator_bits, len(step.multipliers)
    ('convolution', 21, 16)
    """

    def __init__(self, program: Program, index: int, facts: Facts) -> None:
        self._program, self._index, self._facts = program, index, facts

    def __getattr__(self, name: str) -> typing.Any:
        if name.startswith("_"):
            raise AttributeError(name)
        constants = self._facts.get("constants") or {}
        if name in self._facts:
            return self._facts[name]
        if name in constants:
            return constants[name]
        raise AttributeError(f"step {self._facts.name} ({self._facts.kind}) has no {name}; there is {', '.join(dir(self))}")

    def __dir__(self) -> list[str]:
        own = ["accumulator_bits", "arrays", "multipliers", "to_dict"]
        return sorted({*own, *self._facts, *(self._facts.get("constants") or {})})

    @property
    def multipliers(self) -> np.ndarray:
        """The float32 multiplier of each output channel; empty where nothing is requantized."""
        return np.array((self._facts.get("constants") or {}).get("multipliers", []), np.float32)

    @property
    def accumulator_bits(self) -> int | None:
        """The width of an accumulator that holds every sum; None where the step has none, or it depends on the run."""
        constants = self._facts.get("constants") or {}
        ends = [*constants.get("least", []), *constants.get("greatest", [])]
        return max((~end if end < 0 else end).bit_length() for end in ends) + 1 if ends else None

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The constants that its operations read, such as weights and bias, by name."""
        return self._program._impl.step_constants(self._index)

    def to_dict(self) -> dict[str, typing.Any]:
        """What `octet lower --json` says of it."""
        facts: dict[str, typing.Any] = self._program.to_dict()["steps"][self._index]
        return facts

    def __repr__(self) -> str:
        why = f": {self._facts.reason}" if self._facts.reason else ""
        return f"<octet.Step {self._facts.name} ({self._facts.kind}){why}>"


class Steps(typing.Sequence[Step]):
    """The steps of a program, by position and by name."""

    def __init__(self, program: Program, facts: list[Facts]) -> None:
        self._steps = [Step(program, index, step) for index, step in enumerate(facts)]

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, which: typing.Any) -> typing.Any:
        if not isinstance(which, str):
            return self._steps[which]
        for step in self._steps:
            if step.name == which:
                return step
        import difflib

        near = difflib.get_close_matches(which, [step.name for step in self._steps], 3, 0)
        raise KeyError(f"there is no step {which}; there is {', '.join(near)}")

    def __contains__(self, which: object) -> bool:
        return which in self._steps or any(step.name == which for step in self._steps)

    def __repr__(self) -> str:
        return "[" + ",\n ".join(map(repr, self._steps)) + "]"


class Program:
    """The integer program of a network, as `octet lower` shows it. `octet.lower` makes it.

    >>> import octet
    >>> program = octet.lower("models/resnet8_int8.onnx")
    >>> len(program.steps), program.quantized_steps, program.computing_steps
    (18, 15, 16)
    """

    _impl: _octet.Program

    def __init__(self, impl: _octet.Program) -> None:
        self._impl = impl

    @functools.cached_property
    def _facts(self) -> Facts:
        return facts_of(self._impl.json())

    def __getattr__(self, name: str) -> typing.Any:
        if name.startswith("_") or name not in self._facts:
            raise AttributeError(f"a program has no {name}")
        return self._facts[name]

    @functools.cached_property
    def steps(self) -> Steps:
        """Its steps, in execution order."""
        return Steps(self, self._facts["steps"])

    @property
    def model(self) -> Model:
        """The model that it was lowered from."""
        return wrap(self._impl.model)

    @property
    def policy(self) -> str:
        """By which it was lowered."""
        return self._impl.policy

    def constant(self, name: str) -> np.ndarray:
        """The elements of a constant, such as the weights of a step."""
        return self._impl.constant(name)

    def to_model(self, *, unsigned_weights: bool = False) -> Model:
        """The program as a model of operators on integers."""
        return wrap(self._impl.to_model(unsigned_weights))

    def to_dict(self) -> dict[str, typing.Any]:
        """What `octet lower --json` writes."""
        document: dict[str, typing.Any] = json.loads(self._impl.json())
        return document

    def to_pandas(self) -> typing.Any:
        """A table with a row for each step."""
        from ._results import data_frame

        rows = [
            {
                "name": step.name,
                "kind": step.kind,
                "integer": step.integer,
                "operators": " ".join(operation["operator"] for operation in step.operations),
                "accumulator_bits": step.accumulator_bits,
                "channels": (step._facts.get("constants") or {}).get("channels"),
                "products": (step._facts.get("constants") or {}).get("products"),
                "reason": step.reason,
            }
            for step in self.steps
        ]
        return data_frame(rows)

    def __repr__(self) -> str:
        return self._impl.text(80).rstrip("\n")

    def _repr_svg_(self) -> str | None:
        from .commands import draw

        try:
            return draw(self, view="program", policy=self.policy)._repr_svg_()
        except Error:
            return None  # Graphviz is missing, or the picture is too large: then the text is shown

    def _repr_html_(self) -> str:
        return self._repr_svg_() or page_of(self._impl.text(120))
