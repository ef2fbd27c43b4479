"""The same samples from wherever they are: CIFAR-10's format, arrays, folders of images with labels from folders or lists, ONNX
test data. Ranges and predictions are the same; what is broken or does not fit is said.

Usage: loader_test.py OCTET
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import pictures, write_cifar  # noqa: E402

OCTET = pathlib.Path(sys.argv[1]).resolve()
MODEL = ROOT / "models/resnet8.onnx"
CLASSES = ["cat", "dog", "eel", "fox", "gnu", "hen", "ibex", "jay", "kiwi", "lynx"]
COUNT = 12


def octet(*arguments, code=0):
    done = subprocess.run([OCTET, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}: {done.stderr}"
    return done


def refused(message, *arguments):
    error = octet(*arguments, code=2).stderr
    assert message in error, f"{arguments}: {error!r} does not say {message!r}"


def ranges(folder, *data):
    octet("quantize", MODEL, "-o", folder / "q.onnx", "--save-ranges", folder / "r.json", *data)
    return json.loads((folder / "r.json").read_text())["ranges"]


def evaluated(*data):
    found = json.loads(octet("evaluate", MODEL, "--json", "-", *data).stdout)["model"]
    return found["predictions"], found["per_class"]["samples"], found["top1"]


def write_images(folder, images, labels, named):
    """images[i] as folder/LABEL/i.png."""
    for i, (image, label) in enumerate(zip(images, labels)):
        path = folder / named(label)
        path.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image.transpose(1, 2, 0)).save(path / f"{i:02}.png")


def check_images(work, images, labels):
    """Folders of images, against CIFAR-10's format, which has them in the order of the classes too."""
    data = work / "cifar.bin"
    write_cifar(data, images, labels)
    want_ranges, want = ranges(work, "--data", data), evaluated("--data", data)
    assert want_ranges != ranges(work, "--data", data, "--samples", 4)
    write_images(work / "names", images, labels, lambda label: CLASSES[label])
    refused("3 classes have names, and the output has 10 scores: which is which?", "evaluate", MODEL, "--data", work / "names")
    for name in CLASSES[3:]:  # a class without images counts
        (work / "names" / name).mkdir()
    write_images(work / "numbers", images, labels, str)
    for folder in ("names", "numbers"):
        assert ranges(work, "--data", work / folder) == want_ranges
        for batch in (1, 5, 32):
            assert evaluated("--data", work / folder, "--batch", batch) == want, folder
    (work / "numbers/2").rename(work / "numbers/9")  # a number is its class, however many there are
    table = octet("evaluate", MODEL, "--data", work / "numbers").stdout.splitlines()[1:11]
    assert [line.split()[3] == "-" for line in table] == [False, False, *[True] * 7, False], table  # no samples, no share
    assert evaluated("--data", work / "numbers")[1] == [4, 4, 0, 0, 0, 0, 0, 0, 0, 4]
    (work / "names/lynx").rename(work / "names/bee")
    assert evaluated("--data", work / "names")[1][:4] == [0, 4, 4, 4]

    flat = work / "flat"
    write_images(flat, images, labels, lambda label: "")
    assert ranges(work, "--data", flat) == want_ranges
    refused("the samples have no labels (of images, --labels or folders give them; of an .npz, an array labels)", "evaluate", MODEL, "--data", flat)
    order = [3, 1, 11]
    (work / "list.txt").write_text("".join(f"{i:02}.png {labels[i]}\n" for i in order))
    found = evaluated("--data", flat, "--labels", work / "list.txt")
    assert found[0] == [want[0][i] for i in order]
    (work / "list.csv").write_text("file,label\n" + "".join(f"{i:02}.png,{labels[i]}\n" for i in range(COUNT)))
    assert evaluated("--data", flat, "--labels", work / "list.csv") == want
    (work / "list.csv").write_text("".join(f"{i:02}.png,{i % 10}\n" for i in range(COUNT)))
    (work / "named.csv").write_text("file,label\n" + "".join(f"{i:02}.png,{CLASSES[i % 10]}\n" for i in range(COUNT)))
    numbered, named = (evaluated("--data", flat, "--labels", work / name) for name in ("list.csv", "named.csv"))
    assert named == numbered != want
    (work / "named.csv").write_text("".join(f"{i:02}.png,{CLASSES[i % 10]}\n" for i in range(9)))
    refused("9 classes have names, and the output has 10 scores", "evaluate", MODEL, "--data", flat, "--labels", work / "named.csv")
    (work / "list.csv").write_text(f"00.png,{labels[0]}\n01.png,10\n")
    refused("sample 2 has the label 10, and the output has 10 scores; wanted labels from 0 to 9", "evaluate", MODEL, "--data", flat, "--labels",
            work / "list.csv")
    refused("a deviation of 0, by which pixels are divided", "evaluate", MODEL, "--data", flat, "--labels", work / "list.csv", "--deviation", "0")
    refused("there is no file or folder", "evaluate", MODEL, "--data", work / "nowhere")
    for command in (["evaluate", MODEL], ["quantize", MODEL, "-o", work / "q.onnx"]):
        refused("list.csv, which is the file of --labels", *command, "--data", flat, "--labels", work / "list.csv", "--json", work / "list.csv")
    (work / "list.csv").write_text("00.png,0\n99.png,1\n")
    refused(f"list.csv: line 2: there is no {flat}/99.png", "evaluate", MODEL, "--data", flat, "--labels", work / "list.csv")

    (work / "list.csv").write_text("file,label\n00.png,0\n01.png,1.5\n")
    refused("list.csv: line 3: the label is 1.5; wanted a whole number from 0 on, or a name", "evaluate", MODEL, "--data", flat, "--labels", work / "list.csv")
    (work / "list.csv").write_text("00.png,0\n01.png,-1\n")
    refused("list.csv: line 2: the label is -1; wanted a whole number from 0 on, or a name", "evaluate", MODEL, "--data", flat, "--labels", work / "list.csv")
    (work / "list.csv").write_text("".join(f"{i:02}.png,{i % 10}.0\n" for i in range(COUNT)), encoding="utf-8-sig")  # as pandas and Excel write it
    assert evaluated("--data", flat, "--labels", work / "list.csv") == numbered
    (work / "list.csv").write_text("00.png,2.0\n01.png,9.0\n")  # no names that are counted from 0 on
    assert evaluated("--data", flat, "--labels", work / "list.csv")[1] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    write_images(work / "signed", images, labels, lambda label: str(label - 1))
    refused(f"{work}/signed: the names of the folders are labels: the label is -1; wanted a whole number from 0 on", "evaluate", MODEL, "--data", work / "signed")
    assert ranges(work, "--data", work / "signed") == want_ranges

    others = work / "others"
    write_images(others, images, labels, lambda label: "")
    for name in ("a.bmp", "b.bmp", "c.WEBP"):
        (others / name).write_bytes(b"not looked at")
    done = octet("quantize", MODEL, "-o", work / "q.onnx", "--save-ranges", work / "r.json", "--data", others, "--bias-correction", "analytic")
    assert done.stderr == f"octet: note: {others}: passed over: 2 .bmp, 1 .webp; images are .jpg, .jpeg and .png\n", done.stderr  # once
    assert json.loads((work / "r.json").read_text())["ranges"] == want_ranges

    blue = work / "blue"
    write_images(blue, images[:, ::-1], labels, lambda label: "")
    assert ranges(work, "--data", blue, "--channel-order", "bgr") == want_ranges != ranges(work, "--data", blue)

    large = work / "large"
    write_images(large, np.repeat(np.repeat(images, 3, 2), 2, 3), labels, lambda label: "")
    assert ranges(work, "--data", large, "--resize", "32x32") == want_ranges
    framed = np.pad(images, ((0, 0), (0, 0), (4, 4), (2, 2)))
    write_images(work / "framed", framed, labels, lambda label: "")
    assert ranges(work, "--data", work / "framed", "--crop", 32) == want_ranges
    refused("00.png: the image has 36 x 40 pixels, and the model wants 32 x 32: resize or crop it", "quantize", MODEL, "-o",
            work / "q.onnx", "--data", work / "framed")
    for options, changes in ((("--crop", 34), "34 x 34 pixels after --crop"), (("--resize", 18), "18 x 20 pixels after --resize"),
                             (("--resize", 36, "--crop", 33), "33 x 33 pixels after --resize and --crop")):
        refused(f"00.png: the image has {changes}, and the model wants 32 x 32", "quantize", MODEL, "-o", work / "q.onnx", "--data",
                work / "framed", *options)
    refused("--resize 0: wanted a length", "evaluate", MODEL, "--data", flat, "--resize", 0)
    refused("--crop 3x: wanted a length", "evaluate", MODEL, "--data", flat, "--crop", "3x")
    for option in (("--resize", 32), ("--crop", 32), ("--channel-order", "bgr"), ("--skip-broken",)):
        refused("cifar.bin holds arrays; images alone are resized, cropped, taken as BGR or skipped", "evaluate", MODEL, "--data",
                data, *option)
    refused("names images in a folder, and", "evaluate", MODEL, "--data", data, "--labels", work / "list.txt")
    return want_ranges


