#include "octet/program/support/place_buffers.h"

#include <gtest/gtest.h>

#include <random>

namespace octet {
namespace {

std::int64_t most_needed(const std::vector<PlacedBuffer>& buffers) {
  std::int64_t most = 0;
  for (const PlacedBuffer& at : buffers) {
    std::int64_t sum = 0;
    for (const PlacedBuffer& other : buffers)
      if (other.first <= at.first && other.last >= at.first) sum += other.bytes;
    most = std::max(most, sum);
  }
  return most;
}

// Buffers that are needed for up to `longest` moments.
std::vector<PlacedBuffer> random_buffers(std::mt19937& random, std::size_t count, std::size_t longest) {
  std::vector<PlacedBuffer> buffers(count);
  for (PlacedBuffer& buffer : buffers) {
    buffer.bytes = 1 + static_cast<std::int64_t>(random() % 50);
    buffer.first = random() % count;
    buffer.last = buffer.first + random() % longest;
  }
  return buffers;
}

void expect_apart(const std::vector<PlacedBuffer>& buffers, std::int64_t end) {
  std::int64_t last = 0;
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    ASSERT_GE(buffers[a].offset, 0);
    last = std::max(last, buffers[a].offset + buffers[a].bytes);
    for (std::size_t b = 0; b < a; ++b) {
      const PlacedBuffer &one = buffers[a], &other = buffers[b];
      const bool together = one.first <= other.last && other.first <= one.last;
      const bool overlap = one.offset < other.offset + other.bytes && other.offset < one.offset + one.bytes;
      ASSERT_FALSE(together && overlap) << a << " and " << b;
    }
  }
  EXPECT_EQ(end, last);
}

TEST(PlaceBuffers, KeepsThemApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<PlacedBuffer> buffers = random_buffers(random, 1 + random() % 60, 1 + random() % 20);
    const std::int64_t end = place_buffers(buffers);
    expect_apart(buffers, end);
    EXPECT_LE(end, most_needed(buffers) * 3 / 2);
  }
}

// So many pairs that they are placed by time alone.
TEST(PlaceBuffers, KeepsManyApart) {
  std::mt19937 random(2);
  std::vector<PlacedBuffer> buffers = random_buffers(random, 3000, 3000);
  const std::int64_t end = place_buffers(buffers);
  expect_apart(buffers, end);
  EXPECT_LE(end, most_needed(buffers) * 3 / 2);
}

TEST(PlaceBuffers, JoinsGapsThatTouch) {
  for (const bool from_above : {false, true}) {
    std::vector<PlacedBuffer> buffers(3000);  // so many that they are placed by time alone
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i] = {1, 0, from_above ? 3000 - i : i};
    buffers.push_back({3001, 3001, 3001});
    EXPECT_EQ(place_buffers(buffers), 3001);
    expect_apart(buffers, 3001);
  }
}

// In the order of time the second would lie on the first, and the third above both. However often that happens.
TEST(PlaceBuffers, LetsTheLargestChooseFirst) {
  std::vector<PlacedBuffer> buffers;
  for (std::size_t t = 0; t < 2000; ++t)
    for (const PlacedBuffer& buffer : {PlacedBuffer{10, 0, 1}, PlacedBuffer{10, 1, 3}, PlacedBuffer{20, 2, 3}})
      buffers.push_back({buffer.bytes, 4 * t + buffer.first, 4 * t + buffer.last});
  EXPECT_EQ(place_buffers(buffers), 30);
  expect_apart(buffers, 30);
}

// By size the larger two lie at 0, and of the smaller, which are alive together, one above the other above them.
TEST(PlaceBuffers, TakesTheOrderOfTimeWhereItNeedsLess) {
  std::vector<PlacedBuffer> buffers = {{3, 0, 1}, {1, 1, 2}, {1, 2, 4}, {3, 4, 4}};
  EXPECT_EQ(place_buffers(buffers), 4);
  expect_apart(buffers, 4);
}

TEST(PlaceBuffers, NeedsNothingForNothing) {
  std::vector<PlacedBuffer> none;
  EXPECT_EQ(place_buffers(none), 0);
}

}  // namespace
}  // namespace octet
