// qattention.cc: the meaning of com.microsoft QAttention.
//
//   [q, k, v] = f32((input - input_zero_point) * (weight - weight_zero_point)) * (input_scale * weight_scale) + bias
//   output, present = attention of q, k and v
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
#include "octet/spec/operators.h"
#include "octet/spec/quantized/matmul_integer_to_float.h"
#include "octet/spec/support/projected_attention.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

struct QAttentionInput {
  enum Index : std::size_t { kX, kW, kBias, kXScale, kWScale, kMask, kXZero, kWZero, kPast };
};

constexpr ProjectedInputs kQAttentionInputs = {
    .mask = QAttentionInput::kMask, .past = QAttentionInput::kPast, .bias = 0, .real = QAttentionInput::kBias};

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
  require_one_element(i, kXScale, "qattention_c3");
  require_one_element(i, kXZero, "qattention_c3");
  require_one_or(i, kWScale, columns, "qattention_c3");
  require_one_or(i, kWZero, columns, "qattention_c3");
  const Dim hidden = floor_divide(columns, 3);
  infer_projected_attention(i, kQAttentionInputs, x, hidden, hidden, kShapes, "qattention_c4");
}

void compute_qattention(Call& call) {
  using enum QAttentionInput::Index;
  const Shape& x = call.input(kX).shape();
  const std::int64_t width = call.input(kW).shape()[1];
  if (call.output(0).size() == 0 && !(call.wants(1) && call.output(1).size() > 0)) return;
  Tensor projected = Tensor::uninitialized(DType::kFloat, {x[0], x[1], width});
  matmul_integer_to_float(
      call.input(kX), quantization_at(call, kXScale, kXZero), call.input(kW),
      {line_scales(call, kWScale, kW, Line::kColumn), line_zero_points(call, kWZero, kW, Line::kColumn)},
      call.input(kBias).as<float>(), projected, call.arithmetic(), call.parallel());
  attend_projected(call, kQAttentionInputs, projected, width / 3);
}

}  // namespace

const Operator ops::kQAttention = {
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
    .traits = {Trait::kManyTerms},
    .macs = MacRule::kProjectedAttention,
};

}  // namespace octet
