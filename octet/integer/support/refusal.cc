#include "octet/integer/support/refusal.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/spec/step_kind.h"

namespace octet {
namespace {

bool has_float_stage(const Work& work) {
  const std::vector<work::Stage>* stages = epilogue_of(work);
  return stages && std::any_of(stages->begin(), stages->end(),
                               [](const work::Stage& stage) { return std::holds_alternative<work::ToFloat>(stage); });
}

bool has_zero_point_at_run_time(const Work& work) {
  if (const auto* convolution = std::get_if<work::Convolution>(&work)) return convolution->x_zero_point != kNoValue;
  if (const auto* product = std::get_if<work::MatrixProduct>(&work)) return product->x_zero_point != kNoValue;
  return false;
}

std::string float_at_heart(const Work& work) {
  if (std::holds_alternative<work::Softmax>(work)) return "its sums are float";
  if (std::holds_alternative<work::Quantize>(work)) return "it reads float";
  if (std::holds_alternative<work::Dequantize>(work)) return "it makes float";
  if (std::holds_alternative<work::SplitBytes>(work)) return "it takes numbers of 16 bits apart";
  if (std::holds_alternative<work::QuantizeDynamically>(work)) return "its scale is computed at run time";
  if (const auto* pool = std::get_if<work::Pool>(&work); pool && pool->sums_in_float)
    return "it averages windows in float";
  if (const auto* product = std::get_if<work::MatrixProduct>(&work); product && product->quantizes_x)
    return "it quantizes x by a scale that is computed at run time";
  if (has_zero_point_at_run_time(work)) return "the zero point of x is computed at run time";
  return "";
}

// Why an integer step can't read or produce this value.
std::string unfit(const ProgramValue& value) {
  const bool narrow = is_integer(value.dtype) && bits(value.dtype) < 32;
  if (!narrow && value.dtype != DType::kInt32 && value.dtype != DType::kBool)
    return fmt::format("{} is {}", value.name, name(value.dtype));
  if (!value.shape || !concrete(*value.shape)) return fmt::format("the shape of {} is not known", value.name);
  return "";
}

}  // namespace

std::string refusal(const Program& program, const Step& step) {
  if (!step.opaque.empty() || std::holds_alternative<std::monostate>(step.work) || computes_in_float(step.work)) {
    const std::string why = step.kind == StepKind::kFloat ? "it computes in float" : step.opaque;
    return step.reason.empty() || is_quantized(step.kind) ? why : fmt::format("{}: {}", why, step.reason);
  }
  if (std::string why = float_at_heart(step.work); !why.empty()) return why;
  if (joins_partial_sums(step.work)) return "it joins sums of bytes: " + step.reason;
  if (has_float_stage(step.work))
    return step.reason.empty() ? "it makes float" : fmt::format("it makes float: {}", step.reason);
  for (const std::vector<ValueId>& values : {inputs_of(program, step), outputs_of(program, step)})
    for (const ValueId value : values)
      if (std::string why = unfit(program.values[value]); !why.empty()) return why;
  if (outputs_of(program, step).size() != 1) return "others read what lies between its operations";
  return "";
}

}  // namespace octet
