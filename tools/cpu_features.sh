#!/usr/bin/env bash
# cpu_features.sh           prints the CPU and what its features mean for the tests
# cpu_features.sh --other   prints the CPU that tests also run as (tools/as_cpu), or nothing where there is none
set -euo pipefail

flags=" $(grep -m1 '^flags' /proc/cpuinfo 2>/dev/null | cut -d: -f2-) "
has() { [[ "$flags" == *" $1 "* ]]; }

other=
if [ "$(uname -m)" = x86_64 ] && has avx2 && has fma; then
  if has avx512_vnni || has avx_vnni; then other=avx2; else other=avx2-vnni; fi
fi
if [ "${1:-}" = --other ]; then
  echo "$other"
  exit
fi

name=$(grep -m1 '^model name' /proc/cpuinfo 2>/dev/null | cut -d: -f2- | sed 's/^ *//' || true)
found=()
for feature in avx2 fma avx512f avx512_vnni avx_vnni amx_int8 asimd asimddp i8mm; do
  if has "$feature"; then found+=("$feature"); fi
done
echo "CPU: ${name:-$(uname -m)}, $(uname -m), with: ${found[*]:-none of the features that kernels ask for}"
case "$other" in
  avx2) echo "It has VNNI: ONNX Runtime is exact here. Tests whose result can depend on the CPU also run as avx2, where it saturates." ;;
  avx2-vnni) echo "It has no VNNI: ONNX Runtime saturates here by default. Tests whose result can depend on the CPU also run as avx2-vnni (emulated)." ;;
  *) echo "Tests run as this CPU alone." ;;
esac
