"""Writes the backend test cases of the onnx package as folders, one case each, the way ONNX ships them:

    <case>/model.onnx, tolerance.txt (relative and absolute), test_data_set_<i>/{input,output}_<j>.pb

Usage: write_onnx_cases.py FOLDER

FOLDER gets three folders:

- onnx_cases: all node cases, in the newest opset of the package. A case that the standard of that version does not accept stays in its
  own.
- onnx_cases_17: the same in opsets up to 17, for the older definitions of operators. Reductions have their axes as an attribute. A
  case that opset 17 does not accept, types included, is left out and named.
- onnx_shipped: the cases that the package ships as files: networks and operators that PyTorch wrote in opset 6 and before, and
  small models of several nodes.

Does nothing when FOLDER is up to date.
"""

import hashlib
import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import helper, numpy_helper


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


def with_axes_as_attribute(model, data_sets):
    """A reduction as it was up to opset 17, where its axes are an attribute: the model and its data without that input. Everything
    else is returned as it is."""
    node = model.graph.node[0]
    if (len(model.graph.node) != 1 or not node.op_type.startswith("Reduce") or node.op_type == "ReduceSum" or len(node.input) != 2
            or len(data_sets) != 1 or len(model.graph.input) != 2 or any(a.name == "noop_with_empty_axes" for a in node.attribute)):
        return model, data_sets
    (inputs, outputs), = data_sets
    older = onnx.ModelProto()
    older.CopyFrom(model)
    del older.graph.node[0].input[1], older.graph.input[1]
    if inputs[1].size:
        older.graph.node[0].attribute.append(helper.make_attribute("axes", [int(axis) for axis in inputs[1]]))
    return older, [(inputs[:1], outputs)]


def is_valid(model):
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception:  # the checker raises several unrelated types
        return False
    return True


def in_newest_opset(model, data_sets):
    """The model in the newest opset, where that has its operators as they are, and its data."""
    newer = onnx.ModelProto()
    newer.CopyFrom(model)
    for opset in newer.opset_import:
        if opset.domain in ("", "ai.onnx"):
            opset.version = onnx.defs.onnx_opset_version()
    newer.ir_version = max(newer.ir_version, helper.find_min_ir_version_for(newer.opset_import))
    return newer if is_valid(newer) else model, data_sets


def in_older_opset(model, data_sets, newest):
    """The model in an opset up to the newest one wanted, and its data; or None."""
    imports = [i for i in model.opset_import if i.domain in ("", "ai.onnx")]
    if len(imports) != len(model.opset_import):
        return None
    if imports[0].version <= newest:
        return model, data_sets
    older = onnx.ModelProto()
    older.CopyFrom(model)
    older.opset_import[0].version = newest
    if newest < 18:
        older, data_sets = with_axes_as_attribute(older, data_sets)
    return (older, data_sets) if is_valid(older) else None


def write(model, data_sets, tolerance, folder):
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "tolerance.txt").write_text(tolerance)
    for i, (inputs, outputs) in enumerate(data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir()
        for kind, values, infos in (("input", inputs, model.graph.input), ("output", outputs, model.graph.output)):
            for j, (value, info) in enumerate(zip(values, infos)):
                (data / f"{kind}_{j}.pb").write_bytes(message_of(value, info).SerializeToString())


def write_node_cases(cases, folder, rewrite):
    """Writes what `rewrite` makes of the models and data of the cases, but for None."""
    folder.mkdir(parents=True)
    written, left_out = 0, []
    for case in cases:
        rewritten = rewrite(case.model, case.data_sets)
        if rewritten is None:
            left_out.append(case.name)
            continue
        write(*rewritten, f"{case.rtol} {case.atol}\n", folder / case.name)
        written += 1
    print(f"{written} cases of onnx {onnx.__version__} in {folder}, {len(left_out)} left out:", *left_out)


def copy_shipped_cases(folder):
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    for kind in ("pytorch-converted", "pytorch-operator", "simple"):
        shutil.copytree(data / kind, folder, dirs_exist_ok=True)
    print(f"{len(list(folder.iterdir()))} cases of onnx {onnx.__version__} in {folder}")


def main():
    folder = pathlib.Path(sys.argv[1])
    stamp = f"onnx {onnx.__version__} {hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()}\n"
    if (folder / "stamp").is_file() and (folder / "stamp").read_text() == stamp:
        print(f"{folder} is up to date")
        return

    warnings.simplefilter("ignore")  # the package computes infinities on purpose
    from onnx.backend.test.case.node import collect_testcases

    shutil.rmtree(folder, ignore_errors=True)
    cases = collect_testcases(None)
    write_node_cases(cases, folder / "onnx_cases", in_newest_opset)
    write_node_cases(cases, folder / "onnx_cases_17", lambda *case: in_older_opset(*case, 17))
    copy_shipped_cases(folder / "onnx_shipped")
    (folder / "stamp").write_text(stamp)


if __name__ == "__main__":
    main()
