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


def octet(*arguments, code=0, **variables):
    done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **variables})
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


def compiled_wrongly(model, library, right, wrong):
    """A C compiler that makes a mistake: it reads `right` as `wrong`."""
    script = Path("wrong_cc").resolve()
    script.write_text("#!/bin/sh\nfor word; do case $word in */network.c) "
                      f"grep -q '{right}' $word || exit 3; sed -i 's/{right}/{wrong}/' $word;; esac; done\nexec cc \"$@\"\n")
    script.chmod(0o755)
    octet("compile", model, "-o", library, CC=str(script))


def verified():
    """verify runs the library itself: a constant that is off, and a float that is off by its last bit, are seen and named."""
    int8, asking = MODELS / "resnet8_int8.onnx", ("--input", IMAGE, "--run", "file", "--python", sys.executable)
    said = octet("verify", "a.so", *asking)
    assert "the library, beside Octet's engine, to the last bit" in said and "18 tensors in 1 batch" in said, said
    assert "the file, as ONNX Runtime runs it" in said and said.count("verdict     equal") == 2, said
    compiled_wrongly(int8, "float.so", "const float inverse = 1 ", "const float inverse = 1.00000012f ")
    said = octet("verify", "float.so", *asking, code=1)
    assert "differs, first in step probabilities" in said, said
    compiled_wrongly(int8, "sum.so", r"step6_block2_conv1_addend\[32\] = {", "&(INT32_C(1) << 28) + ")
    assert "differs, first in step block2.conv1" in octet("verify", "sum.so", *asking, code=1)
    # The judge of --against is given the model, not the library.
    judge = f'sh -c \'{OCTET} run "$0" --input "$1" --all -o "$2"\''
    assert "verdict     equal" in octet("verify", "a.so", "--input", IMAGE, "--against", judge)


def evaluated():
    alone = octet("evaluate", "a.so", "--data", MODELS / "samples.npz")
    assert alone == octet("evaluate", MODELS / "resnet8_int8.onnx", "--data", MODELS / "samples.npz"), alone
    both = octet("evaluate", "a.so", "--data", MODELS / "samples.npz", "--baseline", MODELS / "resnet8_uint8.onnx", "--threads", "2")
    assert "top-1" in both and "same prediction" in both, both


def engine_options():
    for command in (("run", "a.so", "--input", IMAGE), ("evaluate", "a.so", "--data", MODELS / "samples.npz"), ("bench", "a.so")):
        for option in (("--threads", "1"), ("--engine", "fast")):
            said = octet(*command, *option, code=2)
            assert f"{option[0]} is not used: a.so is compiled, and runs by itself, in one thread" in said, said
    said = octet("bench", "a.so", "--seconds", "0.05", "--steps")
    assert said.count("compiled C") == 18, said


def never_loaded():
    """Loading a library runs its code: of one that is no network's, nothing is run. One that has the symbol alone is none."""
    runs = '#include <stdio.h>\n__attribute__((constructor)) static void start(void) { fclose(fopen("executed", "w")); }\n'
    for name, lines in (("code.so", ""), ("symbol.so", "int octet_library = 3;\n"), ("unset.so", "int octet_library[99];\n"),
                        ("undefined.so", "extern int octet_library; int *x = &octet_library;\n")):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", name], input=runs + lines, text=True, check=True)
        for command in (["inspect"], ["draw", "-o", "a.svg"], ["loss", name, "--data", "x.npz"], ["run", "--random", "1"],
                        ["verify"], ["bench"], ["evaluate", "--data", "x.npz"]):
            said = octet(command[0], name, *command[1:], code=2)
            assert f"{name}: is no network that octet compile made: it has no octet_library" in said, said
    assert not Path("executed").exists()
    os.mkfifo("pipe.so")
    Path("folder.so").mkdir()
    for name in ("pipe.so", "folder.so"):
        assert f"{name}: can't be opened as a library: it is no regular file" in octet("inspect", name, code=2)
    assert "missing.so: can't be opened as a library: No such file" in octet("inspect", "missing.so", code=2)
    whole = bytearray(Path("a.so").read_bytes())
    for damage in (0x20, 0x28, 0x36, 0x38, 0x3A, 0x3C):  # places and sizes of the tables in the header
        Path("damaged.so").write_bytes(whole[:damage] + b"\xff\xff" + whole[damage + 2:])
        octet("inspect", "damaged.so", code=2)


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
    # A few layers with 16-bit activations: what stays float for it takes its weights from 8 bits.
    Path("wide.json").write_text('[{"match": {"name": "block2.add|block1.conv2"}, "quantize": true, "activations": "int16"}]')
    octet("quantize", real, "-o", "wide.onnx", "--rules", "wide.json")
    octet("compile", "wide.onnx", "-o", "wide.so")
    same("wide.so", "wide.onnx")
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
    assert "was compiled with --policy exact" in octet("run", "a.so", "--input", IMAGE, "--policy", "as-written", code=2)
    assert "is about quantizing on the way" in octet("compile", int8, "-o", "e.so", "--per-tensor", code=2)
    assert "there is no option -mtune" in octet("compile", int8, "-o", "e.so", "-mtune=x", code=2)
    Path("no.so").write_text("no library")
    assert "can't be opened as a library" in octet("run", "no.so", "--input", IMAGE, code=2)
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", "other.so"], input="int x;", text=True, check=True)
    assert "is no network that octet compile made" in octet("run", "other.so", "--input", IMAGE, code=2)
    never_loaded()
    Path("cc.sh").write_text("#!/bin/sh\necho 'no luck:' >&2\necho ' at all' >&2\nexit 1\n")
    Path("cc.sh").chmod(0o755)
    said = octet("compile", int8, "-o", "e.so", code=2, CC=str(Path("cc.sh").resolve()))
    assert said.endswith("cc.sh failed:\n  no luck:\n   at all\n"), said
    assert "the C compiler wrote no library, though it ended with code 0" in octet("compile", int8, "-o", "e.so", code=2,
                                                                                  CC="/bin/true")
    assert "there is no folder for temporary files: $TMPDIR is empty; set" in octet("compile", int8, "-o", "e.so", code=2,
                                                                                    TMPDIR="")
    assert "temporary files: $TMPDIR is cc.sh; set" in octet("compile", int8, "-o", "e.so", code=2, TMPDIR="cc.sh")
    assert not Path("e.so").exists()
    assert f"a.so: {Path('a.so').stat().st_size:,} bytes, " in octet("inspect", "a.so")  # of the library, not of the model in it
    verified()
    evaluated()
    engine_options()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
