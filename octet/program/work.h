// work.h: what a step computes, resolved: no operator names, no attributes, no input numbers.
//
// An engine or an exporter that reads a step's Work needs nothing else: shapes and types are those of the values it
// names, constants are in it. resolve.h makes it, from the operations, which stay the step's meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "octet/base/dtype.h"
#include "octet/base/tensor.h"
#include "octet/spec/quantized/lookup_table.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/window.h"

namespace octet {

// An index into Program::values.
using ValueId = std::size_t;
inline constexpr ValueId kNoValue = static_cast<ValueId>(-1);  // an optional input or output that is not there

// ---- sums of products

namespace work {

// What is added up for output channel o:
//
//   acc = bias[o] + Sum_k (x[k] - x_zero_point) * (w[o, k] - w_zero_point[o])
//       = start[o] + Sum_k x[k] * (w[o, k] - w_zero_point[o])
//
// in int32 that wraps. Vectors have one element for all channels or one for each.
struct Sum {
  DType x_type = DType::kUndefined;  // of x as it is summed, int8 or uint8
  std::int64_t channels = 0;         // 0 where the weights are computed at run time
  std::int64_t products = 0;         // in one sum
  // [channels, products]; of a convolution the products are ordered by input channel of the group, then by tap, row by
  // row. Empty where they are computed at run time, or differ from matrix to matrix of a batch.
  Tensor weights;
  std::int32_t x_zero_point = 0;  // where it is known beforehand
  std::vector<std::int32_t> w_zero_points;
  std::vector<std::int32_t> bias;             // none, or one for all or each
  std::vector<std::int64_t> starts;           // bias - x_zero_point * Sum (w - w_zero_point)
  std::vector<std::int64_t> least, greatest;  // of the final accumulator, over every input of the type
  float x_scale = 0;                          // what x and w mean, where that is known
  std::vector<float> w_scales;

  bool operator==(const Sum&) const = default;
};

// ---- what happens to a result before it is stored, stage by stage

// q = saturate(round_ties_even(f32(acc) * multiplier[o]) + y.zero_point), of the accumulator.
struct Requantize {
  std::vector<float> multipliers;
  Quantization y;
  DType type = DType::kUndefined;

  bool operator==(const Requantize&) const = default;
};
// f32(acc) * S[o] (+ bias[o]), each operation rounded to float32. S = multiplier[o], or scale * multiplier[o] rounded.
struct ToFloat {
  std::vector<float> multipliers;
  ValueId scale = kNoValue;  // of one element, computed at run time
  std::vector<float> bias;   // none, or one for all or each

  bool operator==(const ToFloat&) const = default;
};
// Clips a float32 result: max(x, low), then min(x, high). NaN stays NaN.
struct Limit {
  float low = 0, high = 0;

  bool operator==(const Limit&) const = default;
};
// q = clamp(q, low, high)
struct Clamp {
  std::int32_t low = 0, high = 0;

  bool operator==(const Clamp&) const = default;
};
// q = table[q], by the byte's bits
struct LookUp {
  LookupTable table{};
  DType type = DType::kUndefined;  // of the result

  bool operator==(const LookUp&) const = default;
};
// q = QLinearAdd (or QLinearMul) of q and the same element of another value, in this order unless `other_first`.
struct Combine {
  bool product = false;
  ValueId other = kNoValue;
  bool other_first = false;
  Quantization q, with, y;

  bool operator==(const Combine&) const = default;
};
// r = r op operand, or operand op r, of a float32 result, rounded. The operand is the same element of another value, or one
// of the numbers: one for all channels or one for each.
struct Calculate {
  enum class Operation { kAdd, kSubtract, kMultiply, kDivide };
  Operation operation = Operation::kAdd;
  bool operand_first = false;
  ValueId other = kNoValue;
  std::vector<float> numbers;  // none where there is another value

  bool operator==(const Calculate&) const = default;
};
using Stage = std::variant<Requantize, ToFloat, Limit, Clamp, LookUp, Combine, Calculate>;

// ---- the kinds of work

// x [N, C, spatial...], y [N, channels, window.output...]. Output channel m sees the input channels of its group:
// (m / (channels / group)) * C / group onwards. Padding counts as x's zero point: it adds nothing.
struct Convolution {
  ValueId x = kNoValue, y = kNoValue;
  ValueId w = kNoValue;             // [channels, C / group, kernel...]; `sum.weights` where it is constant
  ValueId x_zero_point = kNoValue;  // where it is computed at run time
  std::int64_t group = 1;
  std::optional<Window> window;  // nothing where it is not known beforehand
  Sum sum;
  std::vector<Stage> epilogue;  // none: y are the accumulators, int32

