"""Judges loading and saving with the onnx package: round_trip.py RESAVE [CASES]

Models are written by onnx, loaded and saved by Octet (the program RESAVE), and read by onnx again. They must be equal as
messages, apart from how a tensor's elements are encoded, where onnx must read the same array, and pass onnx's checker
where the original does. CASES is a folder with more models, such as the ONNX node tests."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import onnx
from google.protobuf.message import Message
from onnx import AttributeProto, TensorProto, numpy_helper

import sample_models

DATA_FIELDS = ("raw_data", "float_data", "int32_data", "string_data", "int64_data", "double_data", "uint64_data",
               "external_data", "data_location")
UNKNOWN_FIELD = b"\xc0\x3e\x07"  # field 1000, a number, in no version of the format


def messages(message):
    """The message and every message in it."""
    yield message
    for field, content in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for child in [content] if isinstance(content, Message) else content:
                yield from messages(child)


def elements(tensor):
    return numpy_helper.to_array(tensor).tobytes() if tensor.data_type != TensorProto.STRING else [*tensor.string_data]


def untyped(attribute):
    """Attributes of the first IR version: the type is that of the field in use."""
    kinds = {"f": "FLOAT", "i": "INT", "s": "STRING", "t": "TENSOR", "g": "GRAPH"}
    for field, _ in attribute.ListFields():
        if field.name in kinds:
            return AttributeProto.AttributeType.Value(kinds[field.name])
    return AttributeProto.UNDEFINED


def normalize(model):
    """Takes out what may differ: returns the elements of all tensors that Octet interprets, in order, and clears them;
    fields that say what their absence says; the order of attributes; the long name of the standard domain."""
    # Python's objects for messages are made on demand: while these are held, their identity is the message's.
    held = [t for m in messages(model) if isinstance(m, (onnx.SparseTensorProto, onnx.TrainingInfoProto))
            for t in messages(m)]
    kept_as_bytes = {id(t) for t in held}
    for message in messages(model):
        if isinstance(message, (onnx.NodeProto, onnx.FunctionProto, onnx.OperatorSetIdProto)):
            message.domain = "" if message.domain == "ai.onnx" else message.domain
        if isinstance(message, onnx.NodeProto):
            ordered = sorted(message.attribute, key=lambda a: a.name)
            del message.attribute[:]
            message.attribute.extend(ordered)
        if isinstance(message, AttributeProto) and not message.type:
            message.type = untyped(message)
    found = []
    for message in messages(model):
        if isinstance(message, TensorProto) and id(message) not in kept_as_bytes:
            found.append(elements(message))
            for field in DATA_FIELDS:
                message.ClearField(field)
        for field, content in message.ListFields():
            if not isinstance(content, Message) and not hasattr(content, "__len__") and content == field.default_value:
                message.ClearField(field.name)
            elif isinstance(content, (str, bytes)) and not content:
                message.ClearField(field.name)
    return found


def passes_checker(path):
    try:
        onnx.checker.check_model(str(path))
        return True
    except onnx.checker.ValidationError:
        return False


def with_unknown_fields(model):
    for message in list(messages(model)):
        message.MergeFromString(UNKNOWN_FIELD)
    return model


def write_samples(folder):
    (folder / "unknown").mkdir(parents=True)
    for name, model in sample_models.samples():
        onnx.save(model, folder / f"{name}.onnx")
        onnx.save(with_unknown_fields(model), folder / "unknown" / f"{name}.onnx")
    for one_file in (True, False):
        for attributes in (True, False):
            place = folder / f"external_{one_file}_{attributes}"
            place.mkdir()
            for name, model in sample_models.samples():
                onnx.save(model, place / f"{name}.onnx", save_as_external_data=True, all_tensors_to_one_file=one_file,
                          location=f"{name}.data" if one_file else None, size_threshold=0, convert_attribute=attributes)


def differences(before, after):
    for path in sorted(before.rglob("*.onnx")):
        original, saved = onnx.load(path), onnx.load(after / path.relative_to(before))
        checked = passes_checker(path)
        wanted, found = normalize(original), normalize(saved)
        if wanted != found:
            yield path, "other elements"
        elif original.SerializeToString(deterministic=True) != saved.SerializeToString(deterministic=True):
            yield path, f"other messages:\n{original}\nbecame\n{saved}"
        elif checked and not passes_checker(after / path.relative_to(before)):
            yield path, "onnx's checker does not accept it any more"
        else:
            yield path, None


def run(resave, before, after, threshold):
    subprocess.run([resave, before, after, str(threshold)], check=True)
    results = list(differences(before, after))
    failed = [(path, reason) for path, reason in results if reason]
    for path, reason in failed:
        print(f"{path.relative_to(before)}: {reason}")
    print(f"{len(results) - len(failed)} of {len(results)} models survived, threshold {threshold}")
    return len(results) > 0 and not failed


def main():
    resave = sys.argv[1]
    ok = True
    with tempfile.TemporaryDirectory() as scratch:
        samples = pathlib.Path(scratch) / "samples"
        write_samples(samples)
        for threshold in (-1, 0, 4):
            ok = run(resave, samples, pathlib.Path(scratch) / f"saved{threshold}", threshold) and ok
        if len(sys.argv) > 2 and pathlib.Path(sys.argv[2]).is_dir():
            cases = pathlib.Path(scratch) / "cases"
            shutil.copytree(sys.argv[2], cases, ignore=lambda folder, names: [n for n in names if n.endswith(".pb")])
            ok = run(resave, cases, pathlib.Path(scratch) / "saved_cases", -1) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
