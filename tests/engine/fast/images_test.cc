#include "octet/engine/fast/images.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"

namespace octet::fast {
namespace {

// The last two of each image's four elements.
Program halves() {
  const Tensor two = Tensor::from<std::int64_t>({1}, {2}), four = Tensor::from<std::int64_t>({1}, {4}),
               one = Tensor::from<std::int64_t>({1}, {1});
  return lowered(network("main (x) => (y) { y = Slice (x, two, four, one) }",
                         {value("x", DType::kInt8, SymbolicShape{3, 4})}, {{"two", two}, {"four", four}, {"one", one}}),
                 Policy::kExact);
}

TEST(Images, TakeABoxThatEndsWithItsImage) {
  Program program = halves();
  auto& move = std::get<work::Move>(program.steps.at(0).work);
  ASSERT_EQ(move.boxes.size(), 1U);
  ASSERT_EQ(move.boxes[0].offset, 2);
  EXPECT_EQ(images_of(program), 3);
  const std::optional<Part> part = part_of(program, 1);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->program.inputs[0].type.shape->front().value(), 1);
}

TEST(Images, RefuseABoxThatReadsAnImageBesideItsOwn) {
  for (const std::int64_t offset : {3, 4, -1}) {
    Program program = halves();
    std::get<work::Move>(program.steps.at(0).work).boxes.at(0).offset = offset;
    EXPECT_FALSE(part_of(program, 1)) << offset;
  }
}

// Backwards: the offset is that of the greatest, the stride leads down.
TEST(Images, RefuseABoxThatGoesBackBeyondItsImage) {
  for (const auto& [offset, fits] : {std::pair{1, true}, {0, false}, {3, true}, {4, false}}) {
    Program program = halves();
    work::MoveBox& box = std::get<work::Move>(program.steps.at(0).work).boxes.at(0);
    box.offset = offset;
    box.strides.back() = -1;
    EXPECT_EQ(part_of(program, 1).has_value(), fits) << offset;
  }
}

}  // namespace
}  // namespace octet::fast
