"""octet.quantization beside onnxruntime.quantization."""

import inspect

import numpy as np
import onnxruntime.quantization as theirs
import pytest

import octet
import octet.quantization as ours
from conftest import FLOAT


class Reader(theirs.CalibrationDataReader):
    def __init__(self, batches=3):
        self.batches = iter([{"image": np.random.default_rng(k).random((4, 3, 32, 32), np.float32)} for k in range(batches)])

    def get_next(self):
        return next(self.batches, None)


@pytest.mark.parametrize("name", ["quantize_static", "quantize_dynamic"])
def test_arguments_are_onnxruntimes(name):
    wanted = inspect.signature(getattr(theirs, name)).parameters
    found = inspect.signature(getattr(ours, name)).parameters
    assert list(found) == list(wanted)
    for argument in wanted:
        default, mine = wanted[argument].default, found[argument].default
        assert getattr(mine, "name", mine) == getattr(default, "name", default)


def test_static_takes_their_reader_and_enumerators(tmp_path):
    ours.quantize_static(FLOAT, tmp_path / "a.onnx", Reader(), quant_format=theirs.QuantFormat.QOperator, per_channel=True,
                         activation_type=theirs.QuantType.QUInt8, calibrate_method=theirs.CalibrationMethod.MinMax,
                         nodes_to_exclude=["conv"])
    ours.quantize_static(FLOAT, tmp_path / "b.onnx", Reader(), quant_format=ours.QuantFormat.QOperator, per_channel=True,
                         activation_type=ours.QuantType.QUInt8, nodes_to_exclude=["conv"])
    made = [octet.load_model(tmp_path / name) for name in ("a.onnx", "b.onnx")]
    assert made[0].to_bytes() == made[1].to_bytes()
    nodes = octet.inspect(made[0]).nodes
    assert any(node.name == "conv" and node.op_type == "Conv" for node in nodes)
    assert any(node.op_type == "QLinearConv" for node in nodes)


def test_dynamic_and_single_nodes(tmp_path):
    ours.quantize_dynamic(FLOAT, tmp_path / "d.onnx", op_types_to_quantize=["Gemm"])
    assert any(node.op_type == "MatMulInteger" for node in octet.inspect(tmp_path / "d.onnx").nodes)
    ours.quantize_static(FLOAT, tmp_path / "s.onnx", Reader(), nodes_to_quantize=["logits"])
    steps = octet.lower(tmp_path / "s.onnx").steps
    assert steps["logits"].integer and not steps["conv"].integer


def test_what_is_not_honoured_is_said(tmp_path):
    with pytest.warns(octet.OctetWarning, match="use_external_data_format, extra_options AddQDQPairToWeight"):
        ours.quantize_static(FLOAT, tmp_path / "s.onnx", Reader(), use_external_data_format=True,
                             extra_options={"AddQDQPairToWeight": True, "ActivationSymmetric": True})
    with pytest.raises(octet.Error, match="calibrate_method"):
        ours.quantize_static(FLOAT, tmp_path / "s.onnx", Reader(), calibrate_method="best")
