#!/usr/bin/env bash
# Shows the tool at work on ResNet8: what is in it, in 8 bits; its integer program, how wide its registers must be, and
# what it computes.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/build:$PATH"
mkdir -p build/demo

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}
show octet inspect models/resnet8.onnx
show octet quantize models/resnet8.onnx -o build/demo/resnet8_int8.onnx
show octet lower build/demo/resnet8_int8.onnx -o build/demo/resnet8_int8_program.onnx
show octet bounds build/demo/resnet8_int8.onnx
show octet run build/demo/resnet8_int8.onnx --random 1 --dim N=1 --output build/demo/probabilities.npz