def check_broken(work, images, want):
    """Images that can't be decoded end the command, or are named and skipped."""
    folder = work / "flat"
    whole = (folder / "05.png").read_bytes()
    (folder / "05a.png").write_bytes(whole[:100])
    (folder / "05b.jpg").write_bytes(b"")
    refused(f"{folder}/05a.png: broken PNG: it ends too early", "quantize", MODEL, "-o", work / "q.onnx", "--data", folder)
    (work / "r.json").unlink()
    done = octet("quantize", MODEL, "-o", work / "q.onnx", "--save-ranges", work / "r.json", "--data", folder, "--skip-broken")
    assert json.loads((work / "r.json").read_text())["ranges"] == want
    assert done.stderr.count("note: skipped") == 2, done.stderr
    assert f"skipped {folder}/05b.jpg: it is empty; wanted a JPEG or PNG file" in done.stderr
    for name in ("05a.png", "05b.jpg"):
        (folder / name).rename(work / name)
    only = work / "only"
    only.mkdir()
    shutil.copy(work / "05a.png", only)
    refused("none of the 1 images can be read", "quantize", MODEL, "-o", work / "q.onnx", "--data", only, "--skip-broken")
    Image.fromarray(np.zeros((4000, 4000, 3), np.uint8)).save(only / "05a.png")
    refused("05a.png: 45.78 MiB of memory are wanted", "quantize", MODEL, "-o", work / "q.onnx", "--data", only, "--memory", "8M")

    mixed = work / "mixed"
    mixed.mkdir()
    np.save(mixed / "a.npy", images)
    Image.fromarray(np.zeros((32, 32, 3), np.uint8)).save(mixed / "b.png")
    refused(f"{mixed} holds arrays and images, such as a.npy and b.png", "evaluate", MODEL, "--data", mixed)
    (mixed / "a.npy").unlink()
    (mixed / "cat").mkdir()
    shutil.copy(mixed / "b.png", mixed / "cat")
    refused(f"{mixed} holds images, and its folder cat too", "evaluate", MODEL, "--data", mixed)


