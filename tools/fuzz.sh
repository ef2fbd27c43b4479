#!/usr/bin/env bash
# fuzz.sh SECONDS [target]: runs a fuzz target of tests/fuzz (read_model by default) for that long. What it learns stays
# in build-sanitize, so that the next run goes on from there; an input that breaks something is left there and named.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: $0 SECONDS [target]}
target=${2:-read_model}
build=build-sanitize

cmake --log-level=WARNING --preset sanitize
cmake --build --preset sanitize --target "fuzz_$target"
mkdir -p "$build/fuzz/$target"
exec "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=16384 \
  -dict=tests/fuzz/onnx.dict -artifact_prefix="$build/fuzz/" -print_final_stats=1 "$build/fuzz/$target" tests/fuzz/corpus
