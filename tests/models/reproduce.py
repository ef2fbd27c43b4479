"""Makes the models in models/ again, as models/README.md says, and compares them byte for byte.

Usage: reproduce.py OCTET
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
    return differing > 0 or len(made) < 4


if __name__ == "__main__":
    sys.exit(main())
