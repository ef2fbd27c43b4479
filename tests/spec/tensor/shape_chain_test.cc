// Shapes computed by the network itself, followed through with a symbolic batch.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

Fact int64_fact(const std::vector<std::int64_t>& elements) { return Fact::of(int64s(elements)); }

Fact scalar_fact(std::int64_t value) { return Fact::of(Tensor::scalar(value)); }

Fact image() { return fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), 3, 8, 8}); }

// x.view(x.shape[0], -1)
TEST(ShapeChain, FlattensTheWayExportersWriteIt) {
  const Fact shape = infer_operator("Shape", 13, {}, {image()});
  const Fact batch = infer_operator("Gather", 13, {}, {shape, scalar_fact(0)});
  const Fact vector = infer_operator("Unsqueeze", 13, {}, {batch, int64_fact({0})});
  const Fact target = infer_operator("Concat", 13, {{"axis", 0L}}, {vector, int64_fact({-1})});
  EXPECT_EQ(infer_operator("Reshape", 13, {}, {image(), target}).shape, (SymbolicShape{Dim::symbol("N"), 192}));
}

// x.view(x.shape[0], 3, x.shape[2] * x.shape[3])
TEST(ShapeChain, MultipliesDimensions) {
  const Fact shape = infer_operator("Shape", 13, {}, {image()});
  const Fact sides = infer_operator("Slice", 13, {}, {shape, int64_fact({2}), int64_fact({INT64_MAX})});
  const std::vector<Fact> parts = {infer_operator("Gather", 13, {}, {sides, scalar_fact(0)}),
                                   infer_operator("Gather", 13, {}, {sides, scalar_fact(1)})};
  const Fact area = infer_operator("Mul", 13, {}, parts);
  EXPECT_EQ(area.elements, (std::vector<Dim>{64}));
  const Fact halved = infer_operator("Div", 13, {}, {area, scalar_fact(2)});
  const Fact last = infer_operator("Reshape", 13, {}, {halved, int64_fact({1})});
  const Fact batch = infer_operator("Slice", 13, {}, {shape, int64_fact({0}), int64_fact({1})});
  const Fact target = infer_operator("Concat", 13, {{"axis", 0L}}, {batch, int64_fact({-1}), last});
  EXPECT_EQ(infer_operator("Reshape", 13, {}, {image(), target}).shape, (SymbolicShape{Dim::symbol("N"), 6, 32}));
}

// x.expand(-1, 4): where(shape == -1, 1, shape)
TEST(ShapeChain, ReplacesMinusOneInExpand) {
  const Fact column = fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), 1});
  const Fact requested = int64_fact({-1, 4});
  const AttributeList ones = {{"value", Tensor::from<std::int64_t>({1}, {1})}};
  const Fact neutral = infer_operator("ConstantOfShape", 9, ones, {int64_fact({2})});
  const Fact negated = infer_operator("Mul", 13, {}, {neutral, scalar_fact(-1)});
  const Fact equal = infer_operator("Equal", 13, {}, {requested, negated});
  const Fact target = infer_operator("Where", 9, {}, {equal, neutral, requested});
  EXPECT_EQ(infer_operator("Expand", 13, {}, {column, target}).shape, (SymbolicShape{Dim::symbol("N"), 4}));
}

TEST(ShapeChain, GoesThroughCastsAndIdentity) {
  const Fact shape = infer_operator("Shape", 13, {}, {image()});
  const Fact narrow = infer_operator("Cast", 13, {{"to", 6L}}, {shape});
  const Fact wide = infer_operator("Cast", 13, {{"to", 7L}}, {infer_operator("Identity", 13, {}, {narrow})});
  EXPECT_EQ(infer_operator("Squeeze", 13, {}, {wide}).elements, shape.elements);
  EXPECT_EQ(infer_operator("ConstantOfShape", 9, {}, {wide}).shape, image().shape);
}

TEST(ShapeChain, CountsToASymbol) {
  const Fact batch = infer_operator("Gather", 13, {}, {infer_operator("Shape", 13, {}, {image()}), scalar_fact(0)});
  EXPECT_EQ(infer_operator("Range", 11, {}, {scalar_fact(0), batch, scalar_fact(1)}).shape,
            (SymbolicShape{Dim::symbol("N")}));
}

TEST(ShapeChain, KeepsWhatIsKnownBesideWhatIsNot) {
  const Fact unknown = fact(DType::kInt64, SymbolicShape{1});
  const Fact target = infer_operator("Concat", 13, {{"axis", 0L}}, {unknown, int64_fact({3, 64})});
  EXPECT_EQ(infer_operator("Reshape", 13, {}, {image(), target}).shape, (SymbolicShape{Dim(), 3, 64}));
}

}  // namespace
}  // namespace octet
