"""Holds every #include line to the layers: who may use whom, and which libraries are seen where.

Usage: check_layers.py [project root]
"""

import pathlib
import re
import sys

# A library's headers, by its name in octet/layers.txt.
HEADERS = {"protobuf": "google/protobuf", "json": "nlohmann", "cli": "CLI", "zip": "zip.h", "re2": "re2", "hwy": "hwy", "graphviz": "graphviz", "jpeg": "jpeglib.h", "png": "png.h"}
# Where a layer has one file for a library.
ONLY = {"cli": "cli/parser.cc"}
# Headers for the library's own sources, which are not installed: these alone may include fmt.
INTERNAL = re.compile(r"octet/base/fail\.h|octet/spec/check\.h|octet/\w+/support/\w+\.h|octet/text/\w+\.h|octet/engine/fast/[\w/]+\.h|octet/verify/verification_json\.h|cli/\w+\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def read_layers(text):
    """The layers each may include, itself among them, and the layers that may include each library."""
    uses, libraries = {}, {name: set() for name in HEADERS}
    for line in text.splitlines():
        if not re.match("[a-z]", line):
            continue
        layer, below, included = (column.replace("*", "").split() for column in line.split("|"))
        uses[layer[0]] = set(layer).union(*(uses[name] for name in below))
        for name in set(included) & set(HEADERS):
            libraries[name].add(layer[0])
    return uses, libraries


def layer_of(path):
    parts = pathlib.PurePosixPath(path).parts
    return parts[1] if parts[0] == "octet" and len(parts) > 2 else parts[0]


def violations(path, text, uses, libraries):
    """What is wrong with the #include lines of one file, given as its path from the root and its text."""
    layer = layer_of(path)
    allowed = uses["cli"] - {"cli"} if path == "octet/octet.h" else uses.get(layer)
    if allowed is None:
        yield f"{path}: the layer '{layer}' is not in octet/layers.txt"
        return
    public = path.endswith(".h") and not INTERNAL.fullmatch(path)
    for included in INCLUDE.findall(text):
        if included.startswith(("octet/", "cli/")) and included != "octet/version.h":
            if layer_of(included) not in allowed:
                yield f"{path}: {layer} may not include {included}"
            elif "/support/" in included and layer_of(included) != layer:
                yield f"{path}: {included} is private to its layer"
            elif public and INTERNAL.fullmatch(included):
                yield f"{path}: a public header may not include {included}"
        elif public and included.startswith(("fmt/", "zip.h", "jpeglib.h", "png.h")):
            yield f"{path}: a public header may not include {included}"
        for library, header in HEADERS.items():
            if included != header and not included.startswith(header + "/"):
                continue
            if layer not in libraries[library] or path != ONLY.get(library, path):
                yield f"{path}: {layer} may not include {included}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    files = [f for top in ("octet", "cli") for f in sorted((root / top).rglob("*.*")) if f.suffix in (".cc", ".h")]
    layers = read_layers((root / "octet/layers.txt").read_text())
    found = [v for f in files for v in violations(f.relative_to(root).as_posix(), f.read_text(), *layers)]
    print("\n".join(found) or f"{len(files)} files keep to their layers")
    return bool(found) or not files


if __name__ == "__main__":
    sys.exit(main())
