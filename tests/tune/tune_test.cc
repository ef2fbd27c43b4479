#include "octet/tune/tune.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "octet/program/lower.h"
#include "octet/system/npz.h"
#include "octet/text/json.h"
#include "octet/tune/tune_report.h"
#include "octet/tune/tune_state.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

// x [N,2] -> MatMul -> Relu or Clip -> MatMul, the channels between them 16 and 1/16 times what they were.
Model hard_network(const char* clamp) {
  return network(fmt::format("main (x) => (y) {{ a = MatMul (x, A)\n r = {}\n y = MatMul (r, B) }}", clamp),
                 {value("x", DType::kFloat, SymbolicShape{Dim::symbol("N"), 2})},
                 {{"A", Tensor::from<float>({2, 2}, {0.9F * 16, 0.3F / 16, -0.4F * 16, 0.8F / 16})},
                  {"B", Tensor::from<float>({2, 2}, {0.7F / 16, -0.2F / 16, 0.6F * 16, 0.5F * 16})},
                  {"zero", f(0)},
                  {"bound", f(40)}});
}

class TuneTest : public testing::Test {
 protected:
  TuneTest() {
    std::vector<float> x;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 64; ++i) {
      x.push_back(static_cast<float>(i % 8) / 4 - 1);
      x.push_back(static_cast<float>(i / 8) / 3.5F - 1);
      labels.push_back(i % 2);
    }
    save_npz({{"x", Tensor::from<float>({64, 2}, std::span<const float>(x))},
              {"y", Tensor::from<std::int64_t>({64}, std::span<const std::int64_t>(labels))}},
             folder_ / "x.npz");
  }

  std::unique_ptr<SampleStream> open(const Model& model) const {
    return std::make_unique<SampleStream>(model, folder_ / "x.npz");
  }
  Tuned tuned(const Model& model, const Goal& goal, std::vector<Tried> known = {}) const {
    const Model simplified = simplify_for_quantization(model);
    const auto engine = make_engine("reference", lowered(simplified, Policy::kAsWritten));
    const Baseline baseline(
        *engine, [&] { return open(model); }, 16);
    return tune(
        simplified, baseline,
        {.goal = goal, .runs = {.samples = [this](const Model& of) { return open(of); }}, .known = std::move(known)});
  }

  TemporaryFolder folder_;
};

TEST_F(TuneTest, FindsThatEqualizationRepairs) {
  const Tuned found = tuned(hard_network("Relu (a)"), {.min_sqnr = 30});
  ASSERT_TRUE(found.met);
  EXPECT_EQ(found.best, found.tried.size() - 1);
  const Scheme& scheme = found.tried[found.best].scheme;
  EXPECT_EQ(scheme.repairs.equalize, BoundedClamps::kLeave);
  EXPECT_FALSE(scheme.per_channel);
  for (std::size_t i = 0; i + 1 < found.tried.size(); ++i) EXPECT_LT(found.tried[i].sqnr, 30);
}

TEST_F(TuneTest, ReplacesClipsOnlyWhereThereAreSome) {
  const auto replaced = [](const Tried& tried) { return tried.scheme.repairs.equalize == BoundedClamps::kReplace; };
  EXPECT_EQ(std::ranges::count_if(tuned(hard_network("Relu (a)"), {.min_sqnr = 300}).tried, replaced), 0);
  const Tuned clipped = tuned(hard_network("Clip (a, zero, bound)"), {.min_sqnr = 30});
  EXPECT_TRUE(clipped.met);
  EXPECT_TRUE(replaced(clipped.tried[clipped.best]));
}

// What the goal counts decides what is best, where nothing meets it.
TEST_F(TuneTest, TakesTheBestByItsGoal) {
  const Tuned found = tuned(hard_network("Relu (a)"), {.min_sqnr = 300});
  EXPECT_FALSE(found.met);
  for (const Tried& tried : found.tried) EXPECT_LE(tried.sqnr, found.tried[found.best].sqnr);
  const Tuned by_points = tuned(hard_network("Relu (a)"), {.max_loss = -100});
  for (const Tried& tried : by_points.tried) EXPECT_LE(tried.right, by_points.tried[by_points.best].right);
}

