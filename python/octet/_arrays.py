"""Arrays that C++ can't take as they are: made into ones that it can."""

from __future__ import annotations

import typing

import numpy as np

from ._errors import Error

# Types of ml_dtypes, by Octet's names. Octet holds int4 and the like one element to a byte.
_ML_DTYPES = {
    "bfloat16": "bfloat16",
    "int4": "int4",
    "uint4": "uint4",
    "int2": "int2",
    "uint2": "uint2",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float4e2m1": "float4_e2m1fn",
    "float8e8m0": "float8_e8m0fnu",
}
_OF_ML_DTYPES = {theirs: ours for ours, theirs in _ML_DTYPES.items()}
_INTEGERS = {"int4": np.int8, "int2": np.int8, "uint4": np.uint8, "uint2": np.uint8}


def as_array(value: typing.Any, what: str = "the value") -> np.ndarray:
    """What NumPy makes of a value; of what has DLPack (tensors of PyTorch and others), without a copy."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return np.from_dlpack(value)
    try:
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
    except (BufferError, TypeError, RuntimeError, AttributeError):
        pass  # a tensor that requires gradients, or of a type that DLPack lacks
    try:
        return np.asarray(value)
    except KeyboardInterrupt:
        raise
    except Exception as error:
        raise Error(f"{what} is no array: {error}") from error


def prepare(value: typing.Any, what: str) -> tuple[typing.Any, str, tuple[int, ...]]:
    """A contiguous array of the machine's own numbers, and the name of their type; of strings, a list and "string"."""
    array = as_array(value, what)
    kind, name = array.dtype.kind, array.dtype.name
    if kind in "UST" or (kind == "O" and all(isinstance(item, str) for item in array.flat)):
        return [text.decode() if isinstance(text, bytes) else str(text) for text in array.flat], "string", array.shape
    if name in _OF_ML_DTYPES:
        ours = _OF_ML_DTYPES[name]
        if ours in _INTEGERS:
            return np.require(array.astype(_INTEGERS[ours]), requirements=["C", "A"]), ours, array.shape
        plain = np.require(array, requirements=["C", "A"])
        return plain.view(np.uint16 if plain.dtype.itemsize == 2 else np.uint8), ours, array.shape
    if kind not in "biufc" or name in ("float128", "longdouble", "complex256"):
        raise Error(f"{what} is an array of {array.dtype}; wanted numbers that tensors have, such as float32 or uint8")
    # A copy where it is strided, misaligned or of the other byte order.
    return np.require(array, dtype=array.dtype.newbyteorder("="), requirements=["C", "A"]), name, array.shape


def _dtype(name: str) -> np.dtype:
    if name not in _ML_DTYPES:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise Error(f"NumPy has no {name}: pip install ml_dtypes", code="unsupported") from None
    dtype: np.dtype = np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))
    return dtype


def typed(array: np.ndarray, name: str) -> np.ndarray:
    """Integers that hold elements of a type of ml_dtypes, as that type."""
    dtype = _dtype(name)
    return array.astype(dtype) if name in _INTEGERS else array.view(dtype)


def empty_array(shape: tuple[int, ...], name: str) -> np.ndarray:
    return np.empty(shape, dtype=_dtype(name))


def string_array(texts: list[str], shape: tuple[int, ...]) -> np.ndarray:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array.reshape(shape)
