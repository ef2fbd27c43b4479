#include "octet/export/support/c_wide_sums.h"

#include "octet/export/support/c_float_stages.h"
#include "octet/export/support/c_nest.h"

namespace octet {

void write_split(CStep& step, const work::SplitBytes& work) {
  const CValue &x = step.value(work.x), &high = step.value(work.high), &low = step.value(work.low);
  const std::int64_t least = integer_range(x.type).min;
  const std::string number = least == 0 ? "x" : fmt::format("(x + {})", -least);
  step.say("  high = {0} / 256, low = {0} % 256", number);
  const std::string from = step.reads(work.x, "x");
  const std::string to_high = step.writes(work.high, "high"), to_low = step.writes(work.low, "low");
  const CNest nest(step, high.shape, {high.strides(), low.strides(), x.strides()});
  const auto row = step.block("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  step.line("const int32_t number = (int32_t){}[{}] + {};", from, nest.at(2), -least);
  step.line("{}[{}] = (uint8_t)(number / 256);", to_high, nest.at(0));
  step.line("{}[{}] = (uint8_t)(number % 256);", to_low, nest.at(1));
}

void write_joined_sum(CStep& step, const work::JoinedSum& work) {
  const CValue& to = step.value(work.y);
  const std::string type = c_type(work.type);
  const bool has_bias = !work.bias.empty();
  step.say("  y = f32(Sum_p factor[p] * x[p], in {}) * multiplier{}", octet::name(work.type),
           has_bias ? " + bias" : "");
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> strides = {to.strides(), channel_strides(to.shape, work.axis)};
  for (const work::JoinedSum::Part& part : work.parts) {
    names.push_back(step.reads(part.x, fmt::format("x{}", names.size())));
    strides.push_back(step.value(part.x).strides());
  }
  const std::string y = step.writes(work.y, "y");
  const CNest nest(step, to.shape, strides);
  const auto row = step.block("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  std::string sum;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string element = fmt::format("(u{}){}[{}]", type, names[k], nest.at(k + 2));
    const std::int64_t factor = work.parts[k].factor;
    sum += (k == 0 ? "" : " + ") + element + (factor == 1 ? "" : fmt::format(" * {}u", factor));
  }
  step.line("const {0} sum = ({0})({1});", type, sum);
  step.line("{}[{}] = (float)sum * {}{};", y, nest.at(0),
            real_constant(step, "multipliers", work.multipliers, nest.at(1)),
            has_bias ? " + " + real_constant(step, "bias", work.bias, nest.at(1)) : "");
}

}  // namespace octet
