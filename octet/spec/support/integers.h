// integers.h: inputs that hold shapes, axes, counts and indices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/spec/operator.h"

namespace octet {

// Throws kConstraint with `label` unless input `index` is int32 or int64.
void require_index_type(const Inference& i, std::size_t index, std::string_view label);

// The elements of an integer input when all of them are known, which they are at run time. Throws kModel when it holds
// something else, and so does dims_from.
std::optional<std::vector<std::int64_t>> known_integers(const Inference& i, std::size_t index);

// The elements of an integer vector as far as they are known; absent when not even their number is.
std::optional<std::vector<Dim>> dims_from(const Inference& i, std::size_t index);

// A list that older opsets have as an attribute and newer ones as an input; absent when it is not known.
struct IntegerList {
  bool given = false;
  std::optional<std::vector<std::int64_t>> values;
};
IntegerList list_from(const Inference& i, bool as_input, std::size_t index, std::string_view attribute);

// Throws kConstraint with `label` unless every element of `indices` is in [-size, size - 1].
void check_indices(const Tensor& indices, std::int64_t size, std::string_view label);

// An index that counts from the end when negative.
inline std::int64_t from_start(std::int64_t index, std::int64_t size) { return index < 0 ? index + size : index; }

}  // namespace octet
