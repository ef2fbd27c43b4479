#include "octet/evaluate/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "octet/evaluate/matching.h"
#include "octet/system/npz.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

const std::vector<Value> kInput = {value("x", DType::kFloat, SymbolicShape{Dim::symbol("N"), 2})};
const Tensor kWeights = Tensor::from<float>({2, 2}, {1, -1, 0.5F, 2});

// x -> p = x w -> r = Relu(p) -> y = 2 r
Model plain() {
  return network("main (x) => (y) { p = MatMul (x, w)\n r = Relu (p)\n y = Mul (r, two) }", kInput,
                 {{"w", kWeights}, {"two", f(2)}});
}
const Constants kParameters = {{"xs", f(0.5F)}, {"rs", f(0.25F)}, {"z", s8(0)}, {"rz", s8(-128)}, {"two", f(2)}};
Constants with(Constants constants, Constants more) {
  constants.insert(constants.end(), more.begin(), more.end());
  return constants;
}
// The same in 8 bits, its Relu dropped, under the names that `p` and `r` stand for.
Model pairs(const std::string& p, const std::string& r, float weight_step = 0.5F) {
  return network(
      "main (x) => (y) { xq = QuantizeLinear (x, xs, z)\n xd = DequantizeLinear (xq, xs, z)\n"
      " wd = DequantizeLinear (w_quantized, ws)\n " +
          p + " = MatMul (xd, wd)\n " + r + "_QuantizeLinear_Output = QuantizeLinear (" + p + ", rs, rz)\n " + r +
          "_DequantizeLinear_Output = DequantizeLinear (" + r + "_QuantizeLinear_Output, rs, rz)\n y = Mul (" + r +
          "_DequantizeLinear_Output, two) }",
      kInput,
      with(kParameters, {{"ws", f(weight_step)}, {"w_quantized", Tensor::from<std::int8_t>({2, 2}, {2, -2, 1, 4})}}));
}

std::map<std::string, std::string> names_of(const Matching& matching, const Program& a, const Program& b) {
  std::map<std::string, std::string> names;
  for (const Pair& pair : matching.pairs)
    names[a.values[pair.reference].name] =
        b.values[pair.candidate].name + " by " + std::string(pair.how) + (pair.output ? ", output" : "");
  for (const ValueId value : matching.unmatched) names[a.values[value].name] = "-";
  return names;
}
std::map<std::string, std::string> matched(const Model& a, const Model& b,
                                           const std::map<std::string, std::string>& map = {}) {
  const Program first = lowered(a, Policy::kAsWritten), second = lowered(b, Policy::kAsWritten);
  return names_of(match(first, second, map), first, second);
}
using Matched = std::map<std::string, std::string>;

TEST(Match, FindsWhatIsReadBehindQuantizeLinear) {
  const Matched wanted = {{"x", "xd by name"}, {"r", "r_DequantizeLinear_Output by name"}, {"y", "y by name, output"}};
  EXPECT_EQ(matched(plain(), pairs("p", "r")), wanted);
}

// What ONNX Runtime's quantizer writes: the convolution's name for what is the Relu's result.
TEST(Match, GivesTheReluWhatIsQuantizedUnderTheNameOfItsInput) {
  const Matched wanted = {{"x", "xd by name"}, {"r", "p_DequantizeLinear_Output by name"}, {"y", "y by name, output"}};
  EXPECT_EQ(matched(plain(), pairs("p", "p")), wanted);
}

TEST(Match, FindsByStructureWhatHasOtherNames) {
  const Matched wanted = {
      {"x", "xd by name"}, {"p", "-"}, {"r", "u_DequantizeLinear_Output by structure"}, {"y", "y by name, output"}};
  EXPECT_EQ(matched(plain(), pairs("t", "u")), wanted);
}

TEST(Match, FollowsTheMapFirst) {
  EXPECT_EQ(matched(plain(), pairs("t", "u"), {{"p", "t"}}).at("p"), "t by map");
  const Error unknown = failure_of([] { matched(plain(), pairs("p", "r"), {{"r", "r_Dequantize_Output"}}); });
  EXPECT_EQ(unknown.code(), ErrorCode::kUsage);
  EXPECT_NE(std::string(unknown.what()).find("r_DequantizeLinear_Output"), std::string::npos) << unknown.what();
  EXPECT_NE(std::string(failure_of([] {
                          matched(plain(), plain(), {{"q", "p"}});
                        }).what())
                .find("first network"),
            std::string::npos);
}

