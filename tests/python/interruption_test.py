"""Ctrl-C, and long work."""

import signal
import subprocess
import sys
import time

import pytest

from conftest import ROOT, endless_loop

LONG = {
    "a run": "octet.InferenceSession('{model}').run(None, {{'x': np.zeros((64, 64), np.float32)}})",
    "a command": "octet.run('{model}', random=1)",
    "a search": "octet.tune('models/resnet8.onnx', '{folder}/out.onnx', data=np.zeros((64, 3, 32, 32), np.float32), min_sqnr=99)",
    "a judge": "octet.conformance(against='sleep 60')",
    "a reader": "octet.quantize('models/resnet8.onnx', '{folder}/out.onnx', data=slow())",
}
PROGRAM = """
import signal, sys, time
import numpy as np
import octet

class slow:
    def __iter__(self):
        while True:
            time.sleep(0.1)
            yield np.zeros((1, 3, 32, 32), np.float32)

print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    octet.load_model("models/resnet8.onnx")  # it goes on
    print("alive", flush=True)
"""


@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_it_within_a_second(what, tmp_path):
    model = tmp_path / "loop.onnx"
    model.write_bytes(endless_loop().SerializeToString())
    call = LONG[what].format(model=model, folder=tmp_path)
    process = subprocess.Popen([sys.executable, "-c", PROGRAM.format(call=call)], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline()
    took = time.monotonic() - before
    rest, errors = process.stdout.read(), process.stderr.read()
    process.wait(60)
    assert (answer, rest, errors) == ("interrupted\n", "alive\n", "")
    assert took < 1.5  # a second, on a machine that does other things as well
    assert not list(tmp_path.glob("out*"))


def test_trips_of_loops_are_limited(tmp_path):
    import numpy as np

    import octet

    with pytest.raises(octet.Error) as raised:
        octet.run(endless_loop(), np.zeros((64, 64), np.float32), max_trips=10)
    assert raised.value.code == "limit"


def test_bars_are_shown_in_a_terminal(monkeypatch):
    import octet
    import tqdm.auto

    seen = []

    class Bar:
        def __init__(self, **options):
            seen.append(options["desc"])

        def refresh(self):
            pass

        def close(self):
            pass

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    octet.evaluate("models/resnet8_int8.onnx", data="models/samples.npz")
    assert seen == ["evaluating"]
