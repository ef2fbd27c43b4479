"""Shows that the tools that check the documentation find what they are there to find.

Usage: tools_test.py
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/docs"), str(ROOT / "tests/docs")]

import generate
import pages
import programs


class Folder(unittest.TestCase):
    """A project of its own, with one page of the reference."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in ("docs/quantization", "tools/docs/pages", "tests/docs", "models"):
            (self.root / name).mkdir(parents=True)
        self.page = self.root / "docs/quantization/page.md"
        for module, name, value in ((generate, "ROOT", self.root), (pages, "ROOT", self.root),
                                    (programs, "TESTS", self.root / "tests/docs")):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)

    def faults(self, text):
        self.page.write_text(text)
        return pages.Page(self.page).check()

    def generate(self, text, *options):
        self.page.write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = generate.main([*options, str(self.root / "octet"), str(self.page)])
        return code, printed.getvalue()


class Pages(Folder):
    def test_passes_what_github_understands(self):
        self.assertEqual(self.faults("# A b\n\n[here](#a-b), $`x_1 \\lt y`$, `$HOME`, a <!-- = 1 -->1<!-- end -->\n\n"
                                     "```math\na_1 \\tag{1}\n```\n".replace("```math", '<a id="eq-1"></a>\n\n```math')), [])

    def test_finds(self):
        for text, fault in {
            "[x](absent.md)": "there is no absent.md",
            "# A\n\n[x](#b)": "no heading #b",
            "[x](http://example.com)": "not an https address",
            "`docs/absent.md`": "there is no docs/absent.md",
            "a $x_1$ b": "$ outside of code",
            "a $`x<y`$ b": "< in a formula",
            "a $`\\sum q_x`$ b": "q_x in a formula",
            "a $`m / 2^n`$ b": "2^n in a formula",
            "a $`s_w[m]`$ b": "[m] in a formula",
            "a $`\\operatorname{f}`$ b": "refuses \\operatorname",
            "a $`{x`$ b": "braces",
            "a $`50 %`$ b": "without a backslash",
            "a$`x`$ b": "before a formula",
            "a $`x`$b": "behind a formula",
            "| $`|x|`$ |": "ends the cell",
            "[$`x`$](page.md)": "text of a link",
            "- a\n\n  ```math\n  x\n  ```": "inside a list",
            "```math\n\\left( x\n```": "without its end",
            "```math\nx \\tag{2}\n```": "equation 2 where 1 is next",
            "```rust\nx\n```": "that nothing runs",
            "```text\nx\n```": "that nothing runs or writes",
            "```c\n// <!-- = 1 -->1<!-- end -->\n```": "inside a fenced block",
            "<!-- = 1 -->1<!-- end --> is one": "put a word before it",
            "a <!-- = 1--1 -->2<!-- end -->": "-- inside a mark",
            "a <!-- = 1": "a mark that is no comment",
            "| a | b |\n|---|\n| 1 | 2 |": "a table that is none",
            "a $`x`$ and\n    $`y`$\n\n    $`z`$ here": "3 formulas are written, GitHub sees 2",
        }.items():
            with self.subTest(text):
                self.assertIn(fault, "\n".join(self.faults(text)))

    def test_finds_a_page_that_the_index_lacks(self):
        self.page.write_text("text")
        index = self.root / "docs/README.md"
        for text, faults in (("| nothing |", ["docs/README.md: docs/quantization/page.md is not in the table"]), ("[page](quantization/page.md)", [])):
            index.write_text(text)
            self.assertEqual(list(pages.check_index()), faults)

    def test_finds_a_page_without_a_reader(self):
        for text, count in (("# A page\n\nText.\n", 1), ("# A page\n\n> For readers: what is it?\n\nText.\n", 0)):
            self.page.write_text(text)
            self.assertEqual(len(list(pages.check_readers())), count)

    def test_accepts_code_that_says_why_it_is_not_run(self):
        self.assertEqual(self.faults("```python not-run: needs a camera\nx\n```"), [])


class Generate(Folder):
    def test_fills_values_and_what_programs_print(self):
        code, _ = self.generate("a <!-- = 6 * 7 -->?<!-- end -->\n\n```python\nx = 5\nprint(x)\n```\n\n<!-- output -->\n<!-- end -->\n\n"
                                "<!-- = x + 1 -->\n<!-- end -->\n")
        self.assertEqual(code, 0)
        text = self.page.read_text()
        self.assertIn("-->42<!--", text)
        self.assertIn("<!-- output -->\n```text\n5\n```\n<!-- end -->", text)
        self.assertIn("<!-- = x + 1 -->\n6\n<!-- end -->", text)
        self.assertEqual(self.generate(text, "--check")[0], 0)

    def test_check_fails_on_a_number_that_drifted_and_writes_nothing(self):
        text = "a <!-- = 6 * 7 -->41<!-- end -->"
        code, printed = self.generate(text, "--check")
        self.assertTrue(code)
        self.assertIn("+a <!-- = 6 * 7 -->42<!-- end -->", printed)
        self.assertEqual(self.page.read_text(), text)

    def test_writes_the_files_of_a_page_and_finds_one_that_drifted(self):
        (self.root / "tools/docs/pages/page.py").write_text('def files():\n    return {"rows/a.csv": "1,2\\n"}\n')
        rows = self.page.parent / "rows/a.csv"
        text = "```python\nassert open('docs/quantization/rows/a.csv').read() == '1,2\\n'\n```"
        self.assertTrue(self.generate(text, "--check")[0])
        self.assertFalse(rows.exists())
        self.assertEqual(self.generate(text)[0], 0)
        self.assertEqual(rows.read_text(), "1,2\n")
        self.assertEqual(self.generate(text, "--check")[0], 0)
        rows.write_text("1,3\n")
        code, printed = self.generate(text, "--check")
        self.assertTrue(code)
        self.assertIn("-1,3\n+1,2\n", printed)

    def test_fails_on_code_that_fails(self):
        module = "module one (output wire y);\n  assign y = 1'b1;\nendmodule\n"
        for name, test, text in (
            ("python", None, "```python\nassert 1 == 2\n```"),
            ("a warning in C", None, "```c\nint main(void) { int unused; return 0; }\n```"),
            ("a program that returns 1", None, "```c\nint main(void) { return 1; }\n```"),
            ("C without a test", None, "```c\nint f(void);\n```"),
            ("C that fails its test", ("page.c", "int main(void) { return 1; }"), "```c\nint f(void);\n```"),
            ("C whose test checks nothing", ("page.c", "int main(void) { return 0; }"), "```c\nint f(void);\n```"),
            ("Verilog without a test", None, f"```verilog\n{module}```"),
            ("Verilog that does not compile", ("page.v", "module bench;\nendmodule\n"), "```verilog\nmodule\n```"),
            ("Verilog whose test checks nothing", ("page.v", "module bench;\nendmodule\n"), f"```verilog\n{module}```"),
        ):
            with self.subTest(name):
                for file in (self.root / "tests/docs").iterdir():
                    file.unlink()
                if test:
                    (self.root / "tests/docs" / test[0]).write_text(test[1])
                with self.assertRaises((AssertionError, SystemExit, FileNotFoundError)) as raised:
                    self.generate(text)
                self.assertNotEqual(getattr(raised.exception, "code", None), 77, "a tool is missing")


if __name__ == "__main__":
    unittest.main()
