// c_integers.h: steps of integers as C, after integer/interpret.cc.
#pragma once

#include "octet/export/support/c_stages.h"

namespace octet {

// Why C can't have it; empty: it can.
std::string c_refusal(const IntegerSteps& integers, const integer::Task& task);

// `stage` is the step's requantization in float32, where that is wanted and it has one.
void write_integers(CStep& step, const IntegerSteps& integers, const integer::Task& task,
                    const work::Requantize* float32);

}  // namespace octet
