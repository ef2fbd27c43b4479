"""octet compile, and what takes its libraries: the results are those of the model. compile_test.py OCTET"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

OCTET = str(Path(sys.argv[1]).resolve())
MODELS = Path("models").resolve()
IMAGE = str(MODELS / "sample_image.npy")


def octet(*arguments, code=0):
    done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def outputs(model, *options):
    octet("run", model, "--input", IMAGE, "--all", "-o", "all.npz", *options)
    with numpy.load("all.npz") as arrays:
        return dict(arrays)


def same(library, model, *options):
    got, wanted = outputs(library), outputs(model, *options)
    assert len(got) > 15, got.keys()
    for name, array in got.items():
        assert array.tobytes() == wanted[name].tobytes(), name


def main():
    int8, real = MODELS / "resnet8_int8.onnx", MODELS / "resnet8.onnx"
    octet("compile", int8, "-o", "a.so")
    same("a.so", int8)
    assert "exact" in octet("bench", "a.so", "--seconds", "0.05")
    # Quantized on the way, in onnx-mlir's words.
    said = octet("compile", "--nnpa-quant-dynamic=asymActivation,symWeight", "--nnpa-quant-op-types=MatMul,Conv",
                 "-maccel=NNPA", "--march=z16", real, "-o", "b.so", "--dim", "N=1")
    assert "note: -maccel=NNPA chooses nothing here" in said and "note: --march chooses nothing here" in said, said
    octet("quantize", "--nnpa-quant-dynamic=asymActivation,symWeight", "--nnpa-quant-op-types=MatMul,Conv", real, "-o", "b.onnx")
    same("b.so", "b.onnx")
    # The model's name is no value of --dynamic; MatMul means Gemm too.
    octet("quantize", "--dynamic", real, "-o", "c.onnx")
    said = octet("quantize", "--nnpa-quant-dynamic", "--nnpa-quant-op-types=MatMul", real, "-o", "d.onnx")
    assert "1 of " in said and "asymmetric int8 activations, symmetric int8 weights" in said, said
    # What can't be.
    octet("compile", "-maccel=NNPA", int8, "-o", "n.so")  # -m takes one word
    octet("compile", int8, "-o", "none.so", "--dim", "N=0")
    octet("run", "none.so", "--random", "1")
    for unused in (("--threads", "3"), ("--engine", "fast"), ("--force",)):
        assert "is about quantizing on the way" in octet("compile", int8, "-o", "e.so", *unused, code=2)
    Path("cut.so").write_bytes(Path("a.so").read_bytes()[:20000])
    assert "it is cut off" in octet("run", "cut.so", "--input", IMAGE, code=2)
    assert "compiled, and runs by itself" in octet("run", "a.so", "--input", IMAGE, "--engine", "reference", code=2)
    assert "was compiled with --policy exact" in octet("run", "a.so", "--input", IMAGE, "--policy", "as-written", code=2)
    assert "is about quantizing on the way" in octet("compile", int8, "-o", "e.so", "--per-tensor", code=2)
    assert "there is no option -mtune" in octet("compile", int8, "-o", "e.so", "-mtune=x", code=2)
    Path("no.so").write_text("no library")
    assert "can't be opened as a library" in octet("run", "no.so", "--input", IMAGE, code=2)
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", "other.so"], input="int x;", text=True, check=True)
    assert "is no network that octet compile made" in octet("run", "other.so", "--input", IMAGE, code=2)
    assert not Path("e.so").exists()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
