#include "octet/text/fit.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

using Lines = std::vector<std::string>;

TEST(DisplayWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("gro\u0308ße"), 5U);  // the accent on its own
  EXPECT_EQ(display_width("畳み込み"), 8U);
  EXPECT_EQ(display_width("\xff"), 1U);  // a replacement character
}

TEST(Shorten, KeepsBothEnds) {
  EXPECT_EQ(shorten("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shorten("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(shorten("abcdefgh", 4), "a…gh");
  EXPECT_EQ(shorten("abcdefgh", 1), "…");
  EXPECT_EQ(shorten("abcdefgh", 0), "abcdefgh");
}

TEST(Shorten, CutsNoWideLetterInTwo) {
  EXPECT_EQ(shorten("畳み込み層", 10), "畳み込み層");
  EXPECT_EQ(shorten("畳み込み層", 7), "畳…層");
}

TEST(Wrap, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(wrap("twelve chars and some more", 12), (Lines{"twelve chars", "  and some", "  more"}));
  EXPECT_EQ(wrap("twelve chars and some more", 12, 0), (Lines{"twelve chars", "and some", "more"}));
  EXPECT_EQ(wrap("short", 12), Lines{"short"});
  EXPECT_EQ(wrap("", 12), Lines{""});
  EXPECT_EQ(wrap("one line however long", 0), Lines{"one line however long"});
}

TEST(Wrap, BreaksAWordOnlyWhereItIsLongerThanALine) {
  EXPECT_EQ(wrap("31 bits get 11 accumulators wrong", 14), (Lines{"31 bits get 11", "  accumulators", "  wrong"}));
  EXPECT_EQ(wrap("a abcdefghijklm", 8), (Lines{"a", "  abcdef", "  ghijkl", "  m"}));
  EXPECT_EQ(wrap("  abcdefgh", 6, 0), (Lines{"  abcd", "efgh"})) << "and not behind the spaces before it";
}

TEST(Wrap, EndsAtAnyWidth) {
  for (std::size_t width = 1; width < 12; ++width) {
    std::size_t letters = 0;
    for (const std::string& line : wrap("ab 畳畳 cdefghi", width)) {
      EXPECT_LE(display_width(line), std::max<std::size_t>(width, 2)) << line;
      for (const char c : line) letters += c == ' ' ? 0 : 1;
    }
    EXPECT_EQ(letters, std::string("ab畳畳cdefghi").size());
  }
}

}  // namespace
}  // namespace octet
