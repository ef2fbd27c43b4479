"""Memory does not grow, however often a network is loaded, run and deleted."""

import gc
import os

import numpy as np

import octet
from conftest import QDQ, identity
from onnx import TensorProto


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def grown_by(work, warm_up, count):
    for _ in range(warm_up):
        work()
    gc.collect()
    before = resident()
    for _ in range(count):
        work()
    gc.collect()
    return resident() - before


def test_ten_thousand_loads_runs_and_deletions():
    proto = identity({"x": (TensorProto.FLOAT, [None, 64])}, "Relu").SerializeToString()
    x = np.ones((16, 64), np.float32)

    def work():
        session = octet.InferenceSession(octet.load_model(proto), threads=1)
        session.run(None, {"x": x})

    assert grown_by(work, 1000, 10000) < 4 << 20


def test_results_and_errors_are_freed():
    session = octet.InferenceSession(QDQ)
    x = np.zeros((32, 3, 32, 32), np.float32)

    def work():
        session.run(None, {"image": x})
        session.run(None, {"image": x[:, :, ::-1]})
        octet.run(QDQ, x)
        try:
            session.run(None, {"image": x.astype(float)})
        except octet.Error:
            pass

    assert grown_by(work, 20, 200) < 16 << 20
