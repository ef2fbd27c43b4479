// multi_head_attention.cc: the meaning of com.microsoft MultiHeadAttention.
//
//   output, present_key, present_value = attention of query, key and value, keys and values behind their past       (attend.h)
//
// with num_heads heads and `scale`, 1 / sqrt(head size) where that is 0. query, key and value are [batch, sequence, heads * size],
// and the parts of `bias` are added to them first; or key and value are [batch, heads, sequence, size], to which nothing is added.
// key_padding_mask and unidirectional add to the scores as padding_mask.h says, attention_bias is added to them. Arithmetic is
// float32, also for the half types.
//
//   multi_head_attention_c1  all inputs have one type, float32, float16 or bfloat16; key_padding_mask is int32.
//   multi_head_attention_c2  query, key and value have the shapes above, with one batch; num_heads divides them; key has query's
//                            head size; bias is [q + k + v] of their widths. Packed forms are not taken.
//   multi_head_attention_c3  past_key and past_value come together, [batch, heads, P, size], with keys of 3 dimensions.
//   multi_head_attention_c4  key_padding_mask is [batch], [3 * batch + 2], [batch, total] or [batch, S, total]; attention_bias is
//                            [batch or 1, heads or 1, S, total].
//   multi_head_attention_c5  scale is not negative; past_sequence_length, cache_indirection and the output qk are not given.
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/attend.h"
#include "octet/spec/support/padding_mask.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

struct MultiHeadInput {
  enum Index : std::size_t {
    kQuery,
    kKey,
    kValue,
    kBias,
    kMask,
    kAdded,
    kPastKey,
    kPastValue,
    kPastLength,
    kIndirection
  };
};

// [batch, heads, sequence, size], whatever the input's rank.
SymbolicShape multi_head_shape(const Inference& i, std::size_t input, bool may_be_headed) {
  constexpr std::string_view kLabel = "multi_head_attention_c2";
  const std::int64_t heads = i.attributes().get_int("num_heads", 0);
  if (!i.has_shape(input)) return {Dim(), heads, Dim(), Dim()};
  const SymbolicShape& shape = i.shape(input);
  if (may_be_headed && shape.size() == 4) {
    require_shape(i, input, {Dim(), heads, Dim(), Dim()}, kLabel);
    return shape;
  }
  require_rank(i, input, 3, kLabel);
  if (shape[2].known() && shape[2].value() % heads != 0)
    fail_constraint(kLabel, "input {} is {}, wanted a last dimension that num_heads, {}, divides", input,
                    to_string(shape), heads);
  return {shape[0], heads, shape[1], floor_divide(shape[2], heads)};
}

void require_multi_head_options(const Inference& i) {
  using enum MultiHeadInput::Index;
  constexpr std::string_view kLabel = "multi_head_attention_c5";
  const std::int64_t heads = i.attributes().get_int("num_heads", 0);
  if (heads < 1 || heads > std::numeric_limits<std::int32_t>::max())
    fail_constraint("multi_head_attention_c2", "num_heads is {}, wanted 1 or more", heads);
  if (!i.has(kKey) || !i.has(kValue))
    fail_constraint("multi_head_attention_c2", "key or value is missing: wanted both, packed forms are not taken");
  if (!(i.attributes().get_float("scale", 0) >= 0))
    fail_constraint(kLabel, "scale is {}, wanted 0 or more", i.attributes().get_float("scale", 0));
  if (i.has(kPastLength) || i.has(kIndirection))
    fail_constraint(kLabel, "past_sequence_length or cache_indirection is given, wanted neither");
  if (i.wants(3)) fail_constraint(kLabel, "the output qk is wanted, which Octet does not have");
}

