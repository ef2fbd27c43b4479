// float_moves.h: float steps that only move elements, as what they are.
#pragma once

#include "octet/program/program.h"

namespace octet {

// The same program, where steps of float operators that change nothing but the places of elements (a transposition, a
// concatenation, a slice) have a work::Move. resolve() leaves them opaque: engines run such operators by their own kernels.
Program with_float_moves(Program program);

}  // namespace octet
