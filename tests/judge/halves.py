#!/usr/bin/env python3
"""8-bit networks with float16 and bfloat16 around their integers: halves.py OCTET [--count N] [--seed S]

Random networks of what stands at such borders: QuantizeLinear, DequantizeLinear, MatMulInteger, DynamicQuantizeLinear, Casts of the
file, scales and biases, moves, clamps. Results must be equal to the last bit.

float16: ONNX Runtime runs the file at optimization level extended, without optimizers that move nodes; Octet by its default policy. It has no float16 kernels for
most operators and computes them in float32; where it rounds is part of the meaning (octet/graph/rewrite/rewrite.h). Every fifth
network must also pass `octet verify`, and every network, as it is written, must round where the onnx package's evaluator does, node by node.
bfloat16: the runtime moves and casts it and computes nothing with it, so the evaluator judges, node by node.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
    from onnx.reference.op_run import OpRun
except ImportError as error:
    print(f"SKIPPED: {error}. Run tools/setup.sh test")
    sys.exit(77)

ROWS, COLUMNS = 4, 6
TYPES = {"float16": TensorProto.FLOAT16, "bfloat16": TensorProto.BFLOAT16}
# Optimizers that move nodes or make one of several, so that other nodes meet and the runtime rounds elsewhere. `octet verify` asks for the values between, or leaves them out.
MOVING = ["CommonSubexpressionElimination", "QDQPropagationTransformer", "ReshapeFusion", "TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
HALVES = {TensorProto.FLOAT16: np.dtype(np.float16), TensorProto.BFLOAT16: np.dtype(ml_dtypes.bfloat16)}


class Network:
    """Every value is [4, 6]; `values` has the names of each type."""

    def __init__(self, seed, half):
        self.random = np.random.default_rng(seed)
        self.half = half
        self.nodes, self.constants, self.values = [], [], {}
        self.inputs = [self.value(half, "x"), self.value(TensorProto.FLOAT, "f"), self.value(TensorProto.UINT8, "q")]
        for _ in range(self.random.integers(3, 14)):
            self.layer()

    def value(self, kind, name=None):
        name = name or f"v{sum(map(len, self.values.values()))}"
        self.values.setdefault(kind, []).append(name)
        return helper.make_tensor_value_info(name, kind, [ROWS, COLUMNS])

    def any(self, kind):
        """Of several, rather one of the last: chains are what matters."""
        names = self.values[kind]
        return names[max(0, len(names) - 1 - int(self.random.geometric(0.6)))]

    def constant(self, array):
        name = f"c{len(self.constants)}"
        array = np.asarray(array)
        tensor = numpy_helper.from_array(array, name)
        self.constants.append(tensor)
        return name

    def halves(self, *shape):
        return self.constant((self.random.normal(size=shape) * 3).astype(HALVES[self.half]))

    def scale(self, dtype=None):
        return self.constant(np.asarray(self.random.uniform(0.004, 0.3), dtype or HALVES[self.half]))

    def node(self, op, inputs, kind=None, name=None, **attributes):
        output = name or self.value(kind or self.half).name
        self.nodes.append(helper.make_node(op, inputs, [output] if isinstance(output, str) else output, name=f"n{len(self.nodes)}", **attributes))
        return output

    def inner(self):
        return f"i{len(self.nodes)}"

    def layer(self):
        layers = [self.arithmetic, self.arithmetic, self.arithmetic, self.move, self.bounds, self.join, self.pair, self.casts, self.there_and_back, self.product, self.dynamic]
        layers[self.random.integers(len(layers))]()

    def arithmetic(self):
        op = str(self.random.choice(["Mul", "Add", "Sub", "Relu", "Abs", "Div", "Neg"]))
        x = self.any(self.half)
        if op in ("Relu", "Abs", "Neg"):
            self.node(op, [x])
        elif op == "Div":
            self.node(op, [x, self.constant((self.random.uniform(0.3, 3, COLUMNS)).astype(HALVES[self.half]))])
        else:
            other = self.any(self.half) if self.random.random() < 0.3 else self.halves(*([COLUMNS] if self.random.random() < 0.5 else []))
            self.node(op, [x, other][:: -1 if self.random.random() < 0.3 else 1])

    def move(self):
        x, kind = self.any(self.half), self.random.integers(3)
        if kind == 0:
            self.node("Reshape", [self.node("Reshape", [x, self.constant(np.array([COLUMNS, ROWS]))], name=self.inner()), self.constant(np.array([ROWS, COLUMNS]))])
        elif kind == 1:
            self.node("Transpose", [x], name=(inner := self.inner()), perm=[1, 0])
            self.node("Mul", [inner, self.halves(1)], name=(scaled := self.inner()))
            self.node("Transpose", [scaled], perm=[1, 0])
        else:
            self.node("Reshape", [x, self.constant(np.array([ROWS, COLUMNS]))])

    def bounds(self):
        if self.random.random() < 0.5:
            low = self.constant(np.asarray(-self.random.random(), HALVES[self.half]))
            self.node("Clip", [self.any(self.half), low, self.constant(np.asarray(6, HALVES[self.half]))])
        else:
            self.node(str(self.random.choice(["Max", "Min"])), [self.any(self.half), self.any(self.half)])

    def join(self):
        joined = self.node("Concat", [self.any(self.half), self.any(self.half)], name=self.inner(), axis=1)
        if self.random.random() < 0.5:
            start = int(self.random.integers(COLUMNS))
            self.node("Slice", [joined, self.constant(np.array([start])), self.constant(np.array([start + COLUMNS])), self.constant(np.array([1]))])
        else:
            first, second = self.value(self.half).name, self.value(self.half).name
            self.node("Split", [joined], name=[first, second], axis=1, num_outputs=2)

    def zero_point(self):
        return self.constant(self.random.integers(0, 256, dtype=np.uint8) if self.random.random() < 0.5 else np.uint8(128))

    def pair(self):
        scale, zero_point = self.scale(), self.zero_point()
        quantized = self.node("QuantizeLinear", [self.any(self.half), scale, zero_point], TensorProto.UINT8)
        if self.random.random() < 0.7:
            self.node("DequantizeLinear", [quantized, scale, zero_point])

    def casts(self):
        kinds = [kind for kind in self.values if kind != self.half]
        kind = kinds[self.random.integers(len(kinds))]
        self.node("Cast", [self.any(kind)], to=self.half)

    def there_and_back(self):
        kinds = [TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT8, TensorProto.BOOL, TensorProto.DOUBLE]
        kind = kinds[self.random.integers(len(kinds))]
        source = self.any(self.half)
        if kind in (TensorProto.INT8, TensorProto.INT32):  # what does not fit is no part of this
            source = self.node("Clip", [source, self.constant(np.asarray(-100, HALVES[self.half])), self.constant(np.asarray(100, HALVES[self.half]))], name=self.inner())
        there = self.node("Cast", [source], kind, to=kind)
        if self.random.random() < 0.5:
            self.node("Cast", [there], to=self.half)

    def scaled(self, accumulator, *scales):
        value = self.node("Cast", [accumulator], name=self.inner(), to=self.half)
        for scale in scales[:-1]:
            value = self.node("Mul", [value, scale], name=self.inner())
        value = self.node("Mul", [value, scales[-1]])
        if self.random.random() < 0.5:
            self.node("Add", [value, self.halves(COLUMNS)])

    def weights(self):
        return self.constant(self.random.integers(-128, 128, (COLUMNS, COLUMNS)).astype(np.int8))

    def product(self):
        zero_point = self.constant(np.uint8(7))
        accumulator = self.node("MatMulInteger", [self.any(TensorProto.UINT8), self.weights(), zero_point], TensorProto.INT32)
        self.scaled(accumulator, self.scale(), self.scale())

    def dynamic(self):
        wide = self.node("Cast", [self.any(self.half)], TensorProto.FLOAT, to=TensorProto.FLOAT)
        quantized, scale, zero_point = (f"{self.inner()}_{part}" for part in "qsz")
        self.node("DynamicQuantizeLinear", [wide], name=[quantized, scale, zero_point])
        accumulator = self.node("MatMulInteger", [quantized, self.weights(), zero_point], TensorProto.INT32)
        narrow = self.node("Cast", [scale], name=self.inner(), to=self.half)
        self.scaled(accumulator, self.node("Mul", [narrow, self.scale()], name=self.inner()))

    def model(self, opset):
        read = {name for node in self.nodes for name in node.input}
        outputs = []
        for kind, names in self.values.items():
            made = [name for name in names if name.startswith("v")]
            outputs += [helper.make_tensor_value_info(name, kind, [ROWS, COLUMNS]) for name in made if name not in read or self.random.random() < 0.15]
        graph = helper.make_graph(self.nodes, "halves", self.inputs, outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)

    def samples(self):
        x = (self.random.normal(size=(ROWS, COLUMNS)) * self.random.choice([0.5, 4, 40])).astype(HALVES[self.half])
        return {"x": x, "f": (self.random.normal(size=(ROWS, COLUMNS)) * 5).astype(np.float32), "q": self.random.integers(0, 256, (ROWS, COLUMNS)).astype(np.uint8)}


def run_runtime(model, samples):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.add_session_config_entry("session.x64quantprecision", "1")  # else it saturates on CPUs without VNNI
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=MOVING)
    given = {value.name for value in session.get_inputs()}
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {name: array for name, array in samples.items() if name in given})))


class QuantizeLinear(OpRun):
    """The package's own divides halves as halves; ONNX Runtime widens them first, and so does Octet."""

    def _run(self, x, scale, zero_point, **_):
        quotient = np.rint(x.astype(np.float32) / scale.astype(np.float32))
        return (np.clip(quotient + zero_point, 0, 255).astype(np.uint8),)