void infer_multi_head_attention(Inference& i) {
  using enum MultiHeadInput::Index;
  constexpr std::string_view kTypes = "multi_head_attention_c1", kShapes = "multi_head_attention_c2",
                             kPast = "multi_head_attention_c3", kMasks = "multi_head_attention_c4";
  require_type(i, kQuery, TypeKind::kFloat, kTypes);
  if (i.dtype(kQuery) == DType::kDouble)
    fail_constraint(kTypes, "query is float64, wanted float32, float16 or bfloat16");
  require_multi_head_options(i);
  for (const std::size_t input : {kKey, kValue, kBias, kAdded, kPastKey, kPastValue})
    require_dtype(i, input, i.dtype(kQuery), kTypes);
  require_dtype(i, kMask, DType::kInt32, kTypes);

  const SymbolicShape q = multi_head_shape(i, kQuery, false), k = multi_head_shape(i, kKey, true),
                      v = multi_head_shape(i, kValue, true);
  const bool headed = i.has_shape(kKey) && i.shape(kKey).size() == 4;
  if (i.has_shape(kKey) && i.has_shape(kValue) && headed != (i.shape(kValue).size() == 4))
    fail_constraint(kShapes, "key is {} and value is {}, wanted one rank", to_string(i.shape(kKey)),
                    to_string(i.shape(kValue)));
  require_shape(i, kKey, headed ? SymbolicShape{q[0], q[1], Dim(), q[3]} : SymbolicShape{q[0], Dim(), q[1] * q[3]},
                kShapes);
  require_shape(i, kValue, headed ? SymbolicShape{q[0], q[1], k[2], Dim()} : SymbolicShape{q[0], k[2], Dim()}, kShapes);
  require_shape(i, kBias, {q[1] * q[3] * 2 + v[1] * v[3]}, kShapes);

  if (i.has(kPastKey) != i.has(kPastValue) || (i.has(kPastKey) && headed))
    fail_constraint(kPast, "past_key and past_value are given with {}, wanted both or none, with key of 3 dimensions",
                    headed ? "key of 4 dimensions" : "one missing");
  for (const std::size_t input : {kPastKey, kPastValue}) require_rank(i, input, 4, kPast);
  const Dim past = !i.has(kPastKey) ? Dim(0) : i.has_shape(kPastKey) ? i.shape(kPastKey)[2] : Dim();
  require_shape(i, kPastKey, {q[0], q[1], past, q[3]}, kPast);
  require_shape(i, kPastValue, {q[0], q[1], past, v[3]}, kPast);
  const Dim total = past + k[2];
  require_one_shape_of(i, kMask, {{q[0]}, {q[0] * 3 + 2}, {q[0], total}, {q[0], q[2], total}}, kMasks);
  require_attention_bias(i, kAdded, {q[0], q[1], q[2], total}, kMasks);
  i.set_output(0, i.dtype(kQuery), SymbolicShape{q[0], q[2], v[1] * v[3]});
  i.set_output(1, i.dtype(kQuery), SymbolicShape{q[0], q[1], total, q[3]});
  i.set_output(2, i.dtype(kQuery), SymbolicShape{q[0], q[1], total, v[3]});
}

void compute_multi_head_attention(Call& call) {
  using enum MultiHeadInput::Index;
  const auto given = [&](std::size_t input) { return call.has(input) ? &call.input(input) : nullptr; };
  const std::int64_t heads = call.attributes().get_int("num_heads", 0);
  const Shape& query = call.input(kQuery).shape();
  const bool headed = call.input(kKey).shape().size() == 4;
  const float* bias = call.has(kBias) ? call.input(kBias).as<float>().data() : nullptr;
  const float* others = headed ? nullptr : bias;  // what is added to keys and values
  const Tensor q = joined_heads<float>(call.input(kQuery), heads, nullptr, bias),
               k = joined_heads<float>(call.input(kKey), heads, given(kPastKey), others ? others + query[2] : nullptr),
               v = joined_heads<float>(call.input(kValue), heads, given(kPastValue),
                                       others ? others + 2 * query[2] : nullptr);
  const std::int64_t steps = query[1], total = k.shape()[2];
  const Tensor mask = padding_mask({.index = given(kMask),
                                    .batch = query[0],
                                    .steps = steps,
                                    .past = call.has(kPastKey) ? call.input(kPastKey).shape()[2] : 0,
                                    .total = total,
                                    .filter = call.attributes().get_float("mask_filter_value", -10000),
                                    .causal = call.attributes().get_int("unidirectional", 0) == 1});
  Attended<float> attended = {.q = Heads<float>(q, heads), .k = Heads<float>(k, heads), .v = Heads<float>(v, heads)};
  if (const float scale = call.attributes().get_float("scale", 0); scale > 0) attended.scale = scale;
  attended.bias = [&](std::int64_t b, std::int64_t h, std::int64_t i, std::span<float> row) {
    std::copy_n(mask.as<float>().data() + (b * steps + i) * total, total, row.data());
    if (call.has(kAdded)) add_attention_bias(call.input(kAdded), b, h, i, row);
    return true;
  };
  attended.y = call.output(0).mutable_as<float>().data();
  attended.y_in_rows = true;
  if (call.output(0).size() > 0) attend(attended, call.parallel());
  if (call.wants(1)) call.set_output(1, k);
  if (call.wants(2)) call.set_output(2, v);
}

}  // namespace

const Operator ops::kMultiHeadAttention = {
    .name = "MultiHeadAttention",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "softmax(q k^T * scale + mask + attention_bias) v for each head",
    .constraints =
        {{"multi_head_attention_c1",
          "all inputs have one type, float32, float16 or bfloat16; key_padding_mask is int32"},
         {"multi_head_attention_c2",
          "query, key and value are [batch, sequence, heads * size], or key and value [batch, heads, sequence, size]; "
          "num_heads divides them; key has query's head size; bias is [q + k + v] of their widths. Packed forms are "
          "not "
          "taken"},
         {"multi_head_attention_c3",
          "past_key and past_value come together, [batch, heads, P, size], with keys of 3 dimensions"},
         {"multi_head_attention_c4",
          "key_padding_mask is [batch], [3 * batch + 2], [batch, total] or [batch, S, total]; attention_bias is [batch "
          "or 1, heads or 1, S, total]"},
         {"multi_head_attention_c5",
          "scale is not negative; past_sequence_length, cache_indirection and the output qk are not given"}},
    .infer = infer_multi_head_attention,
    .compute = compute_multi_head_attention,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
