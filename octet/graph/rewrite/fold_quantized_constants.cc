#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "octet/base/error.h"
#include "octet/graph/apply_rule.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rewrite/folding_budget.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/spec/moves_elements.h"
#include "octet/spec/operator.h"
#include "octet/spec/operators.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

// Whether the result has elements of the first input alone: what a Pad adds would have to be quantized.
bool is_constant_move(const Node& node) {
  const Operator* op = operator_of(node);
  return op && node.domain.empty() && node.outputs.size() == 1 && moves_one_tensor(*op, node.attributes) &&
         !input_number(*op, Role::kFill);
}

bool has_zero_point(const Node& dequantize) { return dequantize.inputs.size() > 2 && !dequantize.inputs[2].empty(); }

// Scales, or zero points, of one axis of a tensor, and where that axis has gone.
struct ChannelMap {
  std::optional<std::int64_t> axis;    // nothing when all elements have the same channel
  std::vector<std::int64_t> channels;  // for each index along the axis, the channel it was
};

class QuantizedConstants {
 public:
  QuantizedConstants(Model& model, const Arithmetic& arithmetic)
      : model_(model),
        environment_{arithmetic, parallel_},
        names_(model.graph),
        bytes_left_(folding_budget(model.graph)) {
    for (const Initializer& initializer : model.graph.initializers)
      if (!initializer.tensor.empty()) constants_[initializer.name] = initializer.tensor;
    for (const Value& input : model.graph.inputs)
      constants_.erase(input.name);  // a default that the caller may replace
    for (const Value& output : model.graph.outputs) outputs_.insert(output.name);
  }

  // A Transpose of what is dequantized, as ONNX Runtime takes it.
  Node transposed(Node node) {
    if (is_constant_move(node) && is(node, ops::kTranspose))
      if (const auto source = dequantized_.find(node.inputs[0]); source != dequantized_.end())
        if (std::optional<Node> moved = moved_before(node, source->second)) node = std::move(*moved);
    if (is(node, ops::kDequantizeLinear) && inferred(node, "") && holds_integers(node) &&
        (constant(node.inputs[0])->dtype() != DType::kInt8 || has_zero_point(node) || model_.opset(node) >= 21))
      dequantized_[node.outputs[0]] = node;
    return node;
  }

  // What takes the node's place; nothing when it became a constant.
  std::optional<Node> folded(Node node) {
    if (is(node, ops::kQuantizeLinear) && !outputs_.contains(node.outputs[0])) {
      if (const std::optional<Tensor> integers = computed(node, {}); integers && fits(*integers)) {
        add(node.outputs[0], *integers);
        return std::nullopt;
      }
    }
    if (is_constant_move(node))
      if (const auto source = dequantized_.find(node.inputs[0]); source != dequantized_.end())
        if (std::optional<Node> moved = moved_before(node, source->second)) node = std::move(*moved);
    if (is(node, ops::kDequantizeLinear) && inferred(node, "") && holds_integers(node)) {
      unblock(node);
      widen(node);
      dequantized_[node.outputs[0]] = node;
    }
    return node;
  }

 private:
  const Tensor* constant(const std::string& name) const {
    const auto it = constants_.find(name);
    return it == constants_.end() ? nullptr : &it->second;
  }

  // And not float8 or float4, under scales that may be powers of two.
  bool holds_integers(const Node& dequantize) const {
    return is_integer(constant(dequantize.inputs[0])->dtype()) && is_float(constant(dequantize.inputs[1])->dtype());
  }

  bool fits(const Tensor& tensor) const { return static_cast<std::int64_t>(tensor.byte_size()) <= bytes_left_; }

  void add(const std::string& name, const Tensor& tensor) {
    bytes_left_ -= static_cast<std::int64_t>(tensor.byte_size());
    constants_[name] = tensor;
    model_.graph.initializers.push_back({.name = name, .tensor = tensor});
  }

  // However often it is moved, a constant is named after the one in the file.
  std::string add_moved(const std::string& from, const Tensor& tensor) {
    const auto before = moved_from_.find(from);
    const std::string origin = before == moved_from_.end() ? from : before->second;
    std::string name = names_.make(origin + "_moved");
    moved_from_[name] = origin;
    add(name, tensor);
    return name;
  }

