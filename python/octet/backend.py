"""Octet as a backend of the onnx package: what the official runner of its test cases calls.

    import onnx.backend.test, octet.backend
    tests = onnx.backend.test.BackendTest(octet.backend, __name__)
"""

from __future__ import annotations

import typing

import onnx
from onnx.backend.base import Backend, BackendRep

from .session import InferenceSession


class Prepared(BackendRep):  # type: ignore[misc]
    """A model that runs."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session

    def run(self, inputs: typing.Any, **_: typing.Any) -> tuple[typing.Any, ...]:
        """The outputs of these inputs, which stand in the model's order."""
        names = [value.name for value in self._session.get_inputs()]
        return tuple(self._session.run(None, dict(zip(names, inputs))))


class OctetBackend(Backend):  # type: ignore[misc]
    """Runs models as they are written."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: typing.Any) -> bool:
        return bool(cls.supports_device(device))

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: typing.Any) -> Prepared:
        return Prepared(InferenceSession(model, policy="as-written"))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: typing.Any, device: str = "CPU", **_: typing.Any) -> typing.Any:
        return cls.prepare(model, device).run(inputs)

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: typing.Any, device: str = "CPU", outputs_info: typing.Any = None, **_: typing.Any
    ) -> typing.Any:
        raise NotImplementedError("Octet runs models, not nodes")

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


is_compatible = OctetBackend.is_compatible
prepare = OctetBackend.prepare
run = OctetBackend.run_model
run_node = OctetBackend.run_node
supports_device = OctetBackend.supports_device
