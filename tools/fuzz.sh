#!/usr/bin/env bash
# fuzz.sh SECONDS [target...]: runs the fuzz targets of tests/fuzz, or those that are named, each for that long, as many
# at a time as there are cores, then the hostile models of every operator. What they learn stays in build-sanitize, so that
# the next run goes on from there. An input that breaks something is left there and named; the exit code is 1 then.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: $0 SECONDS [target...]}
shift
build=build-sanitize
work=$build/fuzz
targets=("$@")
[ ${#targets[@]} -gt 0 ] ||
  targets=(read_model analyze_model run_model compare_engines explain_model read_arrays read_images read_json hostile_models)

cmake --log-level=WARNING --preset sanitize
mkdir -p "$work"
programs=(hostile_models)
for target in "${targets[@]}"; do
  [ "$target" = hostile_models ] || programs+=("fuzz_$target")
done
cmake --build --preset sanitize --target "${programs[@]}"
"$build/tests/fuzz/hostile_models" --write "$work/models"

run_target() {
  local target=$1 seeds=("$work/models" tests/fuzz/corpus) dictionary=onnx
  if [ "$target" = hostile_models ]; then
    "$build/tests/fuzz/hostile_models" "$seconds"
    return
  fi
  case $target in
    read_arrays) seeds=(tests/fuzz/arrays) dictionary=arrays ;;
    read_images) seeds=(tests/fuzz/images) dictionary=images ;;
    read_json) seeds=(tests/fuzz/json) dictionary=json ;;
  esac
  mkdir -p "$work/$target"
  "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 \
    -max_len=16384 -dict="tests/fuzz/$dictionary.dict" -artifact_prefix="$work/$target-" -print_final_stats=1 \
    "$work/$target" "${seeds[@]}"
}

# One line for each target: how much was tried, and what came of it.
report() {
  local target=$1 code=$2 log=$work/$1.log
  local tried covered
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p; s/^\([0-9]*\) models, .*/\1/p' "$log" | tail -1)
  covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
  if [ "$code" = 0 ]; then
    echo "$target: ${tried:-0} inputs${covered:+, $covered edges covered}, nothing found"
  else
    echo "$target: BROKEN, see $log"
    grep -oE '^SUMMARY.*|Test unit written.*|hostile_models broke.*' "$log" || tail -3 "$log"
  fi
}

failed=0
jobs=$(nproc)
declare -A running=()
collect_one() {
  local pid code=0
  wait -n -p pid "${!running[@]}" || code=$?
  report "${running[$pid]}" "$code"
  [ "$code" = 0 ] || failed=1
  unset "running[$pid]"
}
for target in "${targets[@]}"; do
  [ ${#running[@]} -lt "$jobs" ] || collect_one
  run_target "$target" >"$work/$target.log" 2>&1 &
  running[$!]=$target
done
while [ ${#running[@]} -gt 0 ]; do collect_one; done
exit $failed
