#include "octet/verify/conformance_report.h"

#include <gtest/gtest.h>

#include "octet/text/json.h"

namespace octet {
namespace {

// Two operations: `round` with three rows, the first two of which show the mistake `away`, and `add` with one row.
Suite small_suite() {
  const SuiteOperation round{.name = "round",
                             .file = "round.csv",
                             .operators = {"QuantizeLinear"},
                             .results = {{.name = "q"}},
                             .mistakes = {{"away", "ties away from zero"}},
                             .rows = {{.line = 2, .question = "round 0.5", .wanted = {"0"}, .catches = {0}},
                                      {.line = 3, .question = "round 2.5", .wanted = {"2"}, .catches = {0}},
                                      {.line = 4, .question = "round 1", .wanted = {"1"}}}};
  const SuiteOperation add{.name = "add",
                           .file = "add.csv",
                           .operators = {"QLinearAdd"},
                           .results = {{.name = "y"}},
                           .rows = {{.line = 2, .question = "add 1 2", .wanted = {"3"}}}};
  return {.version = "1.0", .operations = {round, add}};
}

std::string verdict_line(const std::string& text) { return text.substr(text.rfind("verdict  ")); }

TEST(ConformanceReport, NamesTheMistakeBehindWrongRows) {
  const Suite suite = small_suite();
  const Conformance found = judge_answers(suite, "1\n3\n1\n3\n", "unit");
  const std::string text = conformance_text(suite, found, "unit", 120);
  EXPECT_TRUE(text.starts_with("suite 1.0: 2 operations, 4 rows; against unit\n\n")) << text;
  EXPECT_NE(text.find("\nround: 2 rows differ\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of 2 differ"), std::string::npos) << text;
  EXPECT_NE(text.find("round.csv:2: round 0.5 -> 1, wanted 0\n"), std::string::npos) << text;
  EXPECT_EQ(verdict_line(text), "verdict  differs in 1 of 2 operations\n");
}

TEST(ConformanceReport, CountsRowsThatAreLeftOut) {
  const Suite suite = small_suite();
  const Conformance found = judge_answers(suite, "0\n2\n1\n-\n", "unit");
  EXPECT_EQ(verdict_line(conformance_text(suite, found, "unit", 120)),
            "verdict  passed what it computes; 1 row left out\n");
  EXPECT_EQ(verdict_line(conformance_text(suite, judge_answers(suite, "0\n2\n1\n3\n", "unit"), "unit", 120)),
            "verdict  passed\n");
}

TEST(ConformanceReport, HasTheSameFactsAsJson) {
  const Suite suite = small_suite();
  const Json json = Json::parse(conformance_json(suite, judge_answers(suite, "1\n3\n1\n-\n", "unit"), "unit"));
  EXPECT_EQ(json["schema"], "octet.conformance/1");
  EXPECT_EQ(json["against"], "unit");
  EXPECT_EQ(json["passed"], false);
  const Json& round = json["operations"][0];
  EXPECT_EQ(round["differing"], 2);
  EXPECT_EQ(round["verdict"], "differs");
  EXPECT_EQ(round["likely"][0]["mistakes"][0]["name"], "away");
  EXPECT_EQ(round["wrong"][1], (Json{{"line", 3}, {"question", "round 2.5"}, {"wanted", "2"}, {"answer", "3"}}));
  EXPECT_EQ(json["operations"][1]["verdict"], "not computed");
}

TEST(SuiteText, ListsMistakesWithTheRowsThatShowThem) {
  const std::string text = suite_text(small_suite(), 120);
  EXPECT_NE(text.find("ties away from zero"), std::string::npos) << text;
  EXPECT_NE(text.find("QLinearAdd"), std::string::npos) << text;
}

}  // namespace
}  // namespace octet
