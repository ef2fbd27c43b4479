// qattention.cc: the meaning of com.microsoft QAttention.
//
//   [q, k, v] = f32((input - input_zero_point) * (weight - weight_zero_point)) * (input_scale * weight_scale) + bias
//   output, present = Attention(q, k, v, mask, past)
//
// The products are MatMulIntegerToFloat's, to the last bit: q, k and v are the thirds of its columns. The rest is float32
// (attend.h), with num_heads heads of one size and `scale`, 1 / sqrt(head size) unless given. mask is added to the scores: 0
// where a key counts, mask_filter_value (-10000 unless given) where not, and float32's lowest number behind the query itself
// with unidirectional = 1. A row where no key counts is not special: its weights are what softmax makes of it, NaN for a
// mask_filter_value of -inf. mask_index says what counts, for keys j of all `total`, the past first:
//
//   [batch], [3 * batch + 2]   j < mask_index[b]
//   [2 * batch]                mask_index[batch + b] <= j < mask_index[b]
//   [batch, 1], [1, 1]         every key, unless total is 1
//   [batch, total]             mask_index[b, j] > 0
//   [batch, S, total]          mask_index[b, i, j] > 0
//
//   qattention_c1  input and weight are int8 or uint8, each zero point has its operand's type; bias, the scales and past are
//                  float32 or float16; mask_index is int32.
//   qattention_c2  input is [batch, S, I], weight [I, 3 H], bias [3 H], past [2, batch, num_heads, P, H / num_heads]; num_heads
//                  divides H.
//   qattention_c3  input_scale and input_zero_point have one element, those of weight one or 3 H.
//   qattention_c4  mask_index has one of the shapes above.
//   qattention_c5  scale is not negative; do_rotary and past_present_share_buffer are 0.
#include <algorithm>
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/quantized/matmul_integer_to_float.h"
#include "octet/spec/support/attend.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

struct QAttentionInput {
  enum Index : std::size_t { kX, kW, kBias, kXScale, kWScale, kMask, kXZero, kWZero, kPast };
};

void infer_qattention_types(const Inference& i) {
  using enum QAttentionInput::Index;
  constexpr std::string_view kLabel = "qattention_c1";
  for (const std::size_t integers : {kX, kW}) require_8bit(i, integers, kLabel);
  const DType real = i.dtype(kBias);
  if (real != DType::kFloat && real != DType::kFloat16)
    fail_constraint(kLabel, "bias is {}, wanted float32 or float16", name(real));
  for (const std::size_t scale : {kXScale, kWScale}) i.input(scale);
  for (const std::size_t input : {kXScale, kWScale, kPast}) require_dtype(i, input, real, kLabel);
  require_dtype(i, kMask, DType::kInt32, kLabel);
  require_dtype(i, kXZero, i.dtype(kX), kLabel);
  require_dtype(i, kWZero, i.dtype(kW), kLabel);
}

void require_mask_index(const Inference& i, const Dim& batch, const Dim& steps, const Dim& total) {
  constexpr std::size_t kMask = QAttentionInput::kMask;
  if (!i.has_shape(kMask)) return;
  const SymbolicShape& mask = i.shape(kMask);
  const auto may_be = [&](const SymbolicShape& wanted) {
    bool fits = mask.size() == wanted.size();
    for (std::size_t d = 0; fits && d < mask.size(); ++d) fits = !surely_different(mask[d], wanted[d]);
    return fits;
  };
  const SymbolicShape shapes[] = {{batch},    {batch * 2}, {batch * 3 + 2},      {batch, total},
                                  {batch, 1}, {1, 1},      {batch, steps, total}};
  if (std::none_of(std::begin(shapes), std::end(shapes), may_be))
    fail_constraint("qattention_c4", "mask_index is {}, wanted {}, {}, {}, {}, {}, {} or {}", to_string(mask),
                    to_string(shapes[0]), to_string(shapes[1]), to_string(shapes[2]), to_string(shapes[3]),
                    to_string(shapes[4]), to_string(shapes[5]), to_string(shapes[6]));
}

