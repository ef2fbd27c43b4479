"""Runs clang-tidy on the sources that changed: since the branch left main, on main since the commit before, and what is
not committed. Of many it takes those with the most changed lines; `make tidy` checks all.

Usage: tidy_changed.py BUILD    a build tree with what is generated: headers of the protobuf messages
Ends with 77, skipped, where there is no clang-tidy or no history.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST = 8  # sources; each takes about twelve seconds


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, text=True, capture_output=True).stdout.strip()


def succeeds(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 0


def base():
    """The commit to compare with, or nothing when there is none."""
    head = output("git", "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        if succeeds("git", "rev-parse", "--verify", main):
            fork = output("git", "merge-base", "HEAD", main)
            if fork != head:
                return fork
    return "HEAD~1" if succeeds("git", "rev-parse", "--verify", "HEAD~1") else None


def changed(since):
    """The sources that differ from `since`, those with the most changed lines first."""
    rows = [line.split("\t") for line in output("git", "diff", "--numstat", "--diff-filter=d", "--no-renames", since,
                                                "--", "*.cc").splitlines()]
    rows.sort(key=lambda row: (-int(row[0]) - int(row[1]), row[2]))
    return [row[2] for row in rows]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("clang-tidy"):
        print("clang-tidy is not here")
        return 77
    since = base() if succeeds("git", "rev-parse", "HEAD") else None
    if since is None:
        print("no commit to compare with")
        return 77
    subprocess.run(["cmake", "--log-level=WARNING", "--preset", "tidy"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((ROOT / "build-tidy/compile_commands.json").read_text())
    compiled = {os.path.relpath(command["file"], ROOT) for command in commands}
    sources = [source for source in changed(since) if source in compiled]

    def check(source):
        return subprocess.run(["clang-tidy", "--quiet", "-p", "build-tidy", "--extra-arg=-isystem",
                               f"--extra-arg={build}/generated", source],
                              cwd=ROOT, text=True, capture_output=True)

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(check, sources[:MOST]))
    for result in results:
        if result.returncode:
            print(result.stdout + result.stderr)
    print(f"{len(results)} of {len(sources)} changed sources checked, "
          f"{sum(1 for result in results if result.returncode)} with findings")
    return any(result.returncode for result in results)


if __name__ == "__main__":
    sys.exit(main())
