#include "octet/export/support/c_values.h"

#include <algorithm>

#include "octet/export/support/c_operators.h"
#include "octet/program/memory_plan.h"

namespace octet {
namespace {

// A convolution or a pool of windows, which read and write channels last at the best speed.
bool prefers_channels_last(const Work& work) {
  if (const auto* pool = std::get_if<work::Pool>(&work)) return !pool->channels_last;
  return std::holds_alternative<work::Convolution>(work) || std::holds_alternative<work::RealConvolution>(work) ||
         std::holds_alternative<work::RealPool>(work);
}

// Loops over elements, which take any order.
bool takes_any_order(const Work& work) {
  return std::holds_alternative<work::Pairwise>(work) || std::holds_alternative<work::Concatenation>(work) ||
         std::holds_alternative<work::Selection>(work) || std::holds_alternative<work::Table>(work) ||
         std::holds_alternative<work::ChannelTables>(work) || std::holds_alternative<work::Quantize>(work) ||
         std::holds_alternative<work::Dequantize>(work) || std::holds_alternative<work::QuantizeDynamically>(work) ||
         std::holds_alternative<work::RealElements>(work);
}

}  // namespace

std::string c_type(DType type) {
  if (type == DType::kFloat) return "float";
  if (type == DType::kBool) return "uint8_t";
  if (!is_integer(type)) return "";
  return (is_signed_integer(type) ? "int" : "uint") + std::to_string(size_of(type) * 8) + "_t";
}

std::vector<std::int64_t> CValue::strides() const {
  if (!channels_last) return strides_of(shape);
  Shape stored = {shape[0]};
  stored.insert(stored.end(), shape.begin() + 2, shape.end());
  stored.push_back(shape[1]);
  const std::vector<std::int64_t> inner = strides_of(stored);
  std::vector<std::int64_t> strides = {inner[0], inner.back()};
  strides.insert(strides.end(), inner.begin() + 1, inner.end() - 1);
  return strides;
}

CValues::CValues(const Program& program)
    : program_(program), values_(program.values.size()), places_(program.values.size()) {
  for (ValueId v = 0; v < values_.size(); ++v) {
    const ProgramValue& value = program.values[v];
    values_[v].type = value.dtype;
    if (value.shape) values_[v].shape = concrete(*value.shape).value_or(Shape{});
  }
  choose_layouts();
  choose_places();
}

void CValues::choose_layouts() {
  // As the file has them: what the caller passes, constants, and what a step of another kind reads or makes.
  std::vector<bool> fixed(values_.size());
  for (ValueId v = 0; v < values_.size(); ++v) {
    const Shape& shape = values_[v].shape;
    const bool has_image = shape.size() > 2 && shape[1] > 1 && element_count(shape) > shape[0] * shape[1];
    fixed[v] = !has_image || !program_.values[v].constant.empty();
  }
  for (const ProgramInput& input : program_.inputs) fixed[input.value] = true;
  for (const ValueId output : program_.outputs) fixed[output] = true;
  const auto any_order = [&](const Step& step) {
    return step.opaque.empty() ? takes_any_order(step.work) : takes_any_order(program_, step);
  };
  const auto mentioned = [&](const Step& step) {
    std::vector<ValueId> all = inputs_of(program_, step);
    const std::vector<ValueId> made = outputs_of(program_, step);
    all.insert(all.end(), made.begin(), made.end());
    return all;
  };
  for (const Step& step : program_.steps)
    if (!prefers_channels_last(step.work) && !any_order(step))
      for (const ValueId value : mentioned(step)) fixed[value] = true;
  for (const Step& step : program_.steps)
    if (prefers_channels_last(step.work))
      for (const ValueId value : mentioned(step)) values_[value].channels_last = !fixed[value];
  for (bool changed = true; changed;) {
    changed = false;
    for (const Step& step : program_.steps) {
      const std::vector<ValueId> all = mentioned(step);
      const auto last = [&](ValueId value) { return values_[value].channels_last; };
      if (!any_order(step) || std::none_of(all.begin(), all.end(), last)) continue;
      for (const ValueId value : all)
        if (!fixed[value] && !values_[value].channels_last) values_[value].channels_last = changed = true;
    }
  }
}

void CValues::choose_places() {
  const MemoryPlan plan = plan_memory(program_, {.alignment = 16, .in_place = false});
  std::vector<ValueId> root(values_.size());
  for (ValueId v = 0; v < values_.size(); ++v) {
    root[v] = v;
    while (plan.values[root[v]].alias_of != kNoValue) root[v] = plan.values[root[v]].alias_of;
  }
  std::vector<CPlace> of_root(values_.size());
  for (ValueId v = 0; v < values_.size(); ++v)
    if (plan.values[v].place && root[v] == v) of_root[v] = {CPlace::Kind::kMemory, plan.values[v].place->offset};
  for (std::size_t k = 0; k < program_.outputs.size(); ++k)
    if (program_.values[program_.outputs[k]].constant.empty())
      of_root[root[program_.outputs[k]]] = {CPlace::Kind::kOutput, static_cast<std::int64_t>(k)};
  for (std::size_t k = 0; k < program_.inputs.size(); ++k)
    of_root[root[program_.inputs[k].value]] = {CPlace::Kind::kInput, static_cast<std::int64_t>(k)};
  for (ValueId v = 0; v < values_.size(); ++v) {
    places_[v] = program_.values[v].constant.empty() ? of_root[root[v]] : CPlace{CPlace::Kind::kConstant, 0};
    if (places_[v].kind == CPlace::Kind::kMemory)
      memory_bytes_ = std::max(memory_bytes_, plan.values[root[v]].place->offset + plan.values[root[v]].place->bytes);
  }
}

CPlace CValues::place(ValueId value) const { return places_[value]; }

bool CValues::same_place(ValueId a, ValueId b) const {
  return places_[a].kind == places_[b].kind && places_[a].number == places_[b].number &&
         places_[a].kind != CPlace::Kind::kConstant;
}

}  // namespace octet
