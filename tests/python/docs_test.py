"""Examples: those of docstrings, and the lines of Python in README.md and docs/python.md."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import octet
from conftest import ROOT

MODULES = sorted(name for _, name, _ in pkgutil.iter_modules(octet.__path__) if name not in ("__main__", "_octet"))


@pytest.mark.filterwarnings("ignore::octet.OctetWarning")
@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(f"octet.{name}")
    failed, _ = doctest.testmod(module, extraglobs={"octet": octet}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.filterwarnings("ignore::octet.OctetWarning")
@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages(page, tmp_path, monkeypatch):
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    (tmp_path / "models").symlink_to(ROOT / "models")
    for name in ("resnet8.onnx", "resnet8_int8.onnx", "resnet8_ranges.json", "samples.npz"):
        (tmp_path / name).symlink_to(ROOT / "models" / name)
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks:
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, namespace, page, page, 0)
            assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, clear_globs=False).failed == 0
            namespace = test.globs
        else:
            exec(compile(block, page, "exec"), namespace)
