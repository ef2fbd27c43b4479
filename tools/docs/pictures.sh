#!/usr/bin/env bash
# pictures.sh OCTET [FOLDER]: draws the pictures of the documentation with that octet, into docs/images or FOLDER. Those whose name
# ends in _right lead from left to right, the others down.
set -euo pipefail
cd "$(dirname "$0")/../.."
octet=$1 folder=${2:-docs/images} model=models/resnet8_int8.onnx
mkdir -p "$folder"
"$octet" draw "$model" -o "$folder/resnet8_qdq_architecture.dot"
for ending in svg png; do
    for direction in down right; do
        suffix=$([ "$direction" = down ] || echo _right)
        draw() { "$octet" draw "$model" -o "$folder/$1$suffix.$ending" --direction "$direction" "${@:2}"; }
        draw resnet8_qdq_architecture
        draw resnet8_program --view program
        draw resnet8_operation --view program --around block2.conv2 --depth 1
        draw resnet8 --blocks
    done
    "$octet" draw "$model" -o "$folder/resnet8_pattern.$ending" --view pattern
    "$octet" draw "$model" -o "$folder/resnet8_conv.$ending" --view full --around block2.conv2 --depth 2
done
