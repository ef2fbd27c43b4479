// Attention, MultiHeadAttention and GroupQueryAttention of com.microsoft. tests/judge/attention_cases.py compares them with ONNX
// Runtime; these are cases whose weights are known, and what is refused.
#include <cmath>

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

using Inputs = std::vector<Tensor>;

std::vector<Tensor> run_microsoft(std::string_view op, const AttributeList& attributes, const Inputs& inputs,
                                  std::size_t outputs = 1) {
  static const Parallel parallel(2);
  return execute(*find_operator("com.microsoft", op), 1, attributes_of(attributes), inputs, outputs, {{}, parallel});
}

std::string refused_microsoft(std::string_view op, const AttributeList& attributes, const Inputs& inputs,
                              std::size_t outputs = 1) {
  try {
    run_microsoft(op, attributes, inputs, outputs);
  } catch (const Error& error) {
    return error.constraint();
  }
  return "";
}

void expect_attention(const Tensor& got, const Floats& want) {
  const Floats found = values<float>(got);
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(found[k], want[k], 1e-6) << "at " << k;
}

AttributeList and_also(AttributeList attributes, const AttributeList& more) {
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}

const AttributeList kOneHead = {{"num_heads", 1L}, {"scale", 1.0F}};
const AttributeList kOneGroup = {{"num_heads", 1L}, {"kv_num_heads", 1L}, {"scale", 1.0F}};

// ---- MultiHeadAttention

// Scores are 0: every key that counts has the same weight.
Inputs flat_heads() { return {f32({1, 2, 1}, {0, 0}), f32({1, 3, 1}, {0, 0, 0}), f32({1, 3, 1}, {3, 6, 12})}; }

TEST(MultiHeadAttention, AveragesTheKeysThatCount) {
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, flat_heads())[0], {7, 7});
  Inputs masked = flat_heads();
  masked.resize(5);
  masked[4] = i32({1}, {2});
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, masked)[0], {4.5F, 4.5F});
  masked[4] = i32({1, 3}, {0, 1, 1});
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, masked)[0], {9, 9});
  masked[4] = i32({1, 2, 3}, {1, 0, 0, 0, 0, 1});
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, masked)[0], {3, 12});
}

TEST(MultiHeadAttention, SeesThePastFirstAndNotTheFuture) {
  Inputs inputs = {f32({1, 2, 1}, {0, 0}), f32({1, 2, 1}, {0, 0}), f32({1, 2, 1}, {3, 6})};
  inputs.resize(8);
  inputs[6] = f32({1, 1, 1, 1}, {5});
  inputs[7] = f32({1, 1, 1, 1}, {12});
  const auto y = run_microsoft("MultiHeadAttention", and_also(kOneHead, {{"unidirectional", 1L}}), inputs, 3);
  expect_attention(y[0], {7.5F, 7});
  EXPECT_EQ(values<float>(y[1]), (Floats{5, 0, 0}));
  EXPECT_EQ(values<float>(y[2]), (Floats{12, 3, 6}));
}

TEST(MultiHeadAttention, AddsBiasToRowsAndNotToHeadsThatAreGiven) {
  const float log3 = std::log(3.0F);
  Inputs inputs = {f32({1, 1, 1}, {0}), f32({1, 2, 1}, {0, log3}), f32({1, 2, 1}, {0, 8}), f32({3}, {1, 0, 100})};
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, inputs)[0], {106});
  inputs[1] = f32({1, 1, 2, 1}, {0, log3});
  inputs[2] = f32({1, 1, 2, 1}, {0, 8});
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, inputs)[0], {6});
  inputs.resize(6);
  inputs[5] = f32({1, 1, 1, 2}, {log3, 0});
  expect_attention(run_microsoft("MultiHeadAttention", kOneHead, inputs)[0], {4});
}

