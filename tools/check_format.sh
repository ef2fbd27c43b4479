#!/usr/bin/env bash
# check_format.sh: every C++ source is as clang-format 14 leaves it (make format). Other versions format otherwise: without
# that one, or without git, it ends with 77, skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "clang-format 14 is not here"
  exit 77
fi
git rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git repository"; exit 77; }
git ls-files -z '*.cc' '*.h' | xargs -0 "$formatter" --dry-run -Werror
echo "$(git ls-files '*.cc' '*.h' | wc -l) files are formatted"
