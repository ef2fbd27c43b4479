// c_float_stages.h: what happens to a row of float32 results before it is stored.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "octet/export/support/c_step.h"

namespace octet {

// Results side by side in an array of float.
struct CFloatRow {
  std::string acc, count;
  std::string channel;  // of element i, as an expression; empty where there is one for all
  // What to write in brackets for element i of the row in a tensor of the result's shape.
  std::function<std::string(ValueId)> at;
};

// Takes a row of results to where they belong.
using CFloatFinish = std::function<void(const CFloatRow&)>;

// Stages are Limit and Calculate, from `first` on. Then the row is stored in y.
void write_float_stages(CStep& step, const std::vector<work::Stage>& stages, std::size_t first, const CFloatRow& row,
                        ValueId y);
void say_float_stages(CStep& step, const std::vector<work::Stage>& stages);

// "array[channel]" or "number": one for all or one for each.
std::string real_constant(CStep& step, const std::string& what, const std::vector<float>& numbers,
                          const std::string& channel);

}  // namespace octet
