#include "octet/graph/lower_opset.h"

#include <gtest/gtest.h>

#include "tests/support/models.h"

namespace octet {
namespace {

int lowest(const char* text, int opset) {
  return lower_opset(model_from(text, {value("x", DType::kFloat, {{4}})}, opset)).opset("");
}

TEST(LowerOpset, GoesDownAsFarAsNodesMeanTheSame) {
  EXPECT_EQ(lowest("main (x) => (y) { y = Relu (x) }", 28), 25);
  EXPECT_EQ(lowest("main (x) => (y) { y = Relu (x) }", 40), 25);
  EXPECT_EQ(lowest("main (x) => (y) { y = Relu (x) }", 13), 13);
  EXPECT_EQ(lowest("main (x) => (y) { a = Relu (x) y = CumProd (a, x) }", 28), 26);
  EXPECT_EQ(lowest("main (x) => (y) { y = SwiGLU (x, x) }", 28), 28);
  EXPECT_EQ(lowest("main (x) => (y) { y = Shrink (x) }", 28), 25);
  EXPECT_EQ(lowest("main (x) => (y) { y = Mystery (x) }", 28), 28);
}

TEST(LowerOpset, KeepsToAFormatThatRuntimesKnow) {
  Model model = model_from("main (x) => (y) { y = Relu (x) }", {value("x", DType::kFloat, {{4}})}, 21);
  model.ir_version = 14;
  EXPECT_EQ(lower_opset(model).ir_version, 13);
  model.ir_version = 8;
  EXPECT_EQ(lower_opset(model).ir_version, 8);
}

}  // namespace
}  // namespace octet
