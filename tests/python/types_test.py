"""The package's types, and the module's beside its stub."""

import inspect
import pathlib
import subprocess
import sys

import octet
from conftest import ROOT
from octet import _octet


def test_mypy_is_strict(tmp_path):
    package = pathlib.Path(octet.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path,
                           "-p", "octet"], capture_output=True, text=True, cwd=package.parent)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_has_what_the_module_has():
    stub = (pathlib.Path(octet.__file__).parent / "_octet.pyi").read_text()
    for name, value in vars(_octet).items():
        if name.startswith("_") and name != "__version__":
            continue
        assert f" {name}" in stub or f"{name}:" in stub, name
        if inspect.isclass(value):
            for member in vars(value):
                assert member.startswith("_") or f"def {member}(" in stub, f"{name}.{member}"
