"""Holds the table of octet/spec/signature.cc, the versions of the operators and the list of those that are left out
(tests/conformance/refused.txt) to the schemas of the onnx package and of ONNX Runtime.

Usage: signatures.py
"""

import collections
import fnmatch
import pathlib
import re
import sys

from onnx import defs
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r'\{(kStandard|kMicrosoft), "(\w+)", (\d+),\s*"([^"]*)",\s*"([^"]*)"\}')
# Files of opset 11 leave these empty, and every runtime takes that.
LENIENT = {("Resize", 11): ("X roi? scales? sizes?", "Y")}
VERSIONS = re.compile(r'\.name = "(\w+)",\s*\.versions = \{([^}]*)\}|const Operator ops::k(\w+) = \w+_in\("", \{([^}]*)\}\)')
# Upsample is no more in opset 10, which says so; ONNX Runtime takes two normalizations in any opset.
NOT_THE_STANDARDS = {"Upsample", "LayerNormalization", "SimplifiedLayerNormalization"}


def text(parameters, fewest):
    marks = {"single": "", "optional": "?", "variadic": "..."}
    words = [re.sub(r"\W", "", p.name) + marks[str(p.option).rsplit(".", 1)[-1].lower()] for p in parameters]
    if words and words[-1].endswith("...") and fewest < len(words):
        words[-1] += "?"
    return " ".join(words)


def schemas():
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            yield "kStandard", schema
    for schema in onnxruntime.get_all_operator_schema():
        if schema.domain == "com.microsoft":
            yield "kMicrosoft", schema


def history():
    versions = collections.defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions[schema.name].append(schema.since_version)
    return {name: sorted(list_) for name, list_ in versions.items()}


def known_versions():
    """Of the operators of ai.onnx that have a kernel."""
    found = {}
    for file in (ROOT / "octet/spec").glob("*/*.cc"):
        for name, versions, alone, listed in VERSIONS.findall(file.read_text()):
            found[name or alone] = [int(version) for version in (versions or listed).split(",")]
    return found


def wrong_versions():
    """Operators that changed without Octet's knowing: from its first version on, each must be one of Octet's."""
    standard = history()
    for name, versions in known_versions().items():
        wanted = [version for version in standard.get(name, []) if version >= versions[0]]
        if name not in NOT_THE_STANDARDS and versions != wanted:
            yield f"{name} has the versions {versions}, wanted {wanted}"


def wrong_refusals():
    """Operators that are neither known nor left out, and lines that leave out what is known or does not exist."""
    functions = set(re.findall(r'StandardFunction\{"(\w+)"', (ROOT / "octet/graph/standard_functions.cc").read_text()))
    known = set(known_versions()) | functions | NOT_THE_STANDARDS
    lines = [line.split(": ")[0] for line in (ROOT / "tests/conformance/refused.txt").read_text().splitlines() if line and line[0] != "#"]
    names = {f"{s.domain}.{s.name}" if s.domain else s.name for s in defs.get_all_schemas_with_history()}
    newest = {schema.name for schema in defs.get_all_schemas() if schema.domain == "" and not schema.deprecated}
    for name in sorted(newest - known):
        if not any(fnmatch.fnmatchcase(name, line) for line in lines):
            yield f"{name} is neither known nor in refused.txt"
    for line in lines:
        if not fnmatch.filter(names, line) or fnmatch.filter(known, line):
            yield f"refused.txt has {line}, which is known or does not exist"


def main():
    table = {}
    for domain, op, since, inputs, outputs in ROW.findall((ROOT / "octet/spec/signature.cc").read_text()):
        table.setdefault((domain, op), {})[int(since)] = (inputs, outputs)
    wrong = compared = 0
    for domain, schema in schemas():
        rows = table.get((domain, schema.name))
        versions = [v for v in rows or () if v <= schema.since_version]
        if not versions:
            continue  # an operator, or a version of it, that Octet does not have
        wanted = LENIENT.get((schema.name, schema.since_version), (text(schema.inputs, schema.min_input), text(schema.outputs, schema.min_output)))
        compared += 1
        if rows[max(versions)] != wanted:
            print(f"{schema.name} {schema.since_version}: {rows[max(versions)]}, wanted {wanted}")
            wrong += 1
    for line in [*wrong_versions(), *wrong_refusals()]:
        print(line)
        wrong += 1
    print(f"{compared} versions of {len(table)} operators compared, {wrong} differ")
    sys.exit(1 if wrong or compared < 300 or len(table) < 150 else 0)


if __name__ == "__main__":
    main()
