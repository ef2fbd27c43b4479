"""Runs the sessions in the documentation: what a page shows is what the tool prints.

A session is a block fenced as ```console. Lines that begin with "$ " are commands; the lines up to the next command are
what it prints, where "..." stands for any number of lines. The sessions of one page run one after the other in one empty
folder, with the tools of BUILD in reach, the project's models in models/ and its examples in examples/.

Usage: sessions.py [--update] BUILD PAGE...     --update writes what the commands print into the pages
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSION = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def run(command, folder, build):
    path = f"{build}:{build / 'examples'}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path, "OCTET_PYTHON": sys.executable}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def matches(shown, printed):
    pattern = "".join("(?:.*\n)*" if line == "...\n" else re.escape(line) for line in shown.splitlines(True))
    return re.fullmatch(pattern, printed) is not None


def main(arguments):
    update = "--update" in arguments
    build, *pages = [pathlib.Path(a).resolve() for a in arguments if a != "--update"]
    count, failed = 0, False
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("models", "examples"):
                pathlib.Path(folder, name).symlink_to(ROOT / name)

            def check(command):
                nonlocal count, failed
                count += 1
                shown, printed = command[2], run(command[1], folder, build)
                if matches(shown, printed):
                    return command[0]
                if not update:
                    failed = True
                    print(f"{page.name}: $ {command[1]}")
                    sys.stdout.writelines(difflib.unified_diff(
                        shown.splitlines(True), printed.splitlines(True), "the page shows", "the tool prints"))
                return f"$ {command[1]}\n{printed}"

            text = page.read_text()
            new = SESSION.sub(lambda session: f"```console\n{COMMAND.sub(check, session[1])}```", text)
            if update and new != text:
                page.write_text(new)
    print(f"{count} commands in {len(pages)} pages")
    return failed or count == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
