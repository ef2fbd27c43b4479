#include "octet/inspect/support/macs.h"

#include <array>
#include <string_view>

namespace octet {
namespace {

enum class Rule { kConv, kConvTranspose, kProduct, kRecurrent, kAttention, kQAttention };

struct MacOperator {
  std::string_view op_type;
  Rule rule;
  MultipliedOperands operands;
};

constexpr std::array<MacOperator, 22> kTable = {{
    {"Conv", Rule::kConv, {0, 1}},
    {"FusedConv", Rule::kConv, {0, 1}},
    {"QLinearConv", Rule::kConv, {0, 3}},
    {"ConvInteger", Rule::kConv, {0, 1}},
    {"ConvTranspose", Rule::kConvTranspose, {0, 1}},
    {"MatMul", Rule::kProduct, {0, 1}},
    {"Gemm", Rule::kProduct, {0, 1}},
    {"QLinearMatMul", Rule::kProduct, {0, 3}},
    {"MatMulInteger", Rule::kProduct, {0, 1}},
    {"MatMulIntegerToFloat", Rule::kProduct, {0, 1}},
    {"DynamicQuantizeMatMul", Rule::kProduct, {0, 1}},
    {"QGemm", Rule::kProduct, {0, 3}},
    {"FusedMatMul", Rule::kProduct, {0, 1}},
    {"TransposeMatMul", Rule::kProduct, {0, 1}},
    {"FusedGemm", Rule::kProduct, {0, 1}},
    {"MatMulNBits", Rule::kProduct, {0, 1}},
    {"LSTM", Rule::kRecurrent, {0, 1}},
    {"GRU", Rule::kRecurrent, {0, 1}},
    {"RNN", Rule::kRecurrent, {0, 1}},
    {"DynamicQuantizeLSTM", Rule::kRecurrent, {0, 1}},
    {"Attention", Rule::kAttention, {0, 1}},
    {"QAttention", Rule::kQAttention, {0, 1}},
}};

const MacOperator* find(const Node& node) {
  for (const MacOperator& entry : kTable)
    if (is_operator(node, entry.op_type))
      return entry.rule == Rule::kAttention && !node.domain.empty() ? nullptr : &entry;  // com.microsoft's is another
  return nullptr;
}

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

}  // namespace

std::optional<MultipliedOperands> multiplied_operands(const Node& node) {
  const MacOperator* entry = find(node);
  return entry ? std::optional(entry->operands) : std::nullopt;
}

std::optional<Macs> macs_of(const Node& node, const ModelIndex& index, std::set<std::string>& as_one) {
  const MacOperator& entry = *find(node);
  std::set<std::string> used;
  Shapes shapes(index, used);
  const auto x = shapes.of(input_of(node, entry.operands.first));
  const auto w = shapes.of(input_of(node, entry.operands.second));
  const auto y = shapes.of(output_of(node, 0));
  const auto product = [](const Shape& shape) { return Dim(element_count(shape)); };
  // Along one axis of an input, or 0 where there is no such input.
  const auto length = [&](std::size_t input, std::size_t axis) {
    if (input_of(node, input).empty()) return Dim(0);
    const auto shape = shapes.of(input_of(node, input));
    return shape && axis < shape->size() ? Dim((*shape)[axis]) : Dim();
  };
  Dim macs, in_float = 0;
  switch (entry.rule) {
    case Rule::kConv:
      if (y && w && !w->empty() && w->front() > 0) macs = product(*y) * floor_divide(product(*w), w->front());
      break;
    case Rule::kConvTranspose:
      if (x && w && !w->empty() && w->front() > 0) macs = product(*x) * floor_divide(product(*w), w->front());
      break;
    case Rule::kProduct:
      if (x && y && !x->empty()) {
        const bool turned = x->size() >= 2 && node.attributes.get_int("transA", 0) != 0;
        macs = product(*y) * Dim(turned ? (*x)[x->size() - 2] : x->back());
      }
      break;
    case Rule::kRecurrent: {
      const auto r = shapes.of(input_of(node, 2));
      if (x && w && r && x->size() == 3) macs = Dim((*x)[0]) * Dim((*x)[1]) * (product(*w) + product(*r));
      break;
    }
    case Rule::kAttention:
      if (x && w && y && w->size() >= 2)
        macs = (Dim((*w)[w->size() == 4 ? 2 : 1]) + length(4, 2)) * (product(*x) + product(*y));
      break;
    case Rule::kQAttention:
      if (x && w && y && x->size() == 3 && w->size() == 2) {
        in_float = (Dim((*x)[1]) + length(8, 3)) * product(*y) * 2;
        macs = product(*x) * Dim((*w)[1]) + in_float;
      }
      break;
  }
  if (!macs.known() || !in_float.known()) return std::nullopt;
  as_one.merge(used);
  return Macs{macs.value(), in_float.value()};
}

}  // namespace octet
