#include "octet/verify/near_tie.h"

#include <algorithm>
#include <cmath>

#include "octet/engine/step_sums.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

constexpr double kRounding = 0x1p-24;

class Reals {
 public:
  Reals(const Program& program, const Step& step, const NamedTensors& inputs, const Parallel& parallel)
      : program_(program), step_(step), operation_(step.operations.front()), inputs_(inputs), parallel_(parallel) {}

  std::optional<FloatResult> compute() {
    if (sum_of(step_.work)) return sum();
    if (const auto* pair = std::get_if<work::Pairwise>(&step_.work)) return binary(*pair);
    if (const auto* pool = std::get_if<work::Pool>(&step_.work); pool && !pool->maximum) return average(*pool);
    return std::nullopt;
  }

 private:
  Tensor apply(const Operator& op, int opset, const Attributes& attributes, const std::vector<Tensor>& inputs) const {
    return execute(op, opset, attributes, inputs, 1, {arithmetic_, parallel_})[0];
  }
  Tensor value(ValueId id) const {
    const ProgramValue& known = program_.values[id];
    if (!known.constant.empty()) return known.constant;
    const auto given = inputs_.find(known.name);
    return given == inputs_.end() ? Tensor() : given->second;
  }

  std::optional<FloatResult> sum() const {
    const work::Sum& work = *sum_of(step_.work);
    const Scaling scaling = scaling_of(step_.work);
    if (!scaling.y) return std::nullopt;  // a float result, or accumulators
    const std::optional<StepSums> found = step_sums(program_, step_, inputs_, parallel_);
    const double terms = static_cast<double>(found->products) + 1;
    const double alpha = operation_.attributes.get_float("alpha", 1);
    FloatResult result{{}, {}, scaling.y->zero_point};
    for (std::int64_t k = 0; k < found->sums.size(); ++k) {
      const double unit = alpha * work.x_scale * one_or(work.w_scales, found->channel_of(k)) / scaling.y->scale;
      const double t = found->sums.number_at(k) * unit;
      result.exact.push_back(t);
      result.error.push_back(kRounding *
                             ((terms + 8) * found->magnitudes.number_at(k) * std::abs(unit) + 4 * std::abs(t)));
    }
    return result;
  }

  // The real numbers an operand means, or their magnitudes.
  Tensor real(ValueId id, const Quantization& meaning, bool magnitude) const {
    const Tensor from = value(id);
    Tensor to(DType::kDouble, from.shape());
    for (std::int64_t k = 0; k < from.size(); ++k) {
      const double number = static_cast<double>(from.int_at(k) - meaning.zero_point) * meaning.scale;
      to.mutable_as<double>()[static_cast<std::size_t>(k)] = magnitude ? std::abs(number) : number;
    }
    return to;
  }

  std::optional<FloatResult> binary(const work::Pairwise& pair) const {
    const Operator& op = pair.product ? ops::kMul : ops::kAdd;
    const auto combined = [&](bool magnitude) {
      return apply(op, 14, {}, {real(pair.a, pair.a_meaning, magnitude), real(pair.b, pair.b_meaning, magnitude)});
    };
    const Tensor t = combined(false), size = combined(true);
    const double unit = pair.y_meaning.scale;
    // What the integer order adds to the sum: the zero points.
    const auto folded = [&](const Quantization& meaning) {
      return meaning.scale / unit * std::abs(static_cast<double>(meaning.zero_point));
    };
    const double extra = (pair.product ? 0 : 2 * (folded(pair.a_meaning) + folded(pair.b_meaning))) +
                         2 * std::abs(static_cast<double>(pair.y_meaning.zero_point));
    FloatResult result{{}, {}, pair.y_meaning.zero_point};
    for (std::int64_t k = 0; k < t.size(); ++k) {
      result.exact.push_back(t.number_at(k) / unit);
      result.error.push_back(8 * kRounding * (size.number_at(k) / unit + extra));
    }
    return result;
  }

