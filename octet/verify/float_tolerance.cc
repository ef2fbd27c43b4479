#include "octet/verify/float_tolerance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "octet/base/error.h"
#include "octet/engine/step_sums.h"
#include "octet/spec/operators.h"
#include "octet/spec/reach.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr double kUnit = 0x1p-23;  // 2 u

Tensor magnitude(const Tensor& tensor) {
  if (!is_float(tensor.dtype())) return tensor;
  Tensor result = convert(tensor, DType::kDouble);
  for (double& value : result.mutable_as<double>()) value = std::abs(value);
  return result;
}

// How many products and terms an operation's graphs add up one after the other, in all their steps together.
double terms_inside(const Operation& operation) {
  double terms = 0;
  for (const Subprogram& graph : operation.graphs)
    for (const Step& step : graph.program->steps)
      for (const Operation& inner : step.operations) {
        double longest = 1;
        for (const ValueId input : inner.inputs) {
          const Shape shape = input == kNoValue ? Shape() : graph.program->values[input].constant.shape();
          for (const std::int64_t dim : shape) longest = std::max(longest, static_cast<double>(dim));
          if (shape.size() > 2 && shape[0] > 0)  // weights of a convolution
            longest = std::max(longest, static_cast<double>(element_count(shape) / shape[0]));
        }
        terms += 16 + longest + terms_inside(inner);
      }
  return terms;
}

// At least how many products make an element of the result: of a batch of matrix products, sqrt(batch) times that many.
double einsum_terms(const std::vector<Tensor>& arguments, const Tensor& result) {
  double products = 1;
  for (const Tensor& argument : arguments) products *= static_cast<double>(argument.size());
  products /= std::max(1.0, static_cast<double>(result.size()));
  return arguments.size() > 1 ? std::sqrt(products) : products;
}

// Whether the file has a float operator for what the step adds up in integers.
bool is_float_in_file(const Step& step) {
  return std::any_of(step.sources.begin(), step.sources.end(), [](const auto& source) {
    const Operator* op = find_operator("", source.op_type);
    return has(op, Trait::kWeighted) && has(op, Trait::kSumOfProducts);
  });
}

// What is added behind the scaling of a sum; none where nothing is.
std::vector<float> float_bias_of(const Work& work) {
  const std::vector<work::Stage>* stages = epilogue_of(work);
  const auto* to_float = stages && !stages->empty() ? std::get_if<work::ToFloat>(&stages->front()) : nullptr;
  return to_float ? to_float->bias : std::vector<float>();
}

// The operator on the magnitudes of its operands, without the activation that may be joined with it: Sum |x| |w| + |b|.
std::optional<Tensor> magnitudes(const Operation& operation, const std::vector<Tensor>& inputs,
                                 const Parallel& parallel) {
  const Arithmetic arithmetic;
  Attributes attributes = operation.attributes;
  attributes.erase("activation");
  std::vector<Tensor> sizes;
  for (const Tensor& input : inputs) sizes.push_back(input.empty() ? input : magnitude(input));
  try {
    return execute(*operation.op, operation.opset, attributes, sizes, 1, {arithmetic, parallel})[0];
  } catch (const Error&) {
    return std::nullopt;
  }
}

// At most what the magnitudes of an accumulator's products add up to, whatever x is, like `sums`; nothing where no step with
// known weights makes it.
struct Magnitudes {
  Tensor sizes;  // float64
  double products = 0;
};
std::optional<Magnitudes> magnitudes_behind(const Program& program, ValueId accumulators, const Tensor& sums) {
  for (const Step& step : program.steps) {
    const work::Sum* sum = sum_of(step.work);
    if (!sum || sum->weights.empty() || sum->least.empty() || outputs_of(program, step) != std::vector{accumulators})
      continue;
    const IntegerRange range = integer_range(sum->x_type);
    const auto farthest = static_cast<double>(std::max(range.max - sum->x_zero_point, sum->x_zero_point - range.min));
    std::vector<double> channels;
    for (std::int64_t m = 0; m < sum->channels; ++m) {
      const WeightSums weights = weight_sums(sum->weights, m, one_or(sum->w_zero_points, m));
      channels.push_back(farthest * static_cast<double>(weights.positive - weights.negative));
    }
    const bool convolution = std::holds_alternative<work::Convolution>(step.work);
    const std::int64_t inner = strides_of(sums.shape())[convolution ? 1 : sums.shape().size() - 1];
    Magnitudes found{Tensor(DType::kDouble, sums.shape()), static_cast<double>(sum->products)};
    for (std::int64_t k = 0; k < sums.size(); ++k)
      found.sizes.mutable_as<double>()[static_cast<std::size_t>(k)] =
          channels[static_cast<std::size_t>(k / inner % sum->channels)];
    return found;
  }
  return std::nullopt;
}

