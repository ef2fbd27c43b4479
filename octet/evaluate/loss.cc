#include "octet/evaluate/loss.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/base/fail.h"
#include "octet/base/visit.h"
#include "octet/evaluate/matching.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/program/last_uses.h"
#include "octet/program/lower.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/requantize.h"

namespace octet {
namespace {

// What the integers of a value mean, if it has any.
struct Meaning {
  DType dtype = DType::kUndefined;  // kUndefined: it holds real numbers
  Quantization quantization;
};

Tensor to_real(const Tensor& integers, const Quantization& meaning) {
  Tensor reals = Tensor::uninitialized(DType::kFloat, integers.shape());
  const auto out = reals.mutable_as<float>();
  visit_integer(integers.dtype(), [&]<typename T>() {
    const auto in = integers.as<T>();
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = static_cast<float>(static_cast<std::int64_t>(in[i]) - meaning.zero_point) * meaning.scale;
  });
  return reals;
}

Tensor to_integers(const Tensor& reals, const Meaning& meaning) {
  Tensor integers = Tensor::uninitialized(meaning.dtype, reals.shape());
  const Tensor floats = convert(reals, DType::kFloat);
  const auto in = floats.as<float>();
  const QuantizedOutput output{meaning.quantization.zero_point, integer_range(meaning.dtype),
                               ZeroPoint::kAfterRounding};
  visit_integer(meaning.dtype, [&]<typename T>() {
    const auto out = integers.mutable_as<T>();
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = static_cast<T>(quantize_real(in[i] / meaning.quantization.scale, output, Rounding::kTiesEven));
  });
  return integers;
}

// What a type of integers can hold, and half a step more.
Limits limits_of(DType dtype, const Quantization& meaning) {
  const auto [low, high] = integer_range(dtype);
  const auto real = [&](std::int64_t integer, double half) {
    return (static_cast<double>(integer - meaning.zero_point) + half) * static_cast<double>(meaning.scale);
  };
  return {real(low, -0.5), real(high, 0.5)};
}

// A tensor and its counterpart while samples run.
struct Tracked {
  TensorLoss loss;
  Meaning meaning;
  Limits limits;
  Tensor wanted;                            // of this batch
  std::optional<OutputComparison> changes;  // of an output
  Tensor found;                             // of an output and this batch
  bool mapped = false, fits = true;
};

// What makes a value; null for inputs and constants.
struct Maker {
  const Step* step = nullptr;
  const Operation* operation = nullptr;
};

// By value.
std::vector<Maker> makers_of(const Program& program) {
  std::vector<Maker> makers(program.values.size());
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) makers[output] = {&step, &operation};
  return makers;
}

// A program whose values are asked who made them.
struct Side {
  explicit Side(const Program& of) : program(of), makers(makers_of(of)) {}

  const Program& program;
  std::vector<Maker> makers;
};

Tracked tracked(const Side& reference, const Side& other, const Pair& pair) {
  const ProgramValue& value = other.program.values[pair.candidate];
  Tracked result{.loss = {.name = reference.program.values[pair.reference].name,
                          .counterpart = value.name,
                          .how = pair.how,
                          .output = pair.output},
                 .mapped = pair.how == "map"};
  if (const Step* step = reference.makers[pair.reference].step) {
    result.loss.node = step->name;
    result.loss.op_type = std::string(step->operations.back().op->name);
  }
  if (value.quantization && is_integer(value.dtype)) {
    result.meaning = {value.dtype, *value.quantization};
    result.limits = limits_of(value.dtype, *value.quantization);
  } else if (const Operation* maker = other.makers[pair.candidate].operation;
             maker && is(maker->op, ops::kDequantizeLinear)) {
    const ProgramValue& integers = other.program.values[maker->inputs[0]];
    if (integers.quantization) result.limits = limits_of(integers.dtype, *integers.quantization);
  }
  return result;
}

bool is_about_integers(const Step& step) {
  return is_quantized(step.kind) || step.kind == StepKind::kQuantize || step.kind == StepKind::kDequantize;
}

// What f() gives; errors say which of the two networks they are about.
template <typename F>
auto of_network(const std::string& which, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw error.inside(which);
  }
}

