#include "octet/engine/fast/latest.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace octet::fast {
namespace {

// What is made of a number is the number; nothing of odd ones.
struct Numbers {
  Latest<int, int> latest{3};
  int made = 0;

  std::shared_ptr<const int> get(int key) {
    return latest.get(key, [&](int wanted) {
      ++made;
      if (wanted < 0) throw std::invalid_argument("negative");
      return std::pair(wanted, wanted % 2 == 0 ? std::make_shared<const int>(wanted) : nullptr);
    });
  }
};

TEST(Latest, MakesEachOnce) {
  Numbers numbers;
  EXPECT_EQ(*numbers.get(2), 2);
  EXPECT_EQ(numbers.get(3), nullptr);
  EXPECT_EQ(*numbers.get(2), 2);
  EXPECT_EQ(numbers.get(3), nullptr) << "that there is none";
  EXPECT_EQ(numbers.made, 2);
}

TEST(Latest, ForgetsWhatWasNotAskedForTheLongest) {
  Numbers numbers;
  for (const int key : {2, 4, 6, 2, 8}) numbers.get(key);
  EXPECT_EQ(numbers.made, 4);
  for (const int key : {2, 6, 8}) numbers.get(key);
  EXPECT_EQ(numbers.made, 4);
  numbers.get(4);
  EXPECT_EQ(numbers.made, 5);
}

TEST(Latest, RemembersThatOneIsOfNoUse) {
  Numbers numbers;
  numbers.latest.give_up(*numbers.get(2));
  EXPECT_EQ(numbers.get(2), nullptr);
  EXPECT_EQ(numbers.made, 1);
  numbers.latest.clear();
  EXPECT_EQ(*numbers.get(2), 2);
}

TEST(Latest, RemembersNothingOfAFailure) {
  Numbers numbers;
  EXPECT_THROW(numbers.get(-1), std::invalid_argument);
  EXPECT_THROW(numbers.get(-1), std::invalid_argument);
  EXPECT_EQ(numbers.made, 2);
}

}  // namespace
}  // namespace octet::fast
