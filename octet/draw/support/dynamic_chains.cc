#include "octet/draw/support/dynamic_chains.h"

#include <algorithm>

namespace octet {
namespace {

class ChainSearch {
 public:
  ChainSearch(const ModelReport& report, const ReportGraph& graph) : report_(report), graph_(graph) {}

  std::optional<DynamicChain> at(std::size_t sum) {
    const bool to_float = is_operator(sum, ops::kMatMulIntegerToFloat);
    const bool integers = is_operator(sum, ops::kConvInteger) || is_operator(sum, ops::kMatMulInteger);
    if ((!integers && !to_float) || node(sum).inputs.size() < 2) return std::nullopt;
    chain_ = {.sum = sum, .last = sum};
    quantizers_.clear();
    for (const std::size_t operand : {0U, 1U})
      if (const auto maker = maker_of(node(sum).inputs[operand]);
          maker && is_operator(*maker, ops::kDynamicQuantizeLinear))
        quantizers_.push_back(*maker);
    if (quantizers_.empty() || (!to_float && !add_scaling())) return std::nullopt;
    add_bias();
    for (const std::size_t operand : {0U, 1U}) add_operand(node(sum).inputs[operand]);
    return std::move(chain_);
  }

 private:
  const NodeReport& node(std::size_t i) const { return report_.nodes[i]; }
  bool is_operator(std::size_t i, const Operator& op) const { return is(node(i), op); }

  // The node that makes a value out of what the network is given.
  std::optional<std::size_t> maker_of(const ValueReport& value) const {
    const std::optional<std::size_t> maker = graph_.maker(value.name);
    return maker && graph_.computed(*maker) ? maker : std::nullopt;
  }
  bool is_stored(const ValueReport& value) const { return !maker_of(value) && !graph_.is_input(value.name); }

  // The one reader of what a node makes, if it is such an operator of two inputs or one.
  std::optional<std::size_t> next(std::size_t i, const Operator& op, std::size_t inputs) const {
    if (node(i).outputs.size() != 1) return std::nullopt;
    const std::string& made = node(i).outputs[0].name;
    const std::vector<std::size_t>& readers = graph_.readers(made);
    if (readers.size() != 1 || graph_.is_output(made) || !is_operator(readers[0], op)) return std::nullopt;
    return node(readers[0]).inputs.size() == inputs ? std::optional(readers[0]) : std::nullopt;
  }
  const ValueReport& other_input(std::size_t i, std::size_t than) const {
    const std::vector<ValueReport>& inputs = node(i).inputs;
    return inputs[inputs[0].name == node(than).outputs[0].name ? 1 : 0];
  }

  bool is_scale(const ValueReport& value) const {
    if (is_stored(value)) return true;
    return std::any_of(quantizers_.begin(), quantizers_.end(), [&](std::size_t q) {
      return node(q).outputs.size() == 3 && node(q).outputs[1].name == value.name;
    });
  }

  // Cast to float, and Mul by a scale, or by the product of two that nothing else needs.
  bool add_scaling() {
    const std::optional<std::size_t> cast = next(chain_.sum, ops::kCast, 1);
    if (!cast) return false;
    const std::optional<std::size_t> scale = next(*cast, ops::kMul, 2);
    if (!scale) return false;
    const ValueReport& factor = other_input(*scale, *cast);
    chain_.members = {*cast, *scale};
    if (const auto product = maker_of(factor); product && is_operator(*product, ops::kMul)) {
      if (next(*product, ops::kMul, 2) != scale || node(*product).inputs.size() != 2) return false;
      for (const ValueReport& input : node(*product).inputs) {
        if (!is_scale(input)) return false;
        if (is_stored(input)) chain_.w_scale = &input;
      }
      chain_.members.push_back(*product);
    } else if (!is_scale(factor)) {
      return false;
    }
    chain_.last = *scale;
    return true;
  }

  void add_bias() {
    const std::optional<std::size_t> add = next(chain_.last, ops::kAdd, 2);
    if (!add || !is_stored(other_input(*add, chain_.last))) return;
    chain_.bias = &other_input(*add, chain_.last);
    chain_.members.push_back(*add);
    chain_.last = *add;
  }

  bool is_inside(std::size_t reader) const {
    return reader == chain_.sum ||
           std::find(chain_.members.begin(), chain_.members.end(), reader) != chain_.members.end();
  }

  // A quantization that serves this chain alone becomes a part of it.
  void add_operand(const ValueReport& operand) {
    const std::optional<std::size_t> maker = maker_of(operand);
    const bool alone =
        maker && is_operator(*maker, ops::kDynamicQuantizeLinear) && node(*maker).inputs.size() == 1 &&
        std::all_of(node(*maker).outputs.begin(), node(*maker).outputs.end(), [&](const auto& made) {
          const std::vector<std::size_t>& readers = graph_.readers(made.name);
          return !graph_.is_output(made.name) &&
                 std::all_of(readers.begin(), readers.end(), [&](std::size_t r) { return is_inside(r); });
        });
    if (!is_stored(operand)) chain_.inputs.push_back(alone ? &node(*maker).inputs[0] : &operand);
    if (alone && !is_inside(*maker)) chain_.members.push_back(*maker);
  }

  const ModelReport& report_;
  const ReportGraph& graph_;
  DynamicChain chain_;
  std::vector<std::size_t> quantizers_;
};

}  // namespace

std::vector<DynamicChain> dynamic_chains(const ModelReport& report, const ReportGraph& graph) {
  std::vector<DynamicChain> chains;
  ChainSearch search(report, graph);
  for (std::size_t i = 0; i < report.nodes.size(); ++i)
    if (std::optional<DynamicChain> chain = search.at(i)) chains.push_back(std::move(*chain));
  return chains;
}

}  // namespace octet
