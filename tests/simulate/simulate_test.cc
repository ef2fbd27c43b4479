#include "octet/simulate/simulate.h"

#include <gtest/gtest.h>

#include "octet/simulate/hardware.h"
#include "octet/simulate/pitfalls.h"
#include "octet/simulate/sweep.h"
#include "octet/simulate/unfused.h"
#include "octet/system/npz.h"
#include "octet/text/json.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {
// x float [N, 2] -> uint8 by scale 1 -> times the identity, by scale `y_scale` -> float: the larger number wins.
Model larger_of_two(float y_scale = 1) {
  return network(
      "main (x) => (y) { q = QuantizeLinear (x, s, z)\n p = QLinearMatMul (q, s, z, w, s, wz, ys, z)\n"
      " y = DequantizeLinear (p, ys, z) }",
      {value("x", DType::kFloat, SymbolicShape{Dim::symbol("N"), 2})},
      {{"s", f(1)},
       {"ys", f(y_scale)},
       {"z", u8(0)},
       {"wz", s8(0)},
       {"w", Tensor::from<std::int8_t>({2, 2}, {1, 0, 0, 1})}});
}

class Simulate : public testing::Test {
 protected:
  void save(std::vector<float> x, std::vector<std::int64_t> labels) const {
    const auto count = static_cast<std::int64_t>(x.size()) / 2;
    NamedTensors arrays = {{"x", Tensor::from<float>({count, 2}, std::span<const float>(x))}};
    if (!labels.empty()) arrays["y"] = Tensor::from<std::int64_t>({count}, std::span<const std::int64_t>(labels));
    save_npz(arrays, folder_ / "samples.npz");
  }
  Simulated run(const std::vector<Variant>& variants, std::int64_t batch = 32) const {
    SampleStream samples(larger_of_two(), folder_ / "samples.npz", {});
    return simulate(lowered(larger_of_two(), Policy::kExact), variants, samples, {.batch = batch});
  }
  Variant on(const Hardware& hardware) const {
    return {on_hardware(lowered(larger_of_two(), Policy::kExact), hardware), hardware.arithmetic};
  }

  TemporaryFolder folder_;
};

