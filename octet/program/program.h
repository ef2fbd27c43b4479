// program.h: what a network computes, step by step: integer steps where its 8-bit patterns could be fused, float steps
// where they could not. Engines, analyses and exporters read a Program and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "octet/base/dim.h"
#include "octet/base/tensor.h"
#include "octet/graph/model.h"
#include "octet/spec/operator.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

// An index into Program::values.
using ValueId = std::size_t;
inline constexpr ValueId kNoValue = static_cast<ValueId>(-1);  // an optional input or output that is not there

struct ProgramValue {
  std::string name;                          // as in the file, where it stands there
  DType dtype = DType::kUndefined;           // kUndefined: known when the program runs
  std::optional<SymbolicShape> shape;        // absent: not even the rank is known
  Tensor constant;                           // empty() unless the value is known
  std::optional<Quantization> quantization;  // what its integers mean, where one scale serves the whole tensor
  std::optional<std::int64_t> offset;        // its first byte in the program's memory
};

// One application of an operator to values of the program.
struct Operation {
  const Operator* op = nullptr;
  int opset = 0;
  Attributes attributes;
  std::vector<ValueId> inputs, outputs;
};

enum class StepKind {
  kConvolution,
  kMatMul,  // Gemm too
  kAddition,
  kMultiplication,
  kPool,
  kConcatenation,
  kTable,       // one byte in, one byte out: 256 entries
  kMove,        // bytes change places, or the largest of them is chosen; none changes its meaning
  kSoftmax,     // on integers
  kQuantize,    // dynamically too
  kDequantize,  // one operation per element
  kFloat,       // a node that was not fused
  kOther,       // shapes, indices, truth values
};
inline constexpr int kStepKindCount = 13;
// "convolution", "matrix product", ...
std::string_view name(StepKind kind);
// Whether it computes on quantized integers alone.
bool is_integer(StepKind kind);

// A node of the file that a step does the work of.
struct SourceNode {
  std::string name;  // of an unnamed node, its first output
  std::string op_type;
};

// What an accumulating step adds up and how the sum becomes its result. For output channel m:
//
//   acc = bias[m] + Sum (x - x_zero_point) * (w - w_zero_point[m]) = start[m] + Sum x * (w - w_zero_point[m])
//   y = saturate(round(f32(acc) * multiplier[m]) + y_zero_point)                 or f32(acc) * multiplier[m], float32
//
// Vectors have one element for all channels or one for each. Where weights are computed at run time, `weights` is empty
// and so is what follows from them; where the scales are, `multipliers` is.
struct Accumulation {
  std::int64_t channels = 0;
  std::int64_t products = 0;  // in one sum
  Tensor weights;             // as stored: [M, C / group, kernel...] of a convolution, else [..., K, N]
  bool transposed = false;    // a Gemm's weights are [N, K]
  std::int32_t x_zero_point = 0;
  std::vector<std::int32_t> w_zero_points;
  std::vector<std::int32_t> bias;             // none, or one for each channel
  std::vector<std::int64_t> starts;           // bias - x_zero_point * Sum (w - w_zero_point)
  std::vector<std::int64_t> least, greatest;  // of the final accumulator, over every input of the type
  float x_scale = 0;
  std::vector<float> w_scales;
  std::optional<Quantization> y;  // of an integer result
  std::vector<float> multipliers;
};

// y = saturate(round(...)) of a and b, or of one input and the tables that lead to it: what each operand means.
struct Operands {
  std::vector<Quantization> inputs;
  Quantization output;
};

// The byte y of each byte x, in the order 0 to 255 of x's bits.
struct TableEntries {
  DType input = DType::kUndefined, output = DType::kUndefined;
  std::vector<std::uint8_t> bytes;
};

using StepConstants = std::variant<std::monostate, Accumulation, Operands, TableEntries>;

struct Step {
  StepKind kind = StepKind::kOther;
  std::string name;                   // of the node whose work it does
  std::vector<Operation> operations;  // one after the other; mostly one
  std::vector<SourceNode> sources;    // in the file's order
  std::string reason;                 // why it was fused, or why not; empty where there was nothing to decide
  std::vector<std::string> warnings;  // what a runtime would pass over in silence
  StepConstants constants;
};

struct ProgramInput {
  ValueId value;
  ValueType type;        // as declared; symbols must mean one number throughout a run
  Tensor default_value;  // empty() unless the caller may leave it out
};

struct Program {
  std::string name;
  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opset_imports;
  std::vector<ProgramValue> values;
  std::vector<ProgramInput> inputs;
  std::vector<ValueId> outputs;
  std::vector<Step> steps;                   // in execution order
  std::optional<std::int64_t> memory_bytes;  // that hold all values computed, as their offsets say; symbols count as 1
  std::int64_t constant_bytes = 0;
};

// The inputs and outputs of a step towards the rest of the program; constants are not among them.
std::vector<ValueId> inputs_of(const Program& program, const Step& step);
std::vector<ValueId> outputs_of(const Program& program, const Step& step);

// Null when there is none of that name.
const ProgramValue* find_value(const Program& program, std::string_view name);

}  // namespace octet
