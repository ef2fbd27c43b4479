"""Calls of commands: from keyword arguments to what C++ takes."""

from __future__ import annotations

import os
import sys
import typing
import warnings

from . import _data, _models, _octet
from ._errors import Error, OctetWarning


class Bar:
    """Shows how far long work is, with tqdm where that is installed and somebody looks; else nothing."""

    def __init__(self) -> None:
        self._bar: typing.Any = None
        self._label = ""

    def __call__(self, label: str, done: int, total: int) -> None:
        if label != self._label:
            self.close()
            self._label = label
            self._bar = _new_bar(label, total)
        if self._bar is not None:
            self._bar.total = total or None
            self._bar.n = done
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and "IPKernelApp" in getattr(shell.get_ipython(), "config", {})


def _new_bar(label: str, total: int) -> typing.Any:
    if not (_in_notebook() or (sys.stderr is not None and sys.stderr.isatty())):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total or None, desc=label, leave=False)


def _warn(text: str) -> None:
    depth, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("octet."):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, OctetWarning, stacklevel=depth)


def call(command: str, values: dict[str, typing.Any], models: tuple[str, ...] = ("model",)) -> _octet.Report:
    """What a command finds. `values` are the arguments of its function, by name."""
    options = dict(values)
    for name in models:
        if options.get(name) is not None:
            options[name] = _models.impl_of(options[name])
        elif name == "model":
            raise Error(f"{command}: model is None; wanted a model")
    if "data" in options:
        options["data"] = _data.samples(options["data"], options["labels"])
        if not _data.is_path(options["labels"]):
            options["labels"] = None
        for name in ("calibration_data", "test_data"):
            if name in options:
                options[name] = _data.samples(options[name])
    if "input" in options:
        given = options["input"]
        options["input"] = [_data.run_input(one) for one in given] if isinstance(given, list) else _data.run_input(given)
    bar = Bar()
    try:
        return _octet.call(command, options, bar, _warn)
    finally:
        bar.close()


def refuse_overwriting(command: str, outputs: dict[str, typing.Any], inputs: dict[str, typing.Any]) -> None:
    """Raises Error where a file that is written is one that is read, or two are the same."""
    files = {name: path for name, path in outputs.items() if _data.is_path(path)}
    for name, path in files.items():
        for other, source in {**inputs, **{k: v for k, v in files.items() if k < name}}.items():
            if isinstance(source, (_models.Model, _models.Program)):
                continue  # it is in memory, whatever happens to its file
            if _data.is_path(source) and _same_file(path, source):
                raise Error(f"{command}: {name} would overwrite {os.fspath(path)}, which is the {other}; name another file")


def _same_file(a: typing.Any, b: typing.Any) -> bool:
    if os.path.exists(a) and os.path.exists(b):
        return bool(os.path.isfile(a) and os.path.samefile(a, b))
    return bool(os.path.realpath(a) == os.path.realpath(b))
