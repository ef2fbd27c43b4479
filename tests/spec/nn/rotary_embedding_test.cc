// RotaryEmbedding. tests/judge/functions.py compares every form with ONNX Runtime and with the standard's own body.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor position_ids(Shape shape, const std::vector<std::int64_t>& elements) {
  return Tensor::from<std::int64_t>(std::move(shape), elements);
}

// Rows 0 and 1: no turn, and a quarter of one.
const Tensor& cosines() {
  static const Tensor tensor = f32({2, 1}, {1, 0});
  return tensor;
}
const Tensor& sines() {
  static const Tensor tensor = f32({2, 1}, {0, 1});
  return tensor;
}

TEST(RotaryEmbedding, TurnsHalvesOrNeighbours) {
  const Tensor x = f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor cos = f32({1, 2, 2}, {1, 1, 0, 0}), sin = f32({1, 2, 2}, {0, 0, 1, 1});
  EXPECT_EQ(values<float>(apply("RotaryEmbedding", {}, {x, cos, sin})), (Floats{1, 2, 3, 4, -7, -8, 5, 6}));
  EXPECT_EQ(values<float>(apply("RotaryEmbedding", {{"interleaved", 1L}}, {x, cos, sin})),
            (Floats{1, 2, 3, 4, -6, 5, -8, 7}));
}

TEST(RotaryEmbedding, IgnoresNumHeadsWhereHeadsAreAnAxis) {
  const Tensor x = f32({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<Tensor> inputs = {x, cosines(), sines(), position_ids({1, 2}, {0, 1})};
  const Floats want = {1, 2, -4, 3, 5, 6, -8, 7};
  EXPECT_EQ(values<float>(apply("RotaryEmbedding", {}, inputs)), want);
  for (const std::int64_t heads : {1, 2, 7})
    EXPECT_EQ(values<float>(apply("RotaryEmbedding", {{"num_heads", heads}}, inputs)), want) << heads;
  // The same heads side by side.
  const std::vector<Tensor> rows = with(inputs, 0, f32({1, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8}));
  EXPECT_EQ(values<float>(apply("RotaryEmbedding", {{"num_heads", 2L}}, rows)), (Floats{1, 2, 5, 6, -4, 3, -8, 7}));
}

TEST(RotaryEmbedding, KeepsTheRestOfAHead) {
  const std::vector<Tensor> inputs = {f32({1, 1, 4}, {1, 2, 3, 4}), cosines(), sines(), position_ids({1, 1}, {1})};
  EXPECT_EQ(values<float>(apply("RotaryEmbedding", {{"num_heads", 1L}, {"rotary_embedding_dim", 2L}}, inputs)),
            (Floats{-2, 1, 3, 4}));
}

TEST(RotaryEmbedding, OfMicrosoftCountsFromAnOffset) {
  static const Parallel parallel(1);
  const auto run = [&](const AttributeList& attributes, const std::vector<Tensor>& inputs) {
    return values<float>(execute(*find_operator("com.microsoft", "RotaryEmbedding"), 1, attributes_of(attributes),
                                 inputs, 1, {{}, parallel})[0]);
  };
  const Tensor cos = f32({3, 1}, {9, 1, 0}), sin = f32({3, 1}, {9, 0, 1});
  const std::vector<Tensor> inputs = {f32({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), position_ids({1}, {1}), cos, sin};
  const Floats want = {1, 2, 3, 4, -6, 5, -8, 7};
  EXPECT_EQ(run({}, inputs), want) << "the caches say how large a head is";
  EXPECT_EQ(run({{"num_heads", 2L}}, inputs), want);
  EXPECT_EQ(run({}, with(inputs, 1, position_ids({1, 2}, {1, 2}))), want);
  EXPECT_THROW(run({}, with(inputs, 1, position_ids({1}, {2}))), Error);
}

TEST(RotaryEmbedding, Constraints) {
  const std::vector<Tensor> inputs = {f32({1, 1, 1, 2}, {1, 2}), cosines(), sines(), position_ids({1, 1}, {1})};
  const auto why = [](const std::vector<Tensor>& given, const AttributeList& attributes = {}) {
    return refused("RotaryEmbedding", attributes, given);
  };
  EXPECT_EQ(why(inputs), "");
  EXPECT_EQ(why(with(inputs, 3, i32({1, 1}, {1}))), "rotary_embedding_c1");
  EXPECT_EQ(why(with(inputs, 0, f32({1, 2}, {1, 2}))), "rotary_embedding_c2");
  EXPECT_EQ(why(with(inputs, 0, f32({1, 1, 2}, {1, 2}))), "rotary_embedding_c2");
  EXPECT_EQ(why(with(inputs, 0, f32({1, 1, 2}, {1, 2})), {{"num_heads", 4L}}), "rotary_embedding_c2");
  for (const std::int64_t turned : {-2, 1, 4})
    EXPECT_EQ(why(inputs, {{"rotary_embedding_dim", turned}}), "rotary_embedding_c3") << turned;
  EXPECT_EQ(why(with(inputs, 0, f32({1, 1, 1, 3}, {1, 2, 3}))), "rotary_embedding_c3");
  EXPECT_EQ(why(with(inputs, 1, f32({2, 2}, {1, 2, 3, 4}))), "rotary_embedding_c4");
  EXPECT_EQ(why({inputs[0], inputs[1], inputs[2]}), "rotary_embedding_c4");
  EXPECT_EQ(why(with(inputs, 3, position_ids({1}, {1}))), "rotary_embedding_c5");
  for (const std::int64_t position : {-1, 2})
    EXPECT_EQ(why(with(inputs, 3, position_ids({1, 1}, {position}))), "rotary_embedding_c5");
}

}  // namespace
}  // namespace octet
