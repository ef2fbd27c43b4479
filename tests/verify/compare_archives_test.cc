#include "octet/verify/compare_archives.h"

#include <gtest/gtest.h>

#include "octet/system/npz.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

TEST(CompareArchives, SaysOfEachArrayHowItDiffers) {
  const TemporaryFolder folder;
  const Tensor bytes = Tensor::from<std::int8_t>({2, 2}, {1, 2, 3, 4});
  save_npz({{"a", bytes}, {"b", bytes}, {"c", bytes}, {"d", bytes}}, folder / "golden.npz");
  save_npz({{"a", bytes},
            {"b", Tensor::from<std::int8_t>({2, 2}, {1, 2, 0, 9})},
            {"c", Tensor::from<std::int8_t>({4}, {1, 2, 3, 4})},
            {"e", bytes}},
           folder / "mine.npz");
  const ArchiveComparison found = compare_archives(folder / "golden.npz", folder / "mine.npz");
  EXPECT_FALSE(found.equal());
  EXPECT_EQ(found.common, 3);
  ASSERT_EQ(found.arrays.size(), 4U);
  EXPECT_TRUE(found.arrays[0].equal());
  EXPECT_EQ(found.arrays[0].elements, 4);
  EXPECT_EQ(found.arrays[1].differing, 2);
  EXPECT_EQ(found.arrays[1].largest, 5);
  EXPECT_EQ(found.arrays[1].first, (Shape{1, 0}));
  EXPECT_FALSE(found.arrays[2].wrong.empty());
  EXPECT_FALSE(found.arrays[2].equal());
  EXPECT_TRUE(found.arrays[3].missing);
  EXPECT_FALSE(found.arrays[3].equal());
  EXPECT_TRUE(compare_archives(folder / "mine.npz", folder / "mine.npz").equal());
}

TEST(CompareArchives, RefusesArchivesWithoutACommonArray) {
  const TemporaryFolder folder;
  save_npz({{"a", Tensor::from<float>({1}, {1})}}, folder / "golden.npz");
  save_npz({{"b", Tensor::from<float>({1}, {1})}}, folder / "mine.npz");
  const Error refused = failure_of([&] { compare_archives(folder / "golden.npz", folder / "mine.npz"); });
  EXPECT_EQ(refused.code(), ErrorCode::kUsage);
}

}  // namespace
}  // namespace octet
