"""The functions beside the command line: no option is missing, and defaults are the same."""

import inspect
import re

import pytest

import octet

# Options that are not keyword arguments, and why.
ELSEWHERE = {
    "json": "to_dict() and to_json() of the result",
    "help": "help()",
    "nnpa-quant-dynamic": "onnx-mlir's spelling of dynamic",
    "nnpa-quant-op-types": "onnx-mlir's spelling of op_types",
    "progress": "tqdm shows it",
    "EmitLib": "of other compilers, chooses nothing",
    "maccel": "of other compilers, chooses nothing",
    "march": "of other compilers, chooses nothing",
}
FUNCTIONS = ["inspect", "lower", "run", "quantize", "evaluate", "loss", "sensitivity", "tune", "explain", "verify", "compare",
             "conformance", "bounds", "simulate", "sweep", "draw", "bench", "export", "compile", "ops", "version"]
REFUSED = {("compile", "save-rules"): "the command refuses it, too"}
# None: as the target wants it, else what the command shows.
OF_THE_TARGET = {("quantize", "activations"), ("compile", "activations")}
# Options of samples where a function takes the inputs of one run: arrays, or a file of them.
OF_SAMPLES = ["data", "labels", "resize", "crop", "channel-order", "skip-broken", "pixels", "mean", "deviation", "samples", "seed", "part", "batch"]
REFUSED.update({(function, option): "input takes arrays" for function in ("run", "explain") for option in OF_SAMPLES})
REFUSED.update({("inspect", option): "the hint about preprocessing is the command's" for option in OF_SAMPLES})


def options_of(text):
    """Long names of options, each with the default that help shows, or None."""
    found = {}
    for names, default in re.findall(r"^  ((?:-\w,\s?)?--[\w-]+)(?:\[=VALUE\])?(?: [^=\s]+=([a-z0-9.-]+))?", text, re.MULTILINE):
        found[re.search(r"--([\w-]+)", names).group(1)] = default or None
    return found


def test_every_command_is_a_function(ask):
    commands = re.search(r"Subcommands:\n(.*?)\n\n", ask("--help"), re.DOTALL).group(1)
    names = re.findall(r"^  (\w+)", commands, re.MULTILINE)
    assert set(names) - {"help", "completion"} == set(FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_option_is_an_argument(function, ask):
    parameters = inspect.signature(getattr(octet, function)).parameters
    options = options_of(ask(function, "--help"))
    assert function in ("ops", "version", "conformance") or len(options) > 3
    missing = [name for name in options if name not in ELSEWHERE and (function, name) not in REFUSED and name.replace("-", "_") not in parameters]
    assert not missing
    operands = {"model", "element", "golden", "mine", "reference"}
    surplus = [name for name in parameters if name not in operands and name.replace("_", "-") not in options]
    assert not surplus


@pytest.mark.parametrize("function", FUNCTIONS)
def test_defaults_are_the_commands(function, ask):
    parameters = inspect.signature(getattr(octet, function)).parameters
    for name, default in options_of(ask(function, "--help")).items():
        if default is None or name in ELSEWHERE or (function, name) in REFUSED:
            continue
        if (function, name) in OF_THE_TARGET:
            assert parameters[name].default is None
            continue
        ours = parameters[name.replace("-", "_")].default
        assert str(ours) == default or ours == float(default), (name, ours, default)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_argument_has_a_type_and_every_function_an_example(function):
    function = getattr(octet, function)
    signature = inspect.signature(function)
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())
    assert signature.return_annotation is not inspect.Signature.empty
    assert ">>>" in function.__doc__
