"""octet conformance: right implementations pass, every mistake is named, and whatever else a command does is a clear error.

Usage: conformance_test.py OCTET

The C is that of the chapters, the Python that of tests/docs/vectors_test.py, on exact fractions.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/docs"), str(ROOT / "tools/docs")]
sys.argv, OCTET = sys.argv[:1] + sys.argv[2:], pathlib.Path(sys.argv[1]).resolve()

import operator_vectors_test  # noqa: E402
import suite  # noqa: E402
import vectors_test as exact  # noqa: E402


def conformance(*arguments):
    return subprocess.run([OCTET, "conformance", *map(str, arguments)], capture_output=True, text=True)


def answers_by_mistake(operation):
    """The answers of an operation's rows: those of "" are right, the others have one mistake."""
    rows, units = exact.table(f"{operation}.csv"), exact.units()
    names = [mistake["name"] for mistake in suite.operation(operation)["mistakes"]]
    if operation == "dynamic":
        return {name: [" ".join(exact.dynamic_cells(row["kind"], row["x"], name)) for row in rows] for name in ["", *names]}
    of_operators = operator_vectors_test.OPERATIONS.get(operation)
    every = [exact.step(row, units) if operation == "steps" else of_operators(row) if of_operators else exact.FILES[f"{operation}.csv"](row) for row in rows]
    return {"": [right for right, _ in every]} | {name: [mistakes.get(name, right) for right, mistakes in every] for name in names}