class LossMeasurer {
 public:
  LossMeasurer(const Model& reference, const Model& other, const LossOptions& options)
      : first_(options.first),
        second_(options.second),
        reference_(of_network(first_, [&] { return engine_of(reference, options); })),
        other_(of_network(second_, [&] { return engine_of(other, options); })),
        last_uses_(last_uses(other_->program())),
        detecting_(options.detections) {
    result_.float_reference = std::ranges::none_of(reference_->program().steps, is_about_integers);
    const Matching matching = match(reference_->program(), other_->program(), options.map);
    const Side from(reference_->program()), to(other_->program());
    for (const Pair& pair : matching.pairs) {
      by_name_[reference_->program().values[pair.reference].name].push_back(tensors_.size());
      by_counterpart_[other_->program().values[pair.candidate].name].push_back(tensors_.size());
      tensors_.push_back(tracked(from, to, pair));
      if (pair.output) tensors_.back().changes.emplace(options.threshold);
    }
    if (detecting_) {
      boxes_ = output_named(detecting_->boxes);
      scores_ = output_named(detecting_->scores);
      result_.detections.emplace();
    }
    for (const ValueId value : matching.unmatched)
      result_.unmatched.push_back(reference_->program().values[value].name);
    find_weights(reference);
    find_weights(fold_batch_norm(fold_constants(reference)));
  }

  void run(const Batch& inputs, const Batch& other_inputs) {
    batch_samples_ = inputs.samples;
    const auto keep = [&](const std::string& name, const Tensor& value) {
      if (const auto it = by_name_.find(name); it != by_name_.end())
        for (const std::size_t i : it->second) tensors_[i].wanted = value;
    };
    for (const auto& [name, value] : inputs.inputs) keep(name, value);
    of_network(first_, [&] { reference_->run(inputs.inputs, {.observe = keep}); });
    const auto see = [&](const std::string& name, const Tensor& value) {
      if (result_.samples == 0) see_weights(name, value);
      compare(name, value, &TensorLoss::total);
    };
    for (const auto& [name, value] : other_inputs.inputs) see(name, value);
    of_network(second_, [&] { other_->run(other_inputs.inputs, {.observe = see}); });
    if (detecting_) {
      const Tracked &boxes = tensors_[boxes_], &scores = tensors_[scores_];
      add_detections(*result_.detections, *detecting_, boxes.wanted, scores.wanted, boxes.found, scores.found);
    }
    if (result_.float_reference) run_from_wanted(other_inputs.inputs);
    result_.samples += inputs.samples;
  }

  Loss finish() {
    for (Tracked& tensor : tensors_)
      if (tensor.fits) {
        if (tensor.changes) tensor.loss.changes = tensor.changes->result();
        result_.tensors.push_back(std::move(tensor.loss));
      } else
        result_.unmatched.push_back(tensor.loss.name);
    std::erase_if(result_.weights, [](const WeightLoss& weight) { return weight.noise.elements() == 0; });
    return std::move(result_);
  }

 private:
  // Constants of the reference that are integers W_quantized, or float but dequantized, in the other network.
  void find_weights(const Model& reference) {
    const Program& other = other_->program();
    std::map<std::string_view, const Tensor*> floats;
    for (const Initializer& initializer : reference.graph.initializers)
      floats.emplace(initializer.name, &initializer.tensor);
    for (const Step& step : other.steps) {
      const Operation& operation = step.operations[0];
      if (!is(operation.op, ops::kDequantizeLinear) || other.values[operation.inputs[0]].constant.empty()) continue;
      std::string_view name = other.values[operation.inputs[0]].name;
      constexpr std::string_view kEnding = "_quantized";
      if (!name.ends_with(kEnding)) continue;
      name.remove_suffix(kEnding.size());
      const auto tensor = floats.find(name);
      if (tensor == floats.end() ||
          !weights_.try_emplace(other.values[operation.outputs[0]].name, *tensor->second).second)
        continue;
      weight_numbers_[other.values[operation.outputs[0]].name] = result_.weights.size();
      result_.weights.push_back({std::string(name), {}});
    }
  }

  void see_weights(const std::string& name, const Tensor& value) {
    const auto it = weights_.find(name);
    if (it == weights_.end() || it->second.shape() != value.shape()) return;
    result_.weights[weight_numbers_.at(name)].noise.add(it->second, value);
  }

