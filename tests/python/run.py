"""Runs the tests of the Python package on the one in a build folder.

Usage: run.py BUILD [PYTEST ARGUMENTS...]
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(sys.argv[1]).resolve() / "python")}
    environment.pop("OCTET_PYTHON", None)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python", *sys.argv[2:]]
    sys.exit(subprocess.run(words, cwd=ROOT, env=environment).returncode)


main()
