"""What the command `octet` does, as functions: the same names, defaults and meanings as its options.

`octet COMMAND --help` and docs/cli/commands.md describe each option. Where a model is wanted, functions take a path, a Model, a
Program, an onnx.ModelProto or bytes; where samples are wanted, files, arrays, dicts of arrays, and whatever can be iterated over.
"""

from __future__ import annotations

import os
import sys
import typing

from . import _results as results
from ._call import call, refuse_overwriting
from ._data import Archive, Data, Input, Path
from ._errors import Error
from ._models import Model, ModelLike, Program, impl_of, wrap


def inspect(
    model: ModelLike,
    *,
    layers: bool = False,
    attributes: bool = False,
    values: bool = False,
    node: str | None = None,
    ranges: Path | None = None,
    dim: typing.Mapping[str, int] | None = None,
    memory: int | str | None = None,
) -> results.Inspection:
    """Says what is in a model: every node, its types, shapes and quantization.

    >>> octet.inspect("models/resnet8_int8.onnx").summary.nodes
    68
    """
    if ranges is not None and node is None:
        raise Error("inspect: ranges requires node")
    return results.Inspection(call("inspect", locals()))


def lower(
    model: ModelLike,
    *,
    output: Path | None = None,
    unsigned_weights: bool = False,
    policy: str = "exact",
    engine: str | None = None,
    dim: typing.Mapping[str, int] | None = None,
    memory: int | str | None = None,
) -> Program:
    """Makes the integer program that an 8-bit model means; `output` is a file of it, as operators on integers.

    >>> octet.lower("models/resnet8_int8.onnx").steps["block1.conv1"].accumulator_bits
    21
    """
    refuse_overwriting("lower", {"output": output}, {"model": model})
    return Program(call("lower", locals()).extras["program"])