  bool operator==(const Convolution&) const = default;
};

// y = x * w, numpy's matmul; of matrices stored the other way round, where it says so.
struct MatrixProduct {
  ValueId x = kNoValue, y = kNoValue;
  ValueId w = kNoValue;  // [..., K, N], or [N, K] if transposed; `sum.weights` is [N, K] where it is constant
  ValueId x_zero_point = kNoValue;  // where it is computed at run time
  bool x_transposed = false, w_transposed = false;
  bool quantizes_x = false;  // x is float, and quantized as DynamicQuantizeLinear does; its scale is ToFloat's
  Sum sum;
  std::vector<Stage> epilogue;

  bool operator==(const MatrixProduct&) const = default;
};

// Two operands with numpy's broadcasting: qlinear_add.h and qlinear_mul.h, default arithmetic.
struct Pairwise {
  bool product = false;
  ValueId a = kNoValue, b = kNoValue, y = kNoValue;
  bool swapped = false;  // a sum is computed b first (qlinear_add_swaps)
  Quantization a_meaning, b_meaning, y_meaning;
  std::vector<Stage> epilogue;

  bool operator==(const Pairwise&) const = default;
};

// Pools the windows of each channel. x is [N, C, spatial...], or [N, spatial..., C].
struct Pool {
  ValueId x = kNoValue, y = kNoValue;
  bool channels_last = false;
  std::optional<Window> window;  // nothing: the whole image
  bool maximum = false;          // the largest of the window inside the image; no meanings then
  // An average that is not of the whole image is a float sum of dequantized pixels (qlinear_average_pool.h); that of the
  // whole image is an integer sum (qlinear_global_average_pool.h).
  bool sums_in_float = false;
  bool count_include_pad = false;
  Quantization x_meaning, y_meaning;
  std::vector<Stage> epilogue;

  bool operator==(const Pool&) const = default;
};

// One tensor behind the other along an axis, each through a table: to y's meaning, and clamped where y is.
struct Concatenation {
  struct Part {
    ValueId x = kNoValue;
    Quantization meaning;
    LookupTable table{};  // byte of y for each byte of x, by their bits

    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  std::int64_t axis = 0;
  ValueId y = kNoValue;
  Quantization y_meaning;

  bool operator==(const Concatenation&) const = default;
};

// y = condition ? a : b, with numpy's broadcasting, each through its table.
struct Selection {
  ValueId condition = kNoValue;
  Concatenation::Part a, b;
  ValueId y = kNoValue;
  Quantization y_meaning;

  bool operator==(const Selection&) const = default;
};

// The byte of y for each byte of x.
struct Table {
  ValueId x = kNoValue, y = kNoValue;
  DType input = DType::kUndefined, output = DType::kUndefined;
  LookupTable bytes{};

  bool operator==(const Table&) const = default;
};

// The byte of y for each byte of x, by the table of its channel, the index along `axis`.
struct ChannelTables {
  ValueId x = kNoValue, y = kNoValue;
  DType input = DType::kUndefined, output = DType::kUndefined;
  std::int64_t axis = 0;
  std::vector<LookupTable> tables;

  bool operator==(const ChannelTables&) const = default;
};

// An x of 16 bits as two bytes: x less the least number of its type is 256 high + low, both uint8.
struct SplitBytes {
  ValueId x = kNoValue, high = kNoValue, low = kNoValue;

  bool operator==(const SplitBytes&) const = default;
};

// Partial sums joined and scaled to float32, each float operation rounded:
//
//   y = f32(Sum_p factor[p] * x[p]) * multiplier[c] (+ bias[c])
//
// x[p] are int32, of y's shape. The sum wraps in `type`, int32 or int64. c is the index along `axis`.
struct JoinedSum {
  struct Part {
    ValueId x = kNoValue;
    std::int64_t factor = 1;

    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  DType type = DType::kInt32;
  ValueId y = kNoValue;
  std::int64_t axis = 0;
  std::vector<float> multipliers;  // one for all or each
  std::vector<float> bias;         // none, or one for all or each

  bool operator==(const JoinedSum&) const = default;
};

// Elements change places. Box by box of y: element `begin + i` is element `offset + Sum i[d] * strides[d]` of a source,
// counted in row-major order, or the fill.
struct MoveBox {
  std::optional<std::size_t> source;  // into Move::sources; nothing: the fill
  Shape begin, shape;                 // in y
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // in elements of the source, one for each axis of y

  bool operator==(const MoveBox&) const = default;
};
struct Move {
  std::vector<ValueId> sources;
  ValueId y = kNoValue;
  Tensor fill;                 // one element of y's type
  std::vector<MoveBox> boxes;  // cover y without overlap; none where `indices` say it
  // One index per element of y, used where there would be too many boxes: 0 is the fill, k is element k - 1 of the
  // concatenated sources.
  std::vector<std::int64_t> indices;

  // Whether y's bytes are those of its only source in the same order: a reshape.
  bool only_renames = false;

  bool operator==(const Move&) const = default;
};

// Row by row along `axis`, or over all dimensions from `axis` on: qlinear_softmax.h, whose sums are float.
struct Softmax {
  ValueId x = kNoValue, y = kNoValue;
  std::int64_t axis = 0;
  bool flattens = false;
  Quantization x_meaning, y_meaning;

