#include "octet/base/error.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(Error, SaysWhereWhatAndWhichConstraint) {
  const Error error(ErrorCode::kConstraint, "weights have 3 input channels, input has 4", {}, "qlinear_conv_c5");
  EXPECT_STREQ(error.at("conv_12 (QLinearConv)").what(),
               "conv_12 (QLinearConv): weights have 3 input channels, input has 4 [qlinear_conv_c5]");
}

TEST(Error, KeepsItsFirstPlace) {
  const Error error = Error(ErrorCode::kModel, "bad").at("inner").at("outer");
  EXPECT_EQ(error.where(), "inner");
  EXPECT_EQ(error.code(), ErrorCode::kModel);
}

}  // namespace
}  // namespace octet
