"""Writes the seeds of the fuzz targets: make_fuzz_corpus.py OCTET [folder], tests/fuzz by default.

Models go to corpus/, arrays to arrays/, images and lists of labels to images/, rules, ranges and a report of the tool OCTET to json/."""

import json
import pathlib
import subprocess
import sys

import numpy as np
from PIL import Image

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests" / "onnx"))
import sample_models  # noqa: E402

RULES = [
    {"match": {"op_type": "MatMul", "name": "^layer[0-9]+/",
               "inputs": {"0": {"rank": ">=2", "type": "float32", "dims": {"-1": "%32==0"}}}},
     "quantize": True, "per_channel": False},
    {"match": {"op_type": "Conv", "outputs": {"0": {"dims": {"1": "!=768"}}}}, "quantize": True,
     "symmetric_weights": False, "activations": "int16", "calibration": "percentile", "percentile": 99.5},
    {"match": {"op_type": "Gemm"}, "quantize": True, "range": [-1, 2.5]},
    {"match": {"name": "/head/"}, "quantize": False},
]
# The model that tests/fuzz/read_json.cc asks for.
RANGES = {"schema": "octet.ranges/1", "model_sha256": "abc", "calibration": "percentile", "percentile": 99.9, "others": {"a": "mse"},
          "samples": 8, "ranges": {"x": [-1, 1.5], "y": [0, 6]}}


def write_models(folder):
    folder.mkdir(exist_ok=True)
    for name, model in sample_models.samples():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))


def write_arrays(folder):
    folder.mkdir(exist_ok=True)
    arrays = {
        "float": np.arange(6, dtype=np.float32).reshape(2, 3),
        "big_endian": np.arange(4, dtype=">i2"),
        "column_major": np.asfortranarray(np.arange(12, dtype=np.uint8).reshape(3, 4)),
        "empty": np.zeros((0, 2), dtype=np.int64),
        "scalar": np.float64(1.5),
        "bool": np.array([True, False]),
        "strings": np.array(["a", "äb"]),
        "bytes": np.array([b"ab", b"c"]),
        "complex": np.array([1 + 2j], dtype=np.complex64),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.savez(folder / "stored.npz", **arrays)
    np.savez_compressed(folder / "deflated.npz", x=np.zeros((64, 64), dtype=np.float32), y=arrays["float"])


def write_images(folder):
    folder.mkdir(exist_ok=True)
    y, x = np.mgrid[0:11, 0:9]
    pixels = np.dstack([x * 20, y * 20, (x ^ y) * 15]).astype(np.uint8)
    image, gray = Image.fromarray(pixels), Image.fromarray(pixels[..., 2])
    for sampling in ("4:4:4", "4:2:0"):
        for progressive in (False, True):
            image.save(folder / f"{sampling.replace(':', '')}{'_progressive' if progressive else ''}.jpg", subsampling=sampling,
                       progressive=progressive)
    gray.save(folder / "gray.jpg")
    image.convert("CMYK").save(folder / "cmyk.jpg")
    image.save(folder / "rgb.png")
    image.quantize(5).save(folder / "palette.png", transparency=1)
    gray.convert("LA").save(folder / "gray_alpha.png")
    gray.convert("1").save(folder / "bits.png")
    Image.fromarray(pixels[..., 0].astype(np.uint16) * 257).save(folder / "gray16.png")
    (folder / "labels.csv").write_text('file,label\n"a,b.jpg",3\nc.png,12\n')
    (folder / "labels.txt").write_text("a b.jpg cat\n\nc.png\tdog\n")


def write_json(folder, octet):
    folder.mkdir(exist_ok=True)
    (folder / "rules.json").write_text(json.dumps(RULES, indent=1) + "\n")
    (folder / "ranges.json").write_text(json.dumps(RANGES, indent=1) + "\n")
    model = root / "tests" / "fuzz" / "corpus" / "quantized_convolution.onnx"
    report = subprocess.run([octet, "inspect", model, "--json", "-"], check=True, capture_output=True, text=True).stdout
    (folder / "report.json").write_text(json.dumps(json.loads(report)) + "\n")


def main():
    octet = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "tests" / "fuzz"
    write_models(folder / "corpus")
    write_arrays(folder / "arrays")
    write_images(folder / "images")
    write_json(folder / "json", octet)


if __name__ == "__main__":
    main()
