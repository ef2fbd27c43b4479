"""Lets NumPy judge the arrays that `octet run` reads and writes: a model of Identity nodes, every type, every layout.

Usage: numpy_test.py OCTET
"""

import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

NUMPY_TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
               "float64"]
NAMES = ["plain", "with space", "conv1/x:0", "/abs", "../up", "a.npy", "größe", "dir/"]


def save_model(path, values):
    """One Identity from each name to name + "_out"; values gives the ONNX types and shapes."""
    inputs = [helper.make_tensor_value_info(name, *value) for name, value in values.items()]
    outputs = [helper.make_tensor_value_info(name + "_out", *value) for name, value in values.items()]
    nodes = [helper.make_node("Identity", [name], [name + "_out"]) for name in values]
    graph = helper.make_graph(nodes, "identities", inputs, outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def run(octet, folder, values, arrays, save=np.savez):
    save_model(folder / "model.onnx", values)
    save(folder / "x.npz", **arrays)
    subprocess.run([octet, "run", folder / "model.onnx", "--input", folder / "x.npz", "--output", folder / "y.npz"],
                   check=True, stdout=subprocess.DEVNULL)
    with np.load(folder / "y.npz") as archive:
        return {name: archive[name] for name in archive.files}


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and (a == b).all()


def every_type_and_layout(octet, folder):
    arrays = {d: np.arange(24).reshape(2, 3, 4).astype(d) for d in NUMPY_TYPES}
    values = {d: (helper.np_dtype_to_tensor_dtype(np.dtype(d)), array.shape) for d, array in arrays.items()}
    layouts = {
        "little-endian": lambda a: a,
        "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
        "Fortran": np.asfortranarray,
        "big-endian Fortran": lambda a: np.asfortranarray(a.astype(a.dtype.newbyteorder(">"))),
    }
    for layout, change in layouts.items():
        for save in (np.savez, np.savez_compressed):
            results = run(octet, folder, values, {d: change(array) for d, array in arrays.items()}, save)
            for d, array in arrays.items():
                assert same(results[d + "_out"], array), (layout, save.__name__, d, results[d + "_out"])
    return len(NUMPY_TYPES) * len(layouts) * 2


def scalars_and_empty_arrays(octet, folder):
    arrays = {"scalar": np.array(2.5, np.float32), "empty": np.zeros((0, 3), np.float32)}
    results = run(octet, folder, {n: (TensorProto.FLOAT, a.shape) for n, a in arrays.items()}, arrays)
    assert all(same(results[n + "_out"], a) for n, a in arrays.items())
    return len(arrays)


def names(octet, folder):
    arrays = {name: np.array([i], np.int32) for i, name in enumerate(NAMES)}
    results = run(octet, folder, {name: (TensorProto.INT32, (1,)) for name in NAMES}, arrays)
    assert all(same(results[name + "_out"], array) for name, array in arrays.items()), results
    return len(NAMES)


def types_numpy_lacks(octet, folder):
    values = {"bf": (TensorProto.BFLOAT16, (2,)), "bf_ml": (TensorProto.BFLOAT16, (2,)),
              "i4": (TensorProto.INT4, (2,)), "u4": (TensorProto.UINT4, (2,))}
    arrays = {"bf": np.array([1.5, 1 + 2**-9], np.float32), "bf_ml": np.array([1.5, -3], ml_dtypes.bfloat16),
              "i4": np.array([-8, 7], np.int8), "u4": np.array([0, 15], np.uint8)}
    results = run(octet, folder, values, arrays)
    assert same(results["bf_out"], np.array([1.5, 1], np.float32))
    assert same(results["bf_ml_out"], np.array([1.5, -3], np.float32))
    assert same(results["i4_out"], arrays["i4"]) and same(results["u4_out"], arrays["u4"])
    return len(values)


def main(octet):
    checks = [every_type_and_layout, scalars_and_empty_arrays, names, types_numpy_lacks]
    with tempfile.TemporaryDirectory() as folder:
        count = sum(check(octet, pathlib.Path(folder)) for check in checks)
    print(f"NumPy agrees on {count} arrays")


if __name__ == "__main__":
    main(*sys.argv[1:])
