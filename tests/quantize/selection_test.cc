#include "octet/quantize/selection.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/write_rules.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

Facts facts() {
  Facts result;
  result["x"] = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim::symbol("N"), 64, 768}};
  result["y"] = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim::symbol("N"), 64, 96}};
  return result;
}
Node node(const std::string& name, const std::string& op_type) {
  return {.name = name, .op_type = op_type, .inputs = {"x"}, .outputs = {"y"}};
}
bool chosen(const std::string& rules, const Node& candidate) {
  return Selection({}, {}, parse_rules(rules)).choose(candidate, facts()).quantize;
}
std::string message(const std::string& rules) {
  try {
    parse_rules(rules);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Predicate, ReadsEveryComparison) {
  EXPECT_TRUE(Predicate("3").holds(3) && !Predicate("3").holds(4));
  EXPECT_TRUE(Predicate("==3").holds(3) && !Predicate("==3").holds(2));
  EXPECT_TRUE(Predicate("!=768").holds(1) && !Predicate("!=768").holds(768));
  EXPECT_TRUE(Predicate("<4").holds(3) && !Predicate("<4").holds(4));
  EXPECT_TRUE(Predicate("<=4").holds(4) && !Predicate("<=4").holds(5));
  EXPECT_TRUE(Predicate(">1").holds(2) && !Predicate(">1").holds(1));
  EXPECT_TRUE(Predicate(">=2").holds(2) && !Predicate(">=2").holds(1));
  EXPECT_TRUE(Predicate("%32==0").holds(64) && !Predicate("%32==0").holds(65));
  EXPECT_TRUE(Predicate("%32!=0").holds(65));
}

TEST(Predicate, RefusesWhatItCannotRead) {
  for (const char* text : {"", "=3", "three", "%0==0", "%32", "3 4", ">=", "%==0"})
    EXPECT_THROW(Predicate{text}, Error) << text;
}

TEST(Selection, TakesEverythingByDefault) { EXPECT_TRUE(Selection().choose(node("a", "Conv"), {}).quantize); }

TEST(Selection, KnowsOperatorTypesAndExclusions) {
  const Selection selection({"Conv"}, {"^head/"});
  EXPECT_TRUE(selection.choose(node("body/conv", "Conv"), {}).quantize);
  EXPECT_FALSE(selection.choose(node("head/conv", "Conv"), {}).quantize);
  EXPECT_EQ(selection.choose(node("head/conv", "Conv"), {}).reason, "excluded by \"^head/\"");
  EXPECT_FALSE(selection.choose(node("body/add", "Add"), {}).quantize);
}

TEST(Selection, FirstRuleThatMatchesDecides) {
  const std::string rules = R"([{"match": {"op_type": "MatMul", "name": "q$"}, "quantize": false},
                                {"match": {"op_type": "MatMul"}, "quantize": true, "per_channel": false}])";
  EXPECT_FALSE(chosen(rules, node("attention/q", "MatMul")));
  EXPECT_TRUE(chosen(rules, node("attention/k", "MatMul")));
  EXPECT_EQ(Selection({}, {}, parse_rules(rules)).choose(node("k", "MatMul"), facts()).per_channel, false);
}

TEST(Selection, LooksAtRankTypeAndDimensions) {
  const auto rule = [](const std::string& condition) {
    return R"([{"match": {"inputs": {"0": )" + condition + R"(}}, "quantize": false}])";
  };
  EXPECT_FALSE(chosen(rule(R"({"rank": ">=2"})"), node("n", "MatMul")));
  EXPECT_TRUE(chosen(rule(R"({"rank": 2})"), node("n", "MatMul")));
  EXPECT_FALSE(chosen(rule(R"({"type": "float32"})"), node("n", "MatMul")));
  EXPECT_TRUE(chosen(rule(R"({"type": "float16"})"), node("n", "MatMul")));
  EXPECT_FALSE(chosen(rule(R"({"dims": {"-1": "%32==0", "1": "64"}})"), node("n", "MatMul")));
  EXPECT_TRUE(chosen(rule(R"({"dims": {"-1": "!=768"}})"), node("n", "MatMul")));
  EXPECT_TRUE(chosen(rule(R"({"dims": {"0": ">0"}})"), node("n", "MatMul"))) << "a symbol matches nothing";
  EXPECT_TRUE(chosen(rule(R"({"dims": {"7": ">0"}})"), node("n", "MatMul")));
}

TEST(Selection, SaysWhatMatchesNothing) {
  Model model;
  model.graph.nodes = {node("a", "Conv")};
  const Selection selection({"Conv", "LSTM"}, {"zzz"}, parse_rules(R"([{"match": {"name": "b"}, "quantize": true}])"));
  EXPECT_EQ(selection.unmatched(model, {}), (std::vector<std::string>{"rule 1 matches no node", "no node is a LSTM"}));
  EXPECT_EQ(failure_of([&] { selection.require_exclusions(model); }).message(),
            "--exclude \"zzz\" matches no node; octet inspect lists their names");
  Selection({}, {"a"}).require_exclusions(model);
  EXPECT_TRUE(Selection({"Conv", "MatMul"}).unmatched(model, {}).size() == 1);
  model.graph.nodes.push_back(node("g", "Gemm"));
  EXPECT_TRUE(Selection({"MatMul", "Gemm"}).unmatched(model, {}).empty()) << "onnx-mlir's MatMul includes Gemm";
}