// A state file may claim anything: the scheme that is chosen by it is measured again.
TEST_F(TuneTest, DoesNotBelieveAClaimThatDecides) {
  std::vector<Tried> known = tuned(hard_network("Relu (a)"), {.min_sqnr = 300}).tried;
  known[1].sqnr = 99;
  std::string message;
  try {
    tuned(hard_network("Relu (a)"), {.min_sqnr = 90}, known);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("99 dB"), std::string::npos) << message;
  EXPECT_NE(message.find("are said to have been measured"), std::string::npos) << message;
}

TEST_F(TuneTest, RepairsTheBestOfTheCalibrations) {
  const Model model = hard_network("Relu (a)");
  std::vector<Tried> known = tuned(model, {.min_sqnr = 300}).tried;
  known.resize(4);
  for (std::size_t best = 0; best < 4; ++best) {
    for (std::size_t i = 0; i < 4; ++i) known[i].sqnr = i == best ? 2 : 1;
    EXPECT_EQ(tuned(model, {.min_sqnr = 300}, known).tried[4].scheme.calibration, known[best].scheme.calibration);
  }
}

// Of 64 samples 16 are 25 points.
TEST_F(TuneTest, AllowsJustWhatItsGoalSays) {
  const Model model = simplify_for_quantization(hard_network("Relu (a)"));
  const auto engine = make_engine("reference", lowered(model, Policy::kAsWritten));
  const Baseline baseline(
      *engine, [&] { return open(model); }, 16);
  const Tried tried{.sqnr = 20, .right = baseline.score().top1() - 16};
  EXPECT_TRUE(is_met({.max_loss = 25}, tried, baseline));
  EXPECT_FALSE(is_met({.max_loss = 24.9}, tried, baseline));
  EXPECT_TRUE(is_met({.min_sqnr = 20}, tried, baseline));
  EXPECT_FALSE(is_met({.min_sqnr = 20.1}, tried, baseline));
}

TEST_F(TuneTest, TellsOfEveryTrialOnce) {
  const Model simplified = simplify_for_quantization(hard_network("Relu (a)"));
  const auto engine = make_engine("reference", lowered(simplified, Policy::kAsWritten));
  const Baseline baseline(
      *engine, [&] { return open(simplified); }, 16);
  std::vector<Scheme> told;
  TuneOptions options{.goal = {.min_sqnr = 300},
                      .limits = {.per_tensor = true, .symmetric = true},
                      .runs = {.samples = [this](const Model& of) { return open(of); }},
                      .tried = [&](const Tried& tried) { told.push_back(tried.scheme); }};
  const Tuned found = tune(simplified, baseline, options);
  ASSERT_EQ(told.size(), found.tried.size());
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], found.tried[i].scheme);
  for (const Scheme& scheme : told) EXPECT_TRUE(!scheme.per_channel && scheme.symmetric) << to_string(scheme);
  told.clear();
  options.known = found.tried;
  tune(simplified, baseline, options);
  EXPECT_EQ(told.size(), 0U) << "what is known is not tried again";
}

