// c_stages.h: what happens to a row of results before it is stored, stage by stage.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "octet/export/support/c_step.h"
#include "octet/integer/integer_steps.h"

namespace octet {

// Results side by side: `acc` is an array of int32_t, `spare` another of the same length.
struct CRow {
  std::string acc, spare;
  std::string count;  // how many; where constants differ from channel to channel, those of all channels
  // What to write in brackets for element i of the row in a tensor of the result's shape.
  std::function<std::string(ValueId)> at;
};

struct CStages {
  const IntegerSteps& integers;
  const integer::Epilogue& stages;
  const work::Requantize* float32 = nullptr;  // instead of the integer constants of the first Requantize
};

// Lines that take the row through all stages. Returns the array that then holds it.
std::string write_stages(CStep& step, const CStages& stages, const CRow& row);

// `to[at] = (type)from[i]` for each i.
void write_store(CStep& step, const std::string& to, ValueId y, const std::string& at, const std::string& from,
                 const std::string& count);

// acc[i] = pair(a, b) for each i; a and b are expressions of i.
void write_pair(CStep& step, const integer::Pair& pair, const std::string& what, const CRow& row, const std::string& a,
                const std::string& b, const std::string& to);

// What the stages compute, for the comment above the step.
void say_stages(CStep& step, const integer::Epilogue& stages, bool float32);

}  // namespace octet
