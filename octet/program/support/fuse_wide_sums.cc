// fuse_wide_sums.cc: Conv, MatMul and Gemm behind DequantizeLinear of 16 bits, as sums of bytes. A number of 16 bits is two
// bytes, q = 256 high + low, and so is its zero point; with p over the parts of x and r over those of w,
//
//   Sum (x - zx) (w - zw) = Sum_p Sum_r 2^(p.shift + r.shift) * Sum (x_p - zx_p) (w_r - zw_r)
//
// Each inner sum is a ConvInteger or a MatMulInteger, exact in int32. They are joined in int32 where that holds the whole
// sum whatever x is, else in int64, and then y = f32(acc) * S, then + the bias, each operation rounded.
#include <fmt/core.h>

#include <algorithm>

#include "octet/graph/lookup.h"
#include "octet/program/support/sum_limits.h"
#include "octet/program/support/weighted.h"

namespace octet {
namespace {

constexpr std::int64_t kByte = 256;
constexpr const char* kBytesOf = "the two bytes of ";

// An operand, or one of its bytes: 2^shift of it are a unit of the operand.
struct Part {
  std::string integers;
  std::int64_t zero_point;
  DType dtype;
  int shift;
};

bool is_wide(const Operand& operand) { return bits(operand.dtype) == 16 && is_integer(operand.dtype); }

// What makes a number of the type one from 0 on.
std::int64_t lift(DType dtype) { return -integer_range(dtype).min; }

std::vector<Part> bytes_of(const Operand& operand, const std::string& high, const std::string& low) {
  const std::int64_t zero_point = operand.zero_points[0] + lift(operand.dtype);
  return {{high, zero_point / kByte, DType::kUint8, 8}, {low, zero_point % kByte, DType::kUint8, 0}};
}

Part whole(const Operand& operand) { return {operand.integers, operand.zero_points[0], operand.dtype, 0}; }

// `weights` are the operand's, turned where `turned` says so.
std::vector<Part> parts_of_constant(Draft& draft, const Operand& operand, const Tensor& weights, bool turned) {
  if (!is_wide(operand)) {
    Part part = whole(operand);
    if (turned) part.integers = draft.add_constant(operand.integers + "_transposed", weights);
    return {part};
  }
  Tensor high(DType::kUint8, weights.shape()), low(DType::kUint8, weights.shape());
  for (std::int64_t k = 0; k < weights.size(); ++k) {
    const std::int64_t number = weights.int_at(k) + lift(operand.dtype);
    high.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(number / kByte);
    low.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(number % kByte);
  }
  const std::string name = operand.integers;
  return bytes_of(operand, draft.add_constant(name + "_high", std::move(high)),
                  draft.add_constant(name + "_low", std::move(low)));
}

// Nodes one after the other.
class WideSumChain {
 public:
  explicit WideSumChain(Draft& draft) : draft_(draft) {}

  std::string add(const char* op_type, std::vector<std::string> inputs, DType dtype, const std::string& wish) {
    const std::string output = draft_.new_name(wish);
    draft_.set_dtype(output, dtype);
    nodes.push_back({.name = output, .op_type = op_type, .inputs = std::move(inputs), .outputs = {output}});
    return output;
  }
  std::string cast(const std::string& value, DType dtype, const std::string& wish) {
    std::string output = add("Cast", {value}, dtype, wish);
    nodes.back().attributes.set("to", static_cast<std::int64_t>(dtype));
    return output;
  }
  std::string constant(std::int64_t number, DType dtype) {
    return draft_.add_constant(fmt::format("{}_{}", name(dtype), number), convert(Tensor::scalar(number), dtype));
  }

  std::vector<Node> nodes;

