#include "octet/text/utf8.h"

#include <gtest/gtest.h>

#include "octet/text/characters.h"

namespace octet {
namespace {

TEST(Printable, EscapesWhatCanNotBeSeen) {
  EXPECT_EQ(printable("a\x1b[31m\nb\x7f\xff"), "a\\x1b[31m\\nb\\x7f\xEF\xBF\xBD");
  EXPECT_EQ(printable("\u202eback \u2066\u200b\u00ad\u2028"), "\\u202eback \\u2066\\u200b\\xad\\u2028");
  EXPECT_EQ(printable("\U000e0041\U0010fffe\ue000"), "\\U000e0041\\U0010fffe\\ue000");
}

TEST(Printable, LeavesLettersOfAllScripts) {
  for (const char* text : {"größe", "畳み込み層", "свёртка", "שלום", "مرحبا", "e\u0301", "🙂", "\\n", "a\u00a0b"})
    EXPECT_EQ(printable(text), text);
}

TEST(PrintableLines, KeepsLineBreaksAndNothingElse) {
  EXPECT_EQ(printable_lines("a\nb\r\n\x1b\n"), "a\nb\\x0d\n\\x1b\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Characters, EveryNoncharacterIsHidden) {
  for (char32_t plane = 0; plane <= 0x10; ++plane)
    for (const char32_t last : {0xFFFE, 0xFFFF}) EXPECT_TRUE(is_hidden(plane << 16 | last)) << std::uint32_t{plane};
}

TEST(Characters, LettersTakeZeroToTwoColumns) {
  EXPECT_EQ(columns_of(U'a'), 1);
  EXPECT_EQ(columns_of(U'…'), 1);
  EXPECT_EQ(columns_of(U'\u0301'), 0);
  EXPECT_EQ(columns_of(U'層'), 2);
  EXPECT_EQ(columns_of(U'Ａ'), 2);
  EXPECT_EQ(columns_of(U'🙂'), 2);
}

}  // namespace
}  // namespace octet
