#include "tests/support/run_operator.h"

namespace octet {
namespace {

std::vector<std::int32_t> cumulated(const AttributeList& attributes, const std::vector<std::int32_t>& x) {
  const Tensor input = Tensor::from<std::int32_t>({static_cast<std::int64_t>(x.size())}, x);
  return values<std::int32_t>(run_operator("CumProd", 26, attributes, {input, int64s({0})})[0]);
}

TEST(CumProd, MultipliesFromEitherEnd) {
  using Row = std::vector<std::int32_t>;
  EXPECT_EQ(cumulated({}, {2, 3, 4}), (Row{2, 6, 24}));
  EXPECT_EQ(cumulated({{"exclusive", 1L}}, {2, 3, 4}), (Row{1, 2, 6}));
  EXPECT_EQ(cumulated({{"reverse", 1L}}, {2, 3, 4}), (Row{24, 12, 4}));
  EXPECT_EQ(cumulated({{"reverse", 1L}, {"exclusive", 1L}}, {2, 3, 4}), (Row{12, 4, 1}));
  EXPECT_EQ(cumulated({}, {65536, 65536, 7}), (Row{65536, 0, 0}));  // wraps
}

TEST(CumProd, WalksAnyAxis) {
  const Tensor x = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(values<float>(run_operator("CumProd", 26, {}, {x, int64s({-2})})[0]), (std::vector<float>{1, 2, 3, 8}));
}

TEST(CumProd, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("CumProd", 26, {}, {Tensor(DType::kBool, {2}), int64s({0})}), "cum_prod_c1");
  EXPECT_EQ(broken_constraint("CumProd", 26, {}, {Tensor(DType::kFloat, {2}), int64s({1})}), "cum_prod_c2");
  EXPECT_EQ(broken_constraint("CumProd", 26, {}, {Tensor(DType::kFloat, {2}), int64s({0, 0})}), "cum_prod_c2");
  EXPECT_EQ(broken_constraint("CumProd", 26, {}, {Tensor(DType::kFloat, {2}), Tensor(DType::kFloat, {})}),
            "cum_prod_c2");
}

}  // namespace
}  // namespace octet