TEST(MultiHeadAttention, Constraints) {
  const auto why = [](const Inputs& inputs, const AttributeList& attributes = kOneHead, std::size_t outputs = 1) {
    return refused_microsoft("MultiHeadAttention", attributes, inputs, outputs);
  };
  Inputs all = flat_heads();
  all.resize(10);
  EXPECT_EQ(why(with(all, 4, u8({1}, {2}))), "multi_head_attention_c1");
  EXPECT_EQ(why(with(all, 2, {})), "multi_head_attention_c2");
  EXPECT_EQ(why(all, {{"num_heads", 2L}}), "multi_head_attention_c2");
  EXPECT_EQ(why(all, {{"num_heads", 0L}}), "multi_head_attention_c2");
  EXPECT_EQ(why(with(all, 1, f32({1, 3, 2}, {0, 0, 0, 0, 0, 0}))), "multi_head_attention_c2");
  EXPECT_EQ(why(with(all, 1, f32({1, 1, 3, 1}, {0, 0, 0}))), "multi_head_attention_c2");
  EXPECT_EQ(why(with(all, 3, f32({2}, {0, 0}))), "multi_head_attention_c2");
  EXPECT_EQ(why(with(all, 6, f32({1, 1, 1, 1}, {5}))), "multi_head_attention_c3");
  EXPECT_EQ(why(with(all, 4, i32({2}, {2, 2}))), "multi_head_attention_c4");
  EXPECT_EQ(why(with(all, 5, f32({1, 1, 2, 2}, {0, 0, 0, 0}))), "multi_head_attention_c4");
  EXPECT_EQ(why(all, {{"num_heads", 1L}, {"scale", -1.0F}}), "multi_head_attention_c5");
  EXPECT_EQ(why(with(all, 8, i32({1}, {2}))), "multi_head_attention_c5");
  EXPECT_EQ(why(all, kOneHead, 4), "multi_head_attention_c5");
  EXPECT_EQ(why(all), "");
}

// ---- Attention

// q and k are 0, v is the input.
Inputs projecting(const Floats& x) {
  return {f32({1, static_cast<std::int64_t>(x.size()), 1}, x), f32({1, 3}, {0, 0, 1}), f32({3}, {0, 0, 1})};
}

TEST(MicrosoftAttention, ProjectsAndAverages) {
  expect_attention(run_microsoft("Attention", kOneHead, projecting({2, 5, 11}))[0], {7, 7, 7});
  Inputs inputs = projecting({2, 5, 11});
  inputs.resize(6);
  inputs[5] = f32({1, 1, 3, 3}, {0, 0, -99, 0, 0, -99, -99, -99, 0});
  expect_attention(run_microsoft("Attention", kOneHead, inputs)[0], {4.5F, 4.5F, 12});
  inputs = projecting({2, 5});
  inputs.resize(5);
  inputs[4] = f32({2, 1, 1, 1, 1}, {9, 30});
  const auto y = run_microsoft("Attention", and_also(kOneHead, {{"unidirectional", 1L}}), inputs, 2);
  expect_attention(y[0], {16.5F, 13});
  EXPECT_EQ(values<float>(y[1]), (Floats{9, 0, 0, 30, 3, 6}));
}

TEST(MicrosoftAttention, TakesValuesOfAnotherWidth) {
  const Inputs inputs = {f32({1, 1, 1}, {2}), f32({1, 4}, {0, 0, 1, 2}), {}};
  const AttributeList sizes = {{"num_heads", 1L}, {"qkv_hidden_sizes", std::vector<std::int64_t>{1, 1, 2}}};
  expect_attention(run_microsoft("Attention", sizes, inputs)[0], {2, 4});
  EXPECT_EQ(refused_microsoft("Attention", sizes, inputs, 2), "microsoft_attention_c2");
}

