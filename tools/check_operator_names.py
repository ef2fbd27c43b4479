"""Finds comparisons of operator names with strings, and tables and lists of such names, outside octet/spec, where code asks the registry instead: is(node, ops::kConv)
for one operator, is_one_of(node, kMoves) for a list of entries, has(node, Trait::kWeighted) for a class (CONTRIBUTING.md).

Usage: check_operator_names.py [project root]
"""

import pathlib
import re
import sys

# How many comparisons a folder or file may still have, and why. Lower a number when they become fewer; add none.
ALLOWED = {
    "octet/analyze/support/latex.cc": (1, "Sum is the sign in a formula, no operator"),
    "octet/graph/rewrite/float16_kernels.cc": (49, "a table of another runtime's kernels, by its names"),
}

NAME = re.compile(r"^extern const Operator k(\w+);", re.M)
LITERAL = r'"([A-Z]\w*)"'
COMPARISONS = [
    re.compile(rf"[=!]=\s*{LITERAL}"),
    re.compile(rf"{LITERAL}\s*[=!]="),
    re.compile(rf"\bis(?:_\w+)?\([^()\"]*(?:\([^()\"]*\)[^()\"]*)*,\s*{LITERAL}\s*\)"),
    re.compile(rf'\bfind_operator\("[^"]*",\s*{LITERAL}\s*\)'),
    re.compile(rf"\{{\s*{LITERAL}\s*,"),  # a row of a table, or the first name of a list
]
AFFIX = re.compile(rf"\b(starts|ends)_with\({LITERAL}\)")


def is_affix(kind, text, names):
    """Whether at least two operators begin (end) with the text: one may do so by chance."""
    return sum(name.startswith(text) if kind == "starts" else name.endswith(text) for name in names) > 1


def comparisons(text, names):
    """The lines with a comparison, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        found = [name for pattern in COMPARISONS for name in pattern.findall(code) if name in names]
        found += [affix for kind, affix in AFFIX.findall(code) if is_affix(kind, affix, names)]
        for _ in found:
            yield number, line.strip()


def check(files, names, allowed):
    """What is wrong, from paths and texts."""
    found = {}
    for path, text in files:
        place = next((place for place in allowed if path.startswith(place)), path)
        for number, line in comparisons(text, names):
            found.setdefault(place, []).append(f"{path}:{number}: {line}")
    for place, lines in found.items():
        limit = allowed.get(place, (0, ""))[0]
        if len(lines) > limit:
            yield from lines
            yield f"{place}: {len(lines)} comparisons of operator names with strings, {limit} are allowed; ask is(node, ops::kName) or has(node, Trait::kName) instead"


def self_test():
    """Goes red where a pattern no longer finds what it is for."""
    names = {"Conv", "QLinearConv", "QLinearAdd"}
    red = ['if (op == "Conv")', 'return "Conv" != name;', 'op.starts_with("QLinear")', 'is(cast(x), "Conv")', 'find_operator("", "Conv")', '{"Conv", 2}', 'std::array kMoves = {"Conv",']
    green = ['.op_type = "Conv"', 'x == "Infinity"', 'kernel.starts_with("Winograd")', '// op == "Conv"', 'is(node, ops::kConv)']
    missed = [line for line in red if not list(check([("octet/a.cc", line)], names, {}))]
    wrong = [line for line in green if list(check([("octet/a.cc", line)], names, {}))]
    more = list(check([("octet/a.cc", red[0] + "\n" + red[1])], names, {"octet/a": (1, "")}))
    return [f"the check itself is wrong about: {line}" for line in missed + wrong] + ([] if more else ["the check allows too many"])


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = {name.removeprefix("Microsoft") for name in NAME.findall((root / "octet/spec/operators.h").read_text())}
    paths = [f for top in ("octet", "cli") for f in sorted((root / top).rglob("*.*")) if f.suffix in (".cc", ".h")]
    files = [(f.relative_to(root).as_posix(), f.read_text()) for f in paths]
    wrong = self_test() + list(check([(p, t) for p, t in files if not p.startswith("octet/spec/")], names, ALLOWED))
    print("\n".join(wrong) or f"{len(files)} files compare no names of {len(names)} operators but where allowed")
    return bool(wrong) or not names


if __name__ == "__main__":
    sys.exit(main())
