#!/usr/bin/env python3
"""octet verify with little memory: the same verdicts from more runs, and bounded files and processes.

    verify_memory.py OCTET

ResNet8 in uint8 and as a dynamic network, on a batch of made-up images.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OCTET = pathlib.Path(sys.argv[1]).resolve()
MEGABYTE = 1 << 20
BASE = 60 * MEGABYTE  # of octet with the model, measured at 30


def watch(process, folder):
    """The largest answer of the judge, and the most memory that octet took, until it ends."""
    answer = resident = 0
    while process.poll() is None:
        try:
            answer = max(answer, *(file.stat().st_size for file in folder.rglob("outputs.npz")), 0)
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            resident = max(resident, *(int(kilobytes) * 1024 for kilobytes in re.findall(r"VmHWM:\s*(\d+)", status)), 0)
        except OSError:
            pass
        time.sleep(0.002)
    return answer, resident


def verify(model, memory, batch):
    """What it found, the largest answer of the judge, and the most memory that octet took."""
    with tempfile.TemporaryDirectory() as name:
        temporary = pathlib.Path(name, "temporary")
        temporary.mkdir()
        facts = pathlib.Path(name, "facts.json")
        command = [OCTET, "verify", model, "--dim", f"N={batch}", "--memory", f"{memory}", "--json", facts, "--python",
                   sys.executable]
        process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)})
        answer, resident = watch(process, temporary)
        assert process.returncode == 0, process.returncode
        return json.loads(facts.read_text())["runs"], answer, resident


def check(model, batch, little):
    much, whole_answer, whole_resident = verify(model, 4096 * MEGABYTE, batch)
    few, answer, resident = verify(model, little, batch)
    runs = 0
    for whole, parts in zip(much, few, strict=True):
        assert whole["runs"] == 1 and parts["runs"] > 1, (whole["runs"], parts["runs"])
        runs += parts["runs"]
        for key in ("verdict", "end_to_end", "steps", "witnesses", "missing"):
            assert whole[key] == parts[key], (key, whole["summary"], parts["summary"])
    assert answer <= little / 4 * 1.05 + 100000, (answer, little)
    assert whole_answer > answer, (whole_answer, answer)
    assert resident <= BASE + 1.5 * little, (resident, little)
    print(f"{pathlib.Path(model).name}: answers of {whole_answer >> 20} MB, or {runs} of {answer >> 20} MB at most; "
          f"{whole_resident >> 20} MB of memory, or {resident >> 20}")


def main():
    with tempfile.TemporaryDirectory() as name:
        dynamic = pathlib.Path(name, "dynamic.onnx")
        subprocess.run([OCTET, "quantize", ROOT / "models/resnet8.onnx", "-o", dynamic, "--dynamic"], check=True,
                       stdout=subprocess.DEVNULL)
        check(ROOT / "models/resnet8_uint8.onnx", 64, 16 * MEGABYTE)
        check(dynamic, 96, 128 * MEGABYTE)


if __name__ == "__main__":
    main()
