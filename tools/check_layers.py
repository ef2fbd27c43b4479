"""Holds every #include line to the layers: who may use whom, and which libraries are seen where.

Usage: check_layers.py [project root]
"""

import pathlib
import re
import sys

# Each layer may include itself and the layers named here.
BASE = {"base"}
REPORT = BASE | {"report"}
SPEC = BASE | {"spec"}
GRAPH = SPEC | {"graph"}
ONNX = GRAPH | {"onnx"}
PROGRAM = GRAPH | {"report", "program"}
ENGINE = PROGRAM | {"engine"}
USES = {
    "base": BASE,
    "report": REPORT,
    "spec": SPEC,
    "graph": GRAPH,
    "onnx": ONNX,
    "program": PROGRAM,
    "engine": ENGINE,
    "inspect": ONNX | {"report", "inspect"},
    "data": GRAPH | {"data"},
    "quantize": ENGINE | {"data", "quantize"},
    "analyze": ENGINE | {"analyze"},
    "verify": ENGINE | {"verify"},
    "evaluate": ENGINE | {"data", "evaluate"},
    "simulate": ENGINE | {"data", "quantize", "evaluate", "simulate"},
    "draw": ENGINE | {"inspect", "analyze", "draw"},
    "cli": ONNX | ENGINE | {"report", "inspect", "data", "quantize", "evaluate", "analyze", "verify", "simulate", "draw", "cli"},
}
# A library's headers, and the layers, or single files, that may include them.
LIBRARIES = {
    "google/protobuf": {"onnx"},
    "nlohmann": {"cli", "report", "quantize", "verify"},
    "CLI": {"cli/parser.cc"},
    "zip.h": {"base"},
    "graphviz": {"draw"},
}
# Headers for the library's own sources, which are not installed: these alone may include fmt.
INTERNAL = re.compile(r"octet/base/fail\.h|octet/spec/check\.h|octet/\w+/support/\w+\.h|octet/report/\w+\.h|cli/\w+\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def layer_of(path):
    parts = pathlib.PurePosixPath(path).parts
    return parts[1] if parts[0] == "octet" and len(parts) > 2 else parts[0]


def violations(path, text):
    """What is wrong with the #include lines of one file, given as its path from the root and its text."""
    layer = layer_of(path)
    allowed = USES.get(layer)
    if path == "octet/octet.h":
        allowed = USES["cli"] - {"cli"}
    if allowed is None:
        yield f"{path}: the layer '{layer}' is not in tools/check_layers.py"
        return
    public = path.endswith(".h") and not INTERNAL.fullmatch(path)
    for included in INCLUDE.findall(text):
        if included.startswith(("octet/", "cli/")) and included != "octet/version.h":
            if layer_of(included) not in allowed:
                yield f"{path}: {layer} may not include {included}"
            elif public and INTERNAL.fullmatch(included):
                yield f"{path}: a public header may not include {included}"
        elif public and included.startswith(("fmt/", "zip.h")):
            yield f"{path}: a public header may not include {included}"
        for library, users in LIBRARIES.items():
            if included == library or included.startswith(library + "/"):
                if not users & {layer, path}:
                    yield f"{path}: {layer} may not include {included}, only {', '.join(sorted(users))}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    files = [f for top in ("octet", "cli") for f in sorted((root / top).rglob("*.*")) if f.suffix in (".cc", ".h")]
    found = [v for f in files for v in violations(f.relative_to(root).as_posix(), f.read_text())]
    print("\n".join(found) or f"{len(files)} files keep to their layers")
    return bool(found) or not files


if __name__ == "__main__":
    sys.exit(main())