  // Blocks whose scales and zero points differ along one axis alone are channels of that axis; along none, the whole tensor.
  void unblock(Node& dequantize) {
    const std::int64_t block = dequantize.attributes.get_int("block_size", 0);
    if (block <= 0) return;
    const Shape& shape = constant(dequantize.inputs[0])->shape();
    const std::int64_t given = dequantize.attributes.get_int("axis", 1);
    const auto blocked = static_cast<std::size_t>(given < 0 ? given + static_cast<std::int64_t>(shape.size()) : given);
    std::vector<std::optional<std::size_t>> axes = {std::nullopt};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) axes.emplace_back(axis);
    for (const std::optional<std::size_t> axis : axes) {
      const std::int64_t length = axis ? shape[*axis] : 1, along = axis == blocked ? block : 1;
      std::vector<Tensor> lines(dequantize.inputs.size());
      bool fits = true;
      for (std::size_t input = 1; fits && input < lines.size(); ++input)
        if (!dequantize.inputs[input].empty()) {
          const Tensor& all = *constant(dequantize.inputs[input]);
          const std::int64_t inner = axis ? strides_of(all.shape())[*axis] : all.size();
          fits = differs_only_by(all, inner, axis ? all.shape()[*axis] : 1);
          ChannelMap line;
          if (axis) line.axis = static_cast<std::int64_t>(*axis);
          for (std::int64_t i = 0; i < length; ++i) line.channels.push_back(i / along * inner);
          if (fits) lines[input] = gathered(all.reshaped({all.size()}), line);
        }
      if (!fits) continue;
      for (std::size_t input = 1; input < lines.size(); ++input)
        if (!lines[input].empty()) dequantize.inputs[input] = add_moved(dequantize.inputs[input], lines[input]);
      dequantize.attributes.erase("block_size");
      dequantize.attributes.erase("axis");
      if (axis) dequantize.attributes.set("axis", static_cast<std::int64_t>(*axis));
      return;
    }
  }

  // Whether the index along an axis of so many elements, `inner` apart, alone says what an element is.
  static bool differs_only_by(const Tensor& all, std::int64_t inner, std::int64_t length) {
    const std::size_t size = size_of(all.dtype());
    const auto at = [&](std::int64_t k) { return all.bytes().subspan(static_cast<std::size_t>(k) * size, size); };
    for (std::int64_t k = 0; k < all.size(); ++k)
      if (!std::ranges::equal(at(k), at(k / inner % length * inner))) return false;
    return all.size() > 0;
  }

  // Integers of 2 and 4 bits, and their zero points, become int8: the same numbers, which every pattern knows.
  void widen(Node& dequantize) {
    const Tensor& integers = *constant(dequantize.inputs[0]);
    if (bits(integers.dtype()) >= 8 || !is_integer(integers.dtype()) || integers.size() > bytes_left_ / 2) return;
    for (const std::size_t input : {0U, 2U}) {
      if (input >= dequantize.inputs.size() || dequantize.inputs[input].empty()) continue;
      std::string& name = dequantize.inputs[input];
      const auto [wide, is_new] = wide_.try_emplace(name);
      if (is_new) {
        wide->second = names_.make(name + "_wide");
        add(wide->second, convert(*constant(name), DType::kInt8));
      }
      name = wide->second;
    }
  }

  // What the node's rule says of its result, `first` in the place of its first input where it is not empty; nothing when
  // an input is not constant, or where the rule is violated: the engine reports it.
  std::optional<Fact> inferred(const Node& node, const std::string& first) {
    const Operator* op = find_operator(node.domain, node.op_type);
    if (!op) return std::nullopt;
    std::vector<Fact> inputs;
    for (const std::string& input : node.inputs) {
      const std::string& name = inputs.empty() && !first.empty() ? first : input;
      if (!name.empty() && !constant(name)) return std::nullopt;
      inputs.push_back(name.empty() ? Fact() : Fact::of(*constant(name)));
    }
    try {
      return rules_.apply(*op, model_.opset(node), node.attributes, inputs, 1)[0];
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // The node's result, `first` in the place of its first input where it is not empty; nothing when an input is not
  // constant, or where it can't be computed: the engine reports it.
  std::optional<Tensor> computed(const Node& node, const Tensor& first) {
    const Operator* op = find_operator(node.domain, node.op_type);
    if (!op || !node.subgraphs.empty() || !node.other_attributes.empty() || elements_left_ <= 0) return std::nullopt;
    std::vector<Tensor> inputs;
    for (const std::string& input : node.inputs) {
      const bool given = inputs.empty() && !first.empty();
      if (!given && !input.empty() && !constant(input)) return std::nullopt;
      inputs.push_back(given ? first : input.empty() ? Tensor() : *constant(input));
    }
    try {
      Tensor result = execute(*op, model_.opset(node), node.attributes, inputs, 1, environment_)[0];
      elements_left_ -= inputs[0].size() + result.size();
      return result;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Which channel each index along an axis of the result was, when the operand's channels are its `axis`.
  std::optional<ChannelMap> map_channels(const Node& move, const Shape& from, std::size_t axis) {
    Tensor channel = Tensor::uninitialized(DType::kInt32, from);
    std::int64_t inner = 1;
    for (std::size_t d = axis + 1; d < from.size(); ++d) inner *= from[d];
    std::int32_t next = 0;
    const std::span<std::int32_t> table = channel.mutable_as<std::int32_t>();
    for (auto run = table.begin(); run != table.end(); next = (next + 1) % static_cast<std::int32_t>(from[axis])) {
      std::fill_n(run, inner, next);
      run += inner;
    }
    const std::optional<Tensor> moved = computed(move, channel);
    if (!moved || moved->size() == 0) return std::nullopt;
    const std::span<const std::int32_t> found = moved->as<std::int32_t>();
    if (std::all_of(found.begin(), found.end(), [&](std::int32_t c) { return c == found[0]; }))
      return ChannelMap{std::nullopt, {found[0]}};
    const Shape& to = moved->shape();
    inner = 1;
    for (std::size_t d = to.size(); d-- > 0; inner *= to[d]) {
      const auto along = [&](std::int64_t k) { return k / inner % to[d]; };
      ChannelMap map{static_cast<std::int64_t>(d), {}};
      for (std::int64_t i = 0; i < to[d]; ++i) map.channels.push_back(found[static_cast<std::size_t>(i * inner)]);
      bool fits = true;
      for (std::int64_t k = 0; fits && k < moved->size(); ++k)
        fits = found[static_cast<std::size_t>(k)] == map.channels[static_cast<std::size_t>(along(k))];
      if (fits) return map;
    }
    return std::nullopt;
  }

  Tensor gathered(const Tensor& all, const ChannelMap& map) const {
    const auto count = static_cast<std::int64_t>(map.channels.size());
    const Tensor which = Tensor::from<std::int64_t>(map.axis ? Shape{count} : Shape{}, map.channels);
    return execute(ops::kGather, 13, Attributes(), std::vector<Tensor>{all, which}, 1, environment_)[0];
  }

  // The elements of a parameter for the channels of the map.
  std::string chosen(const std::string& parameter, const ChannelMap& map) {
    const Tensor& all = *constant(parameter);
    const Tensor values = gathered(all, map);
    return values.identical(all) ? parameter : add_moved(parameter, values);
  }

  // DequantizeLinear of the moved integers, which makes what `move` made of `dequantize`'s result.
  std::optional<Node> moved_before(const Node& move, const Node& dequantize) {
    const Tensor& integers = *constant(dequantize.inputs[0]);
    const Tensor& scale = *constant(dequantize.inputs[1]);
    if (dequantize.attributes.get_int("block_size", 0) != 0) return std::nullopt;
    const std::optional<Fact> fact = inferred(move, dequantize.inputs[0]);
    const std::optional<Shape> shape = fact && fact->shape ? concrete(*fact->shape) : std::nullopt;
    if (!shape || element_count(*shape) > integers.size() || elements_left_ <= 0 || !fits(integers))
      return std::nullopt;
    std::optional<ChannelMap> map;
    if (scale.size() != 1) {
      const std::int64_t axis = dequantize.attributes.get_int("axis", 1);
      map = map_channels(move, integers.shape(), static_cast<std::size_t>(axis < 0 ? axis + integers.rank() : axis));
      if (!map) return std::nullopt;
    }
    const std::optional<Tensor> moved = computed(move, integers);
    if (!moved) return std::nullopt;
    Node result = dequantize;
    result.name = move.name;
    result.outputs = move.outputs;
    result.inputs[0] = add_moved(dequantize.inputs[0], *moved);
    if (!map) return result;
    for (std::size_t i = 1; i < result.inputs.size(); ++i)
      if (!result.inputs[i].empty()) result.inputs[i] = chosen(result.inputs[i], *map);
    result.attributes.erase("axis");
    if (map->axis) result.attributes.set("axis", *map->axis);
    return result;
  }

  Model& model_;
  const Parallel parallel_{1};
  const Environment environment_;
  RuleApplier rules_;
  NewNames names_;
  std::map<std::string, Tensor> constants_;
  std::map<std::string, Node> dequantized_;  // by their results, those that are valid and whose inputs are constant
  std::map<std::string, std::string> moved_from_;  // the constant of the file, by the name of one that was moved
  std::map<std::string, std::string> wide_;        // the name of a constant's int8
  std::set<std::string> outputs_;
  std::int64_t bytes_left_;                       // for constants that are added
  std::int64_t elements_left_ = 4 * bytes_left_;  // to be read and written, whether that leads to a constant or not
};

}  // namespace

Model fold_quantized_constants(Model model, const Arithmetic& arithmetic) {
  QuantizedConstants constants(model, arithmetic);
  std::vector<Node> kept;
  for (Node& node : model.graph.nodes)
    if (std::optional<Node> folded = constants.folded(std::move(node))) kept.push_back(std::move(*folded));
  model.graph.nodes = std::move(kept);
  return remove_unused(std::move(model));
}

Model fold_transposed_constants(Model model, const Arithmetic& arithmetic) {
  QuantizedConstants constants(model, arithmetic);
  for (Node& node : model.graph.nodes) node = constants.transposed(std::move(node));
  return remove_unused(std::move(model));
}

}  // namespace octet
