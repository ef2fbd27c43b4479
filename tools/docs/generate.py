"""Fills the numbers of the reference in docs/ from the networks in models/, and runs the code in it.

A page is Markdown with two kinds of places that this program writes:

    <!-- = EXPRESSION -->text<!-- end -->     the value of a Python expression, inside a line or on lines of its own
    <!-- output -->...<!-- end -->            what the program above it printed

Expressions see the names that tools/docs/pages/STEM.py defines for page STEM.md, and those that the page's own Python
has defined so far. The code of a page runs from top to bottom (programs.py). If the module has a function files(), it returns
files that go with the page: their text by name, beside the page. Its code finds them at their place in the project.

Usage: generate.py [--check] OCTET PAGE...     --check writes nothing, and fails where a page would change
"""

import difflib
import os
import pathlib
import re
import runpy
import sys
import tempfile

import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?P<tag>\w*)(?: (?P<info>[^\n]*))?\n(?P<code>.*?)^```$", re.M | re.S)
PLACE = re.compile(r"<!-- (?:= (?P<expression>.*?)|output) -->(?P<text>.*?)<!-- end -->", re.S)
PART = re.compile(f"{PLACE.pattern}|{FENCE.pattern}", re.M | re.S)


class Page:
    def __init__(self, path, folder):
        self.path, self.text = path, path.read_text()
        module = ROOT / "tools/docs/pages" / f"{path.stem}.py"
        self.names = runpy.run_path(str(module)) if module.exists() else {}
        self.programs = programs.Programs(path, folder)

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def generated(self):
        """The page, and the files that go with it, as they should be: texts by path. Fails where its code does."""
        files = {self.path.parent / name: text for name, text in self.names.get("files", dict)().items()}
        for file, text in files.items():
            self.programs.place(file.relative_to(ROOT), text)
        new = PART.sub(self.part, self.text)
        self.programs.finish(self.names.get("vectors", dict)())
        return {self.path: new, **files}

    def part(self, match):
        if match["tag"] is not None:
            self.run(match, self.line(match.start()) + 1)
            return match[0]
        expression = match["expression"]
        value = self.value(expression) if expression else f"```text\n{self.programs.printed}```"
        for fence in FENCE.finditer(value):  # code may be written by an expression
            self.run(fence, self.line(match.start()))
        opening = match[0][:match.start("text") - match.start()]
        on_lines_of_its_own = match["text"].startswith("\n")
        return f"{opening}\n{value}\n<!-- end -->" if on_lines_of_its_own else f"{opening}{value}<!-- end -->"

    def run(self, fence, line):
        if not (fence["info"] or "").startswith("not-run: "):
            self.programs.run(fence["tag"], fence["code"], line)

    def value(self, expression):
        try:
            return str(eval(expression, {**self.names, **self.programs.names}))
        except Exception as error:
            raise SystemExit(f"{self.path}: {expression}: {error!r}")


def main(arguments):
    check = "--check" in arguments
    octet, *pages = [pathlib.Path(a).resolve() for a in arguments if a != "--check"]
    os.environ["PATH"] = f"{octet.parent}:{os.environ['PATH']}"
    changed = 0
    for path in pages:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "models").symlink_to(ROOT / "models")
            os.chdir(folder)
            page = Page(path, pathlib.Path(folder))
            generated = page.generated()
            os.chdir(ROOT)
        old = {file: file.read_text() if file.exists() else "" for file in generated}
        stale = [file for file, text in generated.items() if text != old[file]]
        names = "".join(f", {'' if file == path else file.name + ' '}changed" for file in stale)
        print(f"{path.relative_to(ROOT)}: {page.programs.summary()}{names}")
        changed += len(stale)
        for file in stale:
            if check:
                sys.stdout.writelines(difflib.unified_diff(old[file].splitlines(True), generated[file].splitlines(True),
                                                           f"{file.name} says", "make docs writes"))
            else:
                file.parent.mkdir(exist_ok=True)
                file.write_text(generated[file])
    return check and changed > 0 or not pages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
