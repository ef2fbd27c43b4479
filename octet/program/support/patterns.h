// patterns.h: what stands around a float operator in a QDQ graph, as fusing sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/program/lower.h"
#include "octet/program/support/draft.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

// Thrown while a pattern is tried, and caught where it was: the condition that failed.
struct NotFused {
  std::string why;
};

// A float value that is a DequantizeLinear of integers, with parameters known before the program runs.
struct Operand {
  std::size_t step = 0;  // the DequantizeLinear
  std::string integers, scale_name, zero_point_name;
  DType dtype = DType::kUndefined;
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;  // as many as scales
  std::optional<std::int64_t> axis;       // per channel

  Quantization whole() const { return {scales[0], zero_points[0]}; }
};

// Which scales an operand may have. ONNX Runtime fuses products of weights whose scale is infinite, too.
enum class Scales { kFinite, kPositive };

// What makes `value`, if it is such a DequantizeLinear.
std::optional<Operand> find_operand(Draft& draft, const std::string& value, Scales scales = Scales::kFinite);
// The same for input `index` of a node; throws NotFused, saying what it is instead.
Operand operand_at(Draft& draft, const Node& node, std::size_t index, Scales scales = Scales::kFinite);
// An operand with one scale, of 8 bits; else throws NotFused.
Operand whole_operand_at(Draft& draft, const Node& node, std::size_t index);
void require_8bit(const Operand& operand, const std::string& what);

// A QuantizeLinear with one scale, and what leads to it: an operator, perhaps with a Relu or Clip behind.
struct Result {
  std::size_t quantize = 0;
  std::optional<std::size_t> clamp;
  std::optional<std::size_t> anchor;  // the operator; nothing when a graph input or a constant is quantized
  std::string integers;               // what is written
  std::string scale_name, zero_point_name;
  Quantization quantization;
  DType dtype = DType::kUndefined;
};
// Nothing when the parameters are computed or per channel.
std::optional<Result> result_at(Draft& draft, std::size_t quantize);

// What QuantizeLinear makes of a number.
std::int32_t quantized(float value, DType dtype, const Quantization& quantization);

// One type, one scale, one zero point.
bool same_parameters(const Operand& operand, const Result& result);

// Relu or Clip.
bool is_clamp(const Draft& draft, std::size_t step);

// The bounds of one; throws NotFused when one is computed.
struct Bounds {
  std::optional<float> low, high;
};
Bounds bounds_of(const Draft& draft, const Node& clamp);

// What saturation leaves of a clamp: the integers its bounds become, or the ends of the type. NotFused where one is NaN.
struct IntegerBounds {
  std::int64_t low, high;
};
IntegerBounds integer_bounds(const Draft& draft, const Node& clamp, const Result& result);
// Whether saturation does all that the clamp does; under kOnnxRuntime, whether ONNX Runtime leaves it out where it fuses.
bool saturation_does(const Draft& draft, Policy policy, const Node& clamp, const Result& result);

// A node on integers in the making: what a fused step is, without its clamp.
struct Fused {
  StepKind kind;
  Node node;                      // its output is filled in
  std::vector<Operand> operands;  // for the list of sources
  std::vector<std::string> warnings = {};
};
// Puts it in the place of the QuantizeLinear. A clamp that saturation does not make redundant becomes a Clip of the
// integers, which is the same because quantization is monotone; kOnnxRuntime does not do that: NotFused.
void fuse(Draft& draft, Policy policy, const Result& result, Fused fused);

// Throws NotFused, with the constraint that fails, unless the operator takes these inputs.
void require_valid(const Draft& draft, const Node& node);

// The constant 0, or as many zeros, for a scale that has no zero point.
std::string zero_point_constant(Draft& draft, const std::string& scale, DType dtype, std::size_t count = 1);

// "scale 0.0125, zero point 3".
std::string text(const Quantization& quantization);
std::string text(float value);

// Step `index` is to make a value of another shape, and so is the Relu or Clip that alone reads it: both get a name that no
// value of the file has.
struct Reshaped {
  std::size_t last;      // of the two
  std::string now, was;  // the names of what it makes
};
Reshaped reshape_result(Draft& draft, std::size_t index, const std::string& suffix);

// ---- the patterns; each throws NotFused

// Conv, MatMul, Gemm.
Fused fuse_weighted(Draft& draft, Policy policy, const Result& result);
// Add, Mul, Concat, pools and what averages as they do, Sigmoid, LeakyRelu, Softmax.
Fused fuse_elementwise(Draft& draft, Policy policy, const Result& result);
// Conv, MatMul and Gemm whose float result is wanted, or that can't be requantized: the reason that the step has so far.
void fuse_to_float(Draft& draft, Policy policy, std::size_t step);

// Whether the channels of what a ReduceMean averages are the last axis, or axis 1; throws NotFused where it averages other
// axes than all pixels.
bool averages_channels_last(const Draft& draft, const Node& mean);

// Conv, MatMul or Gemm.
bool is_weighted(const Node& node);
bool is_elementwise(const Node& node);
bool is_move(const Node& node);
// Why an operator that moves elements stays float; empty where this does not know.
std::string why_not_moved(const Draft& draft, const Node& node);

// ---- passes over the whole draft

// Two pairs of QuantizeLinear and DequantizeLinear in a row become one, as ONNX Runtime does it.
void merge_pairs(Draft& draft);
// int8 activations that one operator reads become uint8, as ONNX Runtime does it on x86.
void make_unsigned(Draft& draft);
// A Relu or Clip before QuantizeLinear goes where ONNX Runtime's optimizer leaves it out, redundant or not.
void drop_clamps(Draft& draft);
// ReduceMean over pixels, between integers, keeps its dimensions, and a Squeeze behind it takes them away: a pool and a move.
void keep_averaged_dimensions(Draft& draft);
// ReduceMax over pixels of integers becomes a MaxPool over all of them, and a Squeeze where it takes dimensions away.
void pool_maxima(Draft& draft);
// Merges the QuantizeLinear nodes of one value that have equal parameters.
void merge_quantizers(Draft& draft);
// ConvTranspose of integers becomes a Conv, and moves that put its results in their places.
void phase_transposed(Draft& draft);
// Split of integers becomes a Slice for each of its results: moves, each with one.
void slice_splits(Draft& draft);
// DequantizeLinear goes behind operators that only move bytes, QuantizeLinear before them; where the two meet with
// equal parameters, bytes are moved.
void fuse_moves(Draft& draft, Policy policy);
// Element by element from DequantizeLinear to QuantizeLinear: 256 entries.
void fuse_tables(Draft& draft);
// ConvInteger and MatMulInteger, Cast, Mul, Add: one step.
void fuse_chains(Draft& draft, Policy policy);
// Steps that stay float and have no reason yet get one.
void explain_floats(Draft& draft, Policy policy);

}  // namespace octet
