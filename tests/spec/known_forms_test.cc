#include "octet/spec/known_forms.h"

#include <gtest/gtest.h>

#include "octet/spec/staircase.h"

namespace octet {
namespace {

struct AdditionCase {
  Quantization a, b, y;
  IntegerRange range;
  bool swaps;
};

// Each differs from the first in one number; asked for twice in turns.
TEST(KnownForms, AreThoseOfTheirOwnParameters) {
  const AdditionCase first{{0.5F, 3}, {0.25F, -4}, {0.75F, 5}, {-128, 127}, false};
  std::vector<AdditionCase> cases(9, first);
  cases[1].a.scale = 0.375F;
  cases[2].a.zero_point = 30;
  cases[3].b.scale = 0.125F;
  cases[4].b.zero_point = 40;
  cases[5].y.scale = 1.5F;
  cases[6].y.zero_point = 50;
  cases[7].range = {0, 255};
  cases[8].swaps = true;
  KnownForms forms;
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const auto& [a, b, y, range, swaps] = cases[k];
      const IntegerAddition &found = forms.addition(a, b, y, range, swaps),
                            wanted = integer_addition(a, b, y, range, swaps);
      EXPECT_EQ(found.ma, wanted.ma) << k;
      EXPECT_EQ(found.mb, wanted.mb) << k;
      EXPECT_EQ(found.addend, wanted.addend) << k;
      EXPECT_EQ(found.shift, wanted.shift) << k;
      EXPECT_EQ(found.range.min, wanted.range.min) << k;
      EXPECT_EQ(found.exceptions, wanted.exceptions) << k;
    }
}

TEST(KnownForms, FindsAnAdditionOnce) {
  KnownForms forms;
  const Quantization a{0.5F, 3}, b{0.25F, -4}, y{0.75F, 5};
  const IntegerAddition& once = forms.addition(a, b, y, {-128, 127}, false);
  EXPECT_EQ(&forms.addition(a, b, y, {-128, 127}, false), &once);
  EXPECT_NE(&forms.addition(a, b, y, {-128, 127}, true), &once);
}

struct SumCase {
  Requantization channel;
  Interval reach;
};

TEST(KnownForms, HasRequantizersByMultiplierZeroPointRangeAndReach) {
  std::vector<SumCase> cases(6, SumCase{{0.01F, 3, {-128, 127}}, {-20000, 20000}});
  cases[1].channel.multiplier = 0.02F;
  cases[2].channel.zero_point = 4;
  cases[3].channel.range = {0, 255};
  cases[4].reach.least = -30;
  cases[5].reach.greatest = 30;
  KnownForms forms;
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const auto& [channel, reach] = cases[k];
      const IntegerRequantizer& found = forms.requantizer(channel, reach);
      const IntegerRequantizer wanted = integer_requantizer(staircase(channel, reach), channel.range);
      EXPECT_EQ(found.m, wanted.m) << k;
      EXPECT_EQ(found.addend, wanted.addend) << k;
      EXPECT_EQ(found.shift, wanted.shift) << k;
      EXPECT_EQ(found.range.max, wanted.range.max) << k;
      EXPECT_EQ(&forms.requantizer(channel, reach), &found);
    }
}

}  // namespace
}  // namespace octet
