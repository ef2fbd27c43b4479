"""Builds octet_requantizer with Icarus Verilog and runs test_requantizer.py on it.

Usage: run.py [MODULES]     the folder of the modules; hardware/ if none is named
"""

import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Wide enough for every channel of ResNet8, the dead ones too, whose accumulators have 32 bits.
WIDTHS = {"ACC_BITS": 32, "M_BITS": 27, "SUM_BITS": 60, "SHIFT_BITS": 6, "EXCEPTIONS": 8, "LENGTH_BITS": 1}


def main():
    try:
        from cocotb_tools.runner import get_results, get_runner
    except ImportError:
        get_runner = None
    if get_runner is None or shutil.which("iverilog") is None:
        print("cocotb or iverilog is not there: run tools/setup.sh test")
        sys.exit(77)
    modules = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent
    with tempfile.TemporaryDirectory() as build:
        runner = get_runner("icarus")
        runner.build(sources=[modules / f"octet_{name}.v" for name in ("requantizer", "multiplier", "shift_saturate")],
                     hdl_toplevel="octet_requantizer", parameters=WIDTHS, build_dir=build)
        results = runner.test(hdl_toplevel="octet_requantizer", test_module="test_requantizer", build_dir=build, test_dir=HERE,
                              results_xml=str(pathlib.Path(build) / "results.xml"),
                              extra_env={"VECTORS": os.environ.get("VECTORS", str(HERE.parents[1] / "docs/quantization/vectors")),
                                         "PYTHONDONTWRITEBYTECODE": "1"})
        tests, failures = get_results(results)
    if tests == 0 or failures > 0:
        sys.exit(f"FAIL: {failures} of {tests} tests")
    print("PASS")


main()