def run_evaluator(model, samples):
    names = [output.name for output in model.graph.output]
    with np.errstate(all="ignore"):
        return dict(zip(names, ReferenceEvaluator(model, new_ops=[QuantizeLinear]).run(names, samples)))


def as_stored(array):
    return array.astype(np.float32) if array.dtype == ml_dtypes.bfloat16 else np.asarray(array)


def same(mine, theirs):
    theirs = as_stored(theirs)
    if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return f"{mine.dtype}{mine.shape} and not {theirs.dtype}{theirs.shape}"
    differ = (mine != theirs) & ~((mine != mine) & (theirs != theirs))
    if not differ.any():
        return None
    place = tuple(int(i[0]) for i in np.nonzero(differ))
    return f"{int(differ.sum())} of {mine.size} differ, first at {list(place)}: {mine[place]} and not {theirs[place]}"


def octet(*arguments):
    done = subprocess.run([OPTIONS.octet, *map(str, arguments)], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"octet {arguments[0]} ended with {done.returncode}: {(done.stderr or done.stdout)[-1500:]}"


def differences(folder, policy, expected):
    """What `octet run` gives beside what is expected."""
    if failed := octet("run", folder / "network.onnx", "--input", folder / "x.npz", "--policy", policy, "-o", folder / "y.npz"):
        return [failed]
    found = []
    with np.load(folder / "y.npz") as mine:
        for name, theirs in expected.items():
            if wrong := same(mine[name], theirs):
                found.append(f"{policy}: {name}: {wrong}")
    return found


def check(folder, number, half):
    seed = OPTIONS.seed * 1_000_000 + number
    network = Network([seed, half], half)
    model = network.model(opset=(19, 21, 23)[number % 3])
    samples = network.samples()
    onnx.checker.check_model(model)
    onnx.save(model, folder / "network.onnx")
    np.savez(folder / "x.npz", **{name: as_stored(array) for name, array in samples.items()})
    found = differences(folder, "as-written", run_evaluator(model, samples))
    if half == TensorProto.BFLOAT16:
        return found + differences(folder, "exact", run_evaluator(model, samples))
    theirs = run_runtime(model, samples)
    for policy in ("exact", "onnxruntime"):
        found += differences(folder, policy, theirs)
    if number % 5 == 0 and (failed := octet("verify", folder / "network.onnx", "--input", folder / "x.npz", "--python", sys.executable)):
        found.append(failed)
    return found


def main():
    failed = 0
    numbers = range(OPTIONS.count) if OPTIONS.only is None else [OPTIONS.only]
    for name in [OPTIONS.type] if OPTIONS.type else TYPES:
        differing = 0
        for number in numbers:
            with tempfile.TemporaryDirectory() as folder:
                found = check(pathlib.Path(OPTIONS.keep or folder), number, TYPES[name])
            differing += bool(found)
            for line in found[:3]:
                print(f"FAILED: {name} {number}: {line}")
        print(f"{name}: {len(numbers)} networks, {differing} differing")
        failed += differing
    return failed > 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("octet", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--count", type=int, default=60, help="networks of each type")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--type", choices=TYPES, help="of one type alone")
    parser.add_argument("--only", type=int, help="one network")
    parser.add_argument("--keep", help="the folder to leave its files in")
    OPTIONS = parser.parse_args()
    sys.exit(main())
