#include "octet/spec/support/projected_attention.h"

#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/support/attend.h"
#include "octet/spec/support/padding_mask.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

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

// One half of past, without its first dimension.
Tensor half_of(const Tensor& both, std::int64_t half) {
  Tensor part = Tensor::uninitialized(DType::kFloat, Shape(both.shape().begin() + 1, both.shape().end()));
  std::copy_n(both.as<float>().data() + half * part.size(), part.size(), part.mutable_as<float>().data());
  return part;
}

// The columns of keys or values behind their half of the past.
Tensor joined_columns(const Call& call, std::size_t past, const Tensor& columns, std::int64_t half) {
  const std::int64_t heads = call.attributes().get_int("num_heads", 0);
  if (past == 0 || !call.has(past)) return joined_heads<float>(columns, heads, nullptr);
  const Tensor before = half_of(call.input(past), half);
  return joined_heads<float>(columns, heads, &before);
}

}  // namespace

void infer_projected_attention(Inference& i, const ProjectedInputs& inputs, const SymbolicShape& x, const Dim& query,
                               const Dim& value, std::string_view past_label, std::string_view mask_label) {
  const std::int64_t heads = i.attributes().get_int("num_heads", 0);
  const Dim size = floor_divide(query, heads);
  require_rank(i, inputs.past, 5, past_label);
  require_shape(i, inputs.past, {2, x[0], heads, Dim(), size}, past_label);
  if ((i.has(inputs.past) || i.wants(1)) && surely_different(query, value))
    fail_constraint(past_label, "{} columns of keys and {} of values, wanted as many with past or present",
                    to_string(query), to_string(value));
  const Dim past = !i.has(inputs.past) ? Dim(0) : i.has_shape(inputs.past) ? i.shape(inputs.past)[3] : Dim();
  const Dim total = past + x[1];
  require_one_shape_of(i, inputs.mask,
                       {{x[0]}, {x[0] * 2}, {x[0] * 3 + 2}, {x[0], total}, {x[0], 1}, {1, 1}, {x[0], x[1], total}},
                       mask_label);
  if (inputs.bias != 0) require_attention_bias(i, inputs.bias, {x[0], heads, x[1], total}, mask_label);
  const DType real = i.dtype(inputs.real);
  i.set_output(0, real, SymbolicShape{x[0], x[1], value});
  i.set_output(1, real, SymbolicShape{2, x[0], heads, total, size});
}

void attend_projected(Call& call, const ProjectedInputs& inputs, const Tensor& projected, std::int64_t value) {
  const std::int64_t batch = projected.shape()[0], steps = projected.shape()[1],
                     query = (projected.shape()[2] - value) / 2, heads = call.attributes().get_int("num_heads", 0);
  const Tensor q = columns_of(projected, 0, query),
               k = joined_columns(call, inputs.past, columns_of(projected, query, query), 0),
               v = joined_columns(call, inputs.past, columns_of(projected, 2 * query, value), 1);
  const std::int64_t total = k.shape()[2];
  const Tensor mask = padding_mask({.index = call.has(inputs.mask) ? &call.input(inputs.mask) : nullptr,
                                    .batch = batch,
                                    .steps = steps,
                                    .past = total - steps,
                                    .total = total,
                                    .filter = call.attributes().get_float("mask_filter_value", -10000),
                                    .causal = call.attributes().get_int("unidirectional", 0) == 1});
  const Tensor* added = inputs.bias != 0 && call.has(inputs.bias) ? &call.input(inputs.bias) : nullptr;
  Attended<float> attended = {.q = Heads<float>(q, heads), .k = Heads<float>(k, heads), .v = Heads<float>(v, heads)};
  if (const float scale = call.attributes().get_float("scale", 0); scale > 0) attended.scale = scale;
  attended.bias = [&](std::int64_t b, std::int64_t h, std::int64_t i, std::span<float> row) {
    std::copy_n(mask.as<float>().data() + (b * steps + i) * total, total, row.data());
    if (added != nullptr) add_attention_bias(*added, b, h, i, row);
    return true;
  };
  attended.y = call.output(0).mutable_as<float>().data();
  attended.y_in_rows = true;
  attend(attended, call.parallel());
  if (!call.wants(1)) return;
  float* to = call.output(1).mutable_as<float>().data();
  for (const Tensor* half : {&k, &v}) to = std::copy_n(half->as<float>().data(), half->size(), to);
}

}  // namespace octet
