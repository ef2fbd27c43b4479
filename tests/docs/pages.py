"""Checks what GitHub makes of the Markdown in this project, without asking it, but with its parser, cmark-gfm.

index    docs/README.md lists every page of docs/
reader   every page of docs/, but the decisions, says below its title for whom it is and what it answers: "> For WHOM: WHAT?"
links    every relative link and image is there, and so is the heading or anchor it names; others are https
paths    every path of the project that is set as code is there
code     in the pages of the reference, every fenced block is of a kind that tools/docs/programs.py or
         tests/docs/sessions.py runs, or is written by tools/docs/generate.py, or says why it can't be run:
         ```python not-run: why
symbols  are those of the table in docs/quantization/derivation.md
math     is written as $`...`$ or as a block fenced as math, and has nothing in it that GitHub breaks on; equations are
         numbered from 1 on and have anchors; those that comments in octet/ cite are there
parsed   marks are comments, rows that begin with | are tables, formulas and blocks arrive as such

Usage: pages.py [PAGE...]     all of the project if none is named
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)```(\w*)(?: ([^\n]*))?\n(.*?)^ *```$", re.M | re.S)
PLACE = re.compile(r"<!-- (?:= .*?|output) -->.*?<!-- end -->", re.S)
INLINE_MATH = re.compile(r"\$`([^`]*)`\$")
QUOTED = re.compile(r"(?<!`)``(?!`)[^\n]+?(?<!`)``(?!`)")  # code with backticks in it
CODE = re.compile(r"`+[^`]+`+")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:\.github|benchmarks|cli|docs|examples|models|octet|scripts|tests|tools)/[\w./*-]*[\w/*])`")
RUN = {"python", "c", "verilog", "console"}
PICTURES = {"math", "mermaid"}
# Stored integers have the tensor's name, constants of a requantizer are m, addend and shift, an output channel is o: derivation.md.
ANOTHER_SYMBOL = re.compile(r"\bq_[xwyabc]\b|2\^[ns]\b|2\^\{n|\[m\]|\[m, |, m, i|\\hat r\b|\bs_i\b|\bs_j\b")
REFUSED = "operatorname mbox phantom hphantom vphantom newcommand renewcommand def gdef let require href label ref eqref".split()


def is_reference(page):
    return page.parent == ROOT / "docs/quantization" or page == ROOT / "docs/QUANTIZATION_OPERATIONS.md"


def blank(match):
    """Nothing in the place of a match; the lines stay where they are."""
    return re.sub(r"[^\n]", " ", match[0])


def anchors(page):
    text = FENCE.sub(blank, page.read_text())
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ +(.+?) *#*$", text, re.M):
        heading = LINK.sub(r"\1", re.sub(r"<[^>]*>", "", heading)).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = next(n for n in range(1000) if (f"{slug}-{n}" if n else slug) not in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def parsed(text):
    try:
        return subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink"], input=text, check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    except FileNotFoundError:
        print("cmark-gfm is not installed: run tools/setup.sh test")
        sys.exit(77)  # skipped


class Page:
    def __init__(self, path):
        self.path, self.text, self.faults = path, path.read_text(), []

    def fault(self, at, what):
        self.faults.append(f"{self.path.relative_to(ROOT)}:{self.text.count(chr(10), 0, at) + 1}: {what}")

    def check(self):
        prose = QUOTED.sub(blank, FENCE.sub(blank, self.text))
        self.check_fences()
        self.check_places()
        self.check_math(prose)
        self.check_numbers()
        self.check_parsed(prose)
        self.check_links(re.sub(CODE, blank, INLINE_MATH.sub(blank, prose)))
        for path in PATH.finditer(prose):
            if not list(ROOT.glob(path[1].rstrip("/").replace("STEM", "*"))):
                self.fault(path.start(), f"there is no {path[1]}")
        return self.faults

    def check_links(self, prose):
        for link in LINK.finditer(self.text):
            if prose[link.start()] != "[":
                continue  # inside code
            target = link[2]
            if re.match(r"[a-z]+:", target):
                if not re.match(r"https://[\w.-]+\.[a-z]+(/\S*)?$", target):
                    self.fault(link.start(), f"not an https address: {target}")
                continue
            name, _, anchor = target.partition("#")
            file = (self.path.parent / name).resolve() if name else self.path
            if not file.exists():
                self.fault(link.start(), f"there is no {target}")
            elif anchor and anchor not in anchors(file):
                self.fault(link.start(), f"{file.name} has no heading #{anchor}")

    def check_fences(self):
        generated = PLACE.sub(blank, self.text)
        for fence in FENCE.finditer(self.text):
            _, tag, info, _ = fence.groups()
            if PLACE.search(fence[0]):
                self.fault(fence.start(), "a place to fill inside a fenced block: GitHub shows the marks")
            if not is_reference(self.path) or tag in RUN | PICTURES or (info or "").startswith("not-run: "):
                continue
            if tag == "text" and generated[fence.start()] == " ":
                continue
            self.fault(fence.start(), f"a block of {tag or 'no kind'} that nothing runs or writes")

    def check_places(self):
        for place in PLACE.finditer(self.text):
            begin = self.text.rfind("\n", 0, place.start()) + 1
            on_lines_of_its_own = "-->\n" in place[0]
            if not on_lines_of_its_own and not self.text[begin:place.start()].strip(" >*+-.0123456789"):
                self.fault(place.start(), "a line that begins with a mark is HTML to GitHub: put a word before it")
            if "--" in place[0][4:place[0].find("-->")]:
                self.fault(place.start(), "-- inside a mark, which is then no comment to GitHub")

    def check_math(self, prose):
        for block in FENCE.finditer(self.text):
            if block[2] == "math":
                if block[1]:
                    self.fault(block.start(), "a block of math inside a list")
                self.check_formula(block[4], block.start(4))
        for formula in INLINE_MATH.finditer(prose):
            at = formula.start()
            self.check_formula(formula[1], at)
            line = prose[prose.rfind("\n", 0, at) + 1:].split("\n", 1)[0]
            if "|" in formula[1] and line.startswith("|"):
                self.fault(at, "| in a formula ends the cell of the table: \\lvert, \\mid")
            if prose[at - 1] not in " \n(|[":
                self.fault(at, f"{prose[at - 1]!r} before a formula: GitHub does not see its beginning")
            if re.match(r"[\w*_]", prose[formula.end():formula.end() + 1]):
                self.fault(at, f"{prose[formula.end()]!r} behind a formula: GitHub does not see its end")
            if re.match(r"[^\[\]\n]*\]\(", prose[formula.end():]) and "[" in line[:line.find(formula[0])]:
                self.fault(at, "a formula in the text of a link")
        rest = CODE.sub(blank, INLINE_MATH.sub(blank, prose))
        for dollar in re.finditer(r"(?<!\\)\$", rest):
            self.fault(dollar.start(), "$ outside of code: write a formula as $`...`$")

    def check_numbers(self):
        for expected, tag in enumerate(re.finditer(r"\\tag\{(\d+)\}", self.text), 1):
            if int(tag[1]) != expected or f'<a id="eq-{expected}"></a>' not in self.text[:tag.start()]:
                self.fault(tag.start(), f"equation {tag[1]} where {expected} is next, or no anchor eq-{expected} before it")

    def check_parsed(self, prose):
        html = parsed(self.text)
        shown = re.sub(r"<code[^>]*>.*?</code>", "", html, flags=re.S)
        for wrong, what in (("&lt;!--", "a mark that is no comment"), ("<p>|", "a table that is none"), ("```", "a block that is none")):
            if wrong in shown:
                self.fault(0, f"{what} to GitHub: {shown[shown.index(wrong):][:60]!r}")
        for wanted, found, what in ((len(INLINE_MATH.findall(prose)), html.count("$<code>"), "formulas"),
                                    (len(FENCE.findall(self.text)), len(re.findall(r"<pre(?: lang=\"[^\"]*\")?><code", html)), "blocks")):
            if found < wanted:
                self.fault(0, f"{wanted} {what} are written, GitHub sees {found}")

    def check_formula(self, formula, at):
        other = ANOTHER_SYMBOL.search(formula)
        if other:
            self.fault(at, f"{other[0]} in a formula: the table of symbols in derivation.md has another")
        for name in REFUSED:
            if re.search(rf"\\{name}(?![a-z])", formula):
                self.fault(at, f"GitHub refuses \\{name}")
        for character, instead in {"<": "\\lt", ">": "\\gt", "$": "nothing"}.items():
            if character in formula:
                self.fault(at, f"{character} in a formula: {instead}")
        if re.search(r"(?<!\\)[%#]", formula):
            self.fault(at, "% or # in a formula without a backslash")
        plain = re.sub(r"\\[{}]", "", formula)
        if plain.count("{") != plain.count("}"):
            self.fault(at, "braces that don't match")
        for opening, closing in ((r"\\left(?![a-z])", r"\\right(?![a-z])"), (r"\\begin\{", r"\\end\{")):
            if len(re.findall(opening, formula)) != len(re.findall(closing, formula)):
                self.fault(at, f"{opening.lstrip(chr(92))[:5]} without its end")


def check_citations():
    known = anchors(ROOT / "docs/quantization/derivation.md")
    for source in sorted([*ROOT.glob("octet/**/*.h"), *ROOT.glob("octet/**/*.cc")]):
        text = re.sub(r"\n\s*// *", " ", source.read_text())
        for citation in re.finditer(r"(?i)equations? ([^.;]*?) of\s+docs/quantization/derivation\.md", text):
            for number in re.findall(r"\((\d+)\)", citation[1]):
                if f"eq-{number}" not in known:
                    yield f"{source.relative_to(ROOT)}: there is no equation ({number})"


def check_index():
    """Every page of docs/ is in the table of docs/README.md, a folder with an index of its own by that."""
    index = ROOT / "docs/README.md"
    listed = {(index.parent / link[2].partition("#")[0]).resolve() for link in LINK.finditer(index.read_text())}
    for page in sorted(index.parent.rglob("*.md")):
        if page != index and page not in listed and page.parent / "README.md" not in listed:
            yield f"docs/README.md: {page.relative_to(ROOT)} is not in the table"


def check_readers():
    """Every page of docs/ begins with for whom it is and what it answers."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        is_decision = page.parent.name == "decisions" and page.name != "README.md"
        if not is_decision and not re.match(r"# .+\n\n> For .+: .+\?\n\n", page.read_text()):
            yield f'{page.relative_to(ROOT)}:3: does not say for whom it is and what it answers: "> For WHOM: WHAT?"'


def main(arguments):
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and not folder.name.startswith((".", "build"))]
    everything = [*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    pages = [pathlib.Path(a).resolve() for a in arguments] or sorted(everything)
    faults = [fault for page in pages for fault in Page(page).check()] + [*check_citations(), *check_index(), *check_readers()]
    print("\n".join(faults or [f"{len(pages)} pages"]))
    return bool(faults) or not pages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
