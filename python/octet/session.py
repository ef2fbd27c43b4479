"""Sessions: networks that run, as in onnxruntime."""

from __future__ import annotations

import os
import typing
import warnings

import numpy as np

from . import _models, _octet
from ._errors import Error, OctetWarning

_ONNX_TYPES = {"float32": "float", "float64": "double"}


class NodeArg(typing.NamedTuple):
    """An input or output of a network, as onnxruntime describes it."""

    name: str
    type: str
    shape: list[typing.Any] | None


def _node_arg(name: str, dtype: str, shape: list[typing.Any] | None, _: bool) -> NodeArg:
    return NodeArg(name, f"tensor({_ONNX_TYPES.get(dtype, dtype)})", shape)


class ModelMetadata(typing.NamedTuple):
    """What a file says of itself."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    version: int
    custom_metadata_map: dict[str, str]


class SessionOptions:
    """onnxruntime's options: threads count, everything else is accepted and changes nothing."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level: typing.Any = None
        self.execution_mode: typing.Any = None
        self.enable_profiling = False
        self.log_severity_level = 2
        self.entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Kept, and not used."""
        self.entries[key] = value


class ThreadPool:
    """Threads that several sessions share; 0 is one per core.

    >>> import octet
    >>> pool = octet.ThreadPool(2)
    >>> sessions = [octet.InferenceSession("models/resnet8_int8.onnx", thread_pool=pool) for _ in range(2)]
    >>> pool.threads
    2
    """

    def __init__(self, threads: int = 0) -> None:
        self._impl = _octet.ThreadPool({"threads": threads})

    @property
    def threads(self) -> int:
        """How many there are."""
        return self._impl.threads


class InferenceSession:
    """A network that runs, as onnxruntime.InferenceSession does. Any number of threads may run it at once.

    `policy`, `engine`, `arithmetic` and `dim` are the options of `octet run`. `memory` is the most that the tensors of a run may
    take, `plan_memory` what plans for earlier shapes may keep.

    >>> import numpy as np, octet
    >>> session = octet.InferenceSession("models/resnet8_int8.onnx")
    >>> [(value.name, value.type, value.shape) for value in session.get_inputs()]
    [('image', 'tensor(float)', ['N', 3, 32, 32])]
    >>> y, = session.run(None, {"image": np.zeros((1, 3, 32, 32), np.float32)})
    >>> y.shape
    (1, 10)
    """

    def __init__(
        self,
        path_or_bytes: _models.ModelLike,
        sess_options: typing.Any = None,
        providers: typing.Any = None,
        provider_options: typing.Any = None,
        *,
        policy: str = "exact",
        engine: str | None = None,
        arithmetic: str = "onnxruntime",
        threads: int | None = None,
        thread_pool: ThreadPool | None = None,
        dim: typing.Mapping[str, int] | None = None,
        plan_memory: int | str | None = None,
        memory: int | str | None = None,
        **unused: typing.Any,
    ) -> None:
        from .commands import lower

        if unused:
            warnings.warn(f"InferenceSession does not use {', '.join(unused)}", OctetWarning, stacklevel=2)
        names = [name if isinstance(name, str) else name[0] for name in providers or []]
        if names and "CPUExecutionProvider" not in names:
            warnings.warn(f"Octet runs on the CPU, and not by {', '.join(names)}", OctetWarning, stacklevel=2)
        if threads is None:
            threads = getattr(sess_options, "intra_op_num_threads", 0)
        if thread_pool is not None and not isinstance(thread_pool, ThreadPool):
            raise Error(f"InferenceSession: thread_pool is {thread_pool!r:.60}; wanted an octet.ThreadPool")
        self._options = sess_options
        program = path_or_bytes
        if not isinstance(program, _models.Program):
            program = lower(path_or_bytes, policy=policy, dim=dim)
        self.program: _models.Program = program
        options = {
            "engine": engine,
            "arithmetic": arithmetic,
            "threads": threads,
            "pool": None if thread_pool is None else thread_pool._impl,
            "plan_memory": plan_memory,
            "memory": memory,
        }
        self._impl = _octet.Session(program._impl, options)

    def run(
        self,
        output_names: typing.Sequence[str] | None,
        input_feed: typing.Mapping[str, typing.Any],
        run_options: typing.Any = None,
        *,
        out: typing.Mapping[str, np.ndarray] | typing.Sequence[np.ndarray] | None = None,
    ) -> list[typing.Any]:
        """The outputs, all of them or those that are named, as NumPy arrays; inputs by name.

        Results go into the arrays of `out`, where it is given: by name, or in the order of the outputs.

        >>> import numpy as np, octet
        >>> session = octet.InferenceSession("models/resnet8_int8.onnx")
        >>> x, y = np.zeros((1, 3, 32, 32), np.float32), np.empty((1, 10), np.float32)
        >>> session.run(None, {"image": x}, out=[y])[0] is y
        True
        """
        if out is None:
            return self._impl.run(output_names, input_feed)
        names = [value[0] for value in self._impl.outputs] if output_names is None else list(output_names)
        pairs: typing.Any = out.items() if isinstance(out, typing.Mapping) else zip(names, out)
        arrays: dict[str, np.ndarray] = dict(pairs)
        if set(arrays) != set(names) or len(arrays) != len(out):
            raise Error(f"out has arrays for {', '.join(map(str, arrays))}; wanted one for each of {', '.join(names)}")
        self._impl.run_into(input_feed, arrays)
        return [arrays[name] for name in names]

    __call__ = run

    def prepare(self, shapes: typing.Mapping[str, typing.Sequence[int]]) -> None:
        """Gets ready for inputs of these shapes, so that no run with them has to.

        >>> import octet
        >>> octet.InferenceSession("models/resnet8_int8.onnx").prepare({"image": (8, 3, 32, 32)})
        """
        self._impl.prepare(dict(shapes))

    def get_inputs(self) -> list[NodeArg]:
        """Its inputs, in the model's order."""
        return [_node_arg(*value) for value in self._impl.inputs if not value[3]]

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs that have a default."""
        return [_node_arg(*value) for value in self._impl.inputs if value[3]]

    def get_outputs(self) -> list[NodeArg]:
        """Its outputs, in the model's order."""
        return [_node_arg(*value) for value in self._impl.outputs]

    def get_modelmeta(self) -> ModelMetadata:
        """What the file says of itself."""
        impl = self.program._impl.model
        return ModelMetadata(impl.producer, impl.graph_name, impl.domain, impl.doc, impl.version, impl.metadata)

    def get_providers(self) -> list[str]:
        """What runs it."""
        return ["CPUExecutionProvider"]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """None of them has any."""
        return {"CPUExecutionProvider": {}}

    def get_session_options(self) -> typing.Any:
        """The options that were given."""
        return self._options or SessionOptions()

    @property
    def engine(self) -> str:
        """What computes its steps."""
        return self._impl.engine

    def __repr__(self) -> str:
        def listed(values: list[NodeArg]) -> str:
            return ", ".join(f"{value.name}: {value.type}{value.shape}" for value in values)

        name = os.path.basename(self.program._impl.model.name)
        return f"<octet.InferenceSession {name}: {listed(self.get_inputs())} -> {listed(self.get_outputs())}>"
