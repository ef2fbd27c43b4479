"""Makes the models in models/ again, as models/README.md says, and compares them byte for byte; measures their ranges again,
where the training images are there, and compares them to a millionth.

Usage: reproduce.py OCTET
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"), "data/cifar10/train.bin")


def same_ranges(octet, folder):
    measured = pathlib.Path(folder, "measured.json")
    subprocess.run([octet, "quantize", ROOT / "models/resnet8.onnx", "-o", pathlib.Path(folder, "measured.onnx"),
                    "--data", IMAGES, "--save-ranges", measured], check=True, stdout=subprocess.DEVNULL)
    ours, theirs = (json.loads(path.read_text())["ranges"] for path in (measured, ROOT / "models/resnet8_ranges.json"))
    same = ours.keys() == theirs.keys()
    for tensor in ours.keys() & theirs.keys():
        width = theirs[tensor][1] - theirs[tensor][0]
        same &= all(abs(a - b) <= 1e-6 * width for a, b in zip(ours[tensor], theirs[tensor]))
    print(f"models/resnet8_ranges.json: {'the same' if same else 'DIFFERENT'}, to a millionth")
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
        if IMAGES.exists():
            differing += not same_ranges(octet, folder)
        else:
            print(f"models/resnet8_ranges.json is NOT MEASURED: there is no {IMAGES}; set OCTET_SHARED")
    if differing > 0 or len(made) < 4:
        return 1
    return 0 if IMAGES.exists() else 77


if __name__ == "__main__":
    sys.exit(main())