TEST_F(TuneTest, WantsOneGoal) {
  EXPECT_EQ(failure_of([&] { tuned(hard_network("Relu (a)"), {}); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(failure_of([&] { tuned(hard_network("Relu (a)"), {.max_loss = 1, .min_sqnr = 30}); }).code(),
            ErrorCode::kUsage);
}

TEST_F(TuneTest, GoesOnFromItsState) {
  const Model model = hard_network("Relu (a)");
  const Trials trials = make_trials(model, {.samples = [this](const Model& of) { return open(of); }});
  std::size_t told = 0, done = 0, total = 0;
  const TuneOptions options{.goal = {.min_sqnr = 30},
                            .runs = trials.runs,
                            .tried = [&](const Tried&) { ++told; },
                            .progress = [&](std::size_t n, std::size_t of) { done = n, total = of; }};
  const std::filesystem::path file = folder_ / "state.json";
  const Tuned first = tune_from_state(trials, options, file);
  ASSERT_TRUE(first.met);
  EXPECT_EQ(told, first.tried.size());
  EXPECT_EQ(done, most_schemes({}));
  EXPECT_EQ(total, most_schemes({}));
  const TuneState state = load_tune_state(file, trials, DType::kInt8);
  ASSERT_EQ(state.tried.size(), first.tried.size());
  for (std::size_t i = 0; i < state.tried.size(); ++i) {
    EXPECT_EQ(state.tried[i].scheme, first.tried[i].scheme);
    EXPECT_EQ(state.tried[i].sqnr, first.tried[i].sqnr);
    EXPECT_EQ(state.tried[i].right, first.tried[i].right);
  }
  told = 0;
  EXPECT_EQ(tune_from_state(trials, options, file).best, first.best);
  EXPECT_EQ(told, 0U);
  EXPECT_EQ(failure_of([&] { load_tune_state(file, trials, DType::kUint8); }).code(), ErrorCode::kUsage);
  TuneState wrong = state;
  wrong.tried[first.best].sqnr += 1;
  save_tune_state(wrong, file);
  const Error error = failure_of([&] { tune_from_state(trials, options, file); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  EXPECT_EQ(error.message().find(file.string()), 0U) << error.message();
}

// Those who judge are others than those who chose.
TEST_F(TuneTest, IsJudgedByHeldOutSamples) {
  const auto part = [this](std::int64_t index) {
    return [this, index](const Model& model) {
      return std::make_unique<SampleStream>(model, folder_ / "x.npz", SampleOptions{.part = SamplePart{index, 3}});
    };
  };
  const Trials trials =
      make_trials(hard_network("Relu (a)"), {.samples = part(0)}, "net", {}, {.choosing = part(1), .judging = part(2)});
  ASSERT_TRUE(trials.judge);
  EXPECT_EQ(trials.baseline->samples(), 21);
  EXPECT_EQ(trials.judge->samples(), 21);
  TuneOptions options{.goal = {.min_sqnr = 30}, .runs = trials.runs, .judge = trials.judge.get()};
  const Tuned found = tune(trials.model, *trials.baseline, options);
  ASSERT_TRUE(found.verdict && found.met);
  const auto engine = make_engine("reference", lowered(found.model, Policy::kExact));
  EXPECT_EQ(found.verdict->sqnr, trials.judge->measure(*engine).sqnr);
  EXPECT_NE(found.verdict->sqnr, found.tried[found.best].sqnr);
  EXPECT_NE(tune_text(found, *trials.baseline, 120, trials.judge.get())
                .find("verdict on 21 samples that neither calibrated nor chose: "),
            std::string::npos);
  const Trials same = make_trials(hard_network("Relu (a)"), {.samples = part(0)});
  EXPECT_NE(same.fingerprint, trials.fingerprint);
  EXPECT_NE(
      tune_text(tune(same.model, *same.baseline, {.goal = {.min_sqnr = 30}, .runs = same.runs}), *same.baseline, 120)
          .find("these samples calibrated, chose and judged"),
      std::string::npos);
}

// In ONNX Runtime scales per channel and zero points cost nothing, and 16 bits more than float.
TEST_F(TuneTest, StartsWithWhatTheTargetHasForNothing) {
  const Trials trials =
      make_trials(hard_network("Relu (a)"), {.samples = [this](const Model& of) { return open(of); }});
  const SchemeLimits x86{.target = Deployment::kOnnxRuntimeX86};
  const Tuned found =
      tune(trials.model, *trials.baseline, {.goal = {.min_sqnr = 300}, .limits = x86, .runs = trials.runs});
  for (const Tried& tried : found.tried) {
    EXPECT_TRUE(tried.scheme.per_channel && !tried.scheme.symmetric) << to_string(tried.scheme);
    EXPECT_EQ(tried.scheme.wide, 0);
  }
  EXPECT_EQ(found.tried.back().scheme.spared, 1);
  EXPECT_LE(found.tried.size(), most_schemes(x86));
  EXPECT_EQ(most_schemes(x86), 11U);
  EXPECT_EQ(most_schemes({}), 38U);
  EXPECT_EQ(activations_for(Deployment::kOnnxRuntimeX86), DType::kUint8);
}

TEST_F(TuneTest, ReportsTheSameAsTextAndJson) {
  const Trials trials =
      make_trials(hard_network("Relu (a)"), {.samples = [this](const Model& of) { return open(of); }});
  const Tuned found = tune_from_state(trials, {.goal = {.min_sqnr = 30}, .runs = trials.runs}, {});
  const Json json = Json::parse(tune_json(found, trials, "net.onnx", "octet quantize net.onnx"));
  EXPECT_EQ(json["samples"], 64);
  EXPECT_EQ(json["chosen"], found.best);
  EXPECT_EQ(json["met"], true);
  EXPECT_EQ(json["tried"].size(), found.tried.size());
  EXPECT_EQ(json["tried"][found.best]["equalized"], "plain");
  EXPECT_EQ(json["command"], "octet quantize net.onnx");
  const std::string text = tune_text(found, *trials.baseline, 120);
  EXPECT_NE(text.find("equalized"), std::string::npos) << text;
  EXPECT_NE(text.find("chosen"), std::string::npos) << text;
  EXPECT_NE(text.find("of 64 samples"), std::string::npos) << text;
}

TEST_F(TuneTest, TriesSixteenBitsBeforeFloat) {
  const Tuned found = tuned(hard_network("Relu (a)"), {.min_sqnr = 300});
  std::vector<std::pair<int, int>> kept;
  for (const Tried& tried : found.tried)
    if (tried.scheme.wide + tried.scheme.spared > 0) kept.emplace_back(tried.scheme.wide, tried.scheme.spared);
  // Of two layers one is kept: never all.
  EXPECT_EQ(kept, (std::vector<std::pair<int, int>>{{1, 0}, {0, 1}}));
  EXPECT_LE(found.tried.size(), most_schemes({}));
}

TEST_F(TuneTest, KeepsAMethodThatHelpsForThoseBehindIt) {
  const Tuned found = tuned(hard_network("Relu (a)"), {.min_sqnr = 300});
  // Four calibrations, then equalization, rounding and biases.
  ASSERT_GE(found.tried.size(), 7U);
  EXPECT_EQ(found.tried[4].scheme.repairs, (Repairs{.equalize = BoundedClamps::kLeave}));
  EXPECT_GT(found.tried[4].sqnr, found.tried[0].sqnr);
  EXPECT_EQ(found.tried[5].scheme.repairs, (Repairs{.equalize = BoundedClamps::kLeave, .round_weights = true}));
  const bool helped = found.tried[5].sqnr > found.tried[4].sqnr;
  EXPECT_EQ(
      found.tried[6].scheme.repairs,
      (Repairs{.equalize = BoundedClamps::kLeave, .round_weights = helped, .biases = BiasCorrection::kEmpirical}));
}

TEST(SchemeText, NamesWhatIsDone) {
  EXPECT_EQ(to_string(Scheme{}), "per tensor, symmetric, minmax");
  EXPECT_EQ(
      to_string(Scheme{
          .per_channel = true,
          .symmetric = false,
          .repairs = {.equalize = BoundedClamps::kReplace, .round_weights = true, .biases = BiasCorrection::kEmpirical},
          .wide = 1}),
      "per channel, asymmetric, minmax, equalized without clips, rounding, biases, 1 layer 16-bit");
  EXPECT_EQ(to_string(Scheme{.repairs = {.equalize = BoundedClamps::kLeave}, .spared = 2}),
            "per tensor, symmetric, minmax, equalized, 2 layers float");
}

}  // namespace
}  // namespace octet
