#include "octet/verify/near_tie.h"

#include <algorithm>
#include <cmath>

#include "octet/engine/step_sums.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr double kRounding = 0x1p-24;

Tensor apply(std::string_view op, int opset, const Attributes& attributes, const std::vector<Tensor>& inputs) {
  static const Arithmetic arithmetic;
  static const Parallel parallel(0);
  return execute(*find_operator("", op), opset, attributes, inputs, 1, {arithmetic, parallel})[0];
}

class Reals {
 public:
  Reals(const Program& program, const Step& step, const NamedTensors& inputs)
      : program_(program), step_(step), operation_(step.operations.front()), inputs_(inputs) {}

  std::optional<RealResult> compute() {
    const std::string_view op = operation_.op->name;
    if (op == "QLinearConv" || op == "QLinearMatMul" || op == "QGemm") return sum(op);
    if (op == "QLinearAdd" || op == "QLinearMul") return binary(op == "QLinearAdd");
    if (op == "QLinearGlobalAveragePool" || op == "QLinearAveragePool") return pool(op);
    return std::nullopt;
  }

 private:
  Tensor input(std::size_t i) const {
    if (i >= operation_.inputs.size() || operation_.inputs[i] == kNoValue) return {};
    const ProgramValue& value = program_.values[operation_.inputs[i]];
    if (!value.constant.empty()) return value.constant;
    const auto given = inputs_.find(value.name);
    return given == inputs_.end() ? Tensor() : given->second;
  }
  double scale(std::size_t i, std::int64_t channel = 0) const {
    const Tensor values = input(i);
    return values.size() == 1 ? values.number_at(0) : values.number_at(channel);
  }
  std::int64_t zero_point(std::size_t i, std::int64_t channel = 0) const {
    const Tensor values = input(i);
    return values.empty() ? 0 : values.size() == 1 ? values.int_at(0) : values.int_at(channel);
  }

  // In one sum.
  std::int64_t products(std::string_view op) const {
    const Shape w = input(3).shape();
    if (op == "QLinearConv") return element_count(Shape(w.begin() + 1, w.end()));
    if (op == "QGemm") return w[operation_.attributes.get_int("transB", 0) != 0 ? 1 : 0];
    return w.size() == 1 ? w[0] : w[w.size() - 2];
  }

  std::optional<RealResult> sum(std::string_view op) {
    const bool gemm = op == "QGemm";
    const std::size_t y_at = gemm ? 7 : 6;
    if (input(y_at + 1).empty()) return std::nullopt;  // a float result
    const std::optional<StepSums> found = step_sums(program_, step_, inputs_);
    const double terms = static_cast<double>(products(op)) + 1;
    const double alpha = gemm ? operation_.attributes.get_float("alpha", 1) : 1;
    RealResult result{{}, {}, static_cast<std::int32_t>(zero_point(y_at + 1))};
    for (std::int64_t k = 0; k < found->sums.size(); ++k) {
      const double unit = alpha * scale(1) * scale(4, found->channel_of(k)) / scale(y_at);
      const double t = found->sums.number_at(k) * unit;
      result.exact.push_back(t);
      result.error.push_back(kRounding *
                             ((terms + 8) * found->magnitudes.number_at(k) * std::abs(unit) + 4 * std::abs(t)));
    }
    return result;
  }

  // The real numbers an operand means, or their magnitudes.
  Tensor real(std::size_t value, bool magnitude) const {
    const Tensor from = input(value);
    Tensor to(DType::kDouble, from.shape());
    for (std::int64_t k = 0; k < from.size(); ++k) {
      const double number = static_cast<double>(from.int_at(k) - zero_point(value + 2)) * scale(value + 1);
      to.mutable_as<double>()[static_cast<std::size_t>(k)] = magnitude ? std::abs(number) : number;
    }
    return to;
  }

  std::optional<RealResult> binary(bool add) {
    const std::vector<Tensor> operands = {real(0, false), real(3, false)}, sizes = {real(0, true), real(3, true)};
    const Tensor t = apply(add ? "Add" : "Mul", 14, {}, operands), size = apply(add ? "Add" : "Mul", 14, {}, sizes);
    // What the integer order adds to the sum: the zero points.
    const auto folded = [&](std::size_t i) {
      return scale(i + 1) / scale(6) * std::abs(static_cast<double>(zero_point(i + 2)));
    };
    const double extra = (add ? 2 * (folded(0) + folded(3)) : 0) + 2 * std::abs(static_cast<double>(zero_point(7)));
    RealResult result{{}, {}, static_cast<std::int32_t>(zero_point(7))};
    for (std::int64_t k = 0; k < t.size(); ++k) {
      result.exact.push_back(t.number_at(k) / scale(6));
      result.error.push_back(8 * kRounding * (size.number_at(k) / scale(6) + extra));
    }
    return result;
  }

  std::optional<RealResult> pool(std::string_view op) {
    if (operation_.attributes.get_int("channels_last", 0) != 0) return std::nullopt;
    Attributes attributes = operation_.attributes;
    attributes.erase("channels_last");
    const std::string_view plain = op.substr(std::string_view("QLinear").size());
    const Tensor t = apply(plain, 11, attributes, {real(0, false)}),
                 size = apply(plain, 11, attributes, {real(0, true)});
    const Shape x = input(0).shape(),
                kernel = operation_.attributes.get_ints("kernel_shape", Shape(x.begin() + 2, x.end()));
    const auto terms = static_cast<double>(element_count(kernel));
    const double extra = 2 * std::abs(static_cast<double>(zero_point(4)));
    RealResult result{{}, {}, static_cast<std::int32_t>(zero_point(4))};
    for (std::int64_t k = 0; k < t.size(); ++k) {
      result.exact.push_back(t.number_at(k) / scale(3));
      result.error.push_back(kRounding * ((terms + 64) * size.number_at(k) / scale(3) + 8 * extra));
    }
    return result;
  }

  const Program& program_;
  const Step& step_;
  const Operation& operation_;
  const NamedTensors& inputs_;
};

}  // namespace

std::optional<RealResult> real_result(const Program& program, const Step& step, const NamedTensors& inputs) {
  return Reals(program, step, inputs).compute();
}

bool is_near_tie(const RealResult& real, std::int64_t element, std::int64_t expected, std::int64_t found) {
  if (std::abs(expected - found) != 1) return false;
  const auto at = static_cast<std::size_t>(element);
  const double tie = static_cast<double>(std::min(expected, found) - real.zero_point) + 0.5;
  return std::abs(real.exact[at] - tie) <= real.error[at];
}

}  // namespace octet
