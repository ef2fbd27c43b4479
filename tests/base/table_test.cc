#include "octet/base/table.h"

#include <gtest/gtest.h>

#include "octet/base/utf8.h"

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

TEST(Table, ShowsControlCharactersAsEscapes) {
  Table table({{""}});
  table.add({"a\x1b[31m\nb\x7f\xff"});
  EXPECT_EQ(table.text(0), "a\\x1b[31m\\nb\\x7f\xEF\xBF\xBD\n");
}

TEST(Shorten, KeepsBothEnds) {
  EXPECT_EQ(shorten("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shorten("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(shorten("abcdefgh", 4), "a…gh");
}

}  // namespace
}  // namespace octet
