#include "octet/base/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "octet/base/memory.h"
#include "octet/base/parallel.h"
#include "octet/base/tensor.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

constexpr std::int64_t kKiB = 1024;

TEST(MemoryBudget, CountsWhatIsAliveAndTheMostThatWas) {
  const MemoryBudget budget(100 * kKiB);
  {
    const Tensor first(DType::kFloat, {10 * kKiB});
    EXPECT_EQ(budget.used(), 40 * kKiB);
    const Tensor copy = first;  // shares the elements
    EXPECT_EQ(budget.used(), 40 * kKiB);
    const Tensor second(DType::kUint8, {50 * kKiB});
    EXPECT_EQ(budget.used(), 90 * kKiB);
    EXPECT_EQ(memory_left(), 10 * kKiB);
  }
  EXPECT_EQ(budget.used(), 0);
  EXPECT_EQ(budget.peak(), 90 * kKiB);
}

TEST(MemoryBudget, RefusesWhatDoesNotFitAndSaysWhatIsLeft) {
  const MemoryBudget budget(100 * kKiB);
  const Tensor fits(DType::kUint8, {60 * kKiB});
  const Error error = failure_of([] { Tensor(DType::kUint8, {41 * kKiB}); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.message(), "41 KiB of memory are wanted, and 40 KiB of 100 KiB are left");
  EXPECT_EQ(budget.used(), 60 * kKiB);
  EXPECT_NO_THROW(Tensor(DType::kUint8, {40 * kKiB}));
}

TEST(MemoryBudget, RefusesSizesThatWouldOverflowASum) {
  const MemoryBudget budget(std::numeric_limits<std::int64_t>::max());
  const Tensor some(DType::kUint8, {1});
  EXPECT_EQ(failure_of([] { Tensor(DType::kUint8, {std::numeric_limits<std::int64_t>::max()}); }).code(),
            ErrorCode::kLimit);
  EXPECT_EQ(failure_of([] { Tensor(DType::kString, {std::int64_t{1} << 60}); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(budget.used(), 1);
}

TEST(MemoryBudget, HoldsWithinTheOneAroundIt) {
  const MemoryBudget outer(100 * kKiB);
  const Tensor before(DType::kUint8, {70 * kKiB});
  {
    const MemoryBudget inner(50 * kKiB);
    EXPECT_EQ(memory_left(), 30 * kKiB);
    EXPECT_EQ(failure_of([] { Tensor(DType::kUint8, {40 * kKiB}); }).message(),
              "40 KiB of memory are wanted, and 30 KiB of 100 KiB are left");
    EXPECT_EQ(inner.used(), 0);
    const Tensor both(DType::kUint8, {20 * kKiB});
    EXPECT_EQ(inner.used(), 20 * kKiB);
    EXPECT_EQ(outer.used(), 90 * kKiB);
  }
  EXPECT_EQ(outer.used(), 70 * kKiB);
}

TEST(MemoryBudget, StandsInPlaceOfTheOneAroundItWhereAsked) {
  const MemoryBudget outer(100 * kKiB);
  const MemoryBudget inner(200 * kKiB, MemoryBudget::Around::kReplaced);
  const Tensor tensor(DType::kUint8, {150 * kKiB});
  EXPECT_EQ(inner.used(), 150 * kKiB);
  EXPECT_EQ(outer.used(), 0);
}

TEST(MemoryBudget, HoldsForNoOtherThread) {
  const MemoryBudget budget(100 * kKiB);
  std::thread([&] {
    const MemoryBudget other(200 * kKiB);
    const Tensor tensor(DType::kUint8, {150 * kKiB});
    EXPECT_EQ(other.used(), 150 * kKiB);
  }).join();
  EXPECT_EQ(budget.used(), 0);
}

TEST(MemoryBudget, KeepsCountOfTensorsThatOutliveIt) {
  const MemoryBudget outer(100 * kKiB);
  Tensor tensor;
  {
    const MemoryBudget inner(50 * kKiB);
    tensor = Tensor(DType::kUint8, {30 * kKiB});
  }
  EXPECT_EQ(outer.used(), 30 * kKiB);
  tensor = Tensor();
  EXPECT_EQ(outer.used(), 0);
}

TEST(MemoryBudget, CountsStrings) {
  const MemoryBudget budget(kKiB);
  EXPECT_EQ(failure_of([] { Tensor(DType::kString, {kKiB}); }).code(), ErrorCode::kLimit);
  const Tensor few(DType::kString, {4});
  EXPECT_EQ(budget.used(), static_cast<std::int64_t>(4 * sizeof(std::string)));
}

TEST(MemoryBudget, HoldsForTheThreadsThatWorkForThisOne) {
  const Parallel parallel(4);
  const MemoryBudget budget(100 * kKiB);
  std::atomic<int> refused = 0;
  parallel.for_each_block(16, 1, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin) {
      try {
        Tensor(DType::kUint8, {101 * kKiB});
      } catch (const Error&) {
        ++refused;
      }
    }
  });
  EXPECT_EQ(refused, 16);
  EXPECT_EQ(budget.used(), 0);
}

}  // namespace
}  // namespace octet
