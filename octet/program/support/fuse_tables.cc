// fuse_tables.cc: element by element from DequantizeLinear to QuantizeLinear. A byte has 256 values, so whatever
// happens on the way, computed in float exactly as the file says, is a table; ONNX can say it as Gather(table,
// Cast(x)). Where constants differ from channel to channel there is a table for each: Gather(tables, Cast(x) + 256 c).
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "octet/base/error.h"
#include "octet/graph/lookup.h"
#include "octet/program/support/patterns.h"
#include "octet/spec/batch_normalization.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr std::int64_t kMostChannels = 4096;   // a megabyte
constexpr std::int64_t kMostTables = 1 << 16;  // of all steps together: 16 MiB

Tensor executed(const Draft& draft, const Node& node, const std::vector<Tensor>& inputs) {
  static const Arithmetic arithmetic;
  static const Parallel parallel(1);
  return execute(*find_operator(node.domain, node.op_type), draft.opset(node), node.attributes, inputs, 1,
                 {arithmetic, parallel})[0];
}

// What DequantizeLinear makes of constants.
struct Constant {
  std::size_t step;
  Tensor tensor;
};

// The steps between one DequantizeLinear and a QuantizeLinear that nothing else reads.
class Region {
 public:
  Region(Draft& draft, std::size_t quantize) : draft_(draft), quantize_(quantize) {}

  bool find() {
    if (!begin(draft_.node(quantize_).inputs[0])) return false;
    while (!pending_.empty()) {
      const std::size_t step = *pending_.rbegin();  // all its readers in the region have been seen
      pending_.erase(step);
      if (!take(step)) return false;
    }
    return operand_.has_value();
  }

  const Operand& operand() const { return *operand_; }
  const std::set<std::size_t>& steps() const { return steps_; }  // in execution order
  const std::map<std::string, std::size_t>& leaves() const { return leaves_; }
  std::optional<std::size_t> axis() const { return axis_; }  // of the channels, where there are tables for each
  std::int64_t channels() const { return channels_; }
  const std::map<std::string, Constant>& constants() const { return constants_; }
  std::size_t rank() const { return rank_; }  // 1 where it is unknown and no constant depends on it

 private:
  bool begin(const std::string& value) {
    if (std::optional<Operand> found = find_operand(draft_, value)) {
      if (found->scales.size() != 1 || bits(found->dtype) != 8) return false;
      if (operand_ && (operand_->integers != found->integers || operand_->whole() != found->whole())) return false;
      leaves_.emplace(value, found->step);
      operand_ = std::move(found);
      return true;
    }
    const std::optional<std::size_t> step = draft_.producer(value);
    if (!step || draft_.step(*step).nodes.size() != 1) return false;
    pending_.insert(*step);
    return true;
  }

  bool take(std::size_t step) {
    const Node& node = draft_.node(step);
    if (node.outputs.size() != 1 || draft_.is_output(node.outputs[0])) return false;
    for (const std::size_t reader : draft_.readers(node.outputs[0]))
      if (reader != quantize_ && !steps_.contains(reader)) return false;
    steps_.insert(step);
    const std::vector<std::string> inputs = node.inputs;
    if (!maps_numbers(node) && !normalizes(node)) return false;
    const auto variable =
        std::find_if(inputs.begin(), inputs.end(), [&](const std::string& i) { return !i.empty() && !known(i); });
    if (variable == inputs.end()) return false;
    for (const std::string& input : inputs) {
      if (input.empty()) continue;
      const Tensor* constant = known(input);
      if (!constant && !begin(input)) return false;
      if (constant && !is(node, ops::kBatchNormalization) && !spreads(*constant, *variable)) return false;
    }
    return true;
  }

  // Whether each element of its result is a floating-point number or a truth value computed from the elements at the same place.
  bool maps_numbers(const Node& node) const {
    const Operator* op = operator_of(node);
    const auto fact = draft_.facts().find(node.outputs[0]);
    return op && (op->on_elements || is(node, ops::kIdentity)) && fact != draft_.facts().end() &&
           (is_float(fact->second.dtype) || fact->second.dtype == DType::kBool);
  }

  // BatchNormalization with known numbers: one of each for a channel, which is axis 1.
  bool normalizes(const Node& node) {
    if (!is(node, ops::kBatchNormalization) || batch_norm_trains(node.attributes, draft_.opset(node))) return false;
    const Tensor* scale = known(node.inputs[1]);
    const SymbolicShape* x = shape_of(node.inputs[0]);
    return scale && x && x->size() >= 2 && (*x)[1].is(scale->size()) && along(1, x->size(), scale->size());
  }

