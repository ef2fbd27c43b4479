#include "octet/spec/support/padding_mask.h"

#include <algorithm>
#include <limits>
#include <string>

#include "octet/spec/check.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

bool key_counts(const PaddingMask& mask, std::int64_t b, std::int64_t i, std::int64_t j) {
  if (mask.index == nullptr) return true;
  const std::int32_t* index = mask.index->as<std::int32_t>().data();
  const Shape& shape = mask.index->shape();
  if (shape.size() == 3) return index[(b * mask.steps + i) * mask.total + j] > 0;
  if (shape.size() == 2) return shape != Shape{mask.batch, mask.total} || index[b * mask.total + j] > 0;
  return j < index[b] && (shape[0] != 2 * mask.batch || j >= index[mask.batch + b]);
}

}  // namespace

Tensor padding_mask(const PaddingMask& mask) {
  Tensor added = Tensor::uninitialized(DType::kFloat, {mask.batch, mask.steps, mask.total});
  float* to = added.mutable_as<float>().data();
  for (std::int64_t b = 0; b < mask.batch; ++b)
    for (std::int64_t i = 0; i < mask.steps; ++i)
      for (std::int64_t j = 0; j < mask.total; ++j)
        *to++ = mask.causal && i + 1 < mask.steps && j > mask.past + i ? std::numeric_limits<float>::lowest()
                : key_counts(mask, b, i, j)                            ? 0
                                                                       : mask.filter;
  return added;
}

void require_one_shape_of(const Inference& i, std::size_t index, std::initializer_list<SymbolicShape> shapes,
                          std::string_view label) {
  if (!i.has_shape(index)) return;
  const SymbolicShape& found = i.shape(index);
  std::string wanted;
  for (const SymbolicShape& shape : shapes) {
    const auto may_be = [](const Dim& a, const Dim& b) { return !surely_different(a, b); };
    if (std::equal(found.begin(), found.end(), shape.begin(), shape.end(), may_be)) return;
    wanted += (wanted.empty() ? "" : " or ") + to_string(shape);
  }
  fail_constraint(label, "input {} is {}, wanted {}", index, to_string(found), wanted);
}

void require_attention_bias(const Inference& i, std::size_t index, const SymbolicShape& scores,
                            std::string_view label) {
  require_one_shape_of(i, index,
                       {scores,
                        {1, scores[1], scores[2], scores[3]},
                        {scores[0], 1, scores[2], scores[3]},
                        {1, 1, scores[2], scores[3]}},
                       label);
}

void add_attention_bias(const Tensor& bias, std::int64_t b, std::int64_t h, std::int64_t i, std::span<float> row) {
  const Shape& shape = bias.shape();
  const std::int64_t image = shape[0] == 1 ? 0 : b, head = shape[1] == 1 ? 0 : h;
  const float* from = bias.as<float>().data() + ((image * shape[1] + head) * shape[2] + i) * shape[3];
  for (std::size_t j = 0; j < row.size(); ++j) row[j] += from[j];
}

}  // namespace octet
