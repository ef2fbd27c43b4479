#!/usr/bin/env bash
# pictures.sh OCTET [FOLDER]: draws the pictures of the documentation with that octet, into docs/images or FOLDER.
set -euo pipefail
cd "$(dirname "$0")/../.."
octet=$1 folder=${2:-docs/images} model=models/resnet8_int8.onnx
mkdir -p "$folder"
for ending in svg png dot; do "$octet" draw "$model" -o "$folder/resnet8_qdq_architecture.$ending"; done
"$octet" draw "$model" -o "$folder/resnet8_program.svg" --view program
"$octet" draw "$model" -o "$folder/resnet8_pattern.svg" --view pattern
"$octet" draw "$model" -o "$folder/resnet8_conv.svg" --view full --around block2.conv2 --depth 2
"$octet" draw "$model" -o "$folder/resnet8.svg" --blocks
