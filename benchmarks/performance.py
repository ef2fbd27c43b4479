"""Measures networks in Octet beside ONNX Runtime and OpenVINO and writes a page and its pictures: docs/performance.md on a CPU without
VNNI, docs/performance-vnni.md on one that has it.

Usage: performance.py OCTET DOCS

Every measurement is one `octet bench`, in which all contenders run by turns. On a CPU with VNNI it is made twice: as this CPU is, and as on
one that has AVX2 and neither AVX-512 nor VNNI (tools/as_cpu). Needs the packages of tools/requirements.txt and
tools/requirements-bench.txt, and the data and networks of $OCTET_SHARED, ../shared unless set.
"""

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared"))
RESNET8, MOBILENET = ROOT / "models/resnet8_uint8.onnx", SHARED / "models/mobilenetv2-12-qdq.onnx"
SETTINGS = {1: 1, 32: 2}  # threads by batch
SECONDS = "2"
ROUNDS = 7  # of whole processes
FLAGS = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
VNNI = bool({"avx512_vnni", "avx_vnni"} & set(FLAGS))
# How a command is run, and the picture that is drawn, by the heading of what comes out.
WAYS = {
    "as this CPU is": ((), "performance_vnni.svg"),
    "as on a CPU with AVX2 and without VNNI": (
        (sys.executable, ROOT / "tools/as_cpu/as_cpu.py", "avx2"), "performance_vnni_as_avx2.svg"),
} if VNNI else {"with AVX2 and without VNNI": ((), "performance.svg")}
CONTENDERS = ("ONNX Runtime", "ONNX Runtime, exact", "OpenVINO", "ONNX Runtime, float")


def octet(*arguments, way=()):
    done = subprocess.run([*way, sys.argv[1], *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "OCTET_PYTHON": sys.executable})
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def engine():
    names = [known["name"] for known in json.loads(octet("version", "--json", "-"))["engines"]]
    return "fast" if "fast" in names else names[0]


class Network:
    """A model, the float one that it was made of, and 32 samples of its input, made up where there are none."""

    def __init__(self, title, path, float_path=None, samples=None, batches=tuple(SETTINGS)):
        self.title, self.path, self.float_path, self.samples, self.batches = title, path, float_path, samples, batches

    def input(self, batch, folder):
        if self.samples is None:
            return "--batch", batch
        np.save(folder / "input.npy", self.samples[:batch])
        return "--input", folder / "input.npy"

    def measure(self, name, batch, way, folder):
        against = "onnxruntime,openvino" + (f",float={self.float_path}" if self.float_path else "")
        facts = json.loads(octet("bench", self.path, "--engine", name, "--against", against, "--threads", SETTINGS[batch],
                                 *self.input(batch, folder), "--seconds", SECONDS, "--json", "-", way=way))
        (measurement,) = facts["measurements"]
        return {contender["name"].partition("Octet, ")[0] or "Octet": contender for contender in measurement["contenders"]}


def cifar(name, count):
    raw = np.fromfile(SHARED / "data/cifar10" / name, np.uint8).reshape(-1, 3073)[:count]
    return raw[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / np.float32(255)


def quantized(path, calibration, folder):
    np.save(folder / "calibration.npy", calibration)
    result = folder / f"{path.stem}_int8.onnx"
    octet("quantize", path, "-o", result, "--data", folder / "calibration.npy")
    return result


def networks(folder):
    """Calibrated as in accuracy.py."""
    images, training = cifar("test.bin", 32), cifar("train.bin", 256)
    words = np.load(SHARED / "data/kws01_inputs.npz")["x_nchw"]
    resnet8, spotter = ROOT / "models/resnet8.onnx", SHARED / "models/mlperf_tiny_kws_dscnn.onnx"
    small = SHARED / "mobilenet/mobilenet_cifar10.onnx"
    yield Network("ResNet8, uint8", RESNET8, resnet8, images)
    yield Network("ResNet8, int8", ROOT / "models/resnet8_int8.onnx", resnet8, images)
    yield Network("ResNet8, float", resnet8, None, images)
    yield Network("MobileNetV2 for 32 x 32 pixels, int8", quantized(small, training, folder), small, images)
    yield Network("Keyword spotter (DS-CNN), int8", quantized(spotter, words[:256], folder), spotter, words[:32])
    yield Network("MobileNetV2, uint8", MOBILENET)
    # One scale for all samples of a batch: what a sample gives would depend on the others.
    yield Network("MobileNetV2, dynamic", SHARED / "models/mobilenetv2_dynamic.onnx", batches=(1,))


def duration(nanoseconds):
    return f"{nanoseconds / 1e6:.2f} ms" if nanoseconds >= 1e6 else f"{nanoseconds / 1e3:.1f} us"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *("| " + " | ".join(row) + " |" for row in rows), ""]


def speed_cell(contender, octet):
    if contender is None:
        return ""
    if "refusal" in contender:
        return "can't run it"
    return f"{duration(contender['least_ns'])}, **{contender['least_ns'] / octet['least_ns']:.2f}**"


def exact_cell(contender):
    if contender is None or "refusal" in contender:
        return ""
    return f"{contender['exact_rows']} of {contender['rows']}"


