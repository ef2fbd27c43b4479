// known_values.h: what a program computes from shapes and constants alone, computed beforehand.
#pragma once

#include "octet/program/program.h"

namespace octet {

// The same program without the steps that compute shapes, indices or truth values where the rules of their operators give
// the numbers: those are constants then. Outputs of the program are still made. Its shapes hold for every run.
Program with_known_values(Program program);

// The same program without the steps that dequantize constants: these are float constants then, and layers that compute in float
// because one of their neighbours has 16 bits know their weights. Outputs of the program are still made.
Program with_float_constants(Program program);

}  // namespace octet
