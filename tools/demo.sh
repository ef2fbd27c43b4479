#!/usr/bin/env bash
# Shows the tool at work on a small 8-bit network, which an example program makes on the spot.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/build:$PATH"
mkdir -p build/demo

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}
show build/examples/small_network build/demo/small.onnx
show octet inspect build/demo/small.onnx
show octet run build/demo/small.onnx --random 1 --dim N=1 --output build/demo/probabilities.npz