// What is on its way to a QuantizeLinear through clamps is left out, and a clamp that something else reads is not.
TEST(Match, FollowsClampsOnTheWayToQuantizeLinear) {
  const auto clamped = [](const std::string& behind) {
    return network(
        "main (x) => (y) { p = MatMul (x, w)\n r = Relu (p)\n c = Relu (r)\n q = QuantizeLinear (c, rs, rz)\n" +
            behind + " }",
        kInput, {{"w", kWeights}, {"rs", f(0.25F)}, {"rz", s8(-128)}, {"two", f(2)}});
  };
  const Model alone = clamped(" y = DequantizeLinear (q, rs, rz)");
  const Model read = clamped(" d = DequantizeLinear (q, rs, rz)\n e = Mul (r, two)\n y = Add (d, e)");
  const Model reference =
      network("main (x) => (y) { p = MatMul (x, w)\n y = Mul (p, two) }", kInput, {{"w", kWeights}, {"two", f(2)}});
  EXPECT_FALSE(matched(reference, alone).contains("p"));
  EXPECT_EQ(matched(reference, read).at("p"), "p by name");
}

TEST(Match, PairsOutputsOfOtherNamesAndRefusesOtherShapes) {
  const Model other = network("main (x) => (z) { s = Sigmoid (x)\n z = Mul (s, two) }", kInput, {{"two", f(2)}});
  const Model wider = network("main (x) => (z) { z = MatMul (x, w) }", kInput,
                              {{"w", Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_EQ(matched(plain(), other).at("y"), "z by output, output");
  EXPECT_EQ(matched(plain(), wider).at("y"), "-");
  EXPECT_EQ(matched(plain(), wider).at("p"), "-");
}

class LossTest : public testing::Test {
 protected:
  LossTest() {
    save_npz({{"x", Tensor::from<float>({3, 2}, {1, 0.5F, -2, 0.25F, 0.75F, 3})}}, folder_ / "samples.npz");
  }
  Loss loss(const Model& a, const Model& b, const LossOptions& options = {}) const {
    SampleStream first(a, folder_ / "samples.npz", {}), second(b, folder_ / "samples.npz", {});
    return measure_loss(a, b, first, second, options);
  }
  static const TensorLoss& find(const Loss& loss, std::string_view name) {
    for (const TensorLoss& tensor : loss.tensors)
      if (tensor.name == name) return tensor;
    ADD_FAILURE() << name << " is missing";
    return loss.tensors.at(0);
  }

  TemporaryFolder folder_;
};

// By hand. x rounds to steps of 0.5 (0.25 and 0.75 are ties: to 0 and 1): the errors are 0, 0, 0, -0.25, 0.25, 0.
// p = x w: (1.25, 0), (-1.875, 2.5), (2.25, 5.25); r: (1.25, 0), (0, 2.5), (2.25, 5.25), all multiples of 0.25, so that r
// loses nothing by itself. From the rounded x: (1.25, 0), (-2, 2), (2.5, 5): r errs by 0, 0, 0, -0.5, 0.25, -0.25.
TEST_F(LossTest, TellsATensorsOwnErrorFromThatBeforeIt) {
  for (const std::int64_t batch : {1, 2, 32}) {
    const Loss found = loss(plain(), pairs("p", "r"), {.batch = batch});
    EXPECT_EQ(found.samples, 3);
    const TensorLoss &x = find(found, "x"), &r = find(found, "r"), &y = find(found, "y");
    EXPECT_DOUBLE_EQ(x.total.sqnr(), 10 * std::log10(14.875 / 0.125));
    EXPECT_EQ(x.own.sqnr(), x.total.sqnr());
    EXPECT_EQ(r.own.sqnr(), std::numeric_limits<double>::infinity());
    EXPECT_DOUBLE_EQ(r.total.sqnr(), 10 * std::log10(40.4375 / 0.375));
    EXPECT_DOUBLE_EQ(r.total.mean_error(), -0.5 / 6);
    EXPECT_EQ(r.total.largest(), 0.5);
    EXPECT_EQ(r.op_type, "Relu");
    EXPECT_EQ(y.own.sqnr(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(y.total.largest(), 1);
    EXPECT_TRUE(y.output);
  }
}

// Weights of half the size: what r itself does wrong, from the unrounded x.
TEST_F(LossTest, CountsWrongWeightsAsOwnError) {
  const Loss found = loss(plain(), pairs("p", "r", 0.25F));
  EXPECT_NEAR(find(found, "r").own.sqnr(), 20 * std::log10(2), 0.7);
  ASSERT_EQ(found.weights.size(), 1U);
  EXPECT_EQ(found.weights[0].name, "w");
  EXPECT_DOUBLE_EQ(found.weights[0].noise.sqnr(), 20 * std::log10(2));
}

TEST_F(LossTest, FindsNothingBetweenANetworkAndItself) {
  const Loss found = loss(plain(), plain());
  EXPECT_EQ(found.tensors.size(), 4U);
  EXPECT_TRUE(found.unmatched.empty());
  for (const TensorLoss& tensor : found.tensors) {
    EXPECT_EQ(tensor.total.sqnr(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(tensor.total.elements(), 6);
    EXPECT_EQ(tensor.own.elements(), tensor.name == "x" ? 0 : 6);
  }
}

// Of a quantized reference nobody's own error is told: a file against itself has none, in every row.
TEST_F(LossTest, ComparesAQuantizedNetworkInTotalAlone) {
  const Loss found = loss(pairs("p", "r"), pairs("p", "r"));
  EXPECT_FALSE(found.float_reference);
  EXPECT_TRUE(loss(plain(), pairs("p", "r")).float_reference);
  std::vector<std::string> names;
  for (const TensorLoss& tensor : found.tensors) {
    names.push_back(tensor.name + "=" + tensor.counterpart);
    EXPECT_EQ(tensor.total.sqnr(), std::numeric_limits<double>::infinity()) << tensor.name;
    EXPECT_EQ(tensor.total.elements(), tensor.name == "wd" ? 4 : 6);
    EXPECT_EQ(tensor.own.elements(), 0);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"xd=xd", "wd=wd", "r_DequantizeLinear_Output=r_DequantizeLinear_Output", "y=y"}));
  EXPECT_TRUE(found.unmatched.empty());
  const Loss halved = loss(pairs("p", "r"), pairs("p", "r", 0.25F));
  EXPECT_LT(find(halved, "y").total.sqnr(), 20);
}

// uint8 by 0.25 from 0 to 63.75 would do; by 0.02 it ends at 5.1, and 5.25 is beyond 5.11.
TEST_F(LossTest, CountsWhatIsClippedAndReadsIntegersByTheirMeaning) {
  const Model operators = network(
      "main (x) => (y) { x_quantized = QuantizeLinear (x, xs, z)\n"
      " r_quantized = QLinearMatMul (x_quantized, xs, z, w_quantized, xs, z, rs, u)\n"
      " d = DequantizeLinear (r_quantized, rs, u)\n y = Mul (d, two) }",
      kInput,
      {{"xs", f(0.5F)},
       {"z", s8(0)},
       {"two", f(2)},
       {"rs", f(0.02F)},
       {"u", s8(-128)},
       {"w_quantized", Tensor::from<std::int8_t>({2, 2}, {2, -2, 1, 4})}});
  const Loss found = loss(plain(), operators);
  const TensorLoss& r = find(found, "r");
  EXPECT_EQ(r.counterpart, "r_quantized");
  EXPECT_EQ(r.total.clipped(), 1);
  EXPECT_NEAR(r.total.largest(), 0.5, 1e-6);
  // Its own error: from x as integers, which are those of the network itself.
  EXPECT_EQ(r.own.sqnr(), r.total.sqnr());
}

// int8 by 0.5 holds -64 to 63.5; what rounds to an end from half a step beyond is not clipped.
TEST_F(LossTest, CountsAsClippedWhatIsMoreThanHalfAStepBeyondTheEnds) {
  save_npz({{"x", Tensor::from<float>({3, 2}, {63.5F, 63.7F, 63.8F, -64, -64.2F, -64.3F})}}, folder_ / "samples.npz");
  const TensorLoss x = find(loss(plain(), pairs("p", "r")), "x");
  EXPECT_EQ(x.total.clipped(), 2);
  EXPECT_EQ(x.total.elements(), 6);
}

TEST_F(LossTest, RefusesAMapBetweenTensorsOfOtherShapes) {
  const Model columns = network("main (x) => (y) { t = Transpose (x)\n y = Transpose (t) }", kInput, {});
  const Error error = failure_of([&] { loss(plain(), columns, {.map = {{"p", "t"}}}); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_NE(std::string(error.what()).find("p has the shape [3,2]"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace octet
