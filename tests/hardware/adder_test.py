"""The residual adder in Verilog on all pairs of bytes, beside ONNX Runtime's QLinearAdd.

Usage: adder_test.py OCTET

With the constants of ResNet8's additions as they were exported; and with exceptions, which ResNet8's have not.
"""

import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from exported import Exported, Memory, ROOT, require_tools, run


def addition_model(path, scales, zero_points, shape):
    kind = zero_points[0].dtype
    names = ["a_scale", "a_zero", "b_scale", "b_zero", "y_scale", "y_zero"]
    constants = [value for pair in zip(scales, zero_points) for value in pair]
    node = helper.make_node("QLinearAdd", ["a", *names[:2], "b", *names[2:]], ["y"], domain="com.microsoft")
    element = helper.np_dtype_to_tensor_dtype(kind)
    graph = helper.make_graph([node], "addition", [helper.make_tensor_value_info(n, element, shape) for n in "ab"],
                              [helper.make_tensor_value_info("y", element, shape)],
                              [numpy_helper.from_array(np.asarray(v), n) for n, v in zip(names, constants)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def wanted_of(folder, scales, zero_points):
    """ONNX Runtime's bytes for every pair, a first."""
    kind = zero_points[0].dtype
    path = folder / "addition.onnx"
    addition_model(path, scales, zero_points, shape=(65536,))
    a, b = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8), indexing="ij")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"a": a.ravel().view(kind), "b": b.ravel().view(kind)})[0].view(np.uint8)


def simulated(folder, modules, parameters, is_signed, record):
    (folder / "record.hex").write_text(record + "\n")
    settings = {"M_BITS": "ADD_M_BITS", "SUM_BITS": "ADD_SUM_BITS", "SHIFT_BITS": "ADD_SHIFT_BITS", "EXCEPTIONS": "ADD_EXCEPTIONS"}
    values = {name: parameters[source] for name, source in settings.items()} | {"IS_SIGNED": int(is_signed)}
    run("iverilog", "-g2005", "-Wall", "-s", "adder_bench", "-o", folder / "adder",
        *(f"-Padder_bench.{name}={value}" for name, value in values.items()),
        *(modules / f"octet_{name}.v" for name in ("residual_adder", "multiplier", "shift_saturate")),
        ROOT / "tests/hardware/adder_bench.v")
    run("vvp", "-n", folder / "adder", cwd=folder)
    lines = (folder / "results.hex").read_text().splitlines()
    words = [word for line in lines if not line.startswith("//") for word in line.split()]
    assert len(words) == 65536, len(words)
    return np.array([int(word, 16) for word in words], np.uint8)


def check_resnet8(octet, folder):
    for kind in (np.int8, np.uint8):
        exported = Exported(octet, ROOT / f"models/resnet8_{np.dtype(kind).name}.onnx", folder / np.dtype(kind).name, 64)
        memory = Memory(exported.folder / "additions.hex")
        said = {step["name"].replace(".", "_"): step["constants"] for step in exported.program["steps"]}
        for number, name in enumerate(exported.names):
            if not name.endswith("_add"):
                continue
            parameters = [*said[name]["inputs"], said[name]["output"]]
            scales = [np.float32(p["scale"]) for p in parameters]
            zero_points = [kind(p["zero_point"]) for p in parameters]
            record = memory.lines[number]
            got = simulated(folder, exported.folder, exported.parameters, kind == np.int8, record)
            wanted = wanted_of(folder, scales, zero_points)
            assert (got == wanted).all(), name
            print(f"{np.dtype(kind).name}, {name}: all 65,536 pairs equal")
        check_exceptions(folder, exported, kind, record, wanted)


def check_exceptions(folder, exported, kind, record, wanted):
    """Runs of b with a value of their own, at both ends and in the middle."""
    exceptions = [(0, 0, 3, 200), (255, 250, 255, 7), (77, 100, 100, 1)]  # a, first, last, value, as bytes
    slots, wanted = 0, wanted.copy()
    for e, (a, first, last, value) in enumerate(exceptions):
        wanted[a * 256 + first:a * 256 + last + 1] = value
        numbers = [int(np.uint8(byte).astype(kind)) & 511 for byte in (a, first, last)]
        slots |= (numbers[0] | numbers[1] << 9 | numbers[2] << 18 | value << 27 | 1 << 35) << 36 * e
    p = exported.parameters
    below = 2 * p["ADD_M_BITS"] + p["ADD_SUM_BITS"] + p["ADD_SHIFT_BITS"]
    line = int(record, 16) & ((1 << below) - 1) | slots << below
    parameters = p | {"ADD_EXCEPTIONS": len(exceptions)}
    assert (simulated(folder, exported.folder, parameters, kind == np.int8, f"{line:x}") == wanted).all()


def main():
    require_tools("iverilog", "vvp")
    with tempfile.TemporaryDirectory() as folder:
        check_resnet8(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))


main()
