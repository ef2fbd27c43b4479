#include "octet/draw/support/rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "octet/draw/support/size.h"

namespace octet {
namespace {

Picture three_branches() {
  Picture picture;
  for (const char* name : {"a", "b1", "b2 with a long name", "b3", "c", "d", "e"})
    picture.nodes.push_back({.name = name, .title = "Relu"});
  for (const auto& [from, to] :
       {std::pair(0U, 1U), {0U, 2U}, {0U, 3U}, {1U, 4U}, {2U, 4U}, {3U, 4U}, {4U, 5U}, {5U, 6U}})
    picture.wires.push_back({from, to, WireKind::kFloat, {{"float32 [1,16,32,32]", ""}}});
  return picture;
}

TEST(Rows, LeadDown) {
  const Picture picture = three_branches();
  const std::vector<Place> places = places_in_rows(picture);
  for (const PictureWire& wire : picture.wires) EXPECT_GT(places[wire.from].y, places[wire.to].y);
  EXPECT_EQ(places[1].y, places[2].y);
  EXPECT_EQ(places[1].y, places[3].y);
}

TEST(Rows, LeadRightWhereThePictureDoes) {
  Picture picture = three_branches();
  picture.direction = Direction::kRight;
  const std::vector<Place> places = places_in_rows(picture);
  for (const PictureWire& wire : picture.wires) EXPECT_LT(places[wire.from].x, places[wire.to].x);
  EXPECT_EQ(places[1].x, places[3].x);
  EXPECT_GT(places[1].y, places[2].y);  // the first on top
}

class RowsOfADirection : public testing::TestWithParam<Direction> {};

TEST_P(RowsOfADirection, KeepNodesApart) {
  Picture picture = three_branches();
  picture.direction = GetParam();
  const std::vector<Place> places = places_in_rows(picture);
  for (std::size_t a = 0; a < places.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Size one = size_of(picture.nodes[a], Direction::kDown), other = size_of(picture.nodes[b], Direction::kDown);
      const bool beside = std::abs(places[a].x - places[b].x) >= 0.75 * (one.width + other.width) / 2;
      const bool below = std::abs(places[a].y - places[b].y) >= 0.75 * (one.height + other.height) / 2;
      EXPECT_TRUE(beside || below) << picture.nodes[a].name << " and " << picture.nodes[b].name;
    }
}

INSTANTIATE_TEST_SUITE_P(Both, RowsOfADirection, testing::Values(Direction::kDown, Direction::kRight));

// A straight wire from the first to the last must not run through those between.
TEST(Rows, OfAChainAreNotInLine) {
  Picture chain;
  for (std::size_t i = 0; i < 30; ++i) {
    chain.nodes.push_back({.name = "n", .title = "Relu"});
    if (i > 0) chain.wires.push_back({i - 1, i});
  }
  const std::vector<Place> places = places_in_rows(chain);
  const Place first = places.front(), last = places.back();
  for (std::size_t i = 5; i < 25; ++i) {
    const double share = (places[i].y - first.y) / (last.y - first.y);
    const double width = 0.75 * size_of(chain.nodes[i], Direction::kDown).width;
    EXPECT_GT(std::abs(first.x + share * (last.x - first.x) - places[i].x), width) << i;
  }
}

TEST(Rows, AreOneForEachNodeOfACircle) {
  const Picture circle{.nodes = {{.name = "a"}, {.name = "b"}}, .wires = {{0, 1}, {1, 0}}};
  const std::vector<Place> places = places_in_rows(circle);
  EXPECT_GT(places[0].y, places[1].y);
  EXPECT_TRUE(places_in_rows({}).empty());
}

}  // namespace
}  // namespace octet
