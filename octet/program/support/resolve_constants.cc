// resolve_constants.cc: what a step computes with, read off its operator's inputs; and the checks that runtimes skip:
// accumulators that can leave int32, integers written with one scale and read with another.
#include <algorithm>
#include <array>
#include <limits>

#include "octet/base/fail.h"
#include "octet/program/support/build.h"
#include "octet/program/support/patterns.h"
#include "octet/program/support/sum_layout.h"

namespace octet {
namespace {

class Resolver {
 public:
  explicit Resolver(Program& program) : program_(program), written_(program.values.size()) {}

  void run() {
    for (Step& step : program_.steps)
      for (const Operation& operation : step.operations) resolve(step, operation);
  }

 private:
  ValueId at(const Operation& operation, int input) const {
    return input < 0 || static_cast<std::size_t>(input) >= operation.inputs.size()
               ? kNoValue
               : operation.inputs[static_cast<std::size_t>(input)];
  }
  // Null unless known before the run.
  const Tensor* constant(const Operation& operation, int input) const {
    const ValueId value = at(operation, input);
    return value == kNoValue || program_.values[value].constant.empty() ? nullptr : &program_.values[value].constant;
  }
  std::vector<float> floats(const Operation& operation, int input) const {
    const Tensor* tensor = constant(operation, input);
    if (!tensor || tensor->dtype() != DType::kFloat) return {};
    return {tensor->as<float>().begin(), tensor->as<float>().end()};
  }
  std::vector<std::int32_t> integers(const Operation& operation, int input) const {
    std::vector<std::int32_t> result;
    if (const Tensor* tensor = constant(operation, input); tensor && is_integer(tensor->dtype()))
      for (std::int64_t k = 0; k < tensor->size(); ++k) result.push_back(static_cast<std::int32_t>(tensor->int_at(k)));
    return result;
  }
  // Scale and zero point of a whole tensor; an absent zero point is 0.
  std::optional<Quantization> quantization(const Operation& operation, int scale, int zero_point) const {
    const std::vector<float> scales = floats(operation, scale);
    const std::vector<std::int32_t> zero_points = integers(operation, zero_point);
    if (scales.size() != 1 || zero_points.size() > 1) return std::nullopt;
    if (zero_points.empty() && at(operation, zero_point) != kNoValue) return std::nullopt;
    return Quantization{scales[0], zero_points.empty() ? 0 : zero_points[0]};
  }

  void writes(const Operation& operation, std::optional<Quantization> meaning) {
    if (operation.outputs.empty() || operation.outputs[0] == kNoValue) return;
    program_.values[operation.outputs[0]].quantization = meaning;
    written_[operation.outputs[0]] = true;
  }

  void reads(Step& step, const Operation& operation, int input, std::optional<Quantization> meaning) {
    const ValueId id = at(operation, input);
    if (id == kNoValue || !meaning) return;
    ProgramValue& value = program_.values[id];
    if (!value.quantization && !written_[id]) value.quantization = meaning;  // a graph input or a constant
    if (value.quantization && *value.quantization != *meaning && value.constant.empty())
      step.warnings.push_back(fmt::format("{} is written with {}, and read here with {}", value.name,
                                          text(*value.quantization), text(*meaning)));
  }

  void resolve(Step& step, const Operation& operation) {
    const std::string_view op = operation.op->name;
    if (const SumLayout* layout = find_sum_layout(op)) return accumulate(step, operation, *layout);
    if (op == "QuantizeLinear") return writes(operation, quantization(operation, 1, 2));
    if (op == "DequantizeLinear") return reads(step, operation, 0, quantization(operation, 1, 2));
    if (op == "QLinearAdd" || op == "QLinearMul") return combine(step, operation, {{0, 1, 2}, {3, 4, 5}}, 6);
    if (op == "QLinearConcat") {
      std::vector<std::array<int, 3>> inputs;
      for (int k = 2; k + 2 < static_cast<int>(operation.inputs.size()); k += 3) inputs.push_back({k, k + 1, k + 2});
      return combine(step, operation, inputs, 0);
    }
    if (op == "QLinearWhere") return combine(step, operation, {{1, 2, 3}, {4, 5, 6}}, 7);
    if (step.kind == StepKind::kPool || step.kind == StepKind::kSoftmax)
      return combine(step, operation, {{0, 1, 2}}, 3);
    if (op == "QLinearSigmoid" || op == "QLinearLeakyRelu") {
      combine(step, operation, {{0, 1, 2}}, 3);
      if (std::holds_alternative<Operands>(step.constants)) tabulate(step, operation);
      return;
    }
    if (step.kind == StepKind::kTable && op == "Gather") {
      if (const Tensor* table = constant(operation, 0)) entries(step, *table, step.operations.front().inputs[0]);
      return;
    }
    if ((step.kind == StepKind::kMove || op == "Clip") && at(operation, 0) != kNoValue &&
        program_.values[at(operation, 0)].quantization)
      writes(operation, program_.values[at(operation, 0)].quantization);
  }

  void combine(Step& step, const Operation& operation, const std::vector<std::array<int, 3>>& inputs, int y_scale) {
    Operands operands;
    const std::optional<Quantization> output = quantization(operation, y_scale, y_scale + 1);
    writes(operation, output);
    bool known = output.has_value();
    if (output) operands.output = *output;
    for (const auto& [input, scale, zero_point] : inputs) {
      const std::optional<Quantization> meaning = quantization(operation, scale, zero_point);
      reads(step, operation, input, meaning);
      known = known && meaning;
      if (meaning) operands.inputs.push_back(*meaning);
    }
    if (known) step.constants = std::move(operands);
  }

