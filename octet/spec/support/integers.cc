#include "octet/spec/support/integers.h"

#include <algorithm>

#include "octet/spec/check.h"

namespace octet {
namespace {

// Vectors of unknown elements longer than this are not shapes.
constexpr std::int64_t kMostUnknown = 1024;

void require_integers(const Inference& i, std::size_t index) {
  const DType dtype = i.dtype(index);
  if (!is_integer(dtype) && dtype != DType::kBool)
    fail(ErrorCode::kModel, "input {} is {}, wanted integers", index, name(dtype));
}

}  // namespace

void require_index_type(const Inference& i, std::size_t index, std::string_view label) {
  const DType dtype = i.dtype(index);
  if (dtype != DType::kInt32 && dtype != DType::kInt64)
    fail_constraint(label, "input {} is {}, wanted int32 or int64", index, name(dtype));
}

std::optional<std::vector<std::int64_t>> known_integers(const Inference& i, std::size_t index) {
  require_integers(i, index);
  if (const Tensor* constant = i.constant(index)) return constant->to_ints();
  const std::vector<Dim>* elements = i.elements(index);
  if (!elements) return std::nullopt;
  return concrete(*elements);
}

std::optional<std::vector<Dim>> dims_from(const Inference& i, std::size_t index) {
  require_integers(i, index);
  if (const std::vector<Dim>* elements = i.elements(index)) return *elements;
  if (const Tensor* constant = i.constant(index)) return symbolic(constant->to_ints());
  if (!i.has_shape(index) || i.shape(index).size() != 1) return std::nullopt;
  const Dim& count = i.shape(index)[0];
  if (!count.known() || count.value() < 0 || count.value() > kMostUnknown) return std::nullopt;
  return std::vector<Dim>(static_cast<std::size_t>(count.value()));
}

IntegerList list_from(const Inference& i, bool as_input, std::size_t index, std::string_view attribute) {
  if (as_input) return {i.has(index), i.has(index) ? known_integers(i, index) : std::nullopt};
  return {i.attributes().has(attribute), i.attributes().get_ints(attribute)};
}

void check_indices(const Tensor& indices, std::int64_t size, std::string_view label) {
  for (std::int64_t k = 0; k < indices.size(); ++k) {
    const std::int64_t index = indices.int_at(k);
    if (index < -size || index >= size)
      fail_constraint(label, "index {} at position {} of the indices, wanted {} to {}", index, k, -size, size - 1);
  }
}

}  // namespace octet