def section(heading, measured):
    """measured: by network and batch, the contenders by name."""
    lines = [f"## Speed, {heading}", ""]
    for batch, threads in SETTINGS.items():
        lines += [f"Batch {batch}, {threads} thread{'s' if threads > 1 else ''}; time of a run, and how many times faster Octet is:", ""]
        lines += table(["network", "Octet", *CONTENDERS], [
            [title, duration(found["Octet"]["least_ns"]), *(speed_cell(found.get(name), found["Octet"]) for name in CONTENDERS)]
            for (title, size), found in measured.items() if size == batch])
    largest = max(SETTINGS)
    lines += [f"Rows of the output that are exact, of a batch of {largest}:", ""]
    return lines + table(["network", "Octet", *CONTENDERS], [
        [title, *(exact_cell(found.get(name)) for name in ("Octet", *CONTENDERS))]
        for (title, size), found in measured.items() if size == largest])


# Linux counts what a process had before it became another program, and so the memory of whoever started it: a small one does.
STARTER = """
import resource, subprocess, sys, time
start = time.monotonic()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def process(*command):
    """Seconds on the clock, and the largest memory in MB, of a process that is run to its end."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, *map(str, command)], stdout=subprocess.PIPE, text=True, check=True)
    code, seconds, kilobytes = done.stdout.split()
    if code != "0":
        sys.exit(f"{command} ended with code {code}")
    return float(seconds), int(kilobytes) / 1024


RUN_ONCE = """
import sys
import numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
value = session.get_inputs()[0]
session.run(None, {value.name: numpy.zeros([size if isinstance(size, int) else 1 for size in value.shape], numpy.float32)})
"""


def start_up(name, measured):
    """Whole processes by turns, and what bench says of loading."""
    commands = {}
    for title, model, symbol in (("ResNet8", RESNET8, "N"), ("MobileNetV2", MOBILENET, "batch_size")):
        commands[f"`octet run`, {title}"] = (sys.argv[1], "run", model, "--random", "1", "--dim", f"{symbol}=1", "--engine", name)
        commands[f"ONNX Runtime in Python, {title}"] = (sys.executable, "-c", RUN_ONCE, model)
    commands["`python -c 'import onnxruntime'`"] = (sys.executable, "-c", "import onnxruntime")
    found = {title: [] for title in commands}
    for _ in range(ROUNDS):
        for title, command in commands.items():
            found[title].append(process(*command))
    rows = [[title, f"{1e3 * statistics.median(seconds for seconds, _ in runs):.0f} ms",
             f"{statistics.median(memory for _, memory in runs):.0f} MB"] for title, runs in found.items()]
    lines = ["## Start and memory", "", "A process from its start to its end, one inference in it but for the last row; the largest memory that it had:", "",
             *table(["process", "time", "memory"], rows), "From the file until it can run, one thread:", ""]
    names = ("Octet", "ONNX Runtime", "OpenVINO")
    return lines + table(["network", *names], [
        [title, *(duration(found[name]["load_ns"]) if "load_ns" in found.get(name, {}) else "" for name in names)]
        for (title, batch), found in measured.items() if batch == 1])


def whole_commands(folder):
    """Commands on CIFAR-10 with the fast engine and with the reference engine, whose results are the same, by turns; and ONNX Runtime's quantizer."""
    images, training, result = SHARED / "data/cifar10/test.bin", folder / "training.bin", folder / "quantized.onnx"
    training.write_bytes((SHARED / "data/cifar10/train.bin").read_bytes()[:1000 * 3073])
    int8, float_model = ROOT / "models/resnet8_int8.onnx", ROOT / "models/resnet8.onnx"
    commands = {
        "`evaluate`, ResNet8 int8, 10,000 images": ("evaluate", int8, "--data", SHARED / "data/cifar10/test_jpeg.bin"),
        "`evaluate`, ResNet8 float, 1,000 images": ("evaluate", float_model, "--data", images, "--samples", "1000"),
        "`quantize`, ResNet8, min-max, 1,000 images": ("quantize", float_model, "-o", result, "--data", training),
        "`simulate --pitfalls`, ResNet8 uint8, 200 images": ("simulate", RESNET8, "--pitfalls", "--data", images, "--samples", "200"),
        "`verify`, ResNet8 uint8, 200 images": ("verify", RESNET8, "--data", images, "--samples", "200"),
    }
    theirs = {"`quantize`, ResNet8, min-max, 1,000 images": (
        sys.executable, ROOT / "benchmarks/quantizing.py", float_model, training, folder / "theirs.onnx", "minmax")}
    os.environ["OCTET_PYTHON"] = sys.executable
    rows = []
    for title, command in commands.items():
        contenders = {name: (sys.argv[1], *command, "--engine", name) for name in ("fast", "reference")}
        if title in theirs:
            contenders["theirs"] = theirs[title]
        least = {name: float("inf") for name in contenders}
        for _ in range(3):
            for name, words in contenders.items():
                least[name] = min(least[name], process(*words)[0])
        cells = [f"{least[name]:.2f} s, **{least[name] / least['fast']:.1f}**" if name in least else "" for name in ("reference", "theirs")]
        rows.append([title, f"{least['fast']:.2f} s", *cells])
        print(*rows[-1], sep=", ", flush=True)
    return ["## Whole commands", "", "Processes from start to end, both cores, and how many times faster the fast engine makes them. Results are the same:", "",
            *table(["command", "fast engine", "reference engine", "ONNX Runtime's quantizer"], rows)]