  void entries(Step& step, const Tensor& table, ValueId input) {
    TableEntries result{program_.values[input].dtype, table.dtype(), {}};
    for (const std::byte byte : table.bytes()) result.bytes.push_back(static_cast<std::uint8_t>(byte));
    step.constants = std::move(result);
  }

  // All 256 bytes through the operator.
  void tabulate(Step& step, const Operation& operation) {
    static const Arithmetic arithmetic;
    static const Parallel parallel(1);
    const DType dtype = program_.values[operation.inputs[0]].dtype;
    if (dtype != DType::kInt8 && dtype != DType::kUint8) return;
    Tensor bytes(dtype, {256});
    for (std::size_t k = 0; k < 256; ++k) bytes.mutable_bytes()[k] = static_cast<std::byte>(k);
    std::vector<Tensor> inputs = {bytes};
    for (std::size_t k = 1; k < operation.inputs.size(); ++k)
      inputs.push_back(operation.inputs[k] == kNoValue ? Tensor() : program_.values[operation.inputs[k]].constant);
    const std::vector<Tensor> table =
        execute(*operation.op, operation.opset, operation.attributes, inputs, 1, {arithmetic, parallel});
    entries(step, table[0], operation.inputs[0]);
  }

  void accumulate(Step& step, const Operation& operation, const SumLayout& layout) {
    Accumulation sum;
    const std::optional<Quantization> x = quantization(operation, layout.x_scale, layout.x_zero_point);
    reads(step, operation, layout.x, x);
    sum.y = quantization(operation, layout.y_scale, layout.y_zero_point);
    if (layout.y_scale >= 0) writes(operation, sum.y);
    const std::vector<std::int32_t> x_zero_points = integers(operation, layout.x_zero_point);
    const bool x_zero_point_known =
        !x_zero_points.empty() || (layout.x_zero_point >= 0 && at(operation, layout.x_zero_point) == kNoValue);
    sum.x_zero_point = x_zero_points.empty() ? 0 : x_zero_points[0];
    sum.w_zero_points = integers(operation, layout.w_zero_point);
    if (sum.w_zero_points.empty()) sum.w_zero_points = {0};
    sum.w_scales = floats(operation, layout.w_scale);
    sum.x_scale = x ? x->scale : 0;
    sum.bias = integers(operation, layout.bias);
    const bool convolution = step.kind == StepKind::kConvolution;
    sum.transposed = operation.op->name == "QGemm" && operation.attributes.get_int("transB", 0) != 0;
    if (const Tensor* weights = constant(operation, layout.w);
        weights && (convolution ? weights->rank() > 2 : weights->rank() == 2) && weights->size() > 0) {
      sum.weights = *weights;
      sum.channels = weights->shape()[convolution || sum.transposed ? 0 : 1];
      sum.products = weights->size() / sum.channels;
    }
    const float alpha = operation.attributes.get_float("alpha", 1);
    for (const float w_scale : sum.w_scales) {
      if (!x) break;
      float multiplier = alpha * x->scale * w_scale;
      if (sum.y) multiplier /= sum.y->scale;
      sum.multipliers.push_back(multiplier);
    }
    const Tensor* bias = constant(operation, layout.bias);
    // One for all channels, or one for each along the last axis; a Gemm's may also differ from row to row.
    const bool by_channel =
        bias && (bias->size() == 1 || (bias->size() == sum.channels && bias->shape().back() == sum.channels));
    if (!by_channel) sum.bias.clear();
    const bool bias_known = at(operation, layout.bias) == kNoValue || by_channel;
    if (!sum.weights.empty() && x_zero_point_known && bias_known) bound(step, operation, layout, sum);
    step.constants = std::move(sum);
  }

  // The smallest and largest accumulator over all inputs: each weight takes the end of the range that helps most.
  void bound(Step& step, const Operation& operation, const SumLayout& layout, Accumulation& sum) {
    const DType dtype = program_.values[operation.inputs[static_cast<std::size_t>(layout.x)]].dtype;
    if (dtype != DType::kInt8 && dtype != DType::kUint8) return;
    const auto [min, max] = integer_range(dtype);
    const std::int64_t low = min - sum.x_zero_point, high = max - sum.x_zero_point;
    // Element k of channel m.
    const bool rows = step.kind == StepKind::kConvolution || sum.transposed;
    const std::int64_t channel_stride = rows ? sum.products : 1, stride = rows ? 1 : sum.channels;
    std::int64_t least = 0, greatest = 0;
    for (std::int64_t m = 0; m < sum.channels; ++m) {
      const std::int32_t zero_point = one_or(sum.w_zero_points, m);
      const std::int64_t bias = sum.bias.empty() ? 0 : one_or(sum.bias, m);
      std::int64_t total = 0, smallest = bias, largest = bias;
      for (std::int64_t k = 0; k < sum.products; ++k) {
        const std::int64_t w = sum.weights.int_at(m * channel_stride + k * stride) - zero_point;
        total += w;
        smallest += std::min(w * low, w * high);
        largest += std::max(w * low, w * high);
      }
      sum.starts.push_back(bias - sum.x_zero_point * total);
      sum.least.push_back(smallest);
      sum.greatest.push_back(largest);
      least = std::min(least, smallest);
      greatest = std::max(greatest, largest);
    }
    if (least < std::numeric_limits<std::int32_t>::min() || greatest > std::numeric_limits<std::int32_t>::max())
      step.warnings.push_back(
          fmt::format("accumulators can reach {} and {}: 32 bits are not enough, and they wrap", least, greatest));
  }

  Program& program_;
  std::vector<bool> written_;
};

}  // namespace

void resolve_constants(Program& program) { Resolver(program).run(); }

}  // namespace octet
