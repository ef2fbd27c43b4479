#include "octet/export/support/c_values.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/networks.h"

namespace octet {
namespace {

ValueId named(const Program& program, std::string_view name) {
  for (ValueId id = 0; id < program.values.size(); ++id)
    if (program.values[id].name == name) return id;
  ADD_FAILURE() << name << " is missing";
  return 0;
}

// Exported C reads vectors from its memory: every value stands at a multiple of 16 bytes, so that 20 bytes take 32.
TEST(CValues, StandAtMultiplesOf16Bytes) {
  const Program program = lowered(network("main (x) => (y) { a = Neg (x)\n b = Abs (a)\n c = Add (a, b)\n"
                                          " d = Add (c, a)\n y = Add (d, b) }",
                                          {value("x", DType::kFloat, SymbolicShape{1, 5})}, {}),
                                  Policy::kAsWritten);
  const CValues values(program);
  std::vector<std::int64_t> offsets;
  for (const char* name : {"a", "b", "c", "d"}) {
    const CPlace place = values.place(named(program, name));
    ASSERT_EQ(place.kind, CPlace::Kind::kMemory) << name;
    offsets.push_back(place.number);
  }
  std::ranges::sort(offsets);
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 32, 64, 96}));
  EXPECT_EQ(values.memory_bytes(), 116);
  EXPECT_EQ(values.place(named(program, "x")).kind, CPlace::Kind::kInput);
  EXPECT_EQ(values.place(named(program, "y")).kind, CPlace::Kind::kOutput);
}

// A chain that takes any order follows the convolution behind it, from its end to its begin, and the branch beside it.
TEST(CValues, FollowTheConvolutionWhereverItStands) {
  const Program program =
      lowered(network("main (x) => (y) { r = ReduceMean <axes: ints = [4], keepdims: int = 0> (x)\n"
                      " a = Neg (r)\n b = Abs (a)\n c = Neg (b)\n side = Abs (b)\n t = Conv (c, w)\n"
                      " s = Conv (side, w)\n y = Add (t, s) }",
                      {value("x", DType::kFloat, SymbolicShape{1, 2, 2, 2, 2})},
                      {{"w", Tensor::from<float>({2, 2, 1, 1}, {1, 2, 3, 4})}}),
              Policy::kAsWritten);
  const CValues values(program);
  for (const char* name : {"a", "b", "c", "side", "t", "s"})
    EXPECT_TRUE(values[named(program, name)].channels_last) << name;
  for (const char* name : {"x", "r", "y"}) EXPECT_FALSE(values[named(program, name)].channels_last) << name;
  EXPECT_EQ(values[named(program, "a")].strides(), (std::vector<std::int64_t>{8, 1, 4, 2}));
}

TEST(CValues, HaveTypesOfC) {
  EXPECT_EQ(c_type(DType::kInt8), "int8_t");
  EXPECT_EQ(c_type(DType::kUint16), "uint16_t");
  EXPECT_EQ(c_type(DType::kInt64), "int64_t");
  EXPECT_EQ(c_type(DType::kBool), "uint8_t");
  EXPECT_EQ(c_type(DType::kFloat), "float");
  EXPECT_EQ(c_type(DType::kDouble), "");
}

}  // namespace
}  // namespace octet