def machine():
    cpu = next(line.partition(": ")[2] for line in open("/proc/cpuinfo") if line.startswith("model name"))
    has = [title for title, flag in (("AVX2", "avx2"), ("AVX-512", "avx512f"), ("VNNI", "avx512_vnni"), ("AVX-VNNI", "avx_vnni")) if flag in FLAGS]
    return f"{cpu.strip()} ({', '.join(has)}), {os.cpu_count()} cores, {platform.system()}"


PREFACE = """# How fast it is{on_what}

> For those who run networks: how fast is Octet beside ONNX Runtime and OpenVINO, and whose results are exact?

{other_page}

Made by `make bench` (`benchmarks/performance.py`) on {machine}, with {versions} and Octet's engine `{engine}`. What counts is how
the columns compare: every row is one `octet bench`, in which the contenders run by turns, and the times are the least of each: the cores of a shared machine change their speed by half
from one moment to the next, and medians would tell of that. Threads that wait for one another suffer most from other work on the machine: its load was
{before:.1f} before and {after:.1f} after; an idle machine has less than 1 before.

- **ONNX Runtime** as it comes; on a CPU without VNNI it saturates sums of pairs of products, and its results are wrong
  ([exactness.md](exactness.md)). **Exact** is its option `session.x64quantprecision`, under which it doesn't. **Float** is ONNX
  Runtime on the float network that the 8-bit one was made of.
- **OpenVINO** with float32 for what is float. Its results are mostly not the exact ones.
- Exact is a row of the output that equals the reference engine's; floats up to the rounding of the operator that makes them. Behind a
  softmax that is the most that can be exact, not the least: where one class has nearly all of the probability, other sums give the same
  floats up to rounding. So a float network has exact rows too, and the float rows say nothing of integers.
- Octet computes the exact program; what ONNX Runtime fuses otherwise can differ near ties, in its exact mode too
  (`--policy onnxruntime`, [lowering.md](lowering.md#policies)).
{as_avx2}- Inputs and outputs are bound beforehand, dimensions known, threads as said for all; spinning as each does by default, with a pause between turns.
  Python, which holds the other runtimes, adds about a microsecond to their runs.

The picture{plural} medians, which tell of whatever else the machine did:

{pictures}
"""

AS_AVX2 = """- The two runtimes find out what the CPU has by an instruction, CPUID. For the second section, copies of them get the answer of a CPU
  without AVX-512, VNNI and AMX (`tools/as_cpu/as_cpu.py`), and Octet is told so (`OCTET_CPU=avx2`). Which kernels run is as it is on such
  a CPU; how fast its AVX2 is beside other CPUs' is not.
"""


def preface(**facts):
    pictures = "\n".join(f"[![ResNet8, time per sample, {heading}](images/{picture})](images/{picture})" for heading, (_, picture) in WAYS.items())
    if VNNI:
        return PREFACE.format(on_what=" on a CPU with VNNI", other_page="[performance.md](performance.md) has a CPU without it.",
                              as_avx2=AS_AVX2, pictures=pictures, plural="s show", **facts)
    return PREFACE.format(on_what="", other_page="On a CPU with AVX2 and without VNNI. [performance-vnni.md](performance-vnni.md) has one with it.",
                          as_avx2="", pictures=pictures, plural=" shows", **facts)


def main():
    docs, name = pathlib.Path(sys.argv[2]), engine()
    if not SHARED.exists():
        sys.exit(f"there is no {SHARED}: set OCTET_SHARED to a folder with the data sets and models")
    sections, first, before = [], None, os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        known = list(networks(folder))
        for heading, (way, picture) in WAYS.items():
            measured = {}
            for network in known:
                for batch in network.batches:
                    found = measured[network.title, batch] = network.measure(name, batch, way, folder)
                    cells = (f"{who} {speed_cell(contender, found['Octet'])}" for who, contender in found.items())
                    print(f"{network.title}, {heading}, batch {batch}:", ", ".join(cells), flush=True)
            octet("bench", RESNET8, "--engine", name, "--against", "onnxruntime,openvino", "--threads", "1,2", "--batch", "1,32",
                  "--seconds", SECONDS, "--plot", docs / "images" / picture, way=way)
            sections += section(heading, measured)
            first = first or measured
        last = whole_commands(folder)
    versions = ", ".join(sorted({found["runtime"] for row in first.values() for found in row.values() if "runtime" in found}))
    sections += start_up(name, first) + last
    head = preface(machine=machine(), versions=versions, engine=name, before=before, after=os.getloadavg()[0])
    (docs / f"performance{'-vnni' if VNNI else ''}.md").write_text("\n".join([head, *sections]))


if __name__ == "__main__":
    main()