  void compare(const std::string& name, const Tensor& value, Noise TensorLoss::*noise) {
    const auto it = by_counterpart_.find(name);
    if (it == by_counterpart_.end()) return;
    for (const std::size_t i : it->second) {
      Tracked& tensor = tensors_[i];
      if (tensor.fits && tensor.wanted.shape() != value.shape()) {
        if (tensor.mapped)
          fail(ErrorCode::kUsage, "{} has the shape {}, and {}, to which it is mapped, {}", tensor.loss.name,
               to_string(tensor.wanted.shape()), name, to_string(value.shape()));
        tensor.fits = false;
      }
      if (!tensor.fits) continue;
      const bool integers = tensor.meaning.dtype != DType::kUndefined;
      const Tensor found = integers ? to_real(value, tensor.meaning.quantization) : value;
      (tensor.loss.*noise).add(tensor.wanted, found, tensor.limits);
      if (!tensor.changes || noise != &TensorLoss::total) continue;
      tensor.changes->add(tensor.wanted, found, batch_samples_);
      tensor.found = found;
    }
  }

  // The place of an output of the reference.
  std::size_t output_named(const std::string& name) const {
    std::string names;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].loss.output) continue;
      if (tensors_[i].loss.name == name) return i;
      names += (names.empty() ? "" : ", ") + tensors_[i].loss.name;
    }
    fail(ErrorCode::kUsage, "there is no output {}; the outputs are {}", name, names);
  }

  // Step by step, each from what the reference has for its inputs.
  void run_from_wanted(NamedTensors values) {
    const Program& program = other_->program();
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      for (auto& [name, value] : other_->run_step(s, values)) {
        compare(name, value, &TensorLoss::own);
        values[name] = in_place_of(name, value);
      }
      for (const ValueId value : last_uses_[s]) values.erase(program.values[value].name);
    }
  }

  // The reference's tensor as the other network would hold it, where there is one.
  Tensor in_place_of(const std::string& name, const Tensor& value) const {
    const auto it = by_counterpart_.find(name);
    if (it == by_counterpart_.end() || !tensors_[it->second[0]].fits) return value;
    const Tracked& tensor = tensors_[it->second[0]];
    if (tensor.meaning.dtype != DType::kUndefined) return to_integers(tensor.wanted, tensor.meaning);
    return tensor.wanted.dtype() == value.dtype() ? tensor.wanted : convert(tensor.wanted, value.dtype());
  }

  static std::unique_ptr<const Engine> engine_of(const Model& model, const LossOptions& options) {
    return make_engine(options.engine, lower(model, Policy::kAsWritten), {.threads = options.threads});
  }

  std::string first_, second_;
  std::unique_ptr<const Engine> reference_, other_;
  std::vector<std::vector<ValueId>> last_uses_;
  std::vector<Tracked> tensors_;
  std::map<std::string, std::vector<std::size_t>> by_name_, by_counterpart_;
  std::map<std::string, Tensor> weights_;  // the reference's, by the other network's dequantized ones
  std::map<std::string, std::size_t> weight_numbers_;
  std::optional<DetectionOptions> detecting_;
  std::size_t boxes_ = 0, scores_ = 0;  // among the tensors
  std::int64_t batch_samples_ = 0;
  Loss result_;
};

}  // namespace

Loss measure_loss(const Model& reference, const Model& other, SampleStream& reference_samples,
                  SampleStream& other_samples, const LossOptions& options) {
  LossMeasurer measurer(reference, other, options);
  const auto total = static_cast<std::size_t>(reference_samples.total().value_or(0));
  std::size_t done = 0;
  const auto next = [&](const std::string& which, SampleStream& samples, std::int64_t wanted) {
    return of_network(which, [&] { return samples.next(wanted); });
  };
  while (const std::optional<Batch> batch = next(options.first, reference_samples, options.batch)) {
    const std::optional<Batch> same = next(options.second, other_samples, batch->samples);
    if (!same || same->samples != batch->samples)
      fail(ErrorCode::kUsage, "{} takes {} samples at a time, {} {}; try --batch {}", options.first, batch->samples,
           options.second, same ? same->samples : 0, same ? std::min(batch->samples, same->samples) : 1);
    measurer.run(*batch, *same);
    done += static_cast<std::size_t>(batch->samples);
    if (options.progress) options.progress(done, std::max(done, total));
  }
  if (done == 0) fail(ErrorCode::kUsage, "there are no samples");
  return measurer.finish();
}

}  // namespace octet
