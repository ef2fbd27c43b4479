"""Makes the models in models/ again, as models/README.md says, and compares them byte for byte; measures ranges on drawn
pictures, and compares them to a millionth with those that ONNX Runtime's float results have.

Usage: reproduce.py OCTET

Where the training images are, in $OCTET_SHARED/data/cifar10, ../shared/data/cifar10 unless set, the ranges in models/ are
measured again too.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures  # noqa: E402

IMAGES = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"), "data/cifar10/train.bin")


def measured(octet, folder, images):
    """The ranges that Octet measures, and the float model that it measures them in."""
    ranges, simplified = pathlib.Path(folder, "measured.json"), pathlib.Path(folder, "simplified.onnx")
    subprocess.run([octet, "quantize", ROOT / "models/resnet8.onnx", "-o", pathlib.Path(folder, "measured.onnx"), "--data", images,
                    "--save-ranges", ranges, "--save-simplified", simplified], check=True, stdout=subprocess.DEVNULL)
    return json.loads(ranges.read_text())["ranges"], simplified


def ranges_by_onnxruntime(model, images, tensors):
    """The least and the greatest of what ONNX Runtime computes, node by node."""
    model = onnx.load(model)
    given = model.graph.input[0].name
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in sorted(tensors) if name != given)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    results = dict(zip([o.name for o in session.get_outputs()], session.run(None, {given: images})), **{given: images})
    return {name: [float(values.min()), float(values.max())] for name, values in results.items()}


def same_ranges(title, ours, theirs):
    same = ours.keys() == theirs.keys() and len(ours) > 10
    for tensor in ours.keys() & theirs.keys():
        width = theirs[tensor][1] - theirs[tensor][0]
        same &= all(abs(a - b) <= 1e-6 * width for a, b in zip(ours[tensor], theirs[tensor]))
    print(f"{title}: {'the same' if same else 'DIFFERENT'}, to a millionth")
    return same


def main():
    octet = pathlib.Path(sys.argv[1]).resolve()
    commands = re.findall(r"^    octet (.*)$", (ROOT / "models/README.md").read_text(), re.M)
    commands = [command.split() for command in commands if "--data" not in command]  # ranges want the data set
    differing, made = 0, []
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder, "models")
        models.mkdir()
        for name in ("resnet8.onnx", "resnet8_ranges.json"):
            shutil.copy(ROOT / "models" / name, models)
        for command in commands:
            subprocess.run([octet, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            made.append(command[command.index("--json" if "--json" in command else "-o") + 1])
        for name in made:
            equal = pathlib.Path(folder, name).read_bytes() == (ROOT / name).read_bytes()
            differing += not equal
            print(f"{name}: {'the same' if equal else 'DIFFERENT'}")
        drawn = pictures(64).astype(np.float32) / np.float32(255)
        np.save(pathlib.Path(folder, "drawn.npy"), drawn)
        ours, simplified = measured(octet, folder, pathlib.Path(folder, "drawn.npy"))
        differing += not same_ranges("ranges on drawn pictures", ours, ranges_by_onnxruntime(simplified, drawn, ours))
        if IMAGES.exists():
            stored = json.loads((ROOT / "models/resnet8_ranges.json").read_text())["ranges"]
            differing += not same_ranges("models/resnet8_ranges.json", measured(octet, folder, IMAGES)[0], stored)
        else:
            print(f"models/resnet8_ranges.json is not measured again: there is no {IMAGES}; OCTET_SHARED says where the data is")
    return 1 if differing > 0 or len(made) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