 private:
  Draft& draft_;
};

// The step that makes the bytes of x, before step `index`, if there is one.
const DraftStep* find_bytes(const Draft& draft, const std::string& x, std::size_t index) {
  for (const std::size_t reader : draft.readers(x))
    if (reader < index && draft.step(reader).reason == kBytesOf + x) return &draft.step(reader);
  return nullptr;
}

// The bytes of x, and the step that makes them, where it is not there yet.
struct Bytes {
  std::vector<Part> parts;
  std::optional<DraftStep> step;
};
Bytes bytes_of_computed(Draft& draft, const Operand& x, std::size_t index) {
  if (!is_wide(x)) return {{whole(x)}, std::nullopt};
  if (const DraftStep* made = find_bytes(draft, x.integers, index))
    return {bytes_of(x, made->nodes[made->nodes.size() - 3].outputs[0], made->nodes.back().outputs[0]), std::nullopt};
  WideSumChain chain(draft);
  std::string number = chain.cast(x.integers, DType::kInt32, x.integers + "_int32");
  if (lift(x.dtype) != 0)
    number = chain.add("Add", {number, chain.constant(lift(x.dtype), DType::kInt32)}, DType::kInt32,
                       x.integers + "_unsigned");
  const std::string byte = chain.constant(kByte, DType::kInt32);
  const std::string quotient = chain.add("Div", {number, byte}, DType::kInt32, x.integers + "_quotient");
  const std::string high = chain.cast(quotient, DType::kUint8, x.integers + "_high");
  const std::string rest = chain.add("Mod", {number, byte}, DType::kInt32, x.integers + "_rest");
  const std::string low = chain.cast(rest, DType::kUint8, x.integers + "_low");
  DraftStep step{.kind = StepKind::kMove,
                 .name = high,
                 .nodes = std::move(chain.nodes),
                 .sources = draft.sources(x.step),
                 .reason = kBytesOf + x.integers};
  return {bytes_of(x, high, low), std::move(step)};
}

// What is multiplied, and how.
struct Products {
  Operand x, w;
  Tensor weights;  // as the integer operator takes them
  bool turned;     // against the file's
  std::int64_t channels;
  std::size_t rank;  // of the result, where channels are not its last axis
};

Products products_of(Draft& draft, const Node& node) {
  const bool convolution = is(node, ops::kConv);
  const bool turned = node.attributes.get_int("transB", 0) != 0;
  Products found{.x = operand_at(draft, node, 0),
                 .w = operand_at(draft, node, 1),
                 .weights = {},
                 .turned = turned,
                 .channels = 0,
                 .rank = 0};
  for (const Operand* operand : {&found.x, &found.w})
    if (!is_wide(*operand)) require_8bit(*operand, "operand");
  if (found.x.scales.size() != 1)
    throw NotFused{fmt::format("{} has {} scales, and its integers need one", found.x.integers, found.x.scales.size())};
  require_channel_axis(draft, found.w, convolution || turned ? 0 : 1);
  if (node.attributes.get_int("transA", 0) != 0 || node.attributes.get_float("alpha", 1) != 1 ||
      node.attributes.get_float("beta", 1) != 1)
    throw NotFused{"16 bits in a Gemm with transA, alpha or beta"};
  const Tensor* weights = draft.constant(found.w.integers);
  if (!weights || weights->size() == 0 || weights->rank() < 2 || (!convolution && weights->rank() != 2))
    throw NotFused{
        fmt::format("{} is not a constant matrix, and sums of 16 bits are proven by its numbers", found.w.integers)};
  if (std::any_of(found.w.zero_points.begin(), found.w.zero_points.end(),
                  [&](std::int32_t z) { return z != found.w.zero_points[0]; }))
    throw NotFused{fmt::format("{} has zero points that differ", found.w.integers)};
  found.weights = turned ? weights->transposed() : *weights;
  found.channels = weights->shape()[convolution || turned ? 0 : 1];
  found.rank = convolution ? static_cast<std::size_t>(weights->rank()) : 0;
  return found;
}

}  // namespace

bool has_wide_operand(Draft& draft, const Node& node) {
  for (const std::size_t input : {0U, 1U})
    if (const std::optional<Operand> operand = find_operand(draft, node.inputs[input]); operand && is_wide(*operand))
      return true;
  return false;
}

void fuse_wide_sum(Draft& draft, std::size_t index) {
  const Node node = draft.node(index);
  if (draft.opset_of_new_nodes() < 13) throw NotFused{"sums of 16 bits are written with operators of opset 13"};
  const Products found = products_of(draft, node);
  const Operand &x = found.x, &w = found.w;
  if (x.dtype == DType::kInt8)
    throw NotFused{fmt::format("no kernel multiplies int8 ({}) by the bytes of 16 bits, which are uint8", x.integers)};
  require_sums_in_float(Policy::kExact, x, w, 1, nullptr);
  std::vector<Operand> operands = {x, w};
  const Tensor bias = float_bias(draft, node, found.channels, operands);
  const Interval reach = require_wide_sums(draft, node, x, w, bias);

  Bytes bytes = bytes_of_computed(draft, x, index);
  const std::vector<Part> parts = parts_of_constant(draft, w, found.weights, found.turned);
  std::set<std::size_t> sources = draft.sources(index);
  for (const Operand& operand : operands)
    sources.insert(draft.sources(operand.step).begin(), draft.sources(operand.step).end());

  const std::string& result = node.outputs[0];
  const bool narrow = wrapped_to_int32(reach) == reach;
  const DType joined_type = narrow ? DType::kInt32 : DType::kInt64;
  std::vector<DraftStep> steps;
  if (bytes.step) steps.push_back(std::move(*bytes.step));
  WideSumChain join(draft);
  std::string joined;
  for (const Part& a : bytes.parts)
    for (const Part& b : parts) {
      WideSumChain sum(draft);
      std::string number =
          sum.add(is(node, ops::kConv) ? "ConvInteger" : "MatMulInteger",
                  {a.integers, b.integers, sum.constant(a.zero_point, a.dtype), sum.constant(b.zero_point, b.dtype)},
                  DType::kInt32, result + "_accumulators");
      if (is(node, ops::kConv)) sum.nodes.back().attributes = node.attributes;
      require_valid(draft, sum.nodes.back());
      steps.push_back({.kind = is(node, ops::kConv) ? StepKind::kConvolution : StepKind::kMatMul,
                       .name = joined.empty() ? draft.step(index).name : number,
                       .nodes = std::move(sum.nodes),
                       .sources = sources,
                       .reason = fmt::format("{} behind DequantizeLinear of 16 bits: its sum of {} by {}", node.op_type,
                                             a.integers, b.integers)});
      if (!narrow) number = join.cast(number, joined_type, result + "_wide");
      if (const int shift = a.shift + b.shift; shift > 0)
        number = join.add("Mul", {number, join.constant(std::int64_t{1} << shift, joined_type)}, joined_type,
                          result + "_shifted");
      joined = joined.empty() ? number : join.add("Add", {joined, number}, joined_type, result + "_joined");
    }
  std::vector<float> multipliers;
  for (const float scale : w.scales) multipliers.push_back(x.scales[0] * scale);
  const std::string real = join.cast(joined, DType::kFloat, result + "_float");
  const std::string scaled =
      join.add("Mul", {real, channel_constant(draft, result + "_scales", multipliers, found.rank)}, DType::kFloat,
               result + "_scaled");
  if (!bias.empty()) {
    const std::vector<float> values(bias.as<float>().begin(), bias.as<float>().end());
    join.add("Add", {scaled, channel_constant(draft, result + "_bias", values, found.rank)}, DType::kFloat,
             result + "_sum");
  }
  join.nodes.back().outputs = node.outputs;
  steps.push_back(
      {.kind = StepKind::kDequantize,
       .name = scaled,
       .nodes = std::move(join.nodes),
       .sources = sources,
       .reason = fmt::format("joins the sums of {}, which lie from {} to {}, in {}, and scales them to float",
                             describe(node), reach.least, reach.greatest, name(joined_type))});
  draft.replace(index, std::move(steps.front()));
  for (auto step = steps.rbegin(); step + 1 != steps.rend(); ++step) draft.insert_after(index, std::move(*step));
}

}  // namespace octet
