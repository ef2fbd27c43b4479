// explain.h: how one element of a tensor came about, as data; explanation.h writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "octet/base/shape.h"
#include "octet/engine/engine.h"
#include "octet/program/program.h"
#include "octet/spec/arithmetic.h"

namespace octet {

// An integer or a float as the machine holds it, or words.
using ExplainedValue = std::variant<std::string, std::int64_t, float, double>;

// What a formula gives on the real numbers, from the numbers the model holds and with nothing rounded on the way.
struct ExactValue {
  std::string
      fraction;  // "-3 / 7 * 2^-12": p / q * 2^k with odd p and q that have no common divisor; 1 and 2^0 left out
  std::string decimal;  // its first digits; "…" stands for those that are left out
};

struct ExplainedLine {
  std::string label;    // "M"
  std::string formula;  // "(x_scale * w_scale) / y_scale"; empty where nothing is computed
  ExplainedValue value;
  std::optional<ExactValue> exact = {};
  std::string note = {};
};

// The products of a sum, the pixels of a window: one row each, one value per column.
struct ExplainedTerms {
  std::vector<std::string> columns;
  std::vector<std::vector<ExplainedValue>> rows;
};

struct ExplainedSection {
  std::string title;
  ExplainedTerms terms = {};
  std::vector<ExplainedLine> lines = {};  // after the terms
};

// The rule of sums whose pairs of products saturate (pair_products.h); its note says which pair does.
inline constexpr std::string_view kSaturatingPairs = "AVX2 without VNNI, pairs of products in int16";

// What another rule makes of the same numbers.
struct Alternative {
  std::string rule;
  ExplainedValue result;
  bool differs = false;
  std::string note = {};
};

// An element that one operation computes.
struct ExplainedOperation {
  std::string op;       // "QLinearConv"
  std::string formula;  // of the operator
  std::string tensor;
  Shape index;
  std::vector<ExplainedSection> sections = {};  // in the order of computing
  ExplainedValue result = {};
  std::vector<Alternative> alternatives = {};
};

struct Explanation {
  std::string tensor;
  Shape index, shape;
  DType dtype = DType::kUndefined;
  std::optional<Quantization> quantization;
  std::string step;
  StepKind kind = StepKind::kOther;
  std::string reason;                          // why the step was fused, or why not
  std::vector<SourceNode> sources;             // of the step
  std::vector<ExplainedOperation> operations;  // those of the step that lead to the element; the last one makes it
  ExplainedValue result;
};

// `tensor` is made by step `step` of the program; `values` holds what the step reads and is not constant. Everything is
// computed anew through the operators' own functions and then compared with what the whole operation gives: an
// explanation that disagrees throws. So do, with kUsage, a tensor the step does not make, an index outside its shape
// and a value that is missing.
Explanation explain_element(const Program& program, std::size_t step, const std::string& tensor, const Shape& index,
                            const NamedTensors& values, const Arithmetic& arithmetic = {});

}  // namespace octet
