#include "octet/export/support/c_values.h"

#include <algorithm>

#include "octet/export/support/c_operators.h"
#include "octet/program/layouts.h"
#include "octet/program/memory_plan.h"

namespace octet {

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

// One layout for all steps that mention a value.
void CValues::choose_layouts() {
  const std::vector<bool> last = channels_last(
      program_, {.copies = false,
                 .takes_any = [&](const Step& step) { return !step.opaque.empty() && is_c_operator(program_, step); }});
  for (ValueId value = 0; value < values_.size(); ++value) values_[value].channels_last = last[value];
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
