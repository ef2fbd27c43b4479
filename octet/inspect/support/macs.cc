#include "octet/inspect/support/macs.h"

#include <string_view>

#include "octet/graph/lookup.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

// Shapes with every dimension a number, as far as that is honest.
class Shapes {
 public:
  Shapes(const ModelIndex& index, std::set<std::string>& as_one) : index_(index), as_one_(as_one) {}

  std::optional<Shape> of(std::string_view name) {
    const Fact* fact = index_.fact(name);
    if (!fact || !fact->shape) return std::nullopt;
    Shape shape;
    for (std::size_t i = 0; i < fact->shape->size(); ++i) {
      const Dim& dim = (*fact->shape)[i];
      if (!dim.known() && !dim.is_symbol() && i > 0) return std::nullopt;
      if (!dim.known()) as_one_.insert(to_string(dim));
      shape.push_back(dim.known() ? dim.value() : 1);
    }
    return shape;
  }

 private:
  const ModelIndex& index_;
  std::set<std::string>& as_one_;
};

// One node, and what is known of its shapes.
struct MacNode {
  const Node& node;
  Shapes& shapes;
  std::optional<Shape> x, w, y;  // the operands that are multiplied, and the result

  // Along one axis of an input, or 0 where there is no such input.
  Dim length(std::size_t input, std::size_t axis) const {
    if (input_of(node, input).empty()) return Dim(0);
    const auto shape = shapes.of(input_of(node, input));
    return shape && axis < shape->size() ? Dim((*shape)[axis]) : Dim();
  }
};

// Not known where a shape is not.
struct CountedMacs {
  Dim macs, in_float = 0;
};

Dim elements(const Shape& shape) { return Dim(element_count(shape)); }

// Those of one output channel's weights, for each of `times` elements.
CountedMacs channel_macs(const std::optional<Shape>& times, const std::optional<Shape>& w) {
  if (!times || !w || w->empty() || w->front() <= 0) return {};
  return {elements(*times) * floor_divide(elements(*w), w->front())};
}

CountedMacs convolution_macs(const MacNode& node) { return channel_macs(node.y, node.w); }
CountedMacs transposed_convolution_macs(const MacNode& node) { return channel_macs(node.x, node.w); }

CountedMacs product_macs(const MacNode& node) {
  if (!node.x || !node.y || node.x->empty()) return {};
  const bool turned = node.x->size() >= 2 && node.node.attributes.get_int("transA", 0) != 0;
  return {elements(*node.y) * Dim(turned ? (*node.x)[node.x->size() - 2] : node.x->back())};
}

CountedMacs recurrent_macs(const MacNode& node) {
  const auto r = node.shapes.of(input_of(node.node, 2));
  if (!node.x || !node.w || !r || node.x->size() != 3) return {};
  return {Dim((*node.x)[0]) * Dim((*node.x)[1]) * (elements(*node.w) + elements(*r))};
}

CountedMacs attention_macs(const MacNode& node) {
  if (!node.x || !node.w || !node.y || node.w->size() < 2) return {};
  return {(Dim((*node.w)[node.w->size() == 4 ? 2 : 1]) + node.length(4, 2)) * (elements(*node.x) + elements(*node.y))};
}

CountedMacs projected_attention_macs(const MacNode& node) {
  if (!node.x || !node.w || !node.y || node.x->size() != 3 || node.w->size() != 2) return {};
  const Dim in_float = (Dim((*node.x)[1]) + node.length(8, 3)) * elements(*node.y) * 2;
  return {elements(*node.x) * Dim((*node.w)[1]) + in_float, in_float};
}

CountedMacs counted_macs(MacRule rule, const MacNode& node) {
  switch (rule) {
    case MacRule::kNone: break;
    case MacRule::kConvolution: return convolution_macs(node);
    case MacRule::kTransposedConvolution: return transposed_convolution_macs(node);
    case MacRule::kMatrix: return product_macs(node);
    case MacRule::kRecurrent: return recurrent_macs(node);
    case MacRule::kAttention: return attention_macs(node);
    case MacRule::kProjectedAttention: return projected_attention_macs(node);
  }
  return {};
}

}  // namespace

std::optional<MultipliedOperands> multiplied_operands(const Node& node) {
  const Operator* op = operator_of(node);
  if (!op || op->macs == MacRule::kNone) return std::nullopt;
  // QLinearConv of com.microsoft has its roles in ai.onnx.
  return MultipliedOperands{0, input_number(*find_operator_named(op->name), Role::kW).value_or(1)};
}

std::optional<Macs> macs_of(const Node& node, const ModelIndex& index, std::set<std::string>& as_one) {
  const MultipliedOperands operands = *multiplied_operands(node);
  std::set<std::string> used;
  Shapes shapes(index, used);
  const auto [macs, in_float] = counted_macs(operator_of(node)->macs, {.node = node,
                                                                       .shapes = shapes,
                                                                       .x = shapes.of(input_of(node, operands.first)),
                                                                       .w = shapes.of(input_of(node, operands.second)),
                                                                       .y = shapes.of(output_of(node, 0))});
  if (!macs.known() || !in_float.known()) return std::nullopt;
  as_one.merge(used);
  return Macs{macs.value(), in_float.value()};
}

}  // namespace octet
