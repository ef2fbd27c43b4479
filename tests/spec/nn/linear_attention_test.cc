#include <cmath>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Steps = std::vector<float>;

Tensor two_steps(float first, float second) { return Tensor::from<float>({1, 2, 1}, {first, second}); }
AttributeList one_head(const char* rule) {
  return {{"q_num_heads", 1L}, {"kv_num_heads", 1L}, {"scale", 1.0F}, {"update_rule", std::string(rule)}};
}
// q is 1, k is 1 and 2, v is 3 and 4.
std::vector<Tensor> attended(const char* rule, const std::vector<Tensor>& others = {}) {
  std::vector<Tensor> inputs = {two_steps(1, 1), two_steps(1, 2), two_steps(3, 4)};
  inputs.insert(inputs.end(), others.begin(), others.end());
  return run_operator("LinearAttention", 27, one_head(rule), inputs, 2);
}

TEST(LinearAttention, UpdatesItsStateByEachRule) {
  const Tensor half = two_steps(0, std::log(0.5F)), ones = two_steps(1, 1);
  const auto y = [](const std::vector<Tensor>& outputs) { return values<float>(outputs[0]); };
  EXPECT_EQ(y(attended("linear")), (Steps{3, 11}));
  EXPECT_EQ(y(attended("gated", {Tensor(), half})), (Steps{3, 9.5F}));
  EXPECT_EQ(y(attended("delta", {Tensor(), Tensor(), ones})), (Steps{3, -1}));
  // 1.5 + 2 * (4 - 1.5 * 2)
  EXPECT_EQ(y(attended("gated_delta", {Tensor(), half, ones})), (Steps{3, 3.5F}));
}

TEST(LinearAttention, StartsFromThePast) {
  const std::vector<Tensor> outputs = attended("linear", {Tensor::from<float>({1, 1, 1, 1}, {10})});
  EXPECT_EQ(values<float>(outputs[0]), (Steps{13, 21}));
  EXPECT_EQ(values<float>(outputs[1]), (Steps{21}));
}

TEST(LinearAttention, SharesHeadsOfKeys) {
  const AttributeList heads = {{"q_num_heads", 2L}, {"kv_num_heads", 1L}, {"update_rule", std::string("linear")}};
  const Tensor q = Tensor::from<float>({1, 1, 2}, {1, 5}), one = Tensor::from<float>({1, 1, 1}, {2});
  EXPECT_EQ(values<float>(run_operator("LinearAttention", 27, heads, {q, one, one}, 2)[0]), (Steps{4, 20}));
}

TEST(LinearAttention, ChecksItsConstraints) {
  const auto broken = [](const AttributeList& attributes, const std::vector<Tensor>& inputs) {
    return broken_constraint("LinearAttention", 27, attributes, inputs, 2);
  };
  const Tensor x = two_steps(1, 1);
  EXPECT_EQ(broken(one_head("linear"), {x, Tensor(DType::kFloat16, {1, 2, 1}), x}), "linear_attention_c1");
  EXPECT_EQ(broken(one_head("linear"), {x, x, Tensor(DType::kFloat, {1, 3, 1})}), "linear_attention_c2");
  EXPECT_EQ(broken({{"q_num_heads", 3L}, {"kv_num_heads", 2L}}, {x, x, x}), "linear_attention_c2");
  EXPECT_EQ(broken({}, {x, x, x}), "linear_attention_c2");
  EXPECT_EQ(broken(one_head("linear"), {x, x, x, Tensor(DType::kFloat, {1, 1, 2, 1})}), "linear_attention_c2");
  EXPECT_EQ(broken(one_head("gated"), {x, x, x, Tensor(), Tensor(DType::kFloat, {1, 2, 3})}), "linear_attention_c2");
  EXPECT_EQ(broken(one_head("odd"), {x, x, x}), "linear_attention_c3");
  EXPECT_EQ(broken(one_head("gated"), {x, x, x}), "linear_attention_c3");
  EXPECT_EQ(broken(one_head("linear"), {x, x, x, Tensor(), Tensor(), x}), "linear_attention_c3");
}

}  // namespace
}  // namespace octet
