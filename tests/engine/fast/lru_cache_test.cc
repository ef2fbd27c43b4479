#include "octet/engine/fast/lru_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace octet::fast {
namespace {

struct Number {
  int number = 0;

  std::int64_t bytes() const { return number; }
};

// What is made of a number takes as many bytes; nothing is made of odd ones.
struct Numbers {
  static constexpr std::size_t kMost = 3;

  LruCache<int, Number> latest{100};
  std::atomic<int> made = 0;

  std::shared_ptr<const Number> get(int key, std::size_t group = 0) {
    return latest.get(group, kMost, key, [&](int wanted) {
      ++made;
      if (wanted < 0) throw std::invalid_argument("negative");
      return wanted % 2 == 0 ? std::make_shared<const Number>(Number{wanted}) : nullptr;
    });
  }
};

TEST(LruCache, MakesEachOnce) {
  Numbers numbers;
  EXPECT_EQ(numbers.get(2)->number, 2);
  EXPECT_EQ(numbers.get(3), nullptr);
  EXPECT_EQ(numbers.get(2)->number, 2);
  EXPECT_EQ(numbers.get(3), nullptr) << "that there is none";
  EXPECT_EQ(numbers.made, 2);
}

TEST(LruCache, ForgetsWhatWasNotAskedForTheLongest) {
  Numbers numbers;
  for (const int key : {2, 4, 6, 2, 8}) numbers.get(key);
  EXPECT_EQ(numbers.made, 4);
  for (const int key : {2, 6, 8}) numbers.get(key);
  EXPECT_EQ(numbers.made, 4);
  numbers.get(4);
  EXPECT_EQ(numbers.made, 5);
}

TEST(LruCache, CountsEachGroupForItself) {
  Numbers numbers;
  for (const std::size_t group : {0, 1, 2})
    for (const int key : {2, 4, 6}) numbers.get(key, group);
  EXPECT_EQ(numbers.made, 9);
  for (const std::size_t group : {0, 1, 2})
    for (const int key : {2, 4, 6}) numbers.get(key, group);
  EXPECT_EQ(numbers.made, 9);
}

TEST(LruCache, MakesRoomInBytes) {
  Numbers numbers;
  numbers.get(40, 1);
  numbers.get(50, 2);
  EXPECT_EQ(numbers.latest.bytes(), 90);
  numbers.get(40, 1);
  numbers.get(20, 3);
  EXPECT_EQ(numbers.latest.bytes(), 60) << "the one that was not asked for the longest is gone";
  EXPECT_EQ(numbers.get(400, 4)->number, 400);
  EXPECT_EQ(numbers.latest.bytes(), 400) << "the latest alone";
  numbers.get(400, 4);
  EXPECT_EQ(numbers.made, 4);
}

// 2, 4 and 6 are there; asked for in another order, each in its turn makes room.
TEST(LruCache, MakesRoomInTheOrderOfTheLatestRequests) {
  Numbers numbers;
  for (const int key : {2, 4, 6, 4, 2}) numbers.get(key);
  EXPECT_EQ(numbers.made, 3);
  numbers.get(8);  // for 6
  EXPECT_EQ(numbers.made, 4);
  for (const int key : {4, 2, 8}) numbers.get(key);
  EXPECT_EQ(numbers.made, 4);
  numbers.get(10);  // for 4
  for (const int key : {2, 8, 10}) numbers.get(key);
  EXPECT_EQ(numbers.made, 5);
  numbers.get(4);
  EXPECT_EQ(numbers.made, 6);
}

TEST(LruCache, RemembersThatOneIsOfNoUse) {
  Numbers numbers;
  numbers.latest.give_up(*numbers.get(2));
  EXPECT_EQ(numbers.latest.bytes(), 0);
  EXPECT_EQ(numbers.get(2), nullptr);
  EXPECT_EQ(numbers.made, 1);
  numbers.latest.clear();
  EXPECT_EQ(numbers.get(2)->number, 2);
}

TEST(LruCache, RemembersNothingOfAFailure) {
  Numbers numbers;
  EXPECT_THROW(numbers.get(-1), std::invalid_argument);
  EXPECT_THROW(numbers.get(-1), std::invalid_argument);
  EXPECT_EQ(numbers.made, 2);
}

// The maker of 2 waits until it may go on.
class ASlowMaker : public testing::Test {
 protected:
  std::shared_ptr<const Number> get(int key) {
    return latest_.get(0, 3, key, [&](int wanted) {
      ++made_;
      if (wanted == 2) {
        begun_.count_down();
        may_end_.wait();
      }
      return std::make_shared<const Number>(Number{wanted});
    });
  }

  LruCache<int, Number> latest_{100};
  std::atomic<int> made_ = 0;
  std::latch begun_{1}, may_end_{1};
};

TEST_F(ASlowMaker, KeepsNobodyElseWaiting) {
  get(4);
  std::future<int> slow = std::async(std::launch::async, [&] { return get(2)->number; });
  begun_.wait();
  EXPECT_EQ(get(4)->number, 4) << "what is there";
  EXPECT_EQ(get(6)->number, 6) << "what is made meanwhile";
  latest_.clear();
  EXPECT_EQ(get(4)->number, 4);
  may_end_.count_down();
  EXPECT_EQ(slow.get(), 2);
  EXPECT_EQ(latest_.bytes(), 4) << "cleared while it was made";
}

TEST_F(ASlowMaker, ServesAllWhoAskForTheSame) {
  std::vector<std::future<int>> all;
  for (int i = 0; i < 4; ++i) all.push_back(std::async(std::launch::async, [&] { return get(2)->number; }));
  begun_.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the others wait
  may_end_.count_down();
  for (std::future<int>& one : all) EXPECT_EQ(one.get(), 2);
  EXPECT_EQ(made_, 1);
}

TEST(LruCache, LetsOthersTryWhereOneFailed) {
  LruCache<int, Number> latest(100);
  std::latch begun(1), may_end(1);
  std::atomic<int> made = 0;
  const auto get = [&] {
    return latest.get(0, 3, 2, [&](int wanted) {
      if (++made > 1) return std::make_shared<const Number>(Number{wanted});
      begun.count_down();
      may_end.wait();
      throw std::invalid_argument("once");
    });
  };
  std::future<void> first = std::async(std::launch::async, [&] { EXPECT_THROW(get(), std::invalid_argument); });
  begun.wait();
  std::future<int> second = std::async(std::launch::async, [&] { return get()->number; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  may_end.count_down();
  first.get();
  EXPECT_EQ(second.get(), 2);
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace octet::fast
