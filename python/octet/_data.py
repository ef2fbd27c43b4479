"""Samples and inputs as they are given, made into what C++ takes: paths, or dicts of arrays."""

from __future__ import annotations

import os
import tempfile
import typing
import zipfile

import numpy as np

from ._arrays import as_array
from ._errors import Error

#: Files of samples, an array of them, a dict of arrays by input, or something to iterate over: batches of these, and
#: pairs of inputs and labels, as data loaders have them.
Data = typing.Union[str, "os.PathLike[str]", typing.Any]
#: A file, an array for the only input, or a dict of arrays by input.
Input = typing.Union[str, "os.PathLike[str]", typing.Any]
Path = typing.Union[str, "os.PathLike[str]"]


def is_path(value: typing.Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_array(value: typing.Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "__dlpack__") or hasattr(value, "__array__")


def _arrays(part: typing.Any, labels: typing.Any = None) -> dict[str, np.ndarray]:
    """Inputs, or a pair of inputs and labels, by name; one array without a name has ""."""
    if isinstance(part, (tuple, list)) and len(part) == 2 and labels is None and not np.isscalar(part[0]):
        part, labels = part
    if isinstance(part, dict):
        arrays = {name: as_array(value, str(name)) for name, value in part.items()}
    else:
        arrays = {"": as_array(part, "data")}
    if labels is None:
        return arrays
    if "" in arrays:
        arrays = {"data": arrays[""]}  # a name that no input has: the only array fits the only input
    arrays["labels"] = as_array(labels, "labels")
    return arrays


def samples(data: Data, labels: typing.Any = None) -> typing.Any:
    """None, a path, or a function that returns an iterator over dicts of arrays: from the first one on, each time."""
    if data is None or is_path(data):
        if labels is not None and not is_path(labels):
            raise Error("labels is an array, and data is none; wanted a file with the name of an image and its label per line")
        return data
    if is_array(data) or isinstance(data, dict) or (isinstance(data, tuple) and len(data) == 2 and not is_path(data[0])):
        arrays = _arrays(data, labels)
        return lambda: iter([arrays])
    if labels is not None:
        raise Error("labels goes with one array of samples; let the iterable give pairs of inputs and labels")
    if isinstance(data, (bytes, bytearray, int, float)):
        raise Error(f"data is {data!r:.60} ({type(data).__name__}); wanted a path, arrays, or something to iterate over")
    if hasattr(data, "get_next"):
        return _of_reader(data)
    batches: typing.Any = data
    try:
        iter(batches)
    except TypeError:
        raise Error(
            f"data is {data!r:.60} ({type(data).__name__}); wanted a path, arrays, or something to iterate over"
        ) from None
    if hasattr(batches, "__next__"):  # it can be read once, and some methods read samples several times
        batches = list(batches)
    return lambda: map(_arrays, iter(batches))


def _of_reader(reader: typing.Any) -> typing.Callable[[], typing.Iterator[dict[str, np.ndarray]]]:
    """Of a CalibrationDataReader of onnxruntime's."""
    parts = []
    while (part := reader.get_next()) is not None:
        parts.append(_arrays(part))
    return lambda: iter(parts)


def run_input(value: Input) -> typing.Any:
    """A path, or a dict of arrays."""
    if value is None or is_path(value):
        return value
    if isinstance(value, dict):
        return {name: as_array(array, str(name)) for name, array in value.items()}
    return as_array(value, "input")


class Archive:
    """A path of an .npz archive: the one that was given, or a temporary one of a dict of arrays."""

    def __init__(self, value: typing.Any) -> None:
        self._value = value
        self._file: typing.Any = None

    def __enter__(self) -> typing.Any:
        if not isinstance(self._value, dict):
            return self._value
        self._file = tempfile.NamedTemporaryFile(suffix=".npz")
        with zipfile.ZipFile(self._file, "w") as archive:
            for name, array in self._value.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, as_array(array, str(name)), allow_pickle=False)
        self._file.flush()
        return self._file.name

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
