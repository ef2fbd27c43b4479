// Which step is wrong, by what it read and what it made.
#include "octet/export/dump_comparison.h"

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

Tensor pair_of(std::int8_t first, std::int8_t second) { return Tensor::from<std::int8_t>({1, 2}, {first, second}); }

// a = -x, y = |a|.
const ReferenceEngine& engine() {
  static const ReferenceEngine made(
      lowered(model_from("f (x) => (y) { a = Neg (x)\n y = Abs (a) }", {value("x", DType::kInt8, SymbolicShape{1, 2})}),
              Policy::kAsWritten));
  return made;
}

Dumps dumped(const NamedTensors& tensors) {
  Dumps dumps;
  dumps.inputs[0].tensors = tensors;
  for (const auto& [name, tensor] : tensors) dumps.inputs[0].files[name] = name + ".npy";
  return dumps;
}

const std::vector<VectorInput> kGiven = {{"x.npy", {{"x", pair_of(1, 2)}}}};

// The dumped x is not the given one: a follows from it, and y is wrong.
TEST(DumpComparisons, BlameTheStepAndNotWhatItRead) {
  const DumpComparison found =
      compare_dumps(engine(), dumped({{"x", pair_of(5, 2)}, {"a", pair_of(-5, -2)}, {"y", pair_of(5, 3)}}), kGiven);
  EXPECT_FALSE(found.equal);
  ASSERT_EQ(found.verdicts.size(), 2U);
  EXPECT_TRUE(found.verdicts[0].follows());
  EXPECT_EQ(found.verdicts[0].end_to_end->differing, std::vector<std::int64_t>{0});
  ASSERT_NE(found.first_wrong(), nullptr);
  EXPECT_EQ(found.first_wrong()->tensor, "y");
  EXPECT_EQ(found.first_wrong()->judged().differing, std::vector<std::int64_t>{1});
}

TEST(DumpComparisons, NameTheFirstThatDiffersWhereEveryStepIsRight) {
  const DumpComparison found =
      compare_dumps(engine(), dumped({{"x", pair_of(5, 2)}, {"a", pair_of(-5, -2)}, {"y", pair_of(5, 2)}}), kGiven);
  EXPECT_FALSE(found.equal);
  ASSERT_NE(found.first_wrong(), nullptr);
  EXPECT_EQ(found.first_wrong()->tensor, "a");
}

TEST(DumpComparisons, JudgeStepsAloneWithoutTheInputsOfTheNetwork) {
  const DumpComparison found = compare_dumps(engine(), dumped({{"a", pair_of(-5, -2)}, {"y", pair_of(5, 2)}}), {});
  EXPECT_TRUE(found.equal);
  EXPECT_EQ(found.tensors, 2U);
  EXPECT_EQ(found.compared, 1U);
  EXPECT_EQ(found.first_wrong(), nullptr);
  EXPECT_EQ(failure_of([] { compare_dumps(engine(), dumped({{"a", pair_of(1, 1)}}), {}); }).code(), ErrorCode::kUsage);
}

TEST(DumpComparisons, ListWhatIsMissing) {
  const DumpComparison found = compare_dumps(engine(), dumped({{"y", pair_of(1, 2)}}), kGiven);
  EXPECT_TRUE(found.equal);
  EXPECT_EQ(found.missing, std::vector<std::string>{"a"});
  Dumps second = dumped({});
  second.inputs.clear();
  second.inputs[1].tensors = {{"y", pair_of(1, 2)}};
  const std::vector<VectorInput> two = {kGiven[0], kGiven[0]};
  EXPECT_STREQ(failure_of([&] { compare_dumps(engine(), second, two); }).what(),
               "nothing was dumped of input 0, x.npy");
}

}  // namespace
}  // namespace octet
