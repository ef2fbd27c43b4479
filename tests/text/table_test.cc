#include "octet/text/table.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace octet {
namespace {

TEST(Table, AlignsNumbersRightAndTextLeft) {
  Table table({{"name"}, {"count", Table::Fit::kWhole, true}});
  table.add({"a", "5"});
  table.add({"longer", "12345"});
  EXPECT_EQ(table.text(0), "name    count\na           5\nlonger  12345\n");
}

TEST(Table, ShortensTheWidestColumnUntilTheLineFits) {
  Table table({{"", Table::Fit::kShorten}, {""}});
  table.add({"features/block_17/expand/conv", "QLinearConv"});
  EXPECT_EQ(table.text(32), "features/…pand/conv  QLinearConv\n");
}

TEST(Table, WrapsTheLastColumnAtSpaces) {
  Table table({{""}, {"", Table::Fit::kWrap}});
  table.add({"x", "twelve chars and some more"});
  EXPECT_EQ(table.text(16), "x  twelve chars\n     and some\n     more\n");
  EXPECT_EQ(table.text(0), "x  twelve chars and some more\n");
}

TEST(Table, LeavesOutColumnsWithoutText) {
  Table table({{"a"}, {"b"}, {"c"}});
  table.add({"1", "", "3"});
  EXPECT_EQ(table.text(80), "a  c\n1  3\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{""}, {""}});
  table.add({"größe", "1"});
  table.add({"abcde", "2"});
  EXPECT_EQ(table.text(0), "größe  1\nabcde  2\n");
}

TEST(Table, ShowsHiddenCharactersOfTitlesAndRowsAsEscapes) {
  Table table({{"\x1b[1m"}});
  table.add({"a\x1b[31m\nb\u202e"});
  EXPECT_EQ(table.text(0), "\\x1b[1m\na\\x1b[31m\\nb\\u202e\n");
}

// Two numbers, a name and a sentence.
Table stacked_table() {
  Table table({{"step", Table::Fit::kShorten, false, 8},
               {"products", Table::Fit::kWhole, true},
               {"least", Table::Fit::kWhole, true},
               {"why", Table::Fit::kWrap}});
  table.add({"conv", "27", "-2,147,275,497", "1 accumulator is wrong"});
  table.add({"a_long_name_of_a_step", "144", "-677,044", ""});
  return table;
}

TEST(Table, MovesColumnsThatDoNotFitToALineOfTheirOwn) {
  EXPECT_EQ(stacked_table().text(38),
            "step          products           least\n"
            "  why\n"
            "conv                27  -2,147,275,497\n"
            "  1 accumulator is wrong\n"
            "a_lon…a_step       144        -677,044\n");
  EXPECT_EQ(stacked_table().text(24),
            "step            products\n"
            "           least\n"
            "  why\n"
            "conv                  27\n"
            "  -2,147,275,497\n"
            "  1 accumulator is wrong\n"
            "a_long…_a_step       144\n"
            "        -677,044\n");
}

TEST(Table, HasNoLineBeyondItsWidthAndBreaksNoWord) {
  const std::set<std::string> words = {"step", "products", "least",       "why", "conv",     "27",   "-2,147,275,497",
                                       "1",    "144",      "accumulator", "is",  "-677,044", "wrong"};
  for (std::size_t width = 16; width < 80; ++width) {
    std::istringstream lines(stacked_table().text(width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), width) << line;
      std::istringstream found(line);
      for (std::string word; found >> word;)
        EXPECT_TRUE(words.contains(word) || word.starts_with("a_")) << width << ": " << word;
    }
  }
}

TEST(Table, FitsWidthsThatHoldNoWord) {
  std::istringstream lines(stacked_table().text(5));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 5U) << line;
}

TEST(Table, KeepsThePartByWhichTextsDiffer) {
  Table table({{"", Table::Fit::kShorten}, {""}});
  table.add({"features/block_1/expand/conv", "QLinearConv"});
  table.add({"features/block_2/expand/conv", "QLinearConv"});
  table.add({"features/block_3/project/add", "QLinearAdd"});
  EXPECT_EQ(table.text(32),
            "features/block_1/e…  QLinearConv\nfeatures/block_2/e…  QLinearConv\nfeatures/…oject/add  QLinearAdd\n");
  EXPECT_EQ(table.text(0).find("…"), std::string::npos);
}

}  // namespace
}  // namespace octet
