#include "octet/quantize/predicate.h"

#include <array>
#include <charconv>
#include <utility>

#include "octet/base/fail.h"

namespace octet {
namespace {

std::string_view shown_condition(std::string_view text) { return text.substr(0, 40); }

// Takes an integer off the front of `text`.
std::int64_t take_integer(std::string_view& text, std::string_view whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    fail(ErrorCode::kUsage, "the condition \"{}\" is none of 3, ==3, !=3, <3, <=3, >3, >=3, %32==0",
         shown_condition(whole));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

Predicate::Predicate(std::string_view text) {
  using enum Comparison;
  constexpr std::array<std::pair<std::string_view, Comparison>, 6> kSigns = {
      {{"==", kEqual}, {"!=", kDifferent}, {"<=", kAtMost}, {">=", kAtLeast}, {"<", kLess}, {">", kGreater}}};
  const std::string_view whole = text;
  if (text.starts_with('%')) {
    text.remove_prefix(1);
    modulus_ = take_integer(text, whole);
    if (modulus_ <= 0) fail(ErrorCode::kUsage, "the condition \"{}\" divides by {}", shown_condition(whole), modulus_);
  }
  bool compares = modulus_ == 0;
  for (const auto& [sign, comparison] : kSigns)
    if (text.starts_with(sign)) {
      comparison_ = comparison;
      text.remove_prefix(sign.size());
      compares = true;
      break;
    }
  operand_ = take_integer(text, whole);
  if (!text.empty() || !compares)
    fail(ErrorCode::kUsage, "the condition \"{}\" can't be read beyond \"{}\"", shown_condition(whole),
         shown_condition(text));
}

bool Predicate::holds(std::int64_t value) const {
  if (modulus_ != 0) value %= modulus_;
  switch (comparison_) {
    case Comparison::kEqual: return value == operand_;
    case Comparison::kDifferent: return value != operand_;
    case Comparison::kLess: return value < operand_;
    case Comparison::kAtMost: return value <= operand_;
    case Comparison::kGreater: return value > operand_;
    case Comparison::kAtLeast: return value >= operand_;
  }
  return false;
}

}  // namespace octet