TEST(Rules, SayWhatIsWrongWithThem) {
  EXPECT_EQ(message("{"), "not JSON: byte 2 can't be read, at the end of \"{\"");
  EXPECT_EQ(message("{}"), "the rules are not a list");
  EXPECT_EQ(message(R"([{"match": {}}])"), "rule 1: \"quantize\" is missing");
  EXPECT_EQ(message(R"([{"quantize": 1}])"), "rule 1: \"quantize\" is 1; wanted true or false");
  EXPECT_NE(message(R"([{"match": {"optype": "x"}, "quantize": true}])").find("there is no \"optype\""),
            std::string::npos);
  EXPECT_NE(message(R"([{"match": {"name": "("}, "quantize": true}])").find("not a regular expression"),
            std::string::npos);
  EXPECT_NE(message(R"([{"match": {"inputs": {"0": {"type": "f32"}}}, "quantize": true}])").find("no element type"),
            std::string::npos);
}

TEST(Rules, HaveTypesAndRangesOfActivations) {
  const auto rules = parse_rules(R"([{"quantize": true, "activations": "int16", "range": [-1, 2.5]}])");
  EXPECT_EQ(rules[0].choice.activations, DType::kInt16);
  EXPECT_EQ(rules[0].choice.range, (Range{-1, 2.5F}));
  EXPECT_NE(message(R"([{"quantize": true, "activations": "int4"}])").find("wanted int8, uint8, int16 or uint16"),
            std::string::npos);
  for (const char* range : {"[2, 1]", "[1]", "3", "[1e39, 1e39]", "[\"a\", 1]"})
    EXPECT_NE(message(fmt::format(R"([{{"quantize": true, "range": {}}}])", range))
                  .find("wanted two finite numbers in order"),
              std::string::npos)
        << range;
  EXPECT_NE(message(R"([{"quantize": false, "activations": "int16"}])").find("nodes that are quantized"),
            std::string::npos);
}

TEST(Rules, HaveCalibrations) {
  const auto rules = parse_rules(R"([{"quantize": true, "calibration": "mse"},
                                     {"quantize": true, "calibration": "percentile", "percentile": 99.5}])");
  EXPECT_EQ(rules[0].choice.calibration, Calibration::kSquaredError);
  EXPECT_EQ(rules[0].choice.percentile, std::nullopt);
  EXPECT_EQ(rules[1].choice.calibration, Calibration::kPercentile);
  EXPECT_EQ(rules[1].choice.percentile, 99.5);
  const auto refused = [](const std::string& fields) {
    return message(fmt::format(R"([{{"quantize": true, {}}}])", fields));
  };
  EXPECT_EQ(refused(R"("calibration": "median")"),
            "rule 1: there is no calibration named median; wanted minmax, moving-average, percentile, entropy or mse");
  EXPECT_EQ(refused(R"("calibration": true)"), "rule 1: \"calibration\" is true; wanted text");
  EXPECT_EQ(refused(R"("calibration": "mse", "range": [0, 1])"),
            "rule 1: \"range\" and \"calibration\" both say what range the result has; wanted one of them");
  for (const char* fields : {R"("percentile": 99)", R"("calibration": "mse", "percentile": 99)"})
    EXPECT_EQ(refused(fields), "rule 1: \"percentile\" goes with \"calibration\": \"percentile\"");
  EXPECT_EQ(refused(R"("calibration": "percentile", "percentile": 50)"),
            "rule 1: percentile 50; wanted more than 50 and at most 100");
  EXPECT_EQ(refused(R"("calibration": "percentile", "percentile": "99")"),
            "rule 1: \"percentile\" is \"99\"; wanted a number");
  EXPECT_NE(message(R"([{"quantize": false, "calibration": "mse"}])").find("nodes that are quantized"),
            std::string::npos);
}

TEST(Rules, ComeBackAsTheyWereWritten) {
  const NodeChoice choice{.per_channel = false,
                          .symmetric_weights = true,
                          .activations = DType::kUint16,
                          .calibration = Calibration::kPercentile,
                          .percentile = 99.9};
  const auto rules = parse_rules(rules_text({{"a.b", "Conv", choice}, {"c", "Relu", {.range = Range{-1, 0.1F}}}}));
  const Selection selection({}, {}, rules);
  const NodeChoice read = selection.choose(node("a.b", "Conv"), {});
  EXPECT_EQ(read.per_channel, false);
  EXPECT_EQ(read.symmetric_weights, true);
  EXPECT_EQ(read.activations, DType::kUint16);
  EXPECT_EQ(read.calibration, Calibration::kPercentile);
  EXPECT_EQ(read.percentile, 99.9);
  EXPECT_EQ(selection.choose(node("c", "Relu"), {}).range, (Range{-1, 0.1F}));
  EXPECT_EQ(selection.choose(node("axb", "Conv"), {}).calibration, std::nullopt);
}

TEST(UnheededExclusions, NameNodesThatAreIntegerAgainstTheWish) {
  const NodeChoice stays{.quantize = false};
  std::vector<NodeVerdict> report = {{.name = "a", .choice = stays, .computed = Computed::kFloat},
                                     {.name = "b", .choice = stays, .computed = Computed::kMerged},
                                     {.name = "c", .computed = Computed::kInteger}};
  EXPECT_EQ(unheeded_exclusions(report), "");
  report.push_back({.name = "d", .choice = stays, .computed = Computed::kInteger});
  EXPECT_EQ(unheeded_exclusions(report),
            "1 node that was to stay float is computed in integers all the same, because what it reads and makes is "
            "quantized: d");
  report.push_back({.name = "e", .choice = stays, .computed = Computed::kInteger});
  EXPECT_EQ(unheeded_exclusions(report),
            "2 nodes that were to stay float are computed in integers all the same, because what they read and make is "
            "quantized: d, e");
}

}  // namespace
}  // namespace octet
