#include <cmath>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

Tensor sequence(const std::vector<float>& steps) {
  return Tensor::from<float>({1, 1, static_cast<std::int64_t>(steps.size())}, steps);
}
std::vector<Tensor> convolved_causally(const std::vector<Tensor>& inputs, const AttributeList& attributes = {}) {
  return run_operator("CausalConvWithState", 27, attributes, inputs, 2);
}

TEST(CausalConvWithState, LooksBackAndRemembers) {
  const Tensor x = sequence({1, 2, 3}), w = sequence({10, 1}), bias = Tensor::from<float>({1}, {100});
  const std::vector<Tensor> fresh = convolved_causally({x, w});
  EXPECT_EQ(values<float>(fresh[0]), (std::vector<float>{1, 12, 23}));
  EXPECT_EQ(values<float>(fresh[1]), (std::vector<float>{3}));
  const std::vector<Tensor> later = convolved_causally({x, w, bias, sequence({5})});
  EXPECT_EQ(values<float>(later[0]), (std::vector<float>{151, 112, 123}));
  const std::vector<Tensor> short_step =
      convolved_causally({sequence({1}), sequence({1, 1, 1}), Tensor(), sequence({7, 8})});
  EXPECT_EQ(values<float>(short_step[1]), (std::vector<float>{8, 1}));
}

TEST(CausalConvWithState, Activates) {
  for (const char* name : {"silu", "swish"})
    EXPECT_FLOAT_EQ(
        convolved_causally({sequence({1}), sequence({2})}, {{"activation", std::string(name)}})[0].as<float>()[0],
        2 / (1 + std::exp(-2.0F)));
}

TEST(CausalConvWithState, ChecksItsConstraints) {
  const auto broken = [](const std::vector<Tensor>& inputs, const AttributeList& attributes = {}) {
    return broken_constraint("CausalConvWithState", 27, attributes, inputs, 2);
  };
  const Tensor x = sequence({1, 2, 3}), w = sequence({10, 1});
  EXPECT_EQ(broken({x, Tensor(DType::kDouble, {1, 1, 2})}), "causal_conv_with_state_c1");
  EXPECT_EQ(broken({x, Tensor(DType::kFloat, {2, 1, 2})}), "causal_conv_with_state_c2");
  EXPECT_EQ(broken({x, Tensor(DType::kFloat, {1, 1, 0})}), "causal_conv_with_state_c2");
  EXPECT_EQ(broken({x, w, Tensor(DType::kFloat, {2})}), "causal_conv_with_state_c2");
  EXPECT_EQ(broken({x, w, Tensor(), sequence({1, 2})}), "causal_conv_with_state_c2");
  EXPECT_EQ(broken({x, w}, {{"activation", std::string("relu")}}), "causal_conv_with_state_c3");
}

}  // namespace
}  // namespace octet
