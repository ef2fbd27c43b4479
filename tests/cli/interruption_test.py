"""Ends octet from outside while it writes: nothing half-written may stay, the target is as it was.

Usage: interruption_test.py OCTET
"""

import os
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
UINT8 = pathlib.Path(__file__).resolve().parents[2] / "models" / "resnet8_uint8.onnx"
# Every signal that ends a process by default and can be caught, but for SIGPIPE and SIGXFSZ, which writers see as errors.
ENDING = [number for number in signal.valid_signals() if number not in (
    signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
    signal.SIGURG, signal.SIGWINCH, signal.SIGPIPE, signal.SIGXFSZ) and
    not signal.SIGRTMIN < number < signal.SIGRTMAX]
JUDGED = [signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGPROF, signal.SIGABRT, signal.SIGSEGV]
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
    check(folder, process, 128 + number, f"octet: stopped by {signal_name(number)}\n")


def signal_name(number):
    """As the C library abbreviates it; of the real-time signals by number."""
    if number >= signal.SIGRTMIN:
        return f"signal {int(number)}"
    return "SIGPOLL" if number == signal.SIGPOLL else signal.Signals(number).name


def stopped_while_judging(folder, number):
    """A judge is at work and a temporary folder stands: neither is left."""
    with tempfile.TemporaryDirectory() as temporary:
        command = [OCTET, "verify", UINT8, "--against", "sleep 60; true"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": temporary})
        scratch = pathlib.Path(temporary)
        while not any(scratch.glob("octet-*/*")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.001)
        process.send_signal(number)
        check(folder, process, 128 + number, f"octet: stopped by {signal_name(number)}\n")
        assert not list(scratch.iterdir()), list(scratch.iterdir())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder / "model.onnx")
        (folder / "out.npy").write_bytes(b"as it was")
        for number in ENDING:
            stopped_by(folder, number)
        for number in JUDGED:
            stopped_while_judging(folder, number)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        check(folder, start(folder, preexec_fn=limit), 128 + signal.SIGXFSZ,
              "octet: out.npy: can't be written: File too large\n")

        # What the caller ignores stays ignored.
        process = start(folder, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        assert process.returncode == 0, process.returncode
    print(f"stopped {len(ENDING) + len(JUDGED)} times, nothing left behind")


if __name__ == "__main__":
    main()