  // A constant, or what DequantizeLinear makes of constants.
  const Tensor* known(const std::string& value) {
    if (const Tensor* constant = draft_.constant(value)) return constant;
    const std::optional<std::size_t> step = draft_.producer(value);
    if (!step || !draft_.is(*step, ops::kDequantizeLinear)) return nullptr;
    const Node& node = draft_.node(*step);
    std::vector<Tensor> inputs;
    for (const std::string& input : node.inputs) {
      const Tensor* constant = input.empty() ? nullptr : draft_.constant(input);
      if (!constant && !input.empty()) return nullptr;
      inputs.push_back(constant ? *constant : Tensor());
    }
    const auto [found, is_new] = constants_.try_emplace(value, Constant{*step, {}});
    if (is_new) found->second.tensor = executed(draft_, node, inputs);
    return &found->second.tensor;
  }

  const SymbolicShape* shape_of(const std::string& value) const {
    const auto fact = draft_.facts().find(value);
    return fact != draft_.facts().end() && fact->second.shape ? &*fact->second.shape : nullptr;
  }

  // Whether a constant is one number for all elements of `other`, or one for each channel, and leaves the shape as it is.
  bool spreads(const Tensor& constant, const std::string& other) {
    if (constant.rank() == 0) return true;
    const SymbolicShape* x = shape_of(other);
    if (!x || static_cast<std::int64_t>(x->size()) < constant.rank()) return false;
    rank_ = x->size();
    if (constant.size() == 1) return true;
    for (std::size_t d = 0; d < constant.shape().size(); ++d) {
      const std::int64_t size = constant.shape()[d];
      if (size == 1) continue;
      const std::size_t axis = x->size() - constant.shape().size() + d;
      return size == constant.size() && (*x)[axis].is(size) && along(axis, x->size(), size);
    }
    return false;
  }

  // One axis in the whole region; that of the images has all the values of a byte.
  bool along(std::size_t axis, std::size_t rank, std::int64_t channels) {
    if (axis == 0 || channels < 1 || channels > kMostChannels || (axis_ && *axis_ != axis)) return false;
    axis_ = axis;
    rank_ = rank;
    channels_ = channels;
    return true;
  }

  Draft& draft_;
  const std::size_t quantize_;
  std::optional<Operand> operand_;
  std::set<std::size_t> steps_, pending_;
  std::map<std::string, Constant> constants_;
  std::map<std::string, std::size_t> leaves_;  // what DequantizeLinear makes, by which step
  std::optional<std::size_t> axis_;
  std::int64_t channels_ = 1;
  std::size_t rank_ = 1;
};

// [256, 1, ...], and as many as there are channels along their axis: every byte in each of them. The first is the least
// where there are several tables; of one, the bits count up: Gather counts negative indices from the end.
Tensor all_bytes(const Region& region) {
  Shape shape(std::max<std::size_t>(region.rank(), 1), 1);
  shape[0] = 256;
  if (region.axis()) shape[*region.axis()] = region.channels();
  Tensor bytes(region.operand().dtype, shape);
  const std::size_t first = region.axis() && region.operand().dtype == DType::kInt8 ? 128 : 0;
  const auto channels = static_cast<std::size_t>(region.channels());
  for (std::size_t k = 0; k < 256 * channels; ++k)
    bytes.mutable_bytes()[k] = static_cast<std::byte>((k / channels + first) % 256);
  return bytes;
}

// The results for all_bytes, computed node by node.
Tensor computed(const Draft& draft, const Result& result, const Region& region) {
  std::map<std::string, Tensor> made = {{region.operand().integers, all_bytes(region)}};
  for (const auto& [value, constant] : region.constants()) made[value] = constant.tensor;
  const auto apply = [&](const Node& node) {
    std::vector<Tensor> inputs;
    for (const std::string& input : node.inputs) {
      const auto variable = made.find(input);
      const Tensor* constant = input.empty() ? nullptr : draft.constant(input);
      inputs.push_back(variable != made.end() ? variable->second : constant ? *constant : Tensor());
    }
    made[node.outputs[0]] = executed(draft, node, inputs);
  };
  for (const auto& [value, step] : region.leaves()) apply(draft.node(step));
  for (const std::size_t step : region.steps()) apply(draft.node(step));
  apply(draft.node(result.quantize));
  return made.at(result.integers);
}

