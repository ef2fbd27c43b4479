"""Writes the backend test cases of the onnx package as folders, one case each, the way ONNX ships them:

    <case>/model.onnx, tolerance.txt (relative and absolute), test_data_set_<i>/{input,output}_<j>.pb

Usage: write_onnx_cases.py FOLDER [newest opset]

A case that the package writes in an opset newer than the newest one wanted is rewritten in that one where the standard
of that version accepts it, types included; otherwise it is left out and named. Does nothing when FOLDER is up to date.
"""

import hashlib
import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import numpy_helper


def message_of(value, info):
    """A value of a case in the format's encoding."""
    if isinstance(value, onnx.TensorProto):
        return value
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    if kind == "map_type":
        return numpy_helper.from_dict(value, info.name)
    return numpy_helper.from_array(value, info.name)


def in_opset(model, newest):
    """The model in an opset up to the newest one wanted, or None."""
    imports = [i for i in model.opset_import if i.domain in ("", "ai.onnx")]
    if len(imports) != len(model.opset_import):
        return None
    if imports[0].version <= newest:
        return model
    older = onnx.ModelProto()
    older.CopyFrom(model)
    older.opset_import[0].version = newest
    try:
        onnx.checker.check_model(older, full_check=True)
    except Exception:  # the checker raises several unrelated types
        return None
    return older


def write(case, model, folder):
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "tolerance.txt").write_text(f"{case.rtol} {case.atol}\n")
    for i, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir()
        for kind, values, infos in (("input", inputs, model.graph.input), ("output", outputs, model.graph.output)):
            for j, (value, info) in enumerate(zip(values, infos)):
                (data / f"{kind}_{j}.pb").write_bytes(message_of(value, info).SerializeToString())


def main():
    folder = pathlib.Path(sys.argv[1])
    newest = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    stamp = f"onnx {onnx.__version__} opset {newest} {hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()}\n"
    if (folder / "stamp").is_file() and (folder / "stamp").read_text() == stamp:
        print(f"{folder} is up to date")
        return

    warnings.simplefilter("ignore")  # the package computes infinities on purpose
    from onnx.backend.test.case.node import collect_testcases

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    written, left_out = 0, []
    for case in collect_testcases(None):
        model = in_opset(case.model, newest)
        if model is None:
            left_out.append(case.name)
            continue
        write(case, model, folder / case.name)
        written += 1
    (folder / "stamp").write_text(stamp)
    print(f"{written} cases of onnx {onnx.__version__} in {folder}, {len(left_out)} left out:", *left_out)


if __name__ == "__main__":
    main()
