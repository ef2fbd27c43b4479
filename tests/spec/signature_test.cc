#include "octet/spec/signature.h"

#include <gtest/gtest.h>

#include "octet/spec/registry.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

const Operator& operator_named(std::string_view name, std::string_view domain = "") {
  return *find_operator(domain, name);
}

std::string refusal_of(const Operator& op, int opset, const std::vector<bool>& inputs, std::size_t outputs = 1) {
  const Error error = failure_of([&] { check_arguments(op, opset, inputs, outputs); });
  EXPECT_EQ(error.code(), ErrorCode::kModel);
  return error.message();
}

TEST(Signature, IsThereForEveryVersionOfEveryOperator) {
  for (const Operator* op : operators())
    for (const int version : op->versions) {
      const Signature& signature = signature_of(*op, version);
      EXPECT_FALSE(signature.outputs.empty()) << op->name;
      EXPECT_EQ(signature.inputs.empty(), op->name == "Constant") << op->name;
    }
}

TEST(Signature, IsThatOfTheVersion) {
  EXPECT_EQ(signature_of(operator_named("Clip"), 6).inputs.size(), 1U);
  EXPECT_EQ(signature_of(operator_named("Clip"), 11).inputs.size(), 3U);
  EXPECT_EQ(signature_of(operator_named("Clip"), 25).inputs.size(), 3U);
}

TEST(Signature, NamesTheInputThatIsMissing) {
  const Operator& conv = operator_named("QLinearConv");
  const std::vector<bool> all(8, true);
  EXPECT_NO_THROW(check_arguments(conv, 10, all, 1));
  std::vector<bool> without_x = all;
  without_x[0] = false;
  EXPECT_EQ(refusal_of(conv, 10, without_x), "input x is missing");
  EXPECT_EQ(refusal_of(conv, 10, {true, true}), "input x_zero_point is missing");
  EXPECT_EQ(refusal_of(conv, 10, {}), "input x is missing");
}

TEST(Signature, LetsOptionalInputsBeLeftOut) {
  const Operator& add = operator_named("QLinearAdd", "com.microsoft");
  EXPECT_NO_THROW(check_arguments(add, 1, {true, true, false, true, true, false, true}, 1));
  EXPECT_EQ(refusal_of(add, 1, {true, true, false, true, true}), "input C_scale is missing");
}

TEST(Signature, RefusesMoreThanThereAre) {
  EXPECT_EQ(refusal_of(operator_named("Relu"), 14, {true, true}), "there are 2 inputs, at most 1 are wanted");
  EXPECT_EQ(refusal_of(operator_named("Relu"), 14, {true}, 2), "there are 2 outputs, at most 1 are wanted");
  EXPECT_EQ(refusal_of(operator_named("Relu"), 14, {true}, 0), "output Y is missing");
}

TEST(Signature, TakesAnyNumberWhereItIsRepeated) {
  const Operator& concat = operator_named("Concat");
  EXPECT_NO_THROW(check_arguments(concat, 13, std::vector<bool>(100, true), 1));
  EXPECT_EQ(refusal_of(concat, 13, {}), "input inputs is missing");
  EXPECT_EQ(refusal_of(concat, 13, {true, true, false}), "input 2 (inputs) is missing");
  EXPECT_NO_THROW(check_arguments(operator_named("Split"), 13, {true}, 7));
}

}  // namespace
}  // namespace octet