Node cast_to_int32(Draft& draft, const std::string& name, const std::string& from, const std::string& to) {
  Node cast{.name = name, .op_type = "Cast", .inputs = {from}, .outputs = {to}};
  cast.attributes.set("to", static_cast<std::int64_t>(DType::kInt32));
  draft.set_dtype(to, DType::kInt32);
  return cast;
}

// The nodes that look bytes up in one table.
std::vector<Node> one_table(Draft& draft, const Result& result, const Region& region, const std::string& name,
                            const Tensor& entries) {
  const std::string table = draft.add_constant(result.integers + "_table", entries.reshaped({256}));
  const std::string indices = draft.new_name(result.integers + "_indices");
  return {cast_to_int32(draft, name + "_indices", region.operand().integers, indices),
          Node{.name = name, .op_type = "Gather", .inputs = {table, indices}, .outputs = {result.integers}}};
}

// Those of one for each channel; `entries` are [256, channels].
std::vector<Node> tables(Draft& draft, const Result& result, const Region& region, const std::string& name,
                         const Tensor& entries) {
  const std::int64_t channels = region.channels();
  const Tensor by_channel = entries.reshaped({256, channels}).transposed().reshaped({256 * channels});
  Shape shape(region.rank() - *region.axis(), 1);
  shape[0] = channels;
  Tensor starts(DType::kInt32, shape);
  for (std::int64_t c = 0; c < channels; ++c)
    starts.mutable_as<std::int32_t>()[static_cast<std::size_t>(c)] =
        static_cast<std::int32_t>(256 * c - integer_range(region.operand().dtype).min);
  const std::string table = draft.add_constant(result.integers + "_tables", by_channel);
  const std::string start = draft.add_constant(result.integers + "_starts", starts);
  const std::string integers = draft.new_name(result.integers + "_int32"),
                    indices = draft.new_name(result.integers + "_indices");
  draft.set_dtype(indices, DType::kInt32);
  return {cast_to_int32(draft, name + "_int32", region.operand().integers, integers),
          Node{.name = name + "_indices", .op_type = "Add", .inputs = {integers, start}, .outputs = {indices}},
          Node{.name = name, .op_type = "Gather", .inputs = {table, indices}, .outputs = {result.integers}}};
}

void fuse_table(Draft& draft, const Result& result, const Region& region) {
  const Tensor entries = computed(draft, result, region);
  DraftStep step{.kind = StepKind::kTable,
                 .name = draft.step(region.steps().empty() ? result.quantize : *region.steps().rbegin()).name,
                 .nodes = {},
                 .sources = draft.sources(result.quantize),
                 .reason = {},
                 .warnings = {}};
  for (const auto& [value, leaf] : region.leaves())
    step.sources.insert(draft.sources(leaf).begin(), draft.sources(leaf).end());
  for (const auto& [value, constant] : region.constants())
    step.sources.insert(draft.sources(constant.step).begin(), draft.sources(constant.step).end());
  for (const std::size_t at : region.steps()) {
    step.sources.insert(draft.sources(at).begin(), draft.sources(at).end());
    step.reason += (step.reason.empty() ? "" : ", ") + draft.node(at).op_type;
  }
  step.reason += region.steps().empty() ? "DequantizeLinear and QuantizeLinear of other parameters"
                                        : " between DequantizeLinear and QuantizeLinear";
  step.nodes = region.axis() ? tables(draft, result, region, step.name, entries)
                             : one_table(draft, result, region, step.name, entries);
  draft.set_meaning(region.operand().integers, region.operand().whole());
  draft.set_meaning(result.integers, result.quantization);
  draft.replace(result.quantize, std::move(step));
}

}  // namespace

void fuse_tables(Draft& draft) {
  if (draft.opset_of_new_nodes() < 11) return;  // negative indices of Gather
  std::int64_t channels = 0;                    // of all tables so far
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result || bits(result->dtype) != 8) continue;
    Region region(draft, i);
    try {
      if (!region.find()) continue;
      if (channels + region.channels() > kMostTables) {
        draft.decline(i, fmt::format("tables for more than {} channels together", kMostTables));
        continue;
      }
      channels += region.channels();
      fuse_table(draft, *result, region);
    } catch (const Error& error) {
      draft.decline(i, error.what());
    }
  }
}

}  // namespace octet
