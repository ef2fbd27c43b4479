#include "tests/support/run_operator.h"

namespace octet {
namespace {

TEST(Det, GivesOneNumberPerMatrix) {
  const Tensor x = Tensor::from<float>({3, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0, 1, 2, 2, 4});
  const Tensor y = run_operator("Det", 11, {}, {x})[0];
  EXPECT_EQ(values<float>(y), (std::vector<float>{-2, -1, 0}));
  EXPECT_EQ(y.shape(), (Shape{3}));
  EXPECT_EQ(run_operator("Det", 22, {}, {Tensor(DType::kDouble, {0, 0})})[0].number_at(0), 1);
}

TEST(Det, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Det", 11, {}, {Tensor(DType::kInt32, {2, 2})}), "det_c1");
  EXPECT_EQ(broken_constraint("Det", 11, {}, {Tensor(DType::kFloat, {2, 3})}), "det_c2");
  EXPECT_EQ(broken_constraint("Det", 11, {}, {Tensor(DType::kFloat, {2})}), "det_c2");
}

}  // namespace
}  // namespace octet