void infer_qattention(Inference& i) {
  using enum QAttentionInput::Index;
  constexpr std::string_view kShapes = "qattention_c2";
  infer_qattention_types(i);
  const Attributes& attributes = i.attributes();
  for (const std::string_view unknown : {"do_rotary", "past_present_share_buffer"})
    if (attributes.get_int(unknown, 0) != 0)
      fail_constraint("qattention_c5", "{} is {}, wanted 0", unknown, attributes.get_int(unknown, 0));
  if (!(attributes.get_float("scale", 0) >= 0))
    fail_constraint("qattention_c5", "scale is {}, wanted 0 or more", attributes.get_float("scale", 0));

  require_rank(i, kX, 3, kShapes);
  require_rank(i, kW, 2, kShapes);
  const SymbolicShape x = i.has_shape(kX) ? i.shape(kX) : SymbolicShape(3);
  const Dim columns = i.has_shape(kW) ? i.shape(kW)[1] : Dim();
  const std::int64_t heads = attributes.get_int("num_heads", 0);
  if (heads < 1 || heads > std::numeric_limits<std::int32_t>::max() ||
      (columns.known() && (columns.value() == 0 || columns.value() % (3 * heads) != 0)))
    fail_constraint(kShapes, "weight has {} columns and num_heads is {}, wanted 3 times a multiple of it",
                    to_string(columns), heads);
  require_shape(i, kW, {x[2], columns}, kShapes);
  require_shape(i, kBias, {columns}, kShapes);
  const Dim hidden = floor_divide(columns, 3), size = floor_divide(hidden, heads);
  require_rank(i, kPast, 5, kShapes);
  require_shape(i, kPast, {2, x[0], heads, Dim(), size}, kShapes);
  const Dim past = !i.has(kPast) ? Dim(0) : i.has_shape(kPast) ? i.shape(kPast)[3] : Dim();
  require_one_element(i, kXScale, "qattention_c3");
  require_one_element(i, kXZero, "qattention_c3");
  require_one_or(i, kWScale, columns, "qattention_c3");
  require_one_or(i, kWZero, columns, "qattention_c3");
  require_mask_index(i, x[0], x[1], past + x[1]);
  i.set_output(0, i.dtype(kBias), SymbolicShape{x[0], x[1], hidden});
  i.set_output(1, i.dtype(kBias), SymbolicShape{2, x[0], heads, past + x[1], size});
}

// What is added to the scores, [batch, 1, S, total].
Tensor qattention_mask(const Call& call, std::int64_t batch, std::int64_t steps, std::int64_t past) {
  constexpr std::size_t kMask = QAttentionInput::kMask;
  const std::int64_t total = past + steps;
  const float filter = call.attributes().get_float("mask_filter_value", -10000);
  const bool causal = call.attributes().get_int("unidirectional", 0) == 1;
  const std::int32_t* index = call.has(kMask) ? call.input(kMask).as<std::int32_t>().data() : nullptr;
  const Shape shape = call.has(kMask) ? call.input(kMask).shape() : Shape();
  const auto counts = [&](std::int64_t b, std::int64_t i, std::int64_t j) {
    if (index == nullptr) return true;
    if (shape.size() == 3) return index[(b * steps + i) * total + j] > 0;
    if (shape.size() == 2) return shape != Shape{batch, total} || index[b * total + j] > 0;
    return j < index[b] && (shape[0] != 2 * batch || j >= index[batch + b]);
  };
  Tensor mask = Tensor::uninitialized(DType::kFloat, {batch, 1, steps, total});
  float* to = mask.mutable_as<float>().data();
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < steps; ++i)
      for (std::int64_t j = 0; j < total; ++j)
        *to++ = causal && j > past + i ? std::numeric_limits<float>::lowest() : counts(b, i, j) ? 0 : filter;
  return mask;
}

// Columns [first, first + count) of each row.
Tensor columns_of(const Tensor& rows, std::int64_t first, std::int64_t count) {
  Shape shape = rows.shape();
  const std::int64_t width = shape.back();
  shape.back() = count;
  Tensor part = Tensor::uninitialized(DType::kFloat, shape);
  for (std::int64_t row = 0; row * width < rows.size(); ++row)
    std::copy_n(rows.as<float>().data() + row * width + first, count, part.mutable_as<float>().data() + row * count);
  return part;
}

// One half of past or present, without its first dimension.
Tensor half_of(const Tensor& both, std::int64_t half) {
  Tensor part = Tensor::uninitialized(DType::kFloat, Shape(both.shape().begin() + 1, both.shape().end()));
  std::copy_n(both.as<float>().data() + half * part.size(), part.size(), part.mutable_as<float>().data());
  return part;
}

