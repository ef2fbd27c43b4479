"""Writes the seeds of the fuzz targets: make_fuzz_corpus.py [folder], tests/fuzz/corpus by default."""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests" / "onnx"))
import sample_models  # noqa: E402


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests" / "fuzz" / "corpus"
    for name, model in sample_models.samples():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
