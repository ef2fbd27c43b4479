"""InferenceSession, held to ONNX Runtime's."""

import gc
import multiprocessing
import os
import threading
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto

import octet
from conftest import FLOAT, QDQ, UINT8, identity


def image(batch=1, seed=0):
    return np.random.default_rng(seed).random((batch, 3, 32, 32), np.float32)


def exact_onnxruntime(path):
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("path", [QDQ, UINT8, FLOAT])
def test_switching_by_one_import_gives_the_same(path):
    theirs, ours = exact_onnxruntime(path), octet.InferenceSession(path, providers=["CPUExecutionProvider"])
    for mine, other in zip(ours.get_inputs() + ours.get_outputs(), theirs.get_inputs() + theirs.get_outputs(), strict=True):
        assert (mine.name, mine.type, mine.shape) == (other.name, other.type, other.shape)
    feed = {ours.get_inputs()[0].name: image(4)}
    wanted, found = theirs.run(None, feed), ours.run(None, feed)
    assert isinstance(found, list) and found[0].dtype == wanted[0].dtype
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5, atol=1e-7)
    assert (found[0].argmax(1) == wanted[0].argmax(1)).all()
    assert ours.get_providers() == ["CPUExecutionProvider"]
    assert ours.get_modelmeta().graph_name == theirs.get_modelmeta().graph_name


def test_integer_outputs_equal_onnxruntime_bit_for_bit(tmp_path):
    model = onnx.load(UINT8)
    inner = [node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear"]
    for name in inner:
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, TensorProto.UINT8, None))
    onnx.save(model, tmp_path / "m.onnx")
    feed = {"image": image(3)}
    wanted = exact_onnxruntime(tmp_path / "m.onnx").run(inner, feed)
    found = octet.InferenceSession(tmp_path / "m.onnx").run(inner, feed)
    assert len(found) == len(inner) > 10
    for mine, other in zip(found, wanted, strict=True):
        assert mine.dtype == other.dtype == np.uint8 and (mine == other).all()


def test_models_are_paths_bytes_protos_models_and_programs():
    proto = onnx.load(QDQ)
    forms = [QDQ, os.fspath(QDQ), proto, proto.SerializeToString(), octet.load_model(QDQ), octet.lower(QDQ)]
    results = [octet.InferenceSession(form).run(None, {"image": image()})[0] for form in forms]
    assert all((result == results[0]).all() for result in results)


def test_a_session_outlives_its_model():
    model = octet.load_model(QDQ)
    session = octet.InferenceSession(model)
    wanted = session.run(None, {"image": image()})[0]
    del model
    gc.collect()
    assert (session.run(None, {"image": image()})[0] == wanted).all()


def test_outputs_by_name_and_into_arrays_of_the_caller():
    session = octet.InferenceSession(QDQ)
    wanted, = session.run(["probabilities"], {"image": image(2)})
    mine = np.full((2, 10), -1, np.float32)
    for out in ([mine], {"probabilities": mine}):
        mine[:] = -1
        assert session.run(None, {"image": image(2)}, out=out)[0] is mine
        assert (mine == wanted).all()
    with pytest.raises(octet.Error, match="there is no output prob; there is probabilities"):
        session.run(["prob"], {"image": image()})
    for wrong in (mine[:, ::2], mine.astype(">f4"), mine.T, np.empty((3, 10), np.float32), np.empty((2, 10)), [1]):
        with pytest.raises(octet.Error):
            session.run(None, {"image": image(2)}, out=[wrong])
    frozen = mine.copy()
    frozen.flags.writeable = False
    with pytest.raises(octet.Error, match="can't be written in place"):
        session.run(None, {"image": image(2)}, out=[frozen])


def test_results_are_the_callers():
    session = octet.InferenceSession(identity({"x": (TensorProto.FLOAT, [None])}))
    x = np.arange(5000, dtype=np.float32)
    y, = session.run(None, {"x": x})
    y[:] = 7
    assert x[1] == 1 and y.flags.writeable
    first, second = (session.run(None, {"x": x})[0] for _ in range(2))
    first[:] = 0
    assert (second == x).all()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                                   "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (5, 7), (70, 80)])
def test_arrays_of_every_type_and_layout(dtype, shape):
    onnx_type = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    session = octet.InferenceSession(identity({"x": (onnx_type, [None] * len(shape))}))
    rng = np.random.default_rng(1)
    plain = rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    bytes_apart = np.empty(plain.nbytes + 1, np.uint8)[1:]
    bytes_apart[:] = plain.reshape(-1).view(np.uint8) if plain.size else bytes_apart
    forms = [plain, plain.copy(order="F"), plain.astype(plain.dtype.newbyteorder("S")), bytes_apart.view(dtype).reshape(shape)]
    if plain.ndim:
        forms += [np.repeat(plain, 2, axis=-1)[..., ::2], plain[::-1][::-1]]
    for form in forms:
        found, = session.run(None, {"x": form})
        assert found.dtype == plain.dtype and found.shape == plain.shape and (found == plain).all()


@pytest.mark.parametrize("dtype", ["bfloat16", "int4", "uint4", "float8_e4m3fn", "float8_e5m2"])
def test_types_that_numpy_lacks(dtype):
    ours = np.dtype(getattr(ml_dtypes, dtype))
    session = octet.InferenceSession(identity({"x": (onnx.helper.np_dtype_to_tensor_dtype(ours), [None])}))
    x = np.array([0, 1, 2, 3, 4, 6, 7], np.float32).astype(ours)
    found, = session.run(None, {"x": x})
    assert found.dtype == ours and (found.astype(np.float32) == x.astype(np.float32)).all()
    assert session.run(None, {"x": x[::2]})[0].shape == (4,)


