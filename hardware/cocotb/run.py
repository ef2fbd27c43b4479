"""Builds octet_requantizer with Icarus Verilog and runs test_requantizer.py on it.

Usage: run.py [--modules FOLDER] [--vectors FOLDER]

The modules are those of hardware/ unless said otherwise, the vectors those of docs/quantization/vectors. For a network of yours:
octet export MODEL --vectors FOLDER --directed.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from vectors import load, widths  # noqa: E402


def main():
    try:
        from cocotb_tools.runner import get_results, get_runner
    except ImportError:
        get_runner = None
    if get_runner is None or shutil.which("iverilog") is None:
        print("cocotb or iverilog is not there: run tools/setup.sh test")
        sys.exit(77)
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", type=pathlib.Path, default=HERE.parent)
    parser.add_argument("--vectors", type=pathlib.Path, default=HERE.parents[1] / "docs/quantization/vectors")
    options = parser.parse_args()
    constants, rows = load(options.vectors)
    if not rows:
        sys.exit(f"{options.vectors} has no directed rows of a requantizer: octet export MODEL --vectors FOLDER --directed")
    with tempfile.TemporaryDirectory() as build:
        runner = get_runner("icarus")
        runner.build(sources=[options.modules / f"octet_{name}.v" for name in ("requantizer", "multiplier", "shift_saturate")],
                     hdl_toplevel="octet_requantizer", parameters=widths(constants, rows), build_dir=build)
        results = runner.test(hdl_toplevel="octet_requantizer", test_module="test_requantizer", build_dir=build, test_dir=HERE,
                              results_xml=str(pathlib.Path(build) / "results.xml"),
                              extra_env={"VECTORS": str(options.vectors.resolve()), "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"})
        tests, failures = get_results(results)
    if tests == 0 or failures > 0:
        sys.exit(f"FAIL: {failures} of {tests} tests")
    print(f"PASS: {len(rows)} rows")


main()
