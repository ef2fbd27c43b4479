"""Quantization as onnxruntime.quantization spells it.

`quantize_static` and `quantize_dynamic` take onnxruntime's arguments; what Octet does not do is said in a warning. octet.quantize
has more.
"""

from __future__ import annotations

import enum
import json
import os
import re
import tempfile
import typing
import warnings

from ._errors import Error, OctetWarning
from ._models import ModelLike
from .commands import quantize


class QuantType(enum.Enum):
    """Types of quantized numbers."""

    QInt8 = 0
    QUInt8 = 1
    QInt16 = 3
    QUInt16 = 4


class QuantFormat(enum.Enum):
    """How quantization is written."""

    QOperator = 0
    QDQ = 1


class CalibrationMethod(enum.Enum):
    """How ranges are chosen."""

    MinMax = 0
    Entropy = 1
    Percentile = 2


class CalibrationDataReader:
    """Gives dicts of inputs, batch by batch, and None at the end. Data readers may derive from it."""

    def get_next(self) -> dict[str, typing.Any] | None:
        """The next batch."""
        raise NotImplementedError


_TYPES = {"QInt8": "int8", "QUInt8": "uint8", "QInt16": "int16", "QUInt16": "uint16"}
_METHODS = {"MinMax": "minmax", "Entropy": "entropy", "Percentile": "percentile"}
_FORMATS = {"QDQ": "qdq", "QOperator": "qoperator"}


def _word(value: typing.Any, words: dict[str, str], what: str) -> str:
    """The word of an enumerator, onnxruntime's or ours."""
    name = getattr(value, "name", value)
    if name not in words:
        raise Error(f"{what} is {value!r:.60}; wanted {', '.join(words)}")
    return words[name]


def _say_unused(function: str, unused: dict[str, typing.Any]) -> None:
    names = [name for name, value in unused.items() if value not in (None, False, {}, [])]
    if names:
        warnings.warn(f"{function} does not honour {', '.join(names)}", OctetWarning, stacklevel=3)


def _exact(names: typing.Sequence[str]) -> list[str]:
    return [f"^{re.escape(name)}$" for name in names]


def _quantize_some(
    model: ModelLike, output: typing.Any, names: typing.Sequence[str] | None, **options: typing.Any
) -> None:
    """Only nodes of these names, where there are some."""
    if not names:
        quantize(model, output, **options)
        return
    rules: list[dict[str, typing.Any]] = [{"match": {"name": pattern}, "quantize": True} for pattern in _exact(names)]
    rules.append({"match": {}, "quantize": False})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rules, file)
        quantize(model, output, rules=path, **options)


def quantize_static(
    model_input: ModelLike,
    model_output: str | os.PathLike[str],
    calibration_data_reader: typing.Any = None,
    quant_format: typing.Any = QuantFormat.QDQ,
    op_types_to_quantize: typing.Sequence[str] | None = None,
    per_channel: bool = False,
    reduce_range: bool = False,
    activation_type: typing.Any = QuantType.QInt8,
    weight_type: typing.Any = QuantType.QInt8,
    nodes_to_quantize: typing.Sequence[str] | None = None,
    nodes_to_exclude: typing.Sequence[str] | None = None,
    use_external_data_format: bool = False,
    calibrate_method: typing.Any = CalibrationMethod.MinMax,
    calibration_providers: typing.Sequence[str] | None = None,
    extra_options: dict[str, typing.Any] | None = None,
    calibration_cache_path: typing.Any = None,
) -> None:
    """Static quantization, as onnxruntime.quantization.quantize_static.

    Of `extra_options`, ActivationSymmetric, WeightSymmetric, CalibMovingAverage and CalibPercentile are honoured.

    >>> import numpy as np, tempfile
    >>> class Reader(CalibrationDataReader):
    ...     batches = iter([{"image": np.zeros((2, 3, 32, 32), np.float32)}])
    ...     def get_next(self):
    ...         return next(self.batches, None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     quantize_static("models/resnet8.onnx", folder + "/q.onnx", Reader())
    """
    extra = dict(extra_options or {})
    calibration = _word(calibrate_method, _METHODS, "calibrate_method")
    if extra.pop("CalibMovingAverage", False):
        calibration = "moving-average"
    options: dict[str, typing.Any] = {
        "format": _word(quant_format, _FORMATS, "quant_format"),
        "activations": _word(activation_type, _TYPES, "activation_type"),
        "weights": _word(weight_type, _TYPES, "weight_type"),
        "per_tensor": not per_channel,
        "reduce_range": reduce_range,
        "symmetric_activations": bool(extra.pop("ActivationSymmetric", False)),
        "asymmetric_weights": not extra.pop("WeightSymmetric", True),
        "calibration": calibration,
        "op_types": list(op_types_to_quantize or []) or None,
        "exclude": _exact(nodes_to_exclude or []) or None,
        "data": calibration_data_reader,
    }
    if "CalibPercentile" in extra:
        options["percentile"] = extra.pop("CalibPercentile")
    unused = {
        "use_external_data_format": use_external_data_format,
        "calibration_cache_path": calibration_cache_path,
        "calibration_providers": [name for name in calibration_providers or [] if name != "CPUExecutionProvider"],
        **{f"extra_options {name}": True for name in extra},
    }
    _say_unused("quantize_static", unused)
    _quantize_some(model_input, model_output, nodes_to_quantize, **options)


def quantize_dynamic(
    model_input: ModelLike,
    model_output: str | os.PathLike[str],
    op_types_to_quantize: typing.Sequence[str] | None = None,
    per_channel: bool = False,
    reduce_range: bool = False,
    weight_type: typing.Any = QuantType.QInt8,
    nodes_to_quantize: typing.Sequence[str] | None = None,
    nodes_to_exclude: typing.Sequence[str] | None = None,
    use_external_data_format: bool = False,
    extra_options: dict[str, typing.Any] | None = None,
) -> None:
    """Dynamic quantization, as onnxruntime.quantization.quantize_dynamic: weights are int8, activations uint8.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     quantize_dynamic("models/resnet8.onnx", folder + "/q.onnx")
    """
    extra = dict(extra_options or {})
    symmetric = extra.pop("WeightSymmetric", True)
    unused = {
        "reduce_range": reduce_range,
        "use_external_data_format": use_external_data_format,
        "weight_type": _word(weight_type, _TYPES, "weight_type") != "int8",
        **{f"extra_options {name}": True for name in extra},
    }
    _say_unused("quantize_dynamic", unused)
    _quantize_some(
        model_input,
        model_output,
        nodes_to_quantize,
        dynamic=["asymActivation", "symWeight" if symmetric else "asymWeight"],
        activations="uint8",
        per_channel=per_channel,
        op_types=list(op_types_to_quantize or []) or None,
        exclude=_exact(nodes_to_exclude or []) or None,
    )
