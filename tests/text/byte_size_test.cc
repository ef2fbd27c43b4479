#include "octet/text/byte_size.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(ByteSize, HasPowersOf1024) {
  EXPECT_EQ(byte_size("4096"), 4096U);
  EXPECT_EQ(byte_size("3K"), 3U << 10);
  EXPECT_EQ(byte_size("512M"), 512U << 20);
  EXPECT_EQ(byte_size("2T"), std::uint64_t{2} << 40);
}

TEST(ByteSize, IsNothingForOtherTexts) {
  for (const char* text : {"", "0", "M", "-1", "1.5G", "1GB", "1g", "99999999999999999999", "18446744073709551615K"})
    EXPECT_FALSE(byte_size(text)) << text;
}

}  // namespace
}  // namespace octet
