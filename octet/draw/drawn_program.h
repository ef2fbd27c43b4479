// drawn_program.h: what a picture of a program shows: its steps and values, without their numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/program/program.h"
#include "octet/program/quantized_share.h"
#include "octet/spec/interval.h"

namespace octet {

struct DrawnValue {
  DType dtype = DType::kUndefined;
  std::optional<SymbolicShape> shape;
  std::optional<Quantization> quantization;
};

struct DrawnSum {
  std::string weights;  // type and shape; empty where they are computed
  std::int64_t products = 0;
  std::optional<Interval> reach;  // of all accumulators
  std::vector<float> multipliers;
};

struct DrawnStep {
  std::string name, op;  // the first operation's operator; empty where there is none
  StepKind kind = StepKind::kOther;
  Attributes attributes;  // of that operation
  bool computes = false;  // computing_steps
  bool dynamic = false;   // it finds the scale of what it quantizes as it runs
  std::vector<std::string> inputs, outputs;
  std::optional<DrawnSum> sum;
  std::size_t table_bytes = 0, tables = 0;  // of one table for all, or how many there are, one for each channel
  std::optional<Meanings> operands;
};

struct DrawnProgram {
  std::string path;  // of the file it was lowered from
  std::vector<std::string> inputs, outputs;
  std::map<std::string, DrawnValue> values;  // by name
  std::vector<DrawnStep> steps;
  QuantizedShare share;
};

DrawnProgram drawn_program(const Program& program, const std::string& path);

// The same from what program_json wrote. Throws kFormat, saying what was found and what was wanted.
DrawnProgram drawn_program_from_json(std::string_view text);

}  // namespace octet