class Conformance(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def verdict(self, *arguments):
        done = conformance(*arguments, "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if found["passed"] else 1)
        return found

    def written(self, answers):
        file = self.folder / "answers.txt"
        file.write_text("".join(f"{answer}\n" for answer in answers))
        return file

    def test_exact_answers_pass_and_each_mistake_is_named(self):
        right, named = [], 0
        for operation in suite.OPERATIONS:
            by_mistake = answers_by_mistake(operation)
            right += by_mistake[""]
            for mistake, answers in by_mistake.items():
                if not mistake:
                    continue
                found, = self.verdict("--answers", self.written(answers), "--only", operation)["operations"]
                wrong = [line for line, (given, wanted) in enumerate(zip(answers, by_mistake[""]), 2) if given != wanted]
                self.assertEqual([row["line"] for row in found["wrong"]], wrong, (operation, mistake))
                self.assertEqual(found["likely"][0]["rows"], len(wrong), (operation, mistake))
                self.assertIn(mistake, [one["name"] for one in found["likely"][0]["mistakes"]], (operation, found["likely"]))
                self.assertEqual((len(found["likely"]), found["explained"], found["unexplained"]), (1, True, 0), (operation, mistake))
                named += 1
        self.assertGreater(named, 100)
        found = self.verdict("--answers", self.written(right))
        self.assertEqual({one["name"]: (one["verdict"], one["passed"]) for one in found["operations"]},
                         {name: ("passed", suite.operation(name)["rows"]) for name in suite.OPERATIONS})

    def compiled(self, mistake):
        for number in ("01", "02", "03", "05", "06", "07"):
            page, = (ROOT / "docs/quantization").glob(f"{number}-*.md")
            blocks = [block for block in re.findall(r"^```c\n(.*?)^```$", page.read_text(), re.M | re.S) if "main(" not in block]
            (self.folder / f"chapter_{number}.c").write_text("".join(blocks))
        program = self.folder / f"program_{mistake}"
        subprocess.run(["gcc", "-std=c11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", f"-DMISTAKE={mistake}", f"-I{self.folder}",
                        ROOT / "tests/cli/conformance.c", "-o", program, "-lm"], check=True)
        return f"{program} {exact.VECTORS / 'constants.csv'}"

    def test_the_chapters_c_passes_and_its_mistakes_are_named(self):
        done = conformance("--against", self.compiled("NOTHING"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("verdict  passed\n", done.stdout)
        for name, operation, mistake in (("TIES_AWAY", "requantize", "ties-away"), ("W_OVER_Y_FIRST", "multiplier", "w-over-y-first"), ("MEAN_FIRST", "pool", "mean-first"),
                                         ("NO_FMA", "add", "no-fma"), ("EXCEPTIONS_LEFT_OUT", "steps", "exceptions-left-out"), ("RECIPROCAL", "quantize", "reciprocal"), ("X_ZERO_POINT_LEFT_OUT", "sum", "x-zero-point-left-out")):
            command = self.compiled(name)
            found = {one["name"]: one for one in self.verdict("--against", command)["operations"]}
            self.assertEqual([one["name"] for one in found[operation]["likely"][0]["mistakes"]], [mistake], name)
            self.assertEqual((len(found[operation]["likely"]), found[operation]["unexplained"]), (1, 0), name)
            done = conformance("--against", command, "--only", operation)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, rf"\n{mistake} +\S")
            self.assertIn("verdict  differs in 1 of 1 operation\n", done.stdout)

    def test_two_mistakes_at_once_are_both_named(self):
        by_mistake = answers_by_mistake("quantize")
        both = [wrong if wrong != right else nan for right, wrong, nan in zip(by_mistake[""], by_mistake["truncate"], by_mistake["nan-is-zero"])]
        found, = self.verdict("--answers", self.written(both), "--only", "quantize")["operations"]
        self.assertEqual([one["mistakes"][0]["name"] for one in found["likely"]], ["truncate", "nan-is-zero"])

    def test_what_no_mistake_explains_is_said(self):
        right = answers_by_mistake("quantize")[""]
        file = self.written([right[0] + 1, *right[1:]])
        found, = self.verdict("--answers", file, "--only", "quantize")["operations"]
        self.assertEqual((found["differing"], found["unexplained"], found["wrong"][0]["line"]), (1, 1, 2))
        off = [value if number % 2 else value + 1 for number, value in enumerate(right)]
        done = conformance("--answers", self.written(off), "--only", "quantize")
        self.assertIn("No mistake of the suite explains most of them; the nearest:\n", done.stdout)

    def test_named_mistakes_explain_most_of_what_is_wrong(self):
        """Deliberately wrong implementations that make none of the suite's mistakes: whatever is named without doubt explains more than half of the wrong rows, and a mistake
        that is made in few rows beside many others is not named as the cause."""
        by_mistake = answers_by_mistake("quantize")
        right = by_mistake[""]
        few = [wrong if wrong != value else value ^ 1 if number % 3 else value for number, (value, wrong) in enumerate(zip(right, by_mistake["nan-is-zero"]))]
        found, = self.verdict("--answers", self.written(few), "--only", "quantize")["operations"]
        self.assertEqual((found["explained"], len(found["likely"])), (False, 1))
        self.assertGreater(found["unexplained"], 0)
        made = 0
        for operation in ("quantize", "requantize", "pool", "add", "steps", "sum", "multiply"):
            right = answers_by_mistake(operation)[""]
            for wrong in (lambda number, value: -value, lambda number, value: value + 1, lambda number, value: value + number % 2, lambda number, value: value & ~1, lambda number, value: value if number % 5 else 0):
                answers = [wrong(number, value) for number, value in enumerate(right)]
                found, = self.verdict("--answers", self.written(answers), "--only", operation)["operations"]
                self.assertEqual(found["differing"], sum(a != b for a, b in zip(answers, right)))
                self.assertEqual(found["explained"], found["unexplained"] * 2 < found["differing"] and all(one["rows"] == one["differing"] for one in found["likely"]), operation)
                made += not found["explained"]
        self.assertGreater(made, 15)

    def test_rows_may_be_left_out(self):
        by_mistake = answers_by_mistake("quantize")
        some = [value if number % 2 else "-" for number, value in enumerate(by_mistake[""])]
        found, = self.verdict("--answers", self.written(some), "--only", "quantize")["operations"]
        self.assertEqual((found["verdict"], found["left_out"], found["differing"]), ("passed in part", (len(some) + 1) // 2, 0))
        wrong = [value if number % 2 else "-" for number, value in enumerate(by_mistake["ties-away"])]
        found, = self.verdict("--answers", self.written(wrong), "--only", "quantize")["operations"]
        self.assertEqual(found["likely"][0]["mistakes"][0]["name"], "ties-away")
        self.assertEqual((found["likely"][0]["rows"], found["unexplained"]), (found["likely"][0]["differing"], 0))
        done = conformance("--against", "sed s/.*/-/")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("sed s/.*/-/ computed none of", done.stderr)

    def refused(self, command, *said, arguments=("--only", "quantize")):
        done = conformance("--against", command, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), command)
        for text in said:
            self.assertIn(text, done.stderr)

    def test_what_a_command_can_do_wrong(self):
        self.refused("exit 3", "exit 3 ended with code 3, with 0 of 294 questions answered; it said nothing")
        self.refused("echo cannot >&2; exit 1", "it said: cannot")
        self.refused("kill -9 $$", "was ended by signal 9 (Killed)")
        self.refused("/none/such", "ended with code 127", "not found")
        self.refused("sleep 60", "was not done after 1 seconds, with 0 of 294 questions answered", arguments=("--only", "quantize", "--time-limit", "1"))
        self.refused("echo 1; sleep 60", "with 1 of 294 questions answered", arguments=("--only", "quantize", "--time-limit", "1"))
        self.refused("yes", "wrote more than", "and was ended")
        self.refused("true", "answered 0 questions; the next is \"quantize ff800000 3d9ac27b -45\" (quantize.csv:2)")
        self.refused("head -5 | sed s/.*/1/", "answered 5 questions; the next is")
        self.refused("sed s/.*/1/; echo 2", "gave 295 answers to 294 questions; the first too many is \"2\"")
        self.refused("sed s/.*/nonsense/", "answered \"nonsense\" to \"quantize ff800000 3d9ac27b -45\" (quantize.csv:2): wanted a decimal integer, or - for")
        self.refused("sed 's/.*/1 2/'", "wanted 1 word: q, or - for")
        self.refused("sed 's/.*//'", "answered \"\" to")
        self.refused("sed 's/.*/3f8 0 0 0 0/'", "wanted the eight hexadecimal digits of a float32", arguments=("--only", "dynamic"))
        self.refused("sed 's/.*/99999999999999999999/'", "wanted a decimal integer")
        self.refused("printf '\\033[31m\\377'; sed s/.*/1/", "answered \"\\x1b[31m")

    def test_remarks_are_skipped_and_any_nan_is_one(self):
        rows = exact.table("dynamic.csv")
        answers = [" ".join((row["scale"].replace("7fc00000", "FFFFFFFF"), row["zero_point"], row["q"])) for row in rows]
        self.assertTrue(any("FFFFFFFF" in answer for answer in answers))
        found = self.verdict("--answers", self.written(["# a remark", *answers, "# another"]), "--only", "dynamic")
        self.assertTrue(found["passed"])

    def test_a_suite_is_written_and_read_back(self):
        saved = self.folder / "suite"
        self.assertEqual(conformance("--save", saved).returncode, 0)
        self.assertEqual({file.name: file.read_bytes() for file in saved.iterdir()}, {file.name: file.read_bytes() for file in exact.VECTORS.iterdir()})
        self.assertEqual(conformance("--suite", saved, "--rows", "-").stdout, conformance("--rows", "-").stdout)
        manifest = (saved / "manifest.json").read_text()
        self.assertEqual(conformance("--suite", saved, "--list", "--json", "-").stdout, manifest)
        table = saved / "quantize.csv"
        right = table.read_bytes()
        for contents, said in ((right.replace(b"-128", b"-127", 1), "quantize.csv has the SHA-256"), (right + b"\n", f"quantize.csv has {len(right) + 1} bytes, the manifest says {len(right)}")):
            table.write_bytes(contents)
            self.refused_suite(saved, said)
        table.write_bytes(right)
        for old, new, said in (("octet.suite/1", "octet.suite/9", "its schema is octet.suite/9, wanted octet.suite/1"), ('"rows": 294', '"rows": 293', "quantize.csv has 295 lines, wanted a title and 293 rows"),
                               ('"column": "x"', '"column": "none"', "quantize.csv has no column none"), ('"name": "nan-is-zero"', '"name": "none"', "the manifest has no mistake nan-is-zero"),
                               ('"type": "float32"', '"type": "float99"', 'there is no type "float99"'), ('"file": "add.csv",\n      "bytes"', '"file": "../add.csv",\n      "bytes"', '"../add.csv" is not the name of a file beside it'),
                               ('"version"', '"edition"', "is not what docs/schemas/suite.schema.json describes"), ('"file": "quantize.csv",\n      "rows"', '"file": "none.csv",\n      "rows"', "none.csv is not among the files")):
            self.assertIn(old, manifest)
            (saved / "manifest.json").write_text(manifest.replace(old, new, 1))
            self.refused_suite(saved, said)
        (saved / "manifest.json").write_text("{")
        self.refused_suite(saved, "not JSON")
        (saved / "manifest.json").unlink()
        self.refused_suite(saved, "can't be read: No such file")

    def refused_suite(self, folder, said):
        done = conformance("--suite", folder, "--list")
        self.assertEqual((done.returncode, done.stdout), (2, ""), said)
        self.assertIn(said, done.stderr)

    def test_the_command_line(self):
        for arguments, said in (((), "say one of --against COMMAND"), (("--list", "--rows", "-"), "say one of"), (("--rows", "-", "--only", "quantise"), "there is no operation quantise; nearest: quantize"),
                                (("--list", "--time-limit", "3"), "--time-limit is not used: it is about --against"), (("--rows", "-", "--json", "-"), "--json is not used: there is no verdict"),
                                (("--save", "x", "--only", "add"), "--only is not used: a suite is saved whole"), (("--answers", "/none"), "can't be read: No such file")):
            done = conformance(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(said, done.stderr)
        self.assertEqual(conformance("--rows", "-", "--only", "add").stdout.count("\n"), len(exact.table("add.csv")))
        self.assertIn("quantize x scale zero_point -> q", conformance("--list").stdout)


if __name__ == "__main__":
    unittest.main()
