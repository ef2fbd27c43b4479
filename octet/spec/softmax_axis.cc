#include "octet/spec/softmax_axis.h"

#include "octet/base/shape.h"

namespace octet {
namespace {

bool flattens_in(std::int64_t opset) { return opset < 13; }

}  // namespace

SoftmaxAxis softmax_axis(const Attributes& attributes, int opset) {
  const bool flattens = flattens_in(opset);
  return {attributes.get_int("axis", flattens ? 1 : -1), flattens};
}

SoftmaxAxis qlinear_softmax_axis(const Attributes& attributes) {
  return {attributes.get_int("axis", -1), flattens_in(attributes.get_int("opset", 0))};
}

Lanes softmax_lanes(std::span<const std::int64_t> shape, std::size_t axis, bool flattens) {
  if (!flattens) return {shape, axis};
  return {Shape{element_count(shape.first(axis)), element_count(shape.subspan(axis))}, 1};
}

}  // namespace octet