// For a step that joins such sums by Cast, Mul and Add of constants; nothing for others.
std::optional<Magnitudes> joined_magnitudes(const Program& program, const Step& step, const NamedTensors& inputs,
                                            const Parallel& parallel) {
  if (!joins_partial_sums(step.work)) return std::nullopt;
  std::map<ValueId, Tensor> sizes;
  double products = 0;
  for (const ValueId input : inputs_of(program, step)) {
    const auto given = inputs.find(program.values[input].name);
    if (given == inputs.end()) return std::nullopt;
    std::optional<Magnitudes> behind = magnitudes_behind(program, input, given->second);
    if (!behind) return std::nullopt;
    sizes[input] = std::move(behind->sizes);
    products = std::max(products, behind->products);
  }
  const Arithmetic arithmetic;
  for (const Operation& operation : step.operations) {
    std::vector<Tensor> arguments;
    for (const ValueId input : operation.inputs) {
      const auto known = sizes.find(input);
      arguments.push_back(known != sizes.end() ? known->second
                                               : magnitude(convert(program.values[input].constant, DType::kDouble)));
    }
    if (!is(operation.op, ops::kCast))
      arguments[0] =
          execute(*operation.op, operation.opset, operation.attributes, arguments, 1, {arithmetic, parallel})[0];
    sizes[operation.outputs[0]] = arguments[0];
  }
  return Magnitudes{sizes.at(step.operations.back().outputs[0]), products};
}

// What the bound of a result grows with.
struct Growth {
  double terms = 0;                  // how many terms a side may add up in an order of its own
  std::optional<Tensor> sizes = {};  // for each element, what the magnitudes of its terms add up to
  bool by_largest = false;           // without sizes, the largest |y| stands for the terms
};

// For an integer sum that the other side may have computed as a sum of floats.
Growth growth_of_scaled_sum(const Program& program, const Step& step, const NamedTensors& inputs,
                            const Parallel& parallel) {
  std::optional<StepSums> found = step_sums(program, step, inputs, parallel);
  if (!found) return {};
  Growth growth{.terms = static_cast<double>(found->products), .sizes = std::move(found->magnitudes)};
  const std::span<double> sizes = growth.sizes->mutable_as<double>();
  const std::vector<float> units = scaling_of(step.work).multipliers, added = float_bias_of(step.work);
  for (std::int64_t k = 0; k < growth.sizes->size(); ++k) {
    double& size = sizes[static_cast<std::size_t>(k)];
    size *= std::abs(one_or(units, found->channel_of(k)));
    if (!added.empty()) size += std::abs(one_or(added, found->channel_of(k)));
  }
  return growth;
}

Growth growth_of_sum_of_products(const Operation& operation, const std::vector<Tensor>& arguments,
                                 const Parallel& parallel) {
  Growth growth{.sizes = magnitudes(operation, arguments, parallel)};
  const Shape& w = arguments[1].shape();
  if (operation.op->macs == MacRule::kConvolution)
    growth.terms = static_cast<double>(arguments[1].size()) / static_cast<double>(std::max<std::int64_t>(1, w[0]));
  else
    for (const std::int64_t dim : w) growth.terms = std::max(growth.terms, static_cast<double>(dim));
  return growth;
}