TEST(MicrosoftAttention, Constraints) {
  const auto why = [](const Inputs& inputs, const AttributeList& attributes = kOneHead) {
    return refused_microsoft("Attention", attributes, inputs);
  };
  Inputs all = projecting({2, 5});
  all.resize(7);
  EXPECT_EQ(why(with(all, 3, u8({1}, {2}))), "microsoft_attention_c1");
  EXPECT_EQ(why(with(all, 2, f32({2}, {0, 0}))), "microsoft_attention_c2");
  EXPECT_EQ(why(all, {{"num_heads", 2L}}), "microsoft_attention_c2");
  EXPECT_EQ(why(all, and_also(kOneHead, {{"qkv_hidden_sizes", std::vector<std::int64_t>{1, 1, 2}}})),
            "microsoft_attention_c2");
  EXPECT_EQ(why(with(all, 4, f32({1, 1, 1, 1, 1}, {9}))), "microsoft_attention_c2");
  EXPECT_EQ(why(with(all, 3, i32({3}, {1, 1, 1}))), "microsoft_attention_c3");
  EXPECT_EQ(why(with(all, 5, f32({1, 1, 1, 2}, {0, 0}))), "microsoft_attention_c3");
  EXPECT_EQ(why(all, and_also(kOneHead, {{"do_rotary", 1L}})), "microsoft_attention_c4");
  EXPECT_EQ(why(with(all, 6, i32({1}, {1}))), "microsoft_attention_c4");
  EXPECT_EQ(why(all, {{"num_heads", 1L}, {"scale", -1.0F}}), "microsoft_attention_c4");
  EXPECT_EQ(why(all), "");
}

// ---- GroupQueryAttention

Inputs one_group(const Floats& v, std::int32_t length, std::int32_t total) {
  const auto steps = static_cast<std::int64_t>(v.size());
  const Floats zeros(v.size(), 0.0F);
  return {f32({1, steps, 1}, zeros), f32({1, steps, 1}, zeros), f32({1, steps, 1}, v), {}, {},
          i32({1}, {length}),        i32({}, {total})};
}

TEST(GroupQueryAttention, OfAPromptSeesWhatCameBefore) {
  const auto y = run_microsoft("GroupQueryAttention", kOneGroup, one_group({3, 6, 12}, 2, 3), 3);
  expect_attention(y[0], {3, 4.5F, 7});
  EXPECT_EQ(values<float>(y[2]), (Floats{3, 6, 12}));
  const AttributeList window = and_also(kOneGroup, {{"local_window_size", 2L}});
  expect_attention(run_microsoft("GroupQueryAttention", window, one_group({3, 6, 12}, 2, 3))[0], {3, 4.5F, 9});
  const AttributeList everywhere = and_also(kOneGroup, {{"causal", 0L}});
  expect_attention(run_microsoft("GroupQueryAttention", everywhere, one_group({3, 6, 12}, 1, 3))[0],
                   {4.5F, 4.5F, 4.5F});
}

TEST(GroupQueryAttention, WritesBehindThePastOfEachImage) {
  Inputs inputs = one_group({6}, 1, 4);
  inputs[3] = f32({1, 1, 3, 1}, {1, 2, 9});
  inputs[4] = f32({1, 1, 3, 1}, {3, 99, 99});
  const auto y = run_microsoft("GroupQueryAttention", kOneGroup, inputs, 3);
  expect_attention(y[0], {4.5F});
  EXPECT_EQ(values<float>(y[1]), (Floats{1, 0, 0, 0}));
  EXPECT_EQ(values<float>(y[2]), (Floats{3, 6, 0, 0}));
}

TEST(GroupQueryAttention, SinksTakeWeight) {
  Inputs inputs = one_group({6}, 0, 1);
  expect_attention(run_microsoft("GroupQueryAttention", and_also(kOneGroup, {{"smooth_softmax", 1L}}), inputs)[0], {3});
  inputs.resize(12);
  inputs[11] = f32({1}, {std::log(2.0F)});
  expect_attention(run_microsoft("GroupQueryAttention", kOneGroup, inputs)[0], {2});
}

