#include "octet/spec/arithmetic.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

TEST(Arithmetic, DefaultIsOnnxRuntimes) {
  EXPECT_EQ(named_arithmetics().front().name, "onnxruntime");
  EXPECT_EQ(arithmetic_named("onnxruntime"), Arithmetic{});
}

TEST(Arithmetic, NamesAreUniqueValidAndMeanDifferentThings) {
  for (const NamedArithmetic& a : named_arithmetics()) {
    EXPECT_NO_THROW(validate(a.arithmetic)) << a.name;
    EXPECT_EQ(arithmetic_named(a.name), a.arithmetic);
    for (const NamedArithmetic& b : named_arithmetics()) {
      if (&a == &b) continue;
      EXPECT_NE(a.name, b.name);
      EXPECT_FALSE(a.arithmetic == b.arithmetic) << a.name << " and " << b.name;
    }
  }
}

TEST(Arithmetic, UnknownNameListsTheKnownOnes) {
  try {
    arithmetic_named("abacus");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(error.message().find("abacus"), std::string::npos);
    EXPECT_NE(error.message().find("fixed-double"), std::string::npos);
  }
}

TEST(Arithmetic, RefusesWidthsOutOfRange) {
  EXPECT_THROW(validate({.accumulator_bits = 7}), Error);
  EXPECT_THROW(validate({.accumulator_bits = 33}), Error);
  EXPECT_THROW(validate({.multiplier_bits = 1}), Error);
  EXPECT_THROW(validate({.multiplier_bits = 32}), Error);
  EXPECT_NO_THROW(validate({.accumulator_bits = 8, .multiplier_bits = 2}));
}

}  // namespace
}  // namespace octet
