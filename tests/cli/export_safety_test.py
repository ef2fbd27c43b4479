"""What exports must never do: write over what they read, half of what was asked, or C and benches that prove nothing.

Usage: export_safety_test.py OCTET
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto, helper

OCTET = pathlib.Path(sys.argv[1]).resolve()
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
INT8, IMAGE = MODELS / "resnet8_int8.onnx", MODELS / "sample_image.npy"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-Ic")


def octet(*arguments, code=0):
    done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def inputs_stay():
    shutil.copy(IMAGE, "x.npy")
    for arguments in (("--vectors", "v", "--input", "x.npy"), ("--c", "v", "--c-vectors", "x.npy")):
        octet("export", INT8, *arguments, "--json", "x.npy", code=2)
    assert pathlib.Path("x.npy").read_bytes() == IMAGE.read_bytes()


def all_or_nothing():
    pathlib.Path("file").write_text("in the way")
    octet("export", INT8, "--c", "half", "--verilog", "file/rtl", code=2)
    assert not pathlib.Path("half").exists()


def folders_are_no_files():
    for arguments, better in ((("--c", "q.c"), "q"), (("--verilog", "rtl/top.v"), "rtl/top"), (("--vectors", "golden.npz"), "golden")):
        said = octet("export", INT8, *arguments, code=2)
        assert said == f"octet: {arguments[0]} wants a folder for several files, and {arguments[1]} has the name of one; such as {better}\n", said
        assert not pathlib.Path(arguments[1]).exists()
    pathlib.Path("mine.c").mkdir()  # who has such a folder means it
    octet("export", INT8, "--c", "mine.c")


def test_programs_compare():
    octet("export", INT8, "--c", "c", "--c-vectors", IMAGE)
    compiled = subprocess.run(["cc", *STRICT, "c/resnet8.c", "c/resnet8_test.c"], capture_output=True, text=True)
    assert compiled.returncode != 0 and "RESNET8_TRACE" in compiled.stderr, compiled.stderr

    def verdict():
        subprocess.run(["cc", *STRICT, "-O1", "-DRESNET8_TRACE", "c/resnet8.c", "c/resnet8_test.c", "-o", "check"], check=True)
        done = subprocess.run(["./check", "c/vectors"], capture_output=True, text=True)
        return done.returncode, done.stdout

    assert verdict() == (0, "PASS: 18 tensors, 117918 elements, and resnet8_run_integers gives the same\n"), verdict()
    index, source = pathlib.Path("c/vectors/index.txt"), pathlib.Path("c/resnet8.c")
    lines, text = index.read_text(), source.read_text()
    index.write_text("".join(line for line in lines.splitlines(True) if line.startswith("input")))
    assert verdict() == (1, "FAIL: there was nothing to compare\n"), verdict()
    index.write_text(lines)
    # Right inside and wrong at the port: the last thing that run() does.
    end = text.index("\n}\n", text.index("\nvoid resnet8_run("))
    source.write_text(text[:end] + "\n  out_probabilities[3] += 1;" + text[end:])
    code, said = verdict()
    assert code == 1 and said.startswith("FAIL: probabilities[0,3]: "), said
    # The entry of integers by itself.
    end = text.index("\n}\n", text.index("\nvoid resnet8_run_integers("))
    source.write_text(text[:end] + "\n  out_logits_QuantizeLinear_Output[3] ^= 1;" + text[end:])
    code, said = verdict()
    assert code == 1 and said.startswith("FAIL: logits_QuantizeLinear_Output[0,3]: "), said


def odd_networks_compile():
    real = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])  # noqa: E731
    for name, nodes, inputs in (("stdint", [helper.make_node("Relu", ["x"], ["y"])], ["x"]),
                                ("unread", [helper.make_node("Relu", ["x"], ["y"])], ["x", "u"])):
        graph = helper.make_graph(nodes, name, [real(i) for i in inputs], [real("y")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "odd.onnx")
        shutil.rmtree("c", ignore_errors=True)
        octet("export", "odd.onnx", "--c", "c")
        files = sorted(pathlib.Path("c").glob("*.c"))
        stem = min((file.stem for file in files), key=len)
        subprocess.run(["cc", *STRICT, f"-D{stem.upper()}_TRACE", *files, "-o", "odd"], check=True)
    graph = helper.make_graph([helper.make_node("Max", ["x"], ["y"])], "one", [real("x")], [real("y")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "odd.onnx")
    assert "(Max)" in octet("export", "odd.onnx", "--c", "max", code=2) and not pathlib.Path("max").exists()


def benches_read_their_own_images():
    octet("export", INT8, "--verilog", "rtl", "--bench-images", 3)
    octet("export", INT8, "--verilog", "rtl", "--bench-images", 1)
    assert pathlib.Path("rtl/images.txt").read_text() == "vectors/image_0.hex\n"
    assert "wildcard ../vectors" not in pathlib.Path("rtl/bench/Makefile").read_text()


def a_part_does_not_pass_for_the_whole():
    """The first layer stays float: the host's, which is said, on standard error also beside --json."""
    rules = '[{"match": {"name": "^(conv|relu)$"}, "quantize": false}]'
    pathlib.Path("rules.json").write_text(rules)
    octet("quantize", MODELS / "resnet8.onnx", "-o", "part.onnx", "--ranges", MODELS / "resnet8_ranges.json", "--rules", "rules.json")
    for kind in ("--vectors", "--verilog"):
        said = octet("export", "part.onnx", kind, f"part{kind}", "--json", "part.json")
        assert said == f"octet: warning: {kind}: the host has to compute 1 step of float products: conv\n", said
    assert "warning" not in octet("export", INT8, "--vectors", "whole")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for check in (inputs_stay, all_or_nothing, folders_are_no_files, test_programs_compare, odd_networks_compile, benches_read_their_own_images,
                  a_part_does_not_pass_for_the_whole):
        check()
