"""Every constant matters: one changed constant of any step turns the bench of ResNet8 red.

Usage: mutation_test.py OCTET

Of each sum of products a weight, a start, m, an addend and a shift are changed; of each addition ma, mb, addend and shift. The
bench must say FAIL and name the step. Exceptions are reached by no image: requantizer_test.py changes those.
"""

import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from exported import Exported, Memory, require_tools  # noqa: E402
from pictures import pictures  # noqa: E402

MEMORIES = ("steps.hex", "weights.hex", "channels.hex", "additions.hex")
FLAGS = 36  # bits of a step beside its fields


class Mutations:
    def __init__(self, exported, vectors):
        self.exported, self.vectors, self.caught = exported, vectors, 0
        self.field = exported.parameters["FIELD_BITS"]
        self.steps = Memory(exported.folder / "steps.hex")
        self.copy = exported.folder / "mutated"
        self.copy.mkdir()
        for name in ("tensors.txt", *MEMORIES):
            shutil.copy(exported.folder / name, self.copy)
        shutil.copytree(exported.folder / "vectors", self.copy / "vectors")

    def step_field(self, step, place):
        """Field `place` of a step, counted from the last."""
        return self.steps.get(step, place * self.field, self.field)

    def change(self, step, what, memory, word, bit):
        """Flips a bit of a memory, and puts it back."""
        changed = Memory(self.copy / memory)
        changed.set(word, bit, 1, 1 - changed.get(word, bit, 1))
        changed.write()
        report = self.exported.simulate(*self.vectors, folder=self.copy)
        shutil.copy(self.exported.folder / memory, self.copy)
        assert report.startswith("FAIL"), (self.exported.names[step], what, report)
        assert f": {self.exported.names[step]} [" in report, (self.exported.names[step], what, report)
        self.caught += 1

    def sum_of_products(self, step):
        p = self.exported.parameters
        fields, record = self.exported.channel_fields()
        first_weights, first_channel = self.step_field(step, 0), self.step_field(step, 21)
        channels = Memory(self.exported.folder / "channels.hex")
        records = [(word, r * record) for word in range(first_channel, first_channel + self.step_field(step, 20))
                   for r in range(p["REQUANTIZERS"])]
        # A channel that is alive.
        index, (word, base) = next((i, place) for i, place in enumerate(records)
                                   if channels.get(place[0], place[1] + fields["m"][0], p["M_BITS"]) > 0)
        index %= p["COLUMNS"]
        self.change(step, "weight", "weights.hex", first_weights, (index * p["LANES"] + 1) * p["W_BITS"] - 2)
        for name, bit in (("start", p["ACC_BITS"] - 3), ("m", p["M_BITS"] - 6), ("addend", p["SUM_BITS"] - 6), ("shift", 1)):
            self.change(step, name, "channels.hex", word, base + fields[name][0] + bit)

    def addition(self, step):
        fields = self.exported.addition_fields()
        for name, (first, bits) in fields.items():
            self.change(step, name, "additions.hex", step, first + (1 if name == "shift" else bits - 4))

    def all(self):
        for step in range(len(self.exported.names)):
            if self.steps.get(step, 24 * self.field + FLAGS - 1, 1):
                self.addition(step)
            else:
                self.sum_of_products(step)
        return self.caught


def main():
    require_tools("verilator", "make", "g++")
    octet = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        exported = Exported(octet, ROOT / "models/resnet8_int8.onnx", pathlib.Path(folder) / "rtl", 64).build()
        vectors = ["vectors/image_0.hex", *exported.write_vectors(pictures(1))]
        assert exported.simulate(*vectors).startswith("PASS")
        caught = Mutations(exported, vectors).all()
        print(f"{caught} changed constants, {caught} caught")
        assert caught == 11 * 5 + 3 * 4, caught


main()
