#include "octet/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace octet {
namespace {

TEST(Parallel, CoversEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    const Parallel parallel(threads);
    for (std::int64_t count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      parallel.for_each_block(count, 3, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
  }
}

TEST(Parallel, KeepsSmallWorkInTheCallingThread) {
  const Parallel parallel(4);
  parallel.for_each_block(10, 10, [caller = std::this_thread::get_id()](std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
  });
}

TEST(Parallel, RunsNestedWorkInline) {
  const Parallel parallel(4);
  std::atomic<int> total = 0;
  parallel.for_each_block(8, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      parallel.for_each_block(5, 1, [&](std::int64_t b, std::int64_t e) { total += static_cast<int>(e - b); });
  });
  EXPECT_EQ(total, 40);
}

TEST(Parallel, RethrowsAndStaysUsable) {
  const Parallel parallel(3);
  EXPECT_THROW(parallel.for_each_block(100, 1,
                                       [](std::int64_t begin, std::int64_t) {
                                         if (begin > 10) throw std::runtime_error("no");
                                       }),
               std::runtime_error);
  std::atomic<int> total = 0;
  parallel.for_each_block(100, 1, [&](std::int64_t b, std::int64_t e) { total += static_cast<int>(e - b); });
  EXPECT_EQ(total, 100);
}

TEST(Parallel, ServesSeveralCallersAtOnce) {
  const Parallel parallel(2);
  std::atomic<int> total = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int j = 0; j < 50; ++j)
        parallel.for_each_block(64, 1, [&](std::int64_t b, std::int64_t e) { total += static_cast<int>(e - b); });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 50 * 64);
}

TEST(Parallel, LetsNobodyWaitForAnotherCaller) {
  const Parallel parallel(2);
  std::latch begun(1), may_end(1);
  std::thread first([&] {
    parallel.for_each_block(2, 1, [&](std::int64_t begin, std::int64_t) {
      if (begin == 0) begun.count_down();
      may_end.wait();
    });
  });
  begun.wait();
  std::int64_t covered = 0;  // by this thread alone
  for (int i = 0; i < 10; ++i)
    parallel.for_each_block(100, 1, [&](std::int64_t begin, std::int64_t end) { covered += end - begin; });
  EXPECT_EQ(covered, 1000);
  may_end.count_down();
  first.join();
}

}  // namespace
}  // namespace octet
