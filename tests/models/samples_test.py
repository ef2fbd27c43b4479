"""models/samples.npz holds what models/make_samples.py paints: one picture of each class."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

with tempfile.TemporaryDirectory() as folder:
    painted = pathlib.Path(folder) / "samples.npz"
    subprocess.run([sys.executable, "models/make_samples.py", painted], check=True)
    made, shipped = np.load(painted), np.load("models/samples.npz")
    assert sorted(made.files) == sorted(shipped.files) == ["image", "labels"]
    for name in made.files:
        assert made[name].dtype == shipped[name].dtype and np.array_equal(made[name], shipped[name]), name
assert shipped["image"].shape == (10, 3, 32, 32) and list(shipped["labels"]) == list(range(10))
print("ten pictures, as painted")
