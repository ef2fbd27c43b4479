// work_evaluator.h: what a step computes, from its work alone: plain loops, no operator, no attribute, no name.
#pragma once

#include <map>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/program/program.h"

namespace octet {

using TensorsById = std::map<ValueId, Tensor>;

// `values` are the program's: of them only types and shapes are looked at. `given` holds every value that the work names
// and does not make; constants that stand in the work itself are not asked for.
TensorsById evaluate_work(const Work& work, const std::vector<ProgramValue>& values, const TensorsById& given);

}  // namespace octet
