"""Makes the wheel as `pip wheel .` does, repairs it, installs it in a fresh virtual environment, and runs the tests there.

Usage: wheel_test.py BUILD [PYTEST ARGUMENTS...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 15 << 20


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, cwd=ROOT, **options)


def pip(*words, **options):
    run(sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", *words, **options)


def only(folder, pattern):
    found, = folder.glob(pattern)
    return found


def compiler_of(build):
    """Of the build whose objects ccache has."""
    return re.search("^CMAKE_CXX_COMPILER:.*?=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE).group(1)


def make_wheel(folder, compiler):
    pip("wheel", ".", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder / "made",
        f"--config-settings=build-dir={folder}", env={**os.environ, "CXX": compiler})
    tools = pathlib.Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    run(sys.executable, "-m", "auditwheel", "repair", only(folder / "made", "*.whl"), "--wheel-dir", folder / "repaired",
        env=environment)
    return only(folder / "repaired", "*.whl")


def check_wheel(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("octet/octet", "octet/octet-layout", "octet/py.typed", "octet/_octet.pyi"):
        assert name in names, f"{name} is not in {wheel.name}"
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / (1 << 20):.1f} MB", flush=True)
    assert size < MOST_BYTES


def make_environment(folder, wheel):
    """A virtual environment with the wheel in it. What tests need besides comes from the environment that runs this."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    pip("--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    packages = only(folder, "lib/python*/site-packages")
    (packages / "tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def main():
    # Beside the build folder: as deep as it is, so that ccache knows the objects.
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build.with_name(f"{build.name}-wheel")
    for old in ("made", "repaired", "venv"):
        shutil.rmtree(folder / old, ignore_errors=True)
    wheel = make_wheel(folder, compiler_of(build))
    check_wheel(wheel)
    python = make_environment(folder / "venv", wheel)
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "OCTET_PYTHON")}
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python", *sys.argv[2:], env=environment)


main()
