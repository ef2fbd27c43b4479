"""Numbers of docs/quantization/08-pitfalls.md."""

import functools

from resnet8 import *

UINT8 = MODELS / "resnet8_uint8.onnx"


def damage(*mistakes):
    """Rows of docs/pitfalls.md."""
    networks = list(pitfalls()["exact"])
    return table(["top-1, points", *networks], [(name, *pitfalls()[name].values()) for name in mistakes])


def simulated(model, *options):
    """What `octet simulate` counts, by the mistake's name."""
    return {row["name"]: row for row in facts("simulate", model, *options)["rows"] if "note" not in row}


@functools.cache
def random_images():
    images = temporary_folder() / "images.npz"
    octet("run", OPERATORS, "--random", "1", "--dim", "N=16", "--all", "--output", images)
    return images


def elements():
    """Of all integer tensors."""
    return simulated(OPERATORS, "--pitfalls", "--data", IMAGE)["ties up"]["elements"]


def caught(layers, layers_uint8):
    """Elements that differ: on the sample image, on 16 random ones, and on the directed windows of each layer alone. Pairs of
    products are those of the uint8 network."""
    def differing(model, layers, option):
        runs = [simulated(model, option, "--data", data) for data in (IMAGE, random_images())]
        windows = [simulated(file, option, "--data", inputs) for file, inputs in layers]
        for name in runs[0]:
            alone = [run[name]["differing"] for run in windows if name in run]
            yield name, (*(whole(run[name]["differing"]) for run in runs), whole(sum(alone)) if alone else "no border")
    of_int8 = dict(differing(OPERATORS, layers, "--pitfalls"))
    (_, of_pairs), = differing(UINT8, layers_uint8, "--pair-saturation")
    def row(name):
        if name == "pairs of products saturate at 16 bits":
            return f"{name} (uint8)", pitfalls()[name]["uint8, per channel"], *of_pairs
        return name, pitfalls()[name]["int8, per channel"], *of_int8[name]
    return table(["mistake", "top-1, points", "sample image:", "16 random images:", "directed windows:"],
                 [row(name) for name in pitfalls() if name.startswith("pairs") or name in of_int8 and not name.startswith("analog")])
