#include "octet/base/error.h"

#include <gtest/gtest.h>

#include "octet/base/in_file.h"

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

TEST(Error, NamesItsFileBeforeItsPlace) {
  const Error error(ErrorCode::kModel, "wrong", "node a", "c1");
  EXPECT_STREQ(in_file("m.onnx", error).what(), "m.onnx: node a: wrong [c1]");
  EXPECT_STREQ(in_file("m.onnx", Error(ErrorCode::kModel, "wrong")).what(), "m.onnx: wrong");
  EXPECT_STREQ(in_file("", error).what(), "node a: wrong [c1]");
}

}  // namespace
}  // namespace octet
