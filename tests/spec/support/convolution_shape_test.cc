#include "octet/spec/convolution_shape.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

constexpr ConvolutionLabels kLabels = {"dimensions", "window"};

std::string refused(const Attributes& attributes, const SymbolicShape& x, const SymbolicShape& w) {
  try {
    resolve_convolution(attributes, x, w, kLabels);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kConstraint);
    return error.constraint();
  }
  return "";
}

TEST(ConvolutionShape, KeepsSymbolsWherePaddingKeepsTheSize) {
  Attributes attributes;
  attributes.set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  const SymbolicShape x = {Dim::symbol("N"), 4, Dim::symbol("H"), 8}, w = {6, 4, 3, 3};
  EXPECT_EQ(to_string(resolve_convolution(attributes, x, w, kLabels).output.value()), "[N,6,H,8]");
}

TEST(ConvolutionShape, SaysWhatIsKnown) {
  EXPECT_FALSE(resolve_convolution({}, std::nullopt, std::nullopt, kLabels).output);
  const SymbolicShape x = {1, 4, 8, 8}, w = {6, 4, 3, 3};
  EXPECT_EQ(to_string(resolve_convolution({}, x, std::nullopt, kLabels).output.value()), "[1,?,?,?]");
  EXPECT_EQ(to_string(resolve_convolution({}, std::nullopt, w, kLabels).output.value()), "[?,6,?,?]");
  Attributes kernel;
  kernel.set("kernel_shape", std::vector<std::int64_t>{3, 3});
  EXPECT_EQ(to_string(resolve_convolution(kernel, x, std::nullopt, kLabels).output.value()), "[1,?,6,6]");
}

TEST(ConvolutionShape, RefusesWhatDoesNotFit) {
  Attributes two_groups, no_groups, other_kernel;
  two_groups.set("group", std::int64_t{2});
  no_groups.set("group", std::int64_t{0});
  other_kernel.set("kernel_shape", std::vector<std::int64_t>{3, 2});
  EXPECT_EQ(refused({}, {1, 4, 8, 8}, {6, 4, 3, 3}), "");
  EXPECT_EQ(refused({}, {1, 4, 8, 8}, {6, 3, 3, 3}), "dimensions");
  EXPECT_EQ(refused({}, {1, 4, 8, 8}, {6, 4, 3}), "dimensions");
  EXPECT_EQ(refused({}, {1, 4}, {6, 4}), "dimensions");
  EXPECT_EQ(refused(two_groups, {1, 4, 8, 8}, {5, 2, 3, 3}), "dimensions");
  EXPECT_EQ(refused(no_groups, {1, 4, 8, 8}, {6, 4, 3, 3}), "dimensions");
  EXPECT_EQ(refused(other_kernel, {1, 4, 8, 8}, {6, 4, 3, 3}), "window");
  EXPECT_EQ(refused({}, {1, 4, 2, 8}, {6, 4, 3, 3}), "window");
}

}  // namespace
}  // namespace octet
