#include "octet/program/layouts.h"

#include <algorithm>
#include <span>
#include <type_traits>

namespace octet {
namespace {

// In which layout work runs best.
enum class Wish { kDeclared, kChannelsLast, kAny };

// The only list of the kinds of work that have a wish.
Wish wish_of(const Work& work) {
  return std::visit(
      []<typename T>(const T& kind) {
        using namespace work;
        if constexpr (std::is_same_v<T, Pool>)
          return kind.channels_last ? Wish::kDeclared : Wish::kChannelsLast;
        else if constexpr (std::is_same_v<T, Convolution> || std::is_same_v<T, FloatConvolution> ||
                           std::is_same_v<T, FloatPool>)
          return Wish::kChannelsLast;
        else if constexpr (std::is_same_v<T, Pairwise> || std::is_same_v<T, Concatenation> ||
                           std::is_same_v<T, Selection> || std::is_same_v<T, Table> ||
                           std::is_same_v<T, ChannelTables> || std::is_same_v<T, SplitBytes> ||
                           std::is_same_v<T, JoinedSum> || std::is_same_v<T, Quantize> ||
                           std::is_same_v<T, Dequantize> || std::is_same_v<T, QuantizeDynamically> ||
                           std::is_same_v<T, FloatElements>)
          return Wish::kAny;
        else
          return Wish::kDeclared;
      },
      work);
}

// The images that a convolution or a pool reads and makes; its weights are none.
std::vector<ValueId> images_of(const Work& work) {
  std::vector<ValueId> images = std::visit(
      []<typename T>(const T& kind) -> std::vector<ValueId> {
        if constexpr (requires {
                        kind.x;
                        kind.y;
                      })
          return {kind.x, kind.y};
        else
          return {};
      },
      work);
  for (const work::Stage& stage : *epilogue_of(work)) {
    if (const auto* combine = std::get_if<work::Combine>(&stage)) images.push_back(combine->other);
    if (const auto* calculate = std::get_if<work::Calculate>(&stage)) images.push_back(calculate->other);
  }
  std::erase(images, kNoValue);
  return images;
}

class LayoutChoice {
 public:
  LayoutChoice(const Program& program, const LayoutRules& rules)
      : program_(program), rules_(rules), fixed_(program.values.size()), last_(program.values.size()) {
    for (ValueId value = 0; value < fixed_.size(); ++value) fixed_[value] = !may_be_last(program.values[value]);
    for (const ProgramInput& input : program.inputs) fixed_[input.value] = true;
    if (!rules.copies) fix_what_must_be_as_declared();
  }

  std::vector<bool> choose() {
    for (const Step& step : program_.steps)
      if (wish_of(step.work) == Wish::kChannelsLast)
        for (const ValueId value : images_of(step.work)) put_last(value);
    if (rules_.copies)
      follow_forward();
    else
      follow_everywhere();
    return last_;
  }

 private:
  bool may_be_last(const ProgramValue& value) const {
    if (!value.constant.empty() || value.dtype == DType::kUndefined || value.dtype == DType::kString) return false;
    const std::optional<Shape> shape = value.shape ? concrete(*value.shape) : std::nullopt;
    return shape && shape->size() >= 3 && (rules_.copies || !layouts_coincide(*shape));
  }

  bool takes_any(const Step& step) const {
    return (step.opaque.empty() && wish_of(step.work) == Wish::kAny) || rules_.takes_any(step);
  }

  std::vector<ValueId> mentioned(const Step& step) const {
    std::vector<ValueId> all = inputs_of(program_, step);
    const std::vector<ValueId> made = outputs_of(program_, step);
    all.insert(all.end(), made.begin(), made.end());
    return all;
  }

  void fix_what_must_be_as_declared() {
    for (const ValueId output : program_.outputs) fixed_[output] = true;
    for (const Step& step : program_.steps)
      if (wish_of(step.work) != Wish::kChannelsLast && !takes_any(step))
        for (const ValueId value : mentioned(step)) fixed_[value] = true;
  }

  bool put_last(ValueId value) {
    if (fixed_[value] || last_[value]) return false;
    last_[value] = true;
    return true;
  }

  // Steps that run in any layout give that of their operands to their results.
  void follow_forward() {
    const auto is_last = [&](ValueId value) { return last_[value]; };
    for (const Step& step : program_.steps)
      if (std::ranges::any_of(inputs_of(program_, step), is_last) && takes_any(step))
        for (const ValueId value : outputs_of(program_, step)) put_last(value);
  }

  // Where there are no copies, all that such a step mentions stands in one layout. Each step is looked at once.
  void follow_everywhere() {
    std::vector<std::vector<std::size_t>> followers(program_.values.size());
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      if (takes_any(program_.steps[s]))
        for (const ValueId value : mentioned(program_.steps[s])) followers[value].push_back(s);
    std::vector<ValueId> changed;
    for (ValueId value = 0; value < last_.size(); ++value)
      if (last_[value]) changed.push_back(value);
    std::vector<bool> followed(program_.steps.size());
    while (!changed.empty()) {
      const ValueId from = changed.back();
      changed.pop_back();
      for (const std::size_t step : followers[from]) {
        if (followed[step]) continue;
        followed[step] = true;
        for (const ValueId value : mentioned(program_.steps[step]))
          if (put_last(value)) changed.push_back(value);
      }
    }
  }

  const Program& program_;
  const LayoutRules& rules_;
  std::vector<bool> fixed_, last_;
};

}  // namespace

bool runs_in_any_layout(const Program& program, const Step& step) {
  for (const Operation& operation : step.operations) {
    if (!operation.op->on_elements || operation.outputs.empty() || operation.outputs[0] == kNoValue) return false;
    const std::optional<SymbolicShape>& shape = program.values[operation.outputs[0]].shape;
    for (const ValueId input : operation.inputs) {
      if (input == kNoValue) continue;
      const ProgramValue& value = program.values[input];
      const bool single = !value.constant.empty() && value.constant.size() == 1;
      if (!single && (!value.shape || value.shape != shape || !value.constant.empty())) return false;
      // A single number of higher rank than the result would add axes to it.
      if (single && shape && value.shape && value.shape->size() > shape->size()) return false;
    }
  }
  return true;
}

bool layouts_coincide(const Shape& shape) {
  return shape.size() < 3 || shape[1] <= 1 || element_count(std::span(shape).subspan(2)) <= 1;
}

std::vector<bool> channels_last(const Program& program, const LayoutRules& rules) {
  return LayoutChoice(program, rules).choose();
}

}  // namespace octet
