// c_softmax.h: Softmax, row by row.
#pragma once

#include <string>

#include "octet/export/support/c_step.h"

namespace octet {

// Softmax of float32.
void write_softmax(CStep& step, const work::FloatSoftmax& work);

// QLinearSoftmax: why C does not have it for these scales and rows; empty where it does.
std::string softmax_refusal(const CValues& values, const work::Softmax& work);
void write_softmax(CStep& step, const work::Softmax& work);

}  // namespace octet
