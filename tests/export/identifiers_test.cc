#include "octet/export/identifiers.h"

#include <gtest/gtest.h>

#include "octet/export/tensor_names.h"

namespace octet {
namespace {

TEST(Identifiers, KeepWhatAnIdentifierMayHave) {
  Identifiers names;
  EXPECT_EQ(names.make("block1.conv1"), "block1_conv1");
  EXPECT_EQ(names.make("/model/Conv_3:0"), "model_Conv_3_0");
  EXPECT_EQ(names.make("1x1"), "t1x1");
  EXPECT_EQ(names.make(""), "t");
  EXPECT_EQ(names.make("\xE5\xB1\x82*/\n\""), "t_2");
}

TEST(Identifiers, AreNeverReservedWordsNorTypes) {
  Identifiers names;
  for (const char* word : {"int", "module", "always", "reg", "Output", "inline", "restrict"})
    EXPECT_EQ(names.make(word), std::string(word) + "_");
  EXPECT_EQ(names.make("uint8_t"), "uint8_t_");
}

TEST(Identifiers, AreNeverGivenTwiceNotEvenInAnotherCase) {
  Identifiers names;
  EXPECT_EQ(names.make("a.b"), "a_b");
  EXPECT_EQ(names.make("a/b"), "a_b_2");
  EXPECT_EQ(names.make("A_B"), "A_B_3");
  EXPECT_EQ(names.make("int"), "int_");
  EXPECT_EQ(names.make("int"), "int_2");
}

// Whoever dumps a tensor under its own name must not seem to have dumped another.
TEST(TensorNames, LeaveATensorTheIdentifierThatIsItsName) {
  Program program;
  for (const char* name : {"a.b", "A_B", "a_b", "int", "int_", "a_b_2"}) program.values.push_back({.name = name});
  const std::map<std::string, std::string> wanted = {{"a.b", "a_b_3"}, {"A_B", "A_B"},   {"a_b", "a_b_4"},
                                                     {"int", "int_2"}, {"int_", "int_"}, {"a_b_2", "a_b_2"}};
  EXPECT_EQ(TensorNames(program).identifiers, wanted);
}

TEST(Identifiers, StayShort) {
  Identifiers names;
  const std::string name(100'000, 'x');
  EXPECT_EQ(names.make(name).size(), 48u);
  for (int i = 0; i < 200; ++i) EXPECT_LE(names.make(name).size(), 48u);
}

TEST(CommentText, CannotEndOrBeginAComment) {
  EXPECT_EQ(comment_text("a*/b"), "a*|b");
  EXPECT_EQ(comment_text("a/*b//c"), "a/|b/|c");
  EXPECT_EQ(comment_text("a\nb\\"), "a?b?");
  EXPECT_EQ(comment_text("a?"
                         "?/"),
            "a?./");
  EXPECT_EQ(comment_text(std::string(100'000, 'x')).size(), 103u);
}

}  // namespace
}  // namespace octet
