"""octet verify and the processes and files of a judge: whatever happens, nothing of them stays.

Usage: judge_process_test.py OCTET

Judges that fork twice into a session of their own, and verify ended from outside at random moments; judges that answer
with something that is no file; inputs that never end.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import onnx
from onnx import TensorProto, helper

OCTET = pathlib.Path(sys.argv[1]).resolve()
SEED = int.from_bytes(os.urandom(4), "little")
MOMENTS = random.Random(SEED)

# Two processes that left the judge's group, one of them an orphan, and the judge itself.
RUNAWAY = """#!/bin/sh
setsid sh -c 'sleep 1000 & sleep 1000' &
(setsid sleep 1000 &)
mkdir -p "$TMPDIR/mine" && echo unfinished >"$3.part"
exec sleep 1000
"""


def write_model(path):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "small", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def write_judge(path, script):
    path.write_text(script)
    path.chmod(0o755)
    return path


def running(mark):
    """Commands of the processes that have it in their environment."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass
    return found


class Run:
    def __init__(self, folder, *arguments):
        self.mark = f"octet-test-{uuid.uuid4()}"
        self.temporary = pathlib.Path(tempfile.mkdtemp(dir=folder))
        environment = {**os.environ, "TMPDIR": str(self.temporary), "OCTET_TEST_MARK": self.mark}
        self.process = subprocess.Popen([OCTET, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def wait_for_judge(self):
        while "sleep 1000" not in " ".join(running(self.mark)):
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.001)

    def wait_for_folder(self):
        while not any(self.temporary.iterdir()):
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.0005)

    def end(self, code, said):
        _, error = self.process.communicate(timeout=60)
        assert self.process.returncode == code, (self.process.returncode, error)
        assert said in error, error
        assert running(self.mark) == [], running(self.mark)
        assert list(self.temporary.iterdir()) == [], list(self.temporary.rglob("*"))


def ended_from_outside(folder, judge):
    count = 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for _ in range(5):
            run = Run(folder, "verify", "model.onnx", "--against", judge)
            run.wait_for_folder()
            time.sleep(MOMENTS.uniform(0, 0.1))
            run.process.send_signal(number)
            run.end(128 + number, f"octet: stopped by {number.name}\n")
            count += 1
        run = Run(folder, "verify", "model.onnx", "--against", judge)
        run.wait_for_judge()
        run.process.send_signal(number)
        run.end(128 + number, f"octet: stopped by {number.name}\n")
        count += 1
    return count


def killed_outright(folder, judge):
    """Nobody can clean up the folder then, but the judge goes."""
    run = Run(folder, "verify", "model.onnx", "--against", judge)
    run.wait_for_judge()
    run.process.kill()
    run.process.communicate()
    for _ in range(1000):
        if not running(run.mark):
            return
        time.sleep(0.01)
    raise AssertionError(running(run.mark))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder / "model.onnx")
        runaway = write_judge(folder / "runaway.sh", RUNAWAY)
        count = ended_from_outside(folder, runaway)
        killed_outright(folder, runaway)
        Run(folder, "verify", "model.onnx", "--against", runaway, "--time-limit", "1").end(
            2, "was not done after 1 seconds")

        for made in ("mkfifo", "ln -s /dev/zero", "mkdir"):
            judge = write_judge(folder / "judge.sh", f'#!/bin/sh\n{made} "$3"\n')
            Run(folder, "verify", "model.onnx", "--against", judge).end(2, "outputs.npz is not a regular file")
        judge = write_judge(folder / "judge.sh", '#!/bin/sh\nhead -c 3000000 /dev/zero >"$3"\n')
        Run(folder, "verify", "model.onnx", "--against", judge, "--memory", "4M").end(2, "at most 2097152 are read")

        for endless in ("/dev/zero", "/dev/urandom"):
            for ending in (".npy", ".npz"):
                (folder / f"endless{ending}").unlink(missing_ok=True)
                (folder / f"endless{ending}").symlink_to(endless)
                Run(folder, "run", "model.onnx", "--input", f"endless{ending}").end(2, "this is a device")
        os.mkfifo(folder / "pipe.npy")
        Run(folder, "run", "model.onnx", "--input", "pipe.npy").end(2, "this is a pipe that nobody writes to")
        Run(folder, "verify", "pipe.npy").end(2, "pipe.npy")
    print(f"stopped {count + 1} times, nothing left behind")


if __name__ == "__main__":
    try:
        main()
    except AssertionError:
        print(f"seed {SEED}", file=sys.stderr)
        raise
