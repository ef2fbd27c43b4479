"""Holds octet/public_headers.txt, the list of headers that are installed, to the #include lines: octet/octet.h reaches every
header of the list, and a listed header includes listed headers alone.

Usage: check_public_headers.py [--update] [project root]

--update writes the list anew.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"(octet/[^"]+)"', re.M)
MADE = {"octet/version.h"}  # by CMake, and installed beside the list


def listed(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def reached(root, first="octet/octet.h"):
    """The headers that the first one includes, directly or not, itself among them; with who includes each."""
    found, waiting = {}, [(first, "")]
    while waiting:
        header, by = waiting.pop()
        if header in found or header in MADE:
            continue
        found[header] = by
        waiting += [(included, header) for included in INCLUDE.findall((root / header).read_text())]
    return found


def violations(root, headers):
    wanted = reached(root)
    for header in sorted(wanted.keys() - set(headers)):
        yield f"{header} is not in octet/public_headers.txt, and the public header {wanted[header]} includes it"
    for header in sorted(set(headers) - wanted.keys()):
        yield f"{header} is in octet/public_headers.txt, and octet/octet.h does not reach it"
    if headers != sorted(set(headers)):
        yield "octet/public_headers.txt is not sorted, or names a header twice"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    root = pathlib.Path(arguments[0] if arguments else ".")
    file = root / "octet/public_headers.txt"
    text = file.read_text()
    if "--update" in sys.argv:
        comment = "".join(line for line in text.splitlines(True) if line.startswith("#"))
        file.write_text(comment + "".join(header + "\n" for header in sorted(reached(root))))
        return 0
    headers = listed(text)
    found = list(violations(root, headers))
    print("\n".join(found) or f"{len(headers)} headers are installed")
    return bool(found) or not headers


if __name__ == "__main__":
    sys.exit(main())