  std::optional<FloatResult> average(const work::Pool& pool) const {
    if (pool.channels_last && pool.window) return std::nullopt;
    Attributes attributes = operation_.attributes;
    attributes.erase("channels_last");
    const Shape x = value(pool.x).shape();
    const std::size_t first = pool.channels_last ? 1 : 2;
    std::vector<std::int64_t> pixels;
    for (std::size_t d = first; d < first + x.size() - 2; ++d) pixels.push_back(static_cast<std::int64_t>(d));
    const bool window = attributes.has("kernel_shape");
    const Operator& op = window ? ops::kAveragePool : ops::kReduceMean;
    if (!window) attributes.set("axes", pixels);
    const Tensor t = apply(op, 11, attributes, {real(pool.x, pool.x_meaning, false)}),
                 size = apply(op, 11, attributes, {real(pool.x, pool.x_meaning, true)});
    Shape kernel = pool.window ? pool.window->kernel : Shape();
    if (!pool.window)
      for (const std::int64_t d : pixels) kernel.push_back(x[static_cast<std::size_t>(d)]);
    const auto terms = static_cast<double>(element_count(kernel));
    const double unit = pool.y_meaning.scale;
    const double extra = 2 * std::abs(static_cast<double>(pool.y_meaning.zero_point));
    FloatResult result{{}, {}, pool.y_meaning.zero_point};
    for (std::int64_t k = 0; k < t.size(); ++k) {
      result.exact.push_back(t.number_at(k) / unit);
      result.error.push_back(kRounding * ((terms + 64) * size.number_at(k) / unit + 8 * extra));
    }
    return result;
  }

  const Program& program_;
  const Step& step_;
  const Operation& operation_;
  const NamedTensors& inputs_;
  const Parallel& parallel_;
  const Arithmetic arithmetic_;
};

}  // namespace

std::optional<FloatResult> real_result(const Program& program, const Step& step, const NamedTensors& inputs,
                                       const Parallel& parallel) {
  return Reals(program, step, inputs, parallel).compute();
}

std::optional<FloatResult> moved_result(const Program& program, const Step& step, const Shape& from,
                                        const FloatResult& real, const Parallel& parallel) {
  const Operation& operation = step.operations.front();
  if (step.operations.size() != 1 || operation.outputs.size() != 1 || operation.op->repeated != 0 ||
      input_number(*operation.op, Role::kMoved) != std::size_t{0})
    return std::nullopt;
  Tensor numbers(DType::kInt64, from);  // of the elements, from 1 on: 0 is what fills gaps
  for (std::size_t k = 0; k < static_cast<std::size_t>(numbers.size()); ++k)
    numbers.mutable_as<std::int64_t>()[k] = static_cast<std::int64_t>(k) + 1;
  std::vector<Tensor> arguments = {std::move(numbers)};
  for (std::size_t i = 1; i < operation.inputs.size(); ++i) {
    const ValueId input = operation.inputs[i];
    if (input != kNoValue && program.values[input].constant.empty()) return std::nullopt;
    const bool fills = i == input_number(*operation.op, Role::kFill);
    arguments.push_back(input == kNoValue ? Tensor()
                        : fills           ? Tensor(DType::kInt64, {})
                                          : program.values[input].constant);
  }
  const Arithmetic arithmetic;
  const Tensor moved =
      execute(*operation.op, operation.opset, operation.attributes, arguments, 1, {arithmetic, parallel})[0];
  FloatResult result{{}, {}, real.zero_point};
  for (const std::int64_t number : moved.as<std::int64_t>()) {
    const auto at = static_cast<std::size_t>(number - 1);
    result.exact.push_back(number == 0 ? 0 : real.exact[at]);
    result.error.push_back(number == 0 ? 0 : real.error[at]);
  }
  return result;
}

bool is_near_tie(const FloatResult& real, std::int64_t element, std::int64_t expected, std::int64_t found) {
  if (std::abs(expected - found) != 1) return false;
  const auto at = static_cast<std::size_t>(element);
  const double tie = static_cast<double>(std::min(expected, found) - real.zero_point) + 0.5;
  return std::abs(real.exact[at] - tie) <= real.error[at];
}

}  // namespace octet
