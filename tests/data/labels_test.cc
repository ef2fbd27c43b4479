#include "octet/data/labels.h"

#include <gtest/gtest.h>

#include "tests/support/failure.h"

namespace octet {
namespace {

using Classes = std::vector<std::int64_t>;

std::vector<std::string> parsed(std::string_view text, bool commas) {
  std::vector<std::string> entries;
  for (const LabelledFile& file : parse_label_list(text, commas))
    entries.push_back(std::to_string(file.line) + " " + file.file + "|" + file.label);
  return entries;
}

TEST(Labels, AreNamesOrWholeNumbersFromZeroOn) {
  for (const char* text : {"1", "1.", "3.0",   "3e0",  "0.5e1", "+3",  "-0.0", "2147483647", "a.5", "1.5L", "",
                           ".", "-",  "1.2.3", "v1.5", "nan",   "inf", "0x-1", "+-1",        "e",   "1-1"})
    EXPECT_TRUE(may_be_class(text)) << text;
  for (const char* text : {"1.5", ".5", "12.25", "-1", "-1.0", "+0.5", "1e-3", "2147483648", "1e999", "1e-999"})
    EXPECT_FALSE(may_be_class(text)) << text;
}

// As pandas writes a column of integers in which a value was missing: 10.0 comes behind 2.0, not in front of it.
TEST(Labels, AreNumbersHoweverTheyAreWritten) {
  EXPECT_EQ(class_numbers({"10.0", "2.0", "3e0", "+4", "5"}), (Classes{10, 2, 3, 4, 5}));
  EXPECT_TRUE(class_names({"10.0", "2.0"}).empty());
  EXPECT_EQ(class_numbers({"10.0", "2.0", "x"}), (Classes{0, 1, 2}));
}

TEST(Labels, AreNeverNamesWhereAllAreNumbers) {
  const Error negative = failure_of([] { class_numbers({"0", "-1", "1"}); });
  EXPECT_EQ(negative.code(), ErrorCode::kFormat);
  EXPECT_EQ(negative.message(), "the label is -1; wanted a whole number from 0 on");
  EXPECT_EQ(failure_of([] {
              class_numbers({"0", "1.5"});
            }).message(),
            "the label is 1.5; wanted a whole number from 0 on");
}

TEST(Labels, AreNumbersWhereAllNamesAre) { EXPECT_EQ(class_numbers({"10", "2", "2", "007"}), (Classes{10, 2, 2, 7})); }

TEST(Labels, AreTheOrderOfNamesElse) {
  EXPECT_EQ(class_numbers({"dog", "cat", "dog", "Zebra"}), (Classes{2, 1, 2, 0}));
  EXPECT_EQ(class_numbers({"10", "2", "x"}), (Classes{0, 1, 2}));
}

TEST(Labels, RefuseClassesBeyondAllBounds) {
  EXPECT_EQ(failure_of([] { class_numbers({"99999999999999999999"}); }).code(), ErrorCode::kFormat);
}

TEST(Labels, StandBehindTheLastSpace) {
  EXPECT_EQ(parsed("a b.jpg 3\n\r\n  c.jpg\t12 \r\n", false), (std::vector<std::string>{"1 a b.jpg|3", "3 c.jpg|12"}));
}

TEST(Labels, StandBehindTheLastCommaOfCsv) {
  EXPECT_EQ(parsed("\"a,b.jpg\",great white shark\nc.png,\"cat\"", true),
            (std::vector<std::string>{"1 a,b.jpg|great white shark", "2 c.png|cat"}));
}

TEST(Labels, PassOverAHeading) {
  EXPECT_EQ(parsed("filename,label\na.jpg,1\n", true), (std::vector<std::string>{"2 a.jpg|1"}));
  EXPECT_EQ(parsed("filename,label\na.jpg,1.0\n", true), (std::vector<std::string>{"2 a.jpg|1.0"}));
  EXPECT_EQ(parsed("a.jpg,cat\nb.jpg,dog\n", true), (std::vector<std::string>{"1 a.jpg|cat", "2 b.jpg|dog"}));
}

TEST(Labels, BeginBehindAByteOrderMark) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF"
                   "a.jpg,1\n",
                   true),
            (std::vector<std::string>{"1 a.jpg|1"}));
}

TEST(Labels, SayWhichLineIsWrong) {
  EXPECT_EQ(failure_of([] { parse_label_list("a.jpg 1\nb.jpg\n", false); }).message(),
            "line 2 is not a file and its label, with a space or tab between");
  EXPECT_EQ(failure_of([] { parse_label_list(",1\n", true); }).message(),
            "line 1 is not a file and its label, with a comma between");
  EXPECT_EQ(failure_of([] { parse_label_list("\n\n", true); }).message(), "it lists no files");
}

TEST(Labels, CountNamesAndNotNumbers) {
  EXPECT_EQ(class_names({"dog", "cat", "dog"}), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(class_names({"cat", "7"}), (std::vector<std::string>{"7", "cat"}));
  EXPECT_TRUE(class_names({"7", "3"}).empty());
}

}  // namespace
}  // namespace octet
