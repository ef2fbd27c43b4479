"""Ends octet from outside while it writes: nothing half-written may stay, the target is as it was.

Usage: interruption_test.py OCTET
"""

import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from onnx import TensorProto, helper

OCTET = pathlib.Path(sys.argv[1]).resolve()
ELEMENTS = 48 << 20  # 192 MB: writing takes a while


def write_model(path):
    shape = onnx.numpy_helper.from_array(numpy.array([ELEMENTS], numpy.int64), "shape")
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [ELEMENTS])
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Expand", ["x", "shape"], ["y"])], "large", [value], [output], [shape])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def start(folder, **options):
    command = [OCTET, "run", "model.onnx", "--random", "1", "--output", "out.npy"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def check(folder, process, code, said):
    _, error = process.communicate(timeout=60)
    assert process.returncode == code, (process.returncode, error)
    assert error == said, error
    assert sorted(f.name for f in folder.iterdir()) == ["model.onnx", "out.npy"], list(folder.iterdir())
    assert (folder / "out.npy").read_bytes() == b"as it was"


def stopped_by(folder, number):
    process = start(folder)
    while not any(".tmp-" in f.name for f in folder.iterdir()):
        assert process.poll() is None, "it ended before it was stopped"
        time.sleep(0.0005)
    process.send_signal(number)
    check(folder, process, 128 + number, f"octet: stopped by {number.name}\n")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder / "model.onnx")
        (folder / "out.npy").write_bytes(b"as it was")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            for _ in range(3):
                stopped_by(folder, number)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        check(folder, start(folder, preexec_fn=limit), 128 + signal.SIGXFSZ,
              "octet: out.npy: can't be written: File too large\n")

        # What the caller ignores stays ignored.
        process = start(folder, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        assert process.returncode == 0, process.returncode
    print("stopped 13 times, nothing left behind")


if __name__ == "__main__":
    main()
