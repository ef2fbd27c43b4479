"""The command `octet`, which stands in the package."""

from __future__ import annotations

import os
import sys
import typing


def main() -> typing.NoReturn:
    """Becomes the command, with this Python as the one that it asks for ONNX Runtime."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "octet")
    os.environ.setdefault("OCTET_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])
