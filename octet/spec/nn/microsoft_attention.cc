// microsoft_attention.cc: the meaning of com.microsoft Attention.
//
//   [q, k, v] = MatMul(input, weights) + bias
//   output, present = attention of q, k and v, each behind its past
//
// as projected_attention.h says, with mask_index as in padding_mask.h and attention_bias added to the scores. q and k have the
// first two widths of qkv_hidden_sizes, v the third; thirds unless given.
//
//   microsoft_attention_c1  all inputs have one type, float32, float16 or bfloat16; mask_index is int32.
//   microsoft_attention_c2  input is [batch, S, I], weights [I, q + k + v], bias [q + k + v], past [2, batch, num_heads, P, size];
//                           num_heads divides q, k and v, and k is as wide as q; with past or present v is, too.
//   microsoft_attention_c3  mask_index has a shape of padding_mask.h, attention_bias is [batch or 1, num_heads or 1, S, total].
//   microsoft_attention_c4  scale is not negative; do_rotary and past_present_share_buffer are 0; there is no
//                           past_sequence_length.
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/matmul.h"
#include "octet/spec/support/projected_attention.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

struct MicrosoftAttentionInput {
  enum Index : std::size_t { kX, kW, kBias, kMask, kPast, kAdded, kPastLength };
};

constexpr ProjectedInputs kMicrosoftAttentionInputs = {.mask = MicrosoftAttentionInput::kMask,
                                                       .past = MicrosoftAttentionInput::kPast,
                                                       .bias = MicrosoftAttentionInput::kAdded,
                                                       .real = MicrosoftAttentionInput::kX};

void require_plain_attention(const Inference& i) {
  constexpr std::string_view kLabel = "microsoft_attention_c4";
  for (const std::string_view unknown : {"do_rotary", "past_present_share_buffer"})
    if (i.attributes().get_int(unknown, 0) != 0)
      fail_constraint(kLabel, "{} is {}, wanted 0", unknown, i.attributes().get_int(unknown, 0));
  if (i.has(MicrosoftAttentionInput::kPastLength))
    fail_constraint(kLabel, "past_sequence_length is given, wanted none");
  if (!(i.attributes().get_float("scale", 0) >= 0))
    fail_constraint(kLabel, "scale is {}, wanted 0 or more", i.attributes().get_float("scale", 0));
}

struct ProjectionWidths {
  Dim query, value;
};

ProjectionWidths projection_widths(const Attributes& attributes, const Dim& columns) {
  constexpr std::string_view kLabel = "microsoft_attention_c2";
  const std::int64_t heads = attributes.get_int("num_heads", 0);
  const std::vector<std::int64_t> given = attributes.get_ints("qkv_hidden_sizes");
  if (heads < 1 || heads > std::numeric_limits<std::int32_t>::max())
    fail_constraint(kLabel, "num_heads is {}, wanted 1 or more", heads);
  if (given.empty()) {
    if (columns.known() && (columns.value() == 0 || columns.value() % (3 * heads) != 0))
      fail_constraint(kLabel, "weights have {} columns and num_heads is {}, wanted 3 times a multiple of it",
                      columns.value(), heads);
    return {floor_divide(columns, 3), floor_divide(columns, 3)};
  }
  bool fits = given.size() == 3 && given[0] == given[1];
  for (const std::int64_t width : given) fits = fits && width > 0 && width % heads == 0;
  if (!fits || surely_different(Dim(given[0]) + given[1] + given[2], columns))
    fail_constraint(
        kLabel,
        "qkv_hidden_sizes has {} numbers, wanted 3 multiples of num_heads, the first two equal, whose sum is {}",
        given.size(), to_string(columns));
  return {given[0], given[2]};
}

void infer_microsoft_attention(Inference& i) {
  using enum MicrosoftAttentionInput::Index;
  constexpr std::string_view kTypes = "microsoft_attention_c1", kShapes = "microsoft_attention_c2";
  require_type(i, kX, TypeKind::kFloat, kTypes);
  if (i.dtype(kX) == DType::kDouble) fail_constraint(kTypes, "input is float64, wanted float32, float16 or bfloat16");
  i.input(kW);
  for (const std::size_t input : {kW, kBias, kPast, kAdded}) require_dtype(i, input, i.dtype(kX), kTypes);
  require_dtype(i, kMask, DType::kInt32, kTypes);
  require_plain_attention(i);
  require_rank(i, kX, 3, kShapes);
  require_rank(i, kW, 2, kShapes);
  const SymbolicShape x = i.has_shape(kX) ? i.shape(kX) : SymbolicShape(3);
  const Dim columns = i.has_shape(kW) ? i.shape(kW)[1] : Dim();
  require_shape(i, kW, {x[2], columns}, kShapes);
  require_shape(i, kBias, {columns}, kShapes);
  const ProjectionWidths widths = projection_widths(i.attributes(), columns);
  infer_projected_attention(i, kMicrosoftAttentionInputs, x, widths.query, widths.value, kShapes,
                            "microsoft_attention_c3");
}

void compute_microsoft_attention(Call& call) {
  using enum MicrosoftAttentionInput::Index;
  if (call.output(0).size() == 0 && !(call.wants(1) && call.output(1).size() > 0)) return;
  const Shape& x = call.input(kX).shape();
  const std::int64_t width = call.input(kW).shape()[1];
  Tensor projected = Tensor::uninitialized(DType::kFloat, {x[0], x[1], width});
  matmul_as<float>(call.input(kX), call.input(kW), projected, call.parallel());
  if (call.has(kBias)) {
    const float* bias = call.input(kBias).as<float>().data();
    float* sums = projected.mutable_as<float>().data();
    for (std::int64_t k = 0; k < projected.size(); ++k) sums[k] += bias[k % width];
  }
  attend_projected(call, kMicrosoftAttentionInputs, projected,
                   projection_widths(call.attributes(), width).value.value());
}

}  // namespace

const Operator ops::kMicrosoftAttention = {
    .name = "Attention",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "softmax(q k^T * scale + mask) v for each head of [q, k, v] = input * weights + bias",
    .constraints =
        {{"microsoft_attention_c1", "all inputs have one type, float32, float16 or bfloat16; mask_index is int32"},
         {"microsoft_attention_c2",
          "input is [batch, S, I], weights [I, q + k + v], bias [q + k + v], past [2, batch, num_heads, P, size]; "
          "num_heads divides q, k and v, and k is as wide as q; with past or present v is, too"},
         {"microsoft_attention_c3",
          "mask_index is [batch], [2 * batch], [3 * batch + 2], [batch, 1], [1, 1], [batch, total] or [batch, S, "
          "total]; attention_bias is [batch or 1, num_heads or 1, S, total]"},
         {"microsoft_attention_c4",
          "scale is not negative; do_rotary and past_present_share_buffer are 0; there is no past_sequence_length"}},
    .infer = infer_microsoft_attention,
    .compute = compute_microsoft_attention,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