Growth growth_of_many_terms(const Operation& operation, const std::vector<Tensor>& arguments, const Tensor& result) {
  Growth growth{.by_largest = true};
  if (arguments.empty()) return growth;
  double& terms = growth.terms;
  terms = static_cast<double>(arguments[0].size()) / std::max(1.0, static_cast<double>(result.size()));
  for (const std::int64_t dim : arguments[0].shape()) terms = std::max(terms, static_cast<double>(dim));
  // Its first input are indices; what it normalizes is as long as a row of the result.
  if (is(operation.op, ops::kEmbedLayerNormalization) || is(operation.op, ops::kQEmbedLayerNormalization))
    terms = std::max(terms, static_cast<double>(result.shape().back()));
  return growth;
}

Growth growth_of(const Operation& operation, const std::vector<Tensor>& arguments, const Tensor& result,
                 const Parallel& parallel) {
  if (has(operation.op, Trait::kSumOfProducts)) return growth_of_sum_of_products(operation, arguments, parallel);
  if (is(operation.op, ops::kEinsum))
    return {.terms = einsum_terms(arguments, result), .sizes = magnitudes(operation, arguments, parallel)};
  if (!operation.graphs.empty()) return {.terms = terms_inside(operation), .by_largest = true};
  if (has(operation.op, Trait::kManyTerms)) return growth_of_many_terms(operation, arguments, result);
  return {};
}

// The last operation's inputs; those that the step makes itself are empty.
std::vector<Tensor> last_arguments(const Program& program, const Operation& operation, const NamedTensors& inputs) {
  std::vector<Tensor> arguments;
  for (const ValueId input : operation.inputs) {
    const auto given = input == kNoValue ? inputs.end() : inputs.find(program.values[input].name);
    arguments.push_back(input == kNoValue       ? Tensor()
                        : given != inputs.end() ? given->second
                                                : program.values[input].constant);
  }
  return arguments;
}

// The largest magnitude among the elements of the float operands with fewer elements than the result: a bias.
double largest_bias(const std::vector<Tensor>& arguments, const Tensor& result) {
  double bias = 0;
  for (const Tensor& argument : arguments)
    if (!argument.empty() && argument.dtype() == DType::kFloat && argument.size() < result.size())
      for (std::int64_t k = 0; k < argument.size(); ++k) bias = std::max(bias, std::abs(argument.number_at(k)));
  return bias;
}

double largest_finite(const Tensor& result) {
  double largest = 0;
  for (std::int64_t k = 0; k < result.size(); ++k)
    if (const double value = std::abs(result.number_at(k)); std::isfinite(value)) largest = std::max(largest, value);
  return largest;
}

}  // namespace

std::vector<double> float_tolerances(const Program& program, const Step& step, const NamedTensors& inputs,
                                     const Tensor& result, bool sums_in_float, const Parallel& parallel) {
  if (!is_float(result.dtype()) || (step.kind == StepKind::kDequantize && !joins_partial_sums(step.work))) return {};
  const Operation& operation = step.operations.back();
  const std::vector<Tensor> arguments = last_arguments(program, operation, inputs);
  const double largest = largest_finite(result), bias = largest_bias(arguments, result);
  const bool integer_sum = step.kind == StepKind::kConvolution || step.kind == StepKind::kMatMul;
  const bool in_float = sums_in_float && is_float_in_file(step);
  Growth growth;
  if (integer_sum && in_float) {
    growth = growth_of_scaled_sum(program, step, inputs, parallel);
  } else if (std::optional<Magnitudes> joined = joined_magnitudes(program, step, inputs, parallel)) {
    if (in_float) growth = {.terms = joined->products, .sizes = std::move(joined->sizes)};
  } else {
    growth = growth_of(operation, arguments, result, parallel);
  }
  std::vector<double> bound(static_cast<std::size_t>(result.size()));
  for (std::size_t k = 0; k < bound.size(); ++k) {
    const double y = std::abs(result.number_at(static_cast<std::int64_t>(k)));
    if (integer_sum && !growth.sizes)
      bound[k] = 4 * kUnit * (y + bias);
    else if (growth.sizes)
      bound[k] = (growth.terms + 16) * kUnit * std::abs(growth.sizes->number_at(static_cast<std::int64_t>(k)));
    else if (growth.by_largest)
      bound[k] = (growth.terms + 16) * kUnit * largest;
    else
      bound[k] = 16 * kUnit * y + 2 * kUnit;
    if (!std::isfinite(bound[k])) bound[k] = 0;
  }
  return bound;
}

}  // namespace octet
