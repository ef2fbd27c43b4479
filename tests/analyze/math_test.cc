#include <gtest/gtest.h>

#include "octet/analyze/support/latex.h"

namespace octet {
namespace {

TEST(Latex, SetsNamesUprightAndLettersItalic) {
  EXPECT_EQ(latex("(x_scale * w_scale) / y_scale"),
            "(\\mathrm{x\\_scale} \\cdot  \\mathrm{w\\_scale}) / \\mathrm{y\\_scale}");
  EXPECT_EQ(latex("round(t) + 3"), "\\mathrm{round}(t) + 3");
  EXPECT_EQ(latex("Sum (x - zx)"), "\\sum  (x - \\mathrm{zx})");
}

TEST(Latex, BracesExponents) {
  EXPECT_EQ(latex("3 / 7 * 2^-12"), "3 / 7 \\cdot  2^{-12}");
  EXPECT_EQ(latex("M = m / 2^shift"), "M = m / 2^{shift}");
}

TEST(Latex, KeepsWordsApartAndEscapesWhatIsReserved) {
  EXPECT_EQ(latex("e from a table"), "e \\;\\mathrm{from} \\;a \\;\\mathrm{table}");
  EXPECT_EQ(latex("5 % {x} & a#"), "5 \\% \\{x\\} \\& a\\#");
  EXPECT_EQ(latex(""), "");
}

}  // namespace
}  // namespace octet