def test_types_that_octet_does_not_compute_with():
    for dtype, x in ((TensorProto.STRING, np.array(["größe"])), (TensorProto.COMPLEX64, np.zeros(1, np.complex64))):
        with pytest.raises(octet.Error) as raised:
            octet.InferenceSession(identity({"x": (dtype, [None])})).run(None, {"x": x})
        assert raised.value.code == "unsupported"


def test_what_has_dlpack_is_taken():
    class Tensor:
        """As other libraries have them: DLPack, and no __array__."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    session = octet.InferenceSession(QDQ)
    assert (session.run(None, {"image": Tensor(image())})[0] == session.run(None, {"image": image()})[0]).all()


@pytest.mark.parametrize("feed, message", [
    ({"image": np.zeros((1, 3, 32, 32))}, "float64.*float32"),
    ({"image": np.zeros((1, 3, 32), np.float32)}, r"\[1,3,32\]"),
    ({"imag": np.zeros((1, 3, 32, 32), np.float32)}, "image"),
    ({}, "image"),
    (None, "wanted a dict"),
    ([1, 2], "wanted a dict"),
    ({1: 2}, "wanted a str"),
    ({"image": None}, "image"),
    ({"image": object()}, "image"),
    ({"image": np.array([object()])}, "image"),
    ({"image": [[1], [2, 3]]}, "image"),
    ({"image": np.zeros(3, "M8[s]")}, "datetime64"),
    ({"image": np.zeros(3, "f4,i4")}, "image"),
    ({"image": b"bytes"}, "image"),
])
def test_wrong_inputs_say_what_would_fit(feed, message):
    with pytest.raises(octet.Error, match=message) as raised:
        octet.InferenceSession(QDQ).run(None, feed)
    assert raised.value.code == "usage"


def test_an_array_may_change_while_it_runs():
    """Results may be anything then; the interpreter lives."""
    nonzero = onnx.helper.make_node("NonZero", ["x"], ["y"])
    graph = onnx.helper.make_graph([nonzero], "g", [onnx.helper.make_tensor_value_info("x", TensorProto.UINT8, [None])],
                                   [onnx.helper.make_tensor_value_info("y", TensorProto.INT64, [1, None])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    session, x = octet.InferenceSession(model), np.zeros(1 << 20, np.uint8)
    over = threading.Event()

    def change():
        while not over.is_set():
            x[:] = 1 - x

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(20):
            session.run(None, {"x": x})
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("sessions", [1, 8])
def test_eight_threads(sessions):
    pool = octet.ThreadPool(2)
    made = [octet.InferenceSession(UINT8, thread_pool=pool) for _ in range(sessions)]
    feeds = [{"image": image(1 + k % 3, seed=k)} for k in range(8)]
    wanted = [made[0].run(None, feed)[0] for feed in feeds]
    wrong = []

    def work(k):
        for _ in range(30):
            if not (made[k % sessions].run(None, feeds[k])[0] == wanted[k]).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def _in_child(session, wanted, answer):
    found = session.run(None, {"image": image(2)})[0]
    with octet_session() as fresh:
        answer.put(bool((found == wanted).all() and (fresh.run(None, {"image": image(2)})[0] == wanted).all()))


class octet_session:
    def __enter__(self):
        return octet.InferenceSession(QDQ)

    def __exit__(self, *_):
        pass


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_after_use():
    session = octet.InferenceSession(QDQ, threads=2)
    wanted = session.run(None, {"image": image(2)})[0]
    fork = multiprocessing.get_context("fork")
    answer = fork.Queue()
    child = fork.Process(target=_in_child, args=(session, wanted, answer))
    child.start()
    assert answer.get(timeout=60)
    child.join(30)
    assert child.exitcode == 0
    pid = os.fork()
    if pid == 0:  # ends as an interpreter does that knows nothing of it
        del session
        gc.collect()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def test_prepare_and_limits():
    session = octet.InferenceSession(QDQ, plan_memory="1M", memory="512M")
    session.prepare({"image": (8, 3, 32, 32)})
    assert session.run(None, {"image": image(8)})[0].shape == (8, 10)
    with pytest.raises(octet.Error):
        session.prepare({"image": (8, 3, 33, 32)})
    with pytest.raises(octet.Error, match="wanted"):
        session.prepare({"image": "abc"})
    with pytest.raises(octet.Error) as raised:
        octet.InferenceSession(QDQ, memory=1000).run(None, {"image": image(8)})
    assert raised.value.code == "limit"


def test_what_is_not_honoured_is_said():
    with pytest.warns(octet.OctetWarning, match="CUDAExecutionProvider"):
        octet.InferenceSession(QDQ, providers=["CUDAExecutionProvider"])
    options = octet.SessionOptions()
    options.intra_op_num_threads = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octet.InferenceSession(QDQ, options, providers=["CPUExecutionProvider"]).run(None, {"image": image()})


def test_errors_have_parts():
    with pytest.raises(octet.Error) as raised:
        octet.load_model("missing.onnx")
    assert raised.value.code == "io" and "missing.onnx" in str(raised.value) and raised.value.where == "missing.onnx"
    for wrong in (None, 3, object(), "", b"", b"no model", [QDQ]):
        with pytest.raises(octet.Error):
            octet.load_model(wrong)
