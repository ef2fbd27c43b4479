#include "octet/spec/support/binary.h"

#include <algorithm>
#include <string>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"

namespace octet {
namespace {

// The axis of a that b's first axis is matched to, where the attributes of opsets before 7 say so.
std::optional<std::int64_t> matched_axis(int opset, const Attributes& attributes) {
  if (opset >= 7 || attributes.get_int("broadcast", 0) == 0 || !attributes.has("axis")) return std::nullopt;
  return attributes.get_int("axis", 0);
}

}  // namespace

std::optional<SymbolicShape> broadcast_inputs(const Inference& i, std::string_view stem) {
  if (!i.has_shape(0) || !i.has_shape(1)) return std::nullopt;
  const SymbolicShape& a = i.shape(0);
  SymbolicShape b = i.shape(1);
  const std::string label = std::string(stem) + "_c2";
  if (const auto axis = matched_axis(i.opset(), i.attributes())) {
    const std::size_t room = a.size() - normalize_axis(*axis, a.size(), label);
    if (b.size() > room)
      fail_constraint(label, "b of shape {} does not fit into a of shape {} from axis {} on", to_string(b),
                      to_string(a), *axis);
    b.resize(room, Dim(1));
  }
  std::optional<SymbolicShape> shape = broadcast(a, b);
  if (!shape) fail_constraint(label, "shapes {} and {} do not broadcast", to_string(a), to_string(i.shape(1)));
  return shape;
}

void infer_binary(Inference& i, std::string_view stem, TypeKind kind, std::optional<DType> result) {
  const std::string label = std::string(stem) + "_c1";
  require_type(i, 0, kind, label);
  require_same_type(i, 0, 1, label);
  i.set_output(0, result.value_or(i.dtype(0)), broadcast_inputs(i, stem));
}

void propagate_elements(Inference& i, Dim (*combine)(const Dim& a, const Dim& b)) {
  const auto* a = i.elements(0);
  const auto* b = i.elements(1);
  if (!a || !b || a->empty() || b->empty()) return;
  const std::size_t count = std::max(a->size(), b->size());
  if ((a->size() != count && a->size() != 1) || (b->size() != count && b->size() != 1)) return;
  const IntegerRange range = integer_range(i.dtype(0));
  std::vector<Dim> elements(count);
  for (std::size_t k = 0; k < count; ++k) {
    try {
      const Dim value = combine((*a)[a->size() == 1 ? 0 : k], (*b)[b->size() == 1 ? 0 : k]);
      if (!value.known() || (value.value() >= range.min && value.value() <= range.max)) elements[k] = value;
    } catch (const Error&) {  // the value leaves int64
    }
  }
  i.set_elements(0, std::move(elements));
}

Tensor second_operand(const Call& call) {
  const Tensor& b = call.input(1);
  const auto axis = matched_axis(call.opset(), call.attributes());
  if (!axis) return b;
  const std::size_t rank = call.input(0).shape().size();
  Shape shape = b.shape();
  shape.resize(rank - normalize_axis(*axis, rank, ""), 1);
  return b.reshaped(std::move(shape));
}

}  // namespace octet
