#include "octet/analyze/support/alternatives.h"

#include <array>
#include <string_view>

#include "octet/spec/arithmetic.h"

namespace octet {
namespace {

struct Rule {
  unsigned choice;
  std::string_view name;
  Arithmetic (*change)(Arithmetic);  // from the arithmetic in force
};

constexpr std::array<Rule, 10> kRules = {{
    {kZeroPointBefore, "zero point before rounding",
     [](Arithmetic a) {
       a.zero_point = ZeroPoint::kBeforeRounding;
       return a;
     }},
    {kZeroPointAfter, "zero point after rounding",
     [](Arithmetic a) {
       a.zero_point = ZeroPoint::kAfterRounding;
       return a;
     }},
    {kRounding, "ties away from zero",
     [](Arithmetic a) {
       a.rounding = Rounding::kTiesAway;
       return a;
     }},
    {kRounding, "truncation",
     [](Arithmetic a) {
       a.rounding = Rounding::kTowardZero;
       return a;
     }},
    {kProduct, "float64",
     [](Arithmetic a) {
       a.product = Product::kFloat64;
       return a;
     }},
    {kProduct, "Q31 multiplier, one rounding", [](Arithmetic) { return arithmetic_named("fixed-single"); }},
    {kProduct, "Q31 multiplier, two roundings", [](Arithmetic) { return arithmetic_named("fixed-double"); }},
    {kOrder, "the order of SSE2",
     [](Arithmetic a) {
       a.add_order = AddOrder::kSse2;
       return a;
     }},
    {kOrder, "the order of ARM",
     [](Arithmetic a) {
       a.add_order = AddOrder::kArm;
       return a;
     }},
    {kOrder, "the order of portable C++",
     [](Arithmetic a) {
       a.add_order = AddOrder::kPortable;
       return a;
     }},
}};

}  // namespace

void explain_alternatives(const Applied& applied, unsigned choices, Findings& findings) {
  for (const Rule& rule : kRules) {
    const Arithmetic changed = rule.change(applied.arithmetic());
    if ((rule.choice & choices) == 0 || changed == applied.arithmetic()) continue;
    findings.alternative(std::string(rule.name),
                         value_at(applied.run(changed)[applied.output_number()], applied.element()));
  }
}

}  // namespace octet