TEST_F(Simulate, CountsTheDamage) {
  save({200, 100, 1, 3}, {0, 1});
  // 8 bits that wrap: 200 becomes -56, saturated 0; 100 wins. 1, 3 and 100 stay.
  const Simulated found = run({on({}), on({.arithmetic = {.accumulator_bits = 8}})});
  EXPECT_EQ(found.exact.top1(), 2);
  const Damage &none = found.damages[0], &wrapped = found.damages[1];
  EXPECT_EQ(none.elements, 4);
  EXPECT_EQ(none.differing, 0);
  EXPECT_EQ(none.first_step, std::nullopt);
  EXPECT_EQ(none.score.predictions(), found.exact.predictions());
  EXPECT_EQ(wrapped.elements, 4);
  EXPECT_EQ(wrapped.differing, 1);
  EXPECT_EQ(wrapped.largest, 200);
  EXPECT_EQ(wrapped.first_step, 1U);
  EXPECT_EQ(wrapped.score.predictions(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(compare(found.exact, wrapped.score).only_first_right, 1);
}

TEST_F(Simulate, CountsSumsThatAreNotRequantized) {
  Model model = network(
      "main (x) => (y) { q = QuantizeLinear (x, s, z)\n p = MatMulInteger (q, w, z)\n y = Cast <to: int = 1> (p) }",
      {value("x", DType::kFloat, SymbolicShape{Dim::symbol("N"), 2})},
      {{"s", f(1)}, {"z", u8(0)}, {"w", Tensor::from<std::int8_t>({2, 2}, {1, 0, 0, 1})}});
  save({200, 100}, {0});
  SampleStream samples(model, folder_ / "samples.npz", {});
  const Program exact = lowered(model, Policy::kExact);
  const Hardware hardware{.arithmetic = {.accumulator_bits = 8}};
  const Damage damage = simulate(exact, {{on_hardware(exact, hardware), hardware.arithmetic}}, samples).damages[0];
  EXPECT_EQ(damage.elements, 2);
  EXPECT_EQ(damage.differing, 1);
  EXPECT_EQ(damage.largest, 256);
}

TEST_F(Simulate, GoesOnWithoutLabels) {
  save({200, 100}, {});
  const Simulated found = run({on({.arithmetic = {.accumulator_bits = 8}})});
  EXPECT_FALSE(found.labelled);
  EXPECT_EQ(compare(found.exact, found.damages[0].score).same_prediction, 0);
}

TEST_F(Simulate, DrawsTheSameWhateverTheBatch) {
  std::vector<float> x;
  for (int k = 0; k < 64; ++k) x.push_back(static_cast<float>(100 + k * 37 % 3));
  save(x, std::vector<std::int64_t>(32, 0));
  // By scale 2 every odd number is drawn for.
  const std::vector<Variant> variants = {
      {lowered(larger_of_two(2), Policy::kExact), {.stochastic = true, .seed = 3}},
      {lowered(larger_of_two(2), Policy::kExact), {.stochastic = true, .seed = 4}},
  };
  const Simulated one = run(variants, 1), all = run(variants, 32);
  for (const std::size_t v : {0, 1}) {
    EXPECT_EQ(one.damages[v].differing, all.damages[v].differing);
    EXPECT_EQ(one.damages[v].score.predictions(), all.damages[v].score.predictions());
  }
  EXPECT_NE(all.damages[0].score.predictions(), all.damages[1].score.predictions());
}

TEST_F(Simulate, RefusesAnEmptyProgram) {
  const Model model = network("main (x) => (y) { y = Relu (x) }", {value("x", DType::kFloat, SymbolicShape{1, 2})}, {});
  EXPECT_EQ(failure_of([&] { on_hardware(lowered(model, Policy::kExact), {}); }).message(),
            "the program has no integer step to simulate: it is a float model, or none of it could be fused");
}

TEST_F(Simulate, TellsWhatDoesNotApplyToTheProgram) {
  save({200, 100, 1, 3}, {0, 1});
  const Program exact = lowered(larger_of_two(), Policy::kExact);
  SampleStream samples(larger_of_two(), folder_ / "samples.npz", {});
  const std::vector<HardwareVariant> variants = {hardware_variants(exact, axes_of({.accumulator = "8,wrap"}), 1)[0],
                                                 {"left out", "it has no use here", std::nullopt}};
  const DamageReport report = simulate_hardware(exact, variants, samples);
  EXPECT_EQ(report.exact.top1(), 2);
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].name, "accumulator 8, overflow wrap");
  ASSERT_TRUE(report.rows[0].damage);
  EXPECT_EQ(report.rows[0].damage->differing, 1);
  EXPECT_EQ(accuracy_change(report.exact, *report.rows[0].damage), -50);
  EXPECT_FALSE(report.rows[1].damage);
  const Json json = Json::parse(damage_json(report, exact, {.model = "net.onnx", .engine = "fast", .seed = 1}));
  EXPECT_EQ(json["exact_right"], 2);
  EXPECT_EQ(json["rows"][0]["right"], 1);
  EXPECT_EQ(json["rows"][0]["change"], -50.0);
  EXPECT_EQ(json["rows"][1], (Json{{"name", "left out"}, {"note", "it has no use here"}}));
  const std::string text = damage_text(report, exact, 120);
  EXPECT_NE(text.find("exact: 2 of 2 right, 100.00 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("left out: it has no use here\n"), std::string::npos) << text;
  EXPECT_NE(damage_picture(report).find("does not apply"), std::string::npos);
}

TEST_F(Simulate, TriesThePitfallsThatApply) {
  const Program exact = lowered(larger_of_two(), Policy::kExact);
  int applied = 0;
  for (const HardwareVariant& variant : pitfall_variants(exact, 1)) {
    EXPECT_NE(variant.variant.has_value(), !variant.note.empty()) << variant.name;
    applied += variant.variant ? 1 : 0;
    if (variant.name == "padding with the byte 0") EXPECT_FALSE(variant.variant) << "nothing is padded";
    if (variant.name == "accumulator of 16 bits wraps") EXPECT_TRUE(variant.variant);
  }
  EXPECT_GT(applied, 10);
}

TEST_F(Simulate, SweepsEveryCombination) {
  save({200, 100, 1, 3}, {0, 1});
  const Program exact = lowered(larger_of_two(), Policy::kExact);
  SampleStream samples(larger_of_two(), folder_ / "samples.npz", {});
  const Sweep found = sweep(exact, axes_of({.accumulator = "8..9,wrap,saturate"}), 1, samples);
  ASSERT_EQ(found.settings.size(), 4U);
  EXPECT_EQ(found.choice(1, 0).text, "8");
  EXPECT_EQ(found.choice(1, 1).text, "saturate");
  // 8 bits that wrap make -56 of 200; 8 bits that saturate make 127 of it, which still wins; 9 bits hold it.
  EXPECT_EQ(found.simulated.damages[0].score.top1(), 1);
  EXPECT_EQ(found.simulated.damages[1].score.top1(), 2);
  EXPECT_EQ(found.simulated.damages[1].largest, 73);
  EXPECT_EQ(found.simulated.damages[2].differing, 0);
  EXPECT_EQ(sweep_csv(found, exact).substr(0, 30), "accumulator,overflow,samples,r");
  EXPECT_NE(sweep_csv(found, exact).find("\n8,wrap,2,1,50.0000,-50.0000,1,0,1,1,4,1,200,p\n"), std::string::npos)
      << sweep_csv(found, exact);
  const Json json = Json::parse(sweep_json(found, exact, {.model = "net.onnx", .engine = "fast", .seed = 1}));
  EXPECT_EQ(json["rows"][1]["setting"], (Json{{"accumulator", "8"}, {"overflow", "saturate"}}));
  EXPECT_EQ(json["rows"][1]["largest"], 73);
  EXPECT_EQ(plotted_axis(found.axes), 0U);
  EXPECT_NE(sweep_picture(found).find("Accuracy on 2 samples; 100.00 % is exact"), std::string::npos);
  EXPECT_EQ(failure_of([] { plotted_axis(axes_of({.rounding = "floor,ties-up"})); }).code(), ErrorCode::kUsage);
}

TEST(Pitfalls, HaveNamesOfTheirOwn) {
  const std::vector<Pitfall> list = standard_pitfalls(1);
  EXPECT_GT(list.size(), 20U);
  for (std::size_t a = 0; a < list.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(list[a].name, list[b].name);
}

TEST(Unfused, StoresEveryResultInEightBits) {
  // x in [0, 255]: scale 1. 2 x in [0, 510]: scale 2. 2 x - 100 in [-100, 410]: scale 2, zero point 50. Relu: [0, 410],
  // scale 410 / 255. x = 101: 202, 102, and 102 / 1.608 = 63.4 -> 63 * 1.608 = 101.29 where exact is 102.
  Model model = network(
      "main (x) => (y) { c = Conv (x, w)\n n = BatchNormalization <epsilon: float = 0.0> (c, one, shift, zero, one)\n"
      " y = Relu (n) }",
      {value("x", DType::kFloat, SymbolicShape{Dim::symbol("N"), 1, 1, 1})},
      {{"w", Tensor::from<float>({1, 1, 1, 1}, {2})},
       {"one", Tensor::from<float>({1}, {1})},
       {"zero", Tensor::from<float>({1}, {0})},
       {"shift", Tensor::from<float>({1}, {-100})}});
  const TemporaryFolder folder;
  save_npz({{"x", Tensor::from<float>({3, 1, 1, 1}, {0, 101, 255})}}, folder / "samples.npz");
  SampleStream samples(model, folder / "samples.npz", {});
  const Model unfused = unfused_model(model, samples);
  EXPECT_EQ(std::ranges::count(unfused.graph.nodes, "QuantizeLinear", &Node::op_type), 4);
  const NamedTensors all =
      run_as_written(unfused, {{"x", Tensor::from<float>({1, 1, 1, 1}, {101})}}, {.keep_all = true});
  EXPECT_FLOAT_EQ(all.at("c").as<float>()[0], 202);
  EXPECT_FLOAT_EQ(all.at("n").as<float>()[0], 102);
  EXPECT_FLOAT_EQ(all.at("y").as<float>()[0], 63 * (410 / 255.0F));
}

}  // namespace
}  // namespace octet
