#include "octet/graph/lookup.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

Node node_of(std::string domain, std::string op_type) {
  return {.name = "n", .op_type = std::move(op_type), .domain = std::move(domain)};
}

TEST(Lookup, ComparesNodesWithEntriesOfTheRegistry) {
  EXPECT_TRUE(is(node_of("", "Conv"), ops::kConv));
  EXPECT_FALSE(is(node_of("", "ConvTranspose"), ops::kConv));
  EXPECT_FALSE(is(node_of("com.example", "Conv"), ops::kConv)) << "an operator Octet does not know";
  EXPECT_TRUE(is(node_of("com.microsoft", "QuantizeLinear"), ops::kQuantizeLinear));
  EXPECT_FALSE(is(node_of("", "QuantizeLinear"), ops::kMicrosoftQuantizeLinear));
}

TEST(Lookup, AsksTheOperatorForTraits) {
  EXPECT_TRUE(has(node_of("", "Relu"), Trait::kClamp));
  EXPECT_FALSE(has(node_of("", "Sigmoid"), Trait::kClamp));
  EXPECT_FALSE(has(node_of("com.example", "Relu"), Trait::kClamp));
}

}  // namespace
}  // namespace octet