// Half `half` of present: that of past, then the columns of keys or values.
void join_past(const Call& call, const Tensor& projected, std::size_t half, Tensor& present) {
  constexpr std::size_t kPast = QAttentionInput::kPast;
  const Shape& shape = present.shape();
  const std::int64_t batch = shape[1], heads = shape[2], total = shape[3], size = shape[4];
  const std::int64_t past = call.has(kPast) ? call.input(kPast).shape()[3] : 0, steps = total - past,
                     hidden = heads * size;
  const float* before = past > 0 ? call.input(kPast).as<float>().data() : nullptr;
  const float* now = projected.as<float>().data() + static_cast<std::int64_t>(half + 1) * hidden;
  float* to = present.mutable_as<float>().data() + static_cast<std::int64_t>(half) * batch * hidden * total;
  for (std::int64_t head = 0; head < batch * heads; ++head) {
    if (past > 0)
      to =
          std::copy_n(before + (static_cast<std::int64_t>(half) * batch * heads + head) * past * size, past * size, to);
    for (std::int64_t i = 0; i < steps; ++i)
      to = std::copy_n(now + (head / heads * steps + i) * 3 * hidden + head % heads * size, size, to);
  }
}

void compute_qattention(Call& call) {
  using enum QAttentionInput::Index;
  const Shape& x = call.input(kX).shape();
  const std::int64_t width = call.input(kW).shape()[1], hidden = width / 3,
                     past = call.has(kPast) ? call.input(kPast).shape()[3] : 0;
  if (call.output(0).size() == 0 && !(call.wants(1) && call.output(1).size() > 0)) return;
  Tensor projected = Tensor::uninitialized(DType::kFloat, {x[0], x[1], width});
  matmul_integer_to_float(
      call.input(kX), quantization_at(call, kXScale, kXZero), call.input(kW),
      {line_scales(call, kWScale, kW, Line::kColumn), line_zero_points(call, kWZero, kW, Line::kColumn)},
      call.input(kBias).as<float>(), projected, call.arithmetic(), call.parallel());

  const std::int64_t heads = call.attributes().get_int("num_heads", 0), total = past + x[1], size = hidden / heads;
  Tensor present = Tensor::uninitialized(DType::kFloat, {2, x[0], heads, total, size});
  for (const std::size_t half : {0U, 1U}) join_past(call, projected, half, present);
  const Tensor mask = qattention_mask(call, x[0], x[1], past);
  const Tensor q = columns_of(projected, 0, hidden), k = half_of(present, 0), v = half_of(present, 1);
  Attended<float> attended = {.q = Heads<float>(q, heads), .k = Heads<float>(k, heads), .v = Heads<float>(v, heads)};
  if (const float scale = call.attributes().get_float("scale", 0); scale > 0) attended.scale = scale;
  attended.bias = [&](std::int64_t b, std::int64_t, std::int64_t i, std::span<float> row) {
    std::copy_n(mask.as<float>().data() + (b * x[1] + i) * total, total, row.data());
    return true;
  };
  attended.y = call.output(0).mutable_as<float>().data();
  attended.y_in_rows = true;
  attend(attended, call.parallel());
  if (call.wants(1)) call.set_output(1, std::move(present));
}

}  // namespace

extern const Operator kQAttention = {
    .name = "QAttention",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "Attention of q, k and v, the thirds of MatMulIntegerToFloat(input, weight)",
    .constraints =
        {{"qattention_c1",
          "input and weight are int8 or uint8, each zero point has its operand's type; bias, the scales and past are "
          "float32 or float16; mask_index is int32"},
         {"qattention_c2",
          "input is [batch, S, I], weight [I, 3 H], bias [3 H], past [2, batch, num_heads, P, H / num_heads]; "
          "num_heads "
          "divides H"},
         {"qattention_c3", "input_scale and input_zero_point have one element, those of weight one or 3 H"},
         {"qattention_c4",
          "mask_index is [batch], [2 * batch], [3 * batch + 2], [batch, 1], [1, 1], [batch, total] or [batch, S, "
          "total]"},
         {"qattention_c5", "scale is not negative; do_rotary and past_present_share_buffer are 0"}},
    .infer = infer_qattention,
    .compute = compute_qattention,
};

}  // namespace octet
