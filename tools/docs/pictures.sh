#!/usr/bin/env bash
# pictures.sh OCTET [FOLDER]: draws the pictures of the documentation with that octet, into docs/images or FOLDER.
set -euo pipefail
cd "$(dirname "$0")/../.."
octet=$1 folder=${2:-docs/images} model=models/resnet8_int8.onnx
mkdir -p "$folder"
"$octet" draw "$model" -o "$folder/resnet8_qdq_architecture.dot"
for ending in svg png; do
    "$octet" draw "$model" -o "$folder/resnet8_qdq_architecture.$ending"
    "$octet" draw "$model" -o "$folder/resnet8_program.$ending" --view program
    "$octet" draw "$model" -o "$folder/resnet8_pattern.$ending" --view pattern
    "$octet" draw "$model" -o "$folder/resnet8_conv.$ending" --view full --around block2.conv2 --depth 2
    "$octet" draw "$model" -o "$folder/resnet8_operation.$ending" --view program --around block2.conv2 --depth 1
    "$octet" draw "$model" -o "$folder/resnet8.$ending" --blocks
done
