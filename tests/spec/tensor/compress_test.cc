#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Slices = std::vector<float>;

Tensor flags(std::initializer_list<bool> set) {
  return Tensor::from<bool>({static_cast<std::int64_t>(set.size())}, set);
}

Tensor three_by_two() { return Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }

TEST(Compress, KeepsWhatIsSet) {
  const Tensor rows = run_operator("Compress", 11, {{"axis", 0L}}, {three_by_two(), flags({false, true, true})})[0];
  EXPECT_EQ(values<float>(rows), (Slices{3, 4, 5, 6}));
  const Tensor column = run_operator("Compress", 28, {{"axis", -1L}}, {three_by_two(), flags({false, true})})[0];
  EXPECT_EQ(values<float>(column), (Slices{2, 4, 6}));
  EXPECT_EQ(column.shape(), (Shape{3, 1}));
  const Tensor flat = run_operator("Compress", 9, {}, {three_by_two(), flags({false, true, false, false, true})})[0];
  EXPECT_EQ(values<float>(flat), (Slices{2, 5}));
  EXPECT_EQ(run_operator("Compress", 9, {}, {three_by_two(), flags({false})})[0].shape(), (Shape{0}));
}

TEST(Compress, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Compress", 11, {}, {three_by_two(), int64s({1})}), "compress_c1");
  EXPECT_EQ(broken_constraint("Compress", 11, {{"axis", 1L}}, {three_by_two(), flags({true, true, true})}),
            "compress_c1");
  EXPECT_EQ(broken_constraint("Compress", 11, {{"axis", 2L}}, {three_by_two(), flags({true})}), "compress_c2");
}

TEST(ReverseSequence, ReversesEachSequence) {
  const Tensor x = counting<float>({3, 2});  // columns 0 2 4 and 1 3 5
  EXPECT_EQ(values<float>(run_operator("ReverseSequence", 10, {}, {x, int64s({3, 2})})[0]), (Slices{4, 3, 2, 1, 0, 5}));
  const AttributeList rows = {{"batch_axis", 0L}, {"time_axis", 1L}};
  EXPECT_EQ(values<float>(run_operator("ReverseSequence", 28, rows, {x, int64s({0, 1, 2})})[0]),
            (Slices{0, 1, 2, 3, 5, 4}));
}

TEST(ReverseSequence, ChecksItsConstraints) {
  const Tensor x = counting<float>({3, 2});
  const AttributeList same = {{"batch_axis", 1L}, {"time_axis", 1L}};
  EXPECT_EQ(broken_constraint("ReverseSequence", 10, same, {x, int64s({3, 2})}), "reverse_sequence_c1");
  EXPECT_EQ(broken_constraint("ReverseSequence", 10, {}, {counting<float>({3}), int64s({3})}), "reverse_sequence_c1");
  EXPECT_EQ(broken_constraint("ReverseSequence", 10, {}, {x, int64s({4, 2})}), "reverse_sequence_c2");
  EXPECT_EQ(broken_constraint("ReverseSequence", 10, {}, {x, int64s({-1, 2})}), "reverse_sequence_c2");
  EXPECT_EQ(broken_constraint("ReverseSequence", 10, {}, {x, int64s({1})}), "reverse_sequence_c2");
  EXPECT_EQ(broken_constraint("ReverseSequence", 10, {}, {x, Tensor(DType::kInt32, {2})}), "reverse_sequence_c2");
}

TEST(Unique, SortsAndCounts) {
  using Row = std::vector<std::int64_t>;
  const Tensor x = Tensor::from<float>({6}, {2, 1, 1, 3, 4, 3});
  const std::vector<Tensor> sorted = run_operator("Unique", 11, {}, {x}, 4);
  EXPECT_EQ(values<float>(sorted[0]), (Slices{1, 2, 3, 4}));
  EXPECT_EQ(values<std::int64_t>(sorted[1]), (Row{1, 0, 3, 4}));
  EXPECT_EQ(values<std::int64_t>(sorted[2]), (Row{1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(values<std::int64_t>(sorted[3]), (Row{2, 1, 2, 1}));
  const std::vector<Tensor> found = run_operator("Unique", 28, {{"sorted", 0L}}, {x}, 3);
  EXPECT_EQ(values<float>(found[0]), (Slices{2, 1, 3, 4}));
  EXPECT_EQ(values<std::int64_t>(found[2]), (Row{0, 1, 1, 2, 3, 2}));
}

TEST(Unique, ComparesSlicesAlongAnAxis) {
  const Tensor x = Tensor::from<std::int32_t>({3, 2}, {1, 0, 0, 5, 1, 0});
  const Tensor y = run_operator("Unique", 11, {{"axis", 0L}}, {x})[0];
  EXPECT_EQ(values<std::int32_t>(y), (std::vector<std::int32_t>{0, 5, 1, 0}));
  EXPECT_EQ(run_operator("Unique", 11, {{"axis", 1L}}, {Tensor(DType::kFloat, {0, 2})})[0].shape(), (Shape{0, 1}));
}

TEST(Unique, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Unique", 11, {}, {Tensor(DType::kInt4, {2})}), "unique_c1");
  EXPECT_EQ(broken_constraint("Unique", 11, {{"axis", 1L}}, {Tensor(DType::kFloat, {2})}), "unique_c2");
}

}  // namespace
}  // namespace octet