def check_test_data(work, images, want):
    """ONNX test data: a folder for each run."""
    floats = images.astype(np.float32) / np.float32(255)
    for i, image in enumerate(floats):
        folder = work / f"tests/test_data_set_{i:02}"
        folder.mkdir(parents=True)
        (folder / "input_0.pb").write_bytes(numpy_helper.from_array(image[None]).SerializeToString())
        (folder / "output_0.pb").write_bytes(b"not looked at")
    assert ranges(work, "--data", work / "tests") == want
    assert ranges(work, "--data", work / "tests/test_data_set_03") == ranges(work, "--data", npy(work, floats[3:4]))
    (work / "all.pb").write_bytes(numpy_helper.from_array(floats).SerializeToString())
    assert ranges(work, "--data", work / "all.pb") == want
    (work / "tests/test_data_set_00/input_0.pb").write_bytes(numpy_helper.from_array(floats[0]).SerializeToString())
    refused("test_data_set_00/input_0.pb: input image is float32[3,32,32], and the model wants float32[N,3,32,32]", "quantize",
            MODEL, "-o", work / "q.onnx", "--data", work / "tests")


def npy(work, array):
    np.save(work / "some.npy", array)
    return work / "some.npy"


def two_inputs(path):
    """y = x W + bias(b), with x [N,4] and b [N,3]."""
    weights = numpy_helper.from_array(np.arange(12, dtype=np.float32).reshape(4, 3) / 8, "w")
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in (("x", 4), ("b", 3))]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])],
                              "two", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3])], [weights])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def check_archives(work):
    """Arrays by name; under other names where only one fits, and then it is said."""
    model, data = work / "two.onnx", work / "two.npz"
    two_inputs(model)
    rng = np.random.default_rng(1)
    x, b = rng.normal(size=(5, 4)).astype(np.float32), rng.normal(size=(5, 3)).astype(np.float32)

    def observed(**arrays):
        np.savez(data, **arrays)
        done = octet("quantize", model, "-o", work / "two_q.onnx", "--save-ranges", work / "two.json", "--data", data)
        return (work / "two.json").read_text(), done.stderr

    want, silence = observed(x=x, b=b)
    assert silence == ""
    found, notes = observed(features=x, b=b, extra=np.zeros(7))
    assert found == want
    assert "note: " + f"{data}: the array features serves as input x" in notes
    assert f"{data}: not used: extra (float64[7])" in notes
    found, notes = observed(first=x, second=b)
    assert found == want and notes.count("serves as input") == 2
    np.savez(data, first=x, second=x, b=b)
    refused("has no array x, and none of its others fits it alone: first (float32[5,4]), second (float32[5,4])", "quantize", model,
            "-o", work / "two_q.onnx", "--data", data)
    for i, array in enumerate((x, b)):
        (work / "pair").mkdir(exist_ok=True)
        (work / f"pair/input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    octet("quantize", model, "-o", work / "two_q.onnx", "--save-ranges", work / "two.json", "--data", work / "pair")
    assert json.loads((work / "two.json").read_text())["ranges"] == json.loads(want)["ranges"]
    (work / "pair/input_1.pb").unlink()
    refused(f"there is no {work}/pair/input_1.pb for input b", "quantize", model, "-o", work / "two_q.onnx", "--data", work / "pair")
    refused("one array, the model 2 inputs", "quantize", model, "-o", work / "two_q.onnx", "--data", work / "flat")


def check_two_models(work, images, labels):
    """Of two models the one that is meant is named."""
    floats, other = images.astype(np.float32) / np.float32(255), work / "two.onnx"
    np.savez(work / "right.npz", image=floats, y=np.array(labels, np.float64))
    np.savez(work / "wrong.npz", image=floats, y=np.array(labels) + 0.5)
    for command in (("evaluate", MODEL, "--baseline", other), ("evaluate", other, "--baseline", MODEL), ("loss", MODEL, other)):
        refused(f"octet: {other}: {work}/right.npz has no array x", *command, "--data", work / "right.npz")
    octet("evaluate", MODEL, "--baseline", MODEL, "--data", work / "right.npz")
    refused(f"octet: {MODEL}: right answers can't be counted: {work}/wrong.npz: the label of sample 1 in y is 0.5; wanted a whole number", "evaluate",
            MODEL, "--baseline", MODEL, "--data", work / "wrong.npz")
    refused("points of accuracy can't be counted: ", "tune", MODEL, "-o", work / "t.onnx", "--max-loss", 1, "--data", work / "wrong.npz")
    octet("loss", MODEL, MODEL, "--data", work / "wrong.npz")  # no labels needed
    np.savez(work / "both.npz", image=floats, y=np.array(labels), labels=np.array(labels)[::-1])
    negated = onnx.load(MODEL)
    negated.graph.node.append(helper.make_node("Neg", [negated.graph.output[0].name], ["negated"]))
    negated.graph.output[0].name = "negated"
    onnx.save(negated, work / "negated.onnx")
    answers = json.loads(octet("evaluate", MODEL, "--json", "-", "--data", work / "right.npz").stdout)["model"]["predictions"]
    np.savez(work / "answers.npz", image=floats, y=np.array(answers))
    for model, baseline, code, verdict in ((MODEL, work / "negated.onnx", 0, "a gain of 100.00 points is within 0.5"),
                                           (work / "negated.onnx", MODEL, 1, "a drop of 100.00 points is beyond 0.5")):
        text = octet("evaluate", model, "--baseline", baseline, "--max-drop", 0.5, "--data", work / "answers.npz", code=code).stdout
        assert f"verdict: {verdict}\n" in text, text
    refused(f"{work}/both.npz: y and labels are both labels and differ; keep one of them", "evaluate", MODEL, "--data", work / "both.npz")
    refused(f"octet: {work}/none.onnx: ", "loss", MODEL, work / "none.onnx", "--data", work / "right.npz")


def main():
    images, labels = pictures(COUNT), [i // 4 for i in range(COUNT)]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        want = check_images(work, images, labels)
        check_broken(work, images, want)
        check_test_data(work, images, want)
        check_archives(work)
        check_two_models(work, images, labels)
    print("the same samples from every kind of file")


if __name__ == "__main__":
    main()
