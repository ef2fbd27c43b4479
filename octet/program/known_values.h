// known_values.h: what a program computes from shapes and constants alone, computed beforehand.
#pragma once

#include "octet/program/program.h"

namespace octet {

// The same program without the steps that compute shapes, indices or truth values where the rules of their operators give
// the numbers: those are constants then. Outputs of the program are still made. Its shapes hold for every run.
Program with_known_values(Program program);

}  // namespace octet