def run(
    model: ModelLike,
    input: Input = None,
    *,
    random: int | None = None,
    output: Path | None = None,
    all: bool = False,
    arithmetic: str = "onnxruntime",
    policy: str = "exact",
    engine: str | None = None,
    threads: int = 0,
    dim: typing.Mapping[str, int] | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Run:
    """Computes a model's outputs, bit-true: those of its integer program. `arrays` of the result has them.

    >>> octet.run("models/resnet8_int8.onnx", random=1, dim={"N": 1})["probabilities"].shape
    (1, 10)
    """
    refuse_overwriting("run", {"output": output}, {"model": model, "input": input})
    return results.Run(call("run", locals()))


def quantize(
    model: ModelLike,
    output: Path | None = None,
    *,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    force: bool = False,
    calibration: str = "minmax",
    percentile: float = 99.999,
    ranges: Path | None = None,
    save_ranges: Path | None = None,
    save_simplified: Path | None = None,
    format: str = "qdq",
    target: str | None = None,
    activations: str | None = None,
    weights: str = "int8",
    per_tensor: bool = False,
    per_channel: bool = False,
    symmetric_activations: bool = False,
    asymmetric_weights: bool = False,
    reduce_range: bool = False,
    scales: str = "real",
    zero_points: str = "any",
    residual: str = "own-scales",
    average_pool: str = "shifted-scale",
    global_average_pool: str = "own-scale",
    equalize: bool | str = False,
    optimize_rounding: bool = False,
    bias_correction: str | None = None,
    dynamic: bool | str | typing.Sequence[str] = False,
    op_types: typing.Sequence[str] | None = None,
    exclude: typing.Sequence[str] | None = None,
    wide: str | typing.Sequence[str] | None = None,
    rules: Path | None = None,
    save_rules: Path | None = None,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Quantized:
    """Makes an 8-bit model of a float one, static or dynamic.

    >>> made = octet.quantize("models/resnet8.onnx", data="models/samples.npz", calibration="entropy")
    >>> made.quantized_steps, made.computing_steps
    (15, 16)
    """
    outputs = {"output": output, "save_ranges": save_ranges, "save_simplified": save_simplified, "save_rules": save_rules}
    refuse_overwriting("quantize", outputs, {} if force else {"model": model, "data": data, "ranges": ranges, "rules": rules})
    return results.Quantized(call("quantize", locals()))


def evaluate(
    model: ModelLike,
    *,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    baseline: ModelLike | None = None,
    max_drop: float | None = None,
    arithmetic: str = "onnxruntime",
    policy: str = "exact",
    engine: str | None = None,
    threads: int = 0,
    confusion: bool = False,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Evaluation:
    """Measures how often a classifier is right, also beside a baseline.

    >>> octet.evaluate("models/resnet8_int8.onnx", data="models/samples.npz").top1
    0.9
    """
    return results.Evaluation(call("evaluate", locals(), ("model", "baseline")))


def loss(
    reference: ModelLike,
    model: ModelLike,
    *,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    map: typing.Mapping[str, str] | None = None,
    min_sqnr: float | None = None,
    threshold: float | None = None,
    scores: str | None = None,
    boxes: str | None = None,
    box_form: str = "corners",
    overlap: float = 0.5,
    background: int | None = None,
    top: int = 0,
    weights: bool = False,
    plot: Path | None = None,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Loss:
    """Measures what a model loses beside a reference, tensor by tensor, without labels.

    >>> found = octet.loss("models/resnet8.onnx", "models/resnet8_int8.onnx", data="models/samples.npz", samples=2)
    >>> found.tensors[0].name
    'image'
    """
    refuse_overwriting("loss", {"plot": plot}, {"reference": reference, "model": model, "data": data})
    return results.Loss(call("loss", locals(), ("reference", "model")))


def sensitivity(
    model: ModelLike,
    *,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    calibration: str = "minmax",
    target: str = "hardware",
    activations: str | None = None,
    per_tensor: bool = False,
    symmetric_activations: bool = False,
    save_rules: Path | None = None,
    keep: int | None = None,
    keep_as: str = "float",
    plot: Path | None = None,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Sensitivity:
    """Finds the layers that 8 bits hurt: each alone quantized, each alone spared.

    >>> found = octet.sensitivity("models/resnet8.onnx", data="models/samples.npz", samples=2)
    >>> len(found.layers)
    14
    """
    if save_rules is None and (keep is not None or keep_as != "float"):
        raise Error("sensitivity: keep and keep_as are not used: they are about save_rules")
    refuse_overwriting("sensitivity", {"save_rules": save_rules, "plot": plot}, {"model": model, "data": data})
    return results.Sensitivity(call("sensitivity", locals()))


def tune(
    model: ModelLike,
    output: Path | None = None,
    *,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    calibration_data: Data = None,
    test_data: Data = None,
    same_samples: bool = False,
    batch: int = 32,
    max_loss: float | None = None,
    min_sqnr: float | None = None,
    target: str = "hardware",
    activations: str | None = None,
    per_tensor: bool = False,
    symmetric_activations: bool = False,
    save_rules: Path | None = None,
    state: Path | None = None,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Tuned:
    """Finds the cheapest way to quantize that is good enough, by trying.

    >>> octet.tune("models/resnet8.onnx", data="models/samples.npz", same_samples=True, min_sqnr=5).met
    True
    """
    refuse_overwriting("tune", {"output": output, "save_rules": save_rules, "state": state}, {"model": model, "data": data})
    values = {**locals(), "command": "octet.tune"}
    return results.Tuned(call("tune", values))


def explain(
    model: ModelLike,
    element: str,
    input: Input = None,
    *,
    random: int | None = None,
    all_products: bool = False,
    format: str = "text",
    policy: str = "exact",
    arithmetic: str = "onnxruntime",
    engine: str | None = None,
    threads: int = 0,
    dim: typing.Mapping[str, int] | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Explanation:
    """Shows how one element of a tensor came about, operation by operation.

    >>> found = octet.explain("models/resnet8_uint8.onnx", "relu_QuantizeLinear_Output[0,0,0,4]", random=1, dim={"N": 1})
    >>> print(found.to_text().splitlines()[0])
    relu_QuantizeLinear_Output[0,0,0,4] = 43
    """
    return results.Explanation(call("explain", locals()))


def verify(
    model: ModelLike,
    *,
    against: str | None = None,
    input: Input = None,
    random: int | None = None,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    dim: typing.Mapping[str, int] | None = None,
    run: str = "both",
    policy: str = "exact",
    python: Path | None = None,
    save_graph: Path | None = None,
    time_limit: int = 600,
    all: bool = False,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Verification:
    """Compares every tensor with ONNX Runtime, or with your own implementation, bit for bit.

    ONNX Runtime is that of this Python, unless `python` or $OCTET_PYTHON names another one.

    >>> octet.verify("models/resnet8_uint8.onnx", run="file").equal
    True
    """
    if against is not None and (run != "both" or python is not None or save_graph is not None):
        raise Error("verify: run, python and save_graph are not used: against names the judge")
    refuse_overwriting("verify", {"save_graph": save_graph}, {"model": model, "data": data, "input": input})
    return results.Verification(call("verify", locals()))


def compare(
    golden: typing.Any,
    mine: typing.Any = None,
    *,
    model: ModelLike | None = None,
    against: Path | typing.Sequence[Path] | None = None,
    input: Input = None,
    random: int | None = None,
    dim: typing.Mapping[str, int] | None = None,
    layout: str = "chw",
    word: int | None = None,
    policy: str = "exact",
    all: bool = False,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Comparison:
    """Compares two dumps of tensors, .npz archives or dicts of arrays, and finds the first step that differs.

    With `against`, `golden` is a model, and `against` what C or hardware made of its tensors: files or folders.

    >>> octet.compare("models/samples.npz", "models/samples.npz").equal
    True
    """
    if against is not None:
        if mine is not None or model is not None:
            raise Error("compare: mine and model are not used: with against there are a model and what others made of it")
        return results.Comparison(call("compare", {**locals(), "word": word or 0}, ("golden",)))
    if mine is None:
        raise Error("compare: name two archives, or a model and against")
    with Archive(golden) as first, Archive(mine) as second:
        values = {**locals(), "golden": first, "mine": second}
        return results.Comparison(call("compare", values, ("model",) if model is not None else ()))


def conformance(
    *,
    against: str | None = None,
    answers: Path | None = None,
    rows: Path | None = None,
    save: Path | None = None,
    list: bool = False,
    only: typing.Sequence[str] | None = None,
    suite: Path | None = None,
    time_limit: int = 600,
    memory: int | str | None = None,
) -> results.Conformance:
    """Holds an implementation of the 8-bit operators to rows that name the mistake behind a wrong byte.

    >>> len(octet.conformance(list=True).operations)
    12
    """
    return results.Conformance(call("conformance", locals(), ()))


def bounds(
    model: ModelLike,
    *,
    rounding: str = "ties-even",
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    dim: typing.Mapping[str, int] | None = None,
    policy: str = "exact",
    engine: str = "fast",
    threads: int = 0,
    plot: Path | None = None,
    table: Path | None = None,
    max_bits: int | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Bounds:
    """Proves how wide accumulators and multipliers must be, step by step.

    >>> octet.bounds("models/resnet8_int8.onnx", max_bits=32).passed
    True
    """
    refuse_overwriting("bounds", {"plot": plot, "table": table}, {"model": model, "data": data})
    return results.Bounds(call("bounds", locals()))


def simulate(
    model: ModelLike,
    *,
    pitfalls: bool = False,
    accumulator: str | None = None,
    rounding: str | None = None,
    multiplier: str | None = None,
    scales: str | None = None,
    zero_point: str | None = None,
    no_zero_point_correction: bool = False,
    zero_padding: bool = False,
    first_scale: bool = False,
    pair_saturation: bool = False,
    tile_rows: str | None = None,
    adc_bits: str | None = None,
    adc_range: str | None = None,
    weight_noise: str | None = None,
    seed: int = 1,
    seeds: str | None = None,
    float: ModelLike | None = None,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    sample_seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    dim: typing.Mapping[str, int] | None = None,
    engine: str = "fast",
    threads: int = 0,
    plot: Path | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Simulation:
    """Measures what other hardware, or a mistake, makes of a network.

    >>> octet.simulate("models/resnet8_int8.onnx", accumulator="16", data="models/samples.npz").rows()[0].name
    'accumulator 16, overflow wrap'
    """
    refuse_overwriting("simulate", {"plot": plot}, {"model": model, "data": data})
    return results.Simulation(call("simulate", locals(), ("model", "float")))


def sweep(
    model: ModelLike,
    *,
    accumulator: str | None = None,
    rounding: str | None = None,
    multiplier: str | None = None,
    scales: str | None = None,
    zero_point: str | None = None,
    no_zero_point_correction: bool = False,
    zero_padding: bool = False,
    first_scale: bool = False,
    pair_saturation: bool = False,
    tile_rows: str | None = None,
    adc_bits: str | None = None,
    adc_range: str | None = None,
    weight_noise: str | None = None,
    seed: int = 1,
    seeds: str | None = None,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    sample_seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    dim: typing.Mapping[str, int] | None = None,
    engine: str = "fast",
    threads: int = 0,
    output: Path | None = None,
    plot: Path | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Sweep:
    """Measures accuracy over accumulator width, multiplier bits, ADC bits and more.

    >>> found = octet.sweep("models/resnet8_int8.onnx", accumulator="14..16", data="models/samples.npz")
    >>> len(found.rows())
    3
    """
    refuse_overwriting("sweep", {"output": output, "plot": plot}, {"model": model, "data": data})
    return results.Sweep(call("sweep", locals()))


def draw(
    model: ModelLike,
    output: Path | None = None,
    *,
    view: str = "folded",
    direction: str = "down",
    around: str | None = None,
    depth: int = 2,
    blocks: bool = False,
    time_limit: int = 60,
    policy: str = "exact",
    dim: typing.Mapping[str, int] | None = None,
    memory: int | str | None = None,
) -> results.Drawing:
    """Draws a model: its nodes, its quantization, or its integer program. Without `output`, an SVG for the notebook.

    >>> octet.draw("models/resnet8_int8.onnx", view="pattern").pictures[0][:5]
    b'<?xml'
    """
    if blocks and around is not None:
        raise Error("draw: around excludes blocks")
    if around is None and depth != 2:
        raise Error("draw: depth requires around")
    refuse_overwriting("draw", {"output": output}, {"model": model})
    return results.Drawing(call("draw", locals()))


def bench(
    model: ModelLike,
    *,
    against: typing.Sequence[str] | None = None,
    threads: int | typing.Sequence[int] = 1,
    batch: int | typing.Sequence[int] | None = None,
    input: Input = None,
    random: int | None = None,
    dim: typing.Mapping[str, int] | None = None,
    seconds: float = 1,
    engine: str = "fast",
    policy: str = "exact",
    python: Path | None = None,
    steps: bool = False,
    plot: Path | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Bench:
    """Measures speed beside other runtimes, and how much of their results is exact.

    >>> octet.bench("models/resnet8_int8.onnx", seconds=0.01).measurements[0].threads
    1
    """
    if input is not None and (random is not None or batch is not None):
        raise Error("bench: random and batch are not used: input gives the inputs")
    if against is None and python is not None:
        raise Error("bench: python is not used: without against nobody asks it")
    refuse_overwriting("bench", {"plot": plot}, {"model": model, "input": input})
    names = [against] if isinstance(against, str) else [*(against or [])]
    floats = [name[len("float=") :] for name in names if isinstance(name, str) and name.startswith("float=")]
    if len(floats) > 1:
        raise Error("bench: against has several float models; name one")
    rivals = [name for name in names if not (isinstance(name, str) and name.startswith("float="))]
    values = {**locals(), "against": rivals, "float": floats[0] if floats else None}
    return results.Bench(call("bench", values, ("model", "float")))


def export(
    model: ModelLike,
    *,
    vectors: Path | None = None,
    input: Input | typing.Sequence[Input] = None,
    random: int | None = None,
    step: str | None = None,
    format: str = "npz",
    layout: str = "chw",
    word: int = 1,
    directed: bool = False,
    c: Path | None = None,
    c_name: str | None = None,
    c_requantize: str = "integer",
    c_vectors: Path | None = None,
    verilog: Path | None = None,
    multipliers: int = 32,
    bench_images: int = 3,
    policy: str = "exact",
    dim: typing.Mapping[str, int] | None = None,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Export:
    """Writes the integer program as files for hardware and firmware: golden vectors, C, Verilog.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     octet.export("models/resnet8_int8.onnx", c=folder).exports[0].kind
    'c'
    """
    if vectors is None and (input is not None or random is not None or step is not None or directed):
        raise Error("export: input, random, step and directed are not used: they are about the files of vectors")
    return results.Export(call("export", locals()))


def compile(
    model: ModelLike,
    output: Path,
    *,
    dim: typing.Mapping[str, int] | None = None,
    policy: str = "exact",
    requantize: str = "integer",
    force: bool = False,
    data: Data = None,
    labels: typing.Any = None,
    resize: str | None = None,
    crop: str | None = None,
    channel_order: str | None = None,
    skip_broken: bool = False,
    pixels: str | None = None,
    mean: typing.Sequence[float] | None = None,
    deviation: typing.Sequence[float] | None = None,
    samples: int = 0,
    seed: int | None = None,
    part: str | None = None,
    batch: int = 32,
    calibration: str = "minmax",
    percentile: float = 99.999,
    ranges: Path | None = None,
    save_ranges: Path | None = None,
    save_simplified: Path | None = None,
    format: str = "qdq",
    target: str | None = None,
    activations: str | None = None,
    weights: str = "int8",
    per_tensor: bool = False,
    per_channel: bool = False,
    symmetric_activations: bool = False,
    asymmetric_weights: bool = False,
    reduce_range: bool = False,
    scales: str = "real",
    zero_points: str = "any",
    residual: str = "own-scales",
    average_pool: str = "shifted-scale",
    global_average_pool: str = "own-scale",
    equalize: bool | str = False,
    optimize_rounding: bool = False,
    bias_correction: str | None = None,
    dynamic: bool | str | typing.Sequence[str] = False,
    op_types: typing.Sequence[str] | None = None,
    exclude: typing.Sequence[str] | None = None,
    wide: str | typing.Sequence[str] | None = None,
    rules: Path | None = None,
    engine: str = "fast",
    threads: int = 0,
    memory: int | str | None = None,
    max_trips: int | None = None,
) -> results.Compiled:
    """Makes a shared library of a network: its program as C, compiled. Functions take the library as a model.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = octet.compile("models/resnet8_int8.onnx", folder + "/resnet8.so", dim={"N": 1})
    ...     octet.run(made.model, random=1).engine
    'compiled'
    """
    refuse_overwriting("compile", {"output": output}, {"model": model, "data": data, "ranges": ranges, "rules": rules})
    return results.Compiled(call("compile", locals()))


def export_vectors(model: ModelLike, folder: Path, **options: typing.Any) -> results.Export:
    """Writes golden vectors: `export` with vectors=folder."""
    return export(model, vectors=folder, **options)


def export_c(model: ModelLike, folder: Path, **options: typing.Any) -> results.Export:
    """Writes the network as C99: `export` with c=folder. `name`, `requantize` and `vectors` are those of C."""
    names = {"name": "c_name", "requantize": "c_requantize", "vectors": "c_vectors"}
    return export(model, c=folder, **{names.get(name, name): value for name, value in options.items()})


def export_verilog(model: ModelLike, folder: Path, **options: typing.Any) -> results.Export:
    """Writes the network as Verilog: `export` with verilog=folder."""
    return export(model, verilog=folder, **options)


def ops() -> results.Catalog:
    """Lists the operators that Octet knows.

    >>> any(operator.name == "QLinearConv" for operator in octet.ops().operators)
    True
    """
    return results.Catalog(call("ops", {}, ()))


def version() -> results.Catalog:
    """Says which Octet this is, and what runs programs in it.

    >>> [engine.name for engine in octet.version().engines]
    ['reference', 'fast']
    """
    return results.Catalog(call("version", {}, ()))


def load_model(path: ModelLike) -> Model:
    """Reads a model.

    >>> octet.load_model("models/resnet8.onnx").outputs[0][0]
    'probabilities'
    """
    return wrap(impl_of(path))


def save_model(model: ModelLike, path: Path) -> None:
    """Writes a model as an .onnx file: whole, or not at all."""
    impl_of(model).save({"path": path})