  bool operator==(const Softmax&) const = default;
};

// q = saturate(round_ties_even(x / scale[c]) + zero_point[c]) in float32; c is the index along `axis`.
struct Quantize {
  ValueId x = kNoValue, y = kNoValue;
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  std::int64_t axis = 0;

  bool operator==(const Quantize&) const = default;
};
// y = f32(x - zero_point[c]) * scale[c]
struct Dequantize {
  ValueId x = kNoValue, y = kNoValue;
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  std::int64_t axis = 0;

  bool operator==(const Dequantize&) const = default;
};
// dynamic_quantize_linear.h
struct QuantizeDynamically {
  ValueId x = kNoValue, y = kNoValue, scale = kNoValue, zero_point = kNoValue;

  bool operator==(const QuantizeDynamically&) const = default;
};

// ---- in float32. Stages are Calculate and Limit; a bias is one. There are at most kMaxFloatStages. Sums begin at 0 and go in order; a product and its
// addition round once, together.

inline constexpr std::size_t kMaxFloatStages = 16;

// As Convolution: over the input channels of the group, then over the taps, row by row. Padding counts as 0.
struct FloatConvolution {
  ValueId x = kNoValue, y = kNoValue;
  std::int64_t group = 1;
  std::optional<Window> window;  // nothing where it is not known beforehand
  Tensor weights;                // [channels, C / group, kernel...]
  std::vector<Stage> epilogue;   // channels are those of axis 1

  bool operator==(const FloatConvolution&) const = default;
};

// y = x * weights, x being rows of K elements.
struct FloatProduct {
  ValueId x = kNoValue, y = kNoValue;
  Tensor weights;  // [K, N], or [N, K] if transposed
  bool w_transposed = false;
  std::vector<Stage> epilogue;  // channels are those of the last axis

  bool operator==(const FloatProduct&) const = default;
};

// Pools the windows of each channel; x is [N, C, spatial...]. The average of the whole image is GlobalAveragePool's, plane_sum
// (spec/support/lane_sums.h) and a quotient; that of a window a sum in row-major order and a quotient.
struct FloatPool {
  ValueId x = kNoValue, y = kNoValue;
  std::optional<Window> window;  // nothing: the whole image
  bool maximum = false;          // of the window inside the image: the first, and what is greater than those before it
  bool count_include_pad = false;
  std::vector<Stage> epilogue;  // channels are those of axis 1

  bool operator==(const FloatPool&) const = default;
};

// Each element of x through the stages.
struct FloatElements {
  ValueId x = kNoValue, y = kNoValue;
  std::optional<std::int64_t> axis;  // of the channels; nothing where numbers serve all
  std::vector<Stage> epilogue;

  bool operator==(const FloatElements&) const = default;
};

// Row by row along `axis`, or over all dimensions from `axis` on: softmax_row.h.
struct FloatSoftmax {
  ValueId x = kNoValue, y = kNoValue;
  std::int64_t axis = 0;
  bool flattens = false;

  bool operator==(const FloatSoftmax&) const = default;
};

}  // namespace work

// Nothing: only the operations say what is computed (Step::opaque has the reason).
using Work = std::variant<std::monostate, work::Convolution, work::MatrixProduct, work::Pairwise, work::Pool,
                          work::Concatenation, work::Selection, work::Table, work::ChannelTables, work::SplitBytes,
                          work::JoinedSum, work::Move, work::Softmax, work::Quantize, work::Dequantize,
                          work::QuantizeDynamically, work::FloatConvolution, work::FloatProduct, work::FloatPool,
                          work::FloatElements, work::FloatSoftmax>;

// Whether it is float32 from beginning to end.
bool computes_in_float(const Work& work);

// Whether it joins the partial sums of one sum of products of 16-bit operands.
inline bool joins_partial_sums(const Work& work) { return std::holds_alternative<work::JoinedSum>(work); }

// The sum of a convolution or a matrix product, and its epilogue; null for other work.
const work::Sum* sum_of(const Work& work);
// The products that it adds up for a result of so many elements, those with padding among them; 0 for other work, and where
// the weights are known at run time alone.
std::int64_t multiply_adds(const Work& work, std::int64_t elements);
// The stages behind it; null where the work has none.
const std::vector<work::Stage>* epilogue_of(const Work& work);

// How a sum becomes the result, as far as it is known before the run: no multipliers where a scale is not, no y where the
// result is not of quantized integers.
struct Scaling {
  std::vector<float> multipliers;
  std::optional<Quantization> y;
};
Scaling scaling_of(const Work& work);

// What the integers on both sides mean, of work that goes from quantized operands to a quantized result without a sum of
// products. Nothing for other work.
struct Meanings {
  std::vector<Quantization> inputs;
  Quantization output;
};
std::optional<Meanings> meanings_of(const Work& work);

}  // namespace octet