TEST(GroupQueryAttention, RotatesQueriesAndKeysOfAPackedInput) {
  // Heads of 2: the second position turns by a quarter, (1, 0) becomes (0, 1), so the scores are 1 with itself, 0 with the first.
  const Inputs inputs = {f32({1, 2, 6}, {1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 4, 8}),
                         {},
                         {},
                         {},
                         {},
                         i32({1}, {1}),
                         i32({}, {2}),
                         f32({2, 1}, {1, 0}),
                         f32({2, 1}, {0, 1})};
  const AttributeList attributes = and_also(kOneGroup, {{"do_rotary", 1L}});
  const auto y = run_microsoft("GroupQueryAttention", attributes, inputs, 3);
  const float weight = 1 / (1 + std::exp(-1.0F));
  expect_attention(y[0], {0, 0, 4 * weight, 8 * weight});
  EXPECT_EQ(values<float>(y[1]), (Floats{1, 0, 0, 1}));
}

TEST(GroupQueryAttention, Constraints) {
  const auto why = [](const Inputs& inputs, const AttributeList& attributes = kOneGroup, std::size_t outputs = 1) {
    return refused_microsoft("GroupQueryAttention", attributes, inputs, outputs);
  };
  Inputs all = one_group({3, 6}, 1, 2);
  all.resize(16);
  const auto ten = [](Shape shape) { return Tensor(DType::kFloat, std::move(shape)); };
  EXPECT_EQ(why(with(all, 5, u8({1}, {1}))), "group_query_attention_c1");
  EXPECT_EQ(why(with(all, 3, u8({1, 1, 1, 1}, {1}))), "group_query_attention_c1");
  EXPECT_EQ(why(all, {{"num_heads", 3L}, {"kv_num_heads", 2L}}), "group_query_attention_c2");
  EXPECT_EQ(why(with(all, 1, {})), "group_query_attention_c2");
  EXPECT_EQ(why(with(all, 1, ten({1, 3, 1}))), "group_query_attention_c2");
  EXPECT_EQ(why(with(all, 3, ten({1, 1, 3, 1}))), "group_query_attention_c3");
  EXPECT_EQ(why(with(all, 5, i32({1}, {2}))), "group_query_attention_c3");
  EXPECT_EQ(why(with(all, 5, i32({1}, {-1}))), "group_query_attention_c3");
  EXPECT_EQ(why(with(all, 6, i32({}, {3}))), "group_query_attention_c3");
  EXPECT_EQ(why(all, and_also(kOneGroup, {{"do_rotary", 1L}})), "group_query_attention_c4");
  Inputs wide = {ten({1, 2, 2}), ten({1, 2, 2}), ten({1, 2, 2}), {},         {},
                 i32({1}, {1}),  i32({}, {2}),   ten({1, 1}),    ten({1, 1})};
  EXPECT_EQ(why(wide, and_also(kOneGroup, {{"do_rotary", 1L}})), "group_query_attention_c4")
      << "two positions, one row";
  wide[7] = wide[8] = ten({2, 2});
  EXPECT_EQ(why(wide, and_also(kOneGroup, {{"do_rotary", 1L}})), "group_query_attention_c4") << "too wide";
  EXPECT_EQ(why(with(all, 10, ten({1, 1, 2, 3}))), "group_query_attention_c5");
  EXPECT_EQ(why(with(all, 11, ten({2}))), "group_query_attention_c5");
  EXPECT_EQ(why(with(all, 14, ten({1}))), "group_query_attention_c6");
  EXPECT_EQ(why(all, and_also(kOneGroup, {{"sliding_window_cache", 1L}})), "group_query_attention_c6");
  EXPECT_EQ(why(all, and_also(kOneGroup, {{"softcap", -1.0F}})), "group_query_attention_c6");
  EXPECT_EQ(why(all, and_also(kOneGroup, {{"causal", 2L}})), "group_query_attention_c6");
  EXPECT_EQ(why(all, kOneGroup, 4), "group_query_attention_c6");
  EXPECT_EQ(why(all), "");
}

}  // namespace
}  // namespace octet
