#include "octet/spec/support/tuple_indices.h"

#include <span>
#include <string>

#include "octet/spec/check.h"
#include "octet/spec/support/integers.h"

namespace octet {
namespace {

void check_values(const Tensor& indices, const SymbolicShape& x, std::size_t batch, std::string_view label) {
  const std::int64_t tuple = indices.shape().back();
  for (std::int64_t n = 0; n < indices.size(); ++n) {
    const Dim& length = x[batch + static_cast<std::size_t>(n % tuple)];
    const std::int64_t index = indices.int_at(n);
    if (length.known() && (index < -length.value() || index >= length.value()))
      fail_constraint(label, "index {} at position {} of the indices, wanted {} to {}", index, n, -length.value(),
                      length.value() - 1);
  }
}

}  // namespace

std::optional<SymbolicShape> check_tuple_indices(const Inference& i, std::int64_t batch, std::string_view stem) {
  const auto label = [&](const char* suffix) { return std::string(stem) + suffix; };
  require_index_type(i, 1, label("_c1"));
  if (!i.has_shape(0) || !i.has_shape(1)) return std::nullopt;
  const SymbolicShape& x = i.shape(0);
  const SymbolicShape& indices = i.shape(1);
  const auto shared = static_cast<std::size_t>(batch);
  bool agrees = batch >= 0 && shared < x.size() && shared < indices.size();
  for (std::size_t k = 0; agrees && k < shared; ++k) agrees = !surely_different(x[k], indices[k]);
  if (!agrees)
    fail_constraint(label("_c2"), "{} batch axes of x of shape {} and indices of shape {}", batch, to_string(x),
                    to_string(indices));
  if (!indices.back().known()) return std::nullopt;
  const std::int64_t tuple = indices.back().value();
  if (tuple < 1 || tuple > static_cast<std::int64_t>(x.size() - shared))
    fail_constraint(label("_c3"), "tuples of {} numbers for x of shape {} behind {} batch axes", tuple, to_string(x),
                    batch);
  if (const Tensor* constant = i.constant(1)) check_values(*constant, x, shared, label("_c4"));
  SymbolicShape slices(indices.begin(), indices.end() - 1);
  slices.insert(slices.end(), x.begin() + batch + tuple, x.end());
  return slices;
}

std::vector<std::int64_t> slice_positions(const Call& call, std::int64_t batch) {
  const Shape& x = call.input(0).shape();
  const Shape& shape = call.input(1).shape();
  const auto shared = static_cast<std::size_t>(batch), tuple = static_cast<std::size_t>(shape.back());
  const std::vector<std::int64_t> strides = strides_of(x);
  const std::vector<std::int64_t> numbers = call.input(1).to_ints();
  const std::int64_t count = element_count(std::span(shape).first(shape.size() - 1));
  const std::int64_t batches = element_count(std::span(shape).first(shared));
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < positions.size(); ++n) {
    // The batch axes lead both tensors, so the batch's number says where it begins in x.
    const std::int64_t number = static_cast<std::int64_t>(n) / (count / batches);
    std::int64_t position = shared == 0 ? 0 : number * strides[shared - 1];
    for (std::size_t k = 0; k < tuple; ++k)
      position += from_start(numbers[n * tuple + k], x[shared + k]) * strides[shared + k];
    positions[n] = position;
  }
  return positions;
}

std::int64_t slice_size(const Call& call, std::int64_t batch) {
  const Shape& x = call.input(0).shape();
  return element_count(std::span(x).subspan(static_cast<std::size_t>(batch + call.input(1).shape().back())));
}

}  // namespace octet
