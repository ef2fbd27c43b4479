// RNN, GRU and LSTM. Activations that are the identity (Affine) make the expected values easy to work out.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

// h[t] = x[t] + 10 * h[t-1], one unit.
struct OneUnit {
  AttributeList attributes = {{"activations", Strings{"Affine"}}, {"hidden_size", 1L}};
  Tensor x = Tensor::from<float>({3, 1, 1}, {1, 2, 3});
  Tensor w = Tensor::from<float>({1, 1, 1}, {1}), r = Tensor::from<float>({1, 1, 1}, {10});
};

TEST(RNN, CarriesItsStateFromStepToStep) {
  const OneUnit unit;
  const auto y = run_operator("RNN", 14, unit.attributes, {unit.x, unit.w, unit.r}, 2);
  EXPECT_EQ(y[0].shape(), (Shape{3, 1, 1, 1}));
  EXPECT_EQ(values<float>(y[0]), (Floats{1, 12, 123}));
  EXPECT_EQ(y[1].shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(values<float>(y[1]), (Floats{123}));
}

TEST(RNN, AddsBothBiasesAndStartsFromTheInitialState) {
  const OneUnit unit;
  const Tensor b = Tensor::from<float>({1, 2}, {0.5F, 0.25F}), h = Tensor::from<float>({1, 1, 1}, {7});
  EXPECT_EQ(values<float>(run_operator("RNN", 7, unit.attributes, {unit.x, unit.w, unit.r, b, Tensor(), h})[0]),
            (Floats{71.75F, 720.25F, 7206.25F}));
}

TEST(RNN, WalksBackward) {
  OneUnit unit;
  unit.attributes.push_back({"direction", "reverse"});
  const auto y = run_operator("RNN", 14, unit.attributes, {unit.x, unit.w, unit.r}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{321, 32, 3}));
  EXPECT_EQ(values<float>(y[1]), (Floats{321}));
}

TEST(RNN, WalksBothWays) {
  OneUnit unit;
  unit.attributes = {{"activations", Strings{"Affine", "Affine"}}, {"direction", "bidirectional"}};
  const Tensor w = Tensor::from<float>({2, 1, 1}, {1, 1}), r = Tensor::from<float>({2, 1, 1}, {10, 100});
  const auto y = run_operator("RNN", 14, unit.attributes, {unit.x, w, r}, 2);
  EXPECT_EQ(y[0].shape(), (Shape{3, 2, 1, 1}));
  EXPECT_EQ(values<float>(y[0]), (Floats{1, 30201, 12, 302, 123, 3}));
  EXPECT_EQ(values<float>(y[1]), (Floats{123, 30201}));
}

TEST(RNN, EndsEachSequenceWhereItEnds) {
  OneUnit unit;
  const Tensor x = Tensor::from<float>({3, 2, 1}, {1, 1, 2, 2, 3, 3});
  const Tensor lengths = Tensor::from<std::int32_t>({2}, {3, 2});
  auto y = run_operator("RNN", 14, unit.attributes, {x, unit.w, unit.r, Tensor(), lengths}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{1, 1, 12, 12, 123, 0}));
  EXPECT_EQ(values<float>(y[1]), (Floats{123, 12}));
  unit.attributes.push_back({"direction", "reverse"});
  y = run_operator("RNN", 14, unit.attributes, {x, unit.w, unit.r, Tensor(), lengths}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{321, 21, 32, 2, 3, 0}));
  EXPECT_EQ(values<float>(y[1]), (Floats{321, 21}));
}

TEST(RNN, TakesTheBatchFirstWhenAsked) {
  OneUnit unit;
  unit.attributes.push_back({"layout", 1L});
  const Tensor x = Tensor::from<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const auto y = run_operator("RNN", 14, unit.attributes, {x, unit.w, unit.r}, 2);
  EXPECT_EQ(y[0].shape(), (Shape{2, 3, 1, 1}));
  EXPECT_EQ(values<float>(y[0]), (Floats{1, 12, 123, 4, 45, 456}));
  EXPECT_EQ(y[1].shape(), (Shape{2, 1, 1}));
}

TEST(RNN, ClipsWhatGoesIntoTheActivation) {
  OneUnit unit;
  unit.attributes.push_back({"clip", 5.0F});
  EXPECT_EQ(values<float>(run_operator("RNN", 14, unit.attributes, {unit.x, unit.w, unit.r})[0]), (Floats{1, 5, 5}));
}

TEST(RNN, GivesAlphaAndBetaToTheFunctionsThatHaveThem) {
  OneUnit unit;
  unit.attributes = {{"activations", Strings{"affine"}},
                     {"activation_alpha", std::vector<float>{2}},
                     {"activation_beta", std::vector<float>{0.5F}}};
  const Tensor x = Tensor::from<float>({1, 1, 1}, {3});
  EXPECT_EQ(values<float>(run_operator("RNN", 14, unit.attributes, {x, unit.w, unit.r})[0]), (Floats{6.5F}));
}

TEST(RNN, LongSequencesAreProjectedInPieces) {
  // h[t] = x[t] + h[t-1] with x = 1: more steps than are multiplied at once.
  OneUnit unit;
  const Tensor x = Tensor::from<float>({200, 1, 1}, Floats(200, 1.0F)), one = Tensor::from<float>({1, 1, 1}, {1});
  const Tensor y = run_operator("RNN", 14, unit.attributes, {x, one, one})[0];
  for (std::int64_t t = 0; t < 200; ++t) EXPECT_EQ(y.number_at(t), static_cast<double>(t + 1));
}

TEST(RNN, ChecksItsConstraints) {
  const OneUnit unit;
  EXPECT_EQ(broken_constraint("RNN", 14, {}, {unit.x, counting<double>({1, 1, 1}), unit.r}), "rnn_c1");
  EXPECT_EQ(broken_constraint("RNN", 14, {}, {unit.x, counting<float>({1, 2, 1}), unit.r}), "rnn_c2");
  EXPECT_EQ(broken_constraint("RNN", 14, {}, {counting<float>({3, 1}), unit.w, unit.r}), "rnn_c2");
  EXPECT_EQ(broken_constraint("RNN", 14, {{"direction", "up"}}, {unit.x, unit.w, unit.r}), "rnn_c3");
  EXPECT_EQ(broken_constraint("RNN", 14, {{"hidden_size", 2L}}, {unit.x, unit.w, unit.r}), "rnn_c3");
  EXPECT_EQ(broken_constraint("RNN", 14, {{"layout", 2L}}, {unit.x, unit.w, unit.r}), "rnn_c3");
  EXPECT_EQ(broken_constraint("RNN", 14, {{"activations", Strings{"Sine"}}}, {unit.x, unit.w, unit.r}), "rnn_c3");
  const Tensor long_one = Tensor::from<std::int32_t>({1}, {4});
  EXPECT_EQ(broken_constraint("RNN", 14, {}, {unit.x, unit.w, unit.r, Tensor(), long_one}), "rnn_c4");
}

// All gates the identity. z = x, r = 2x + h, n as the two formulas say.
struct OneGruUnit {
  AttributeList attributes = {{"activations", Strings{"Affine", "Affine"}}};
  Tensor x = Tensor::from<float>({1, 1, 1}, {3}), h = Tensor::from<float>({1, 1, 1}, {2});
  Tensor w = Tensor::from<float>({1, 3, 1}, {1, 2, 1}), r = Tensor::from<float>({1, 3, 1}, {0, 1, 5});
  Tensor b = Tensor::from<float>({1, 6}, {0, 0, 0, 0, 0, 4});
};

TEST(GRU, ResetsTheStateBeforeTheProduct) {
  // z = 3, r = 8, n = 3 + (8 * 2) * 5 + 4 = 87; h = (1 - 3) * 87 + 3 * 2 = -168.
  const OneGruUnit unit;
  const auto y = run_operator("GRU", 14, unit.attributes, {unit.x, unit.w, unit.r, unit.b, Tensor(), unit.h}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{-168}));
  EXPECT_EQ(values<float>(y[1]), (Floats{-168}));
}

TEST(GRU, ResetsTheProductWhenAsked) {
  // n = 3 + 8 * (2 * 5 + 4) = 115; h = (1 - 3) * 115 + 3 * 2 = -224.
  OneGruUnit unit;
  unit.attributes.push_back({"linear_before_reset", 1L});
  EXPECT_EQ(
      values<float>(run_operator("GRU", 3, unit.attributes, {unit.x, unit.w, unit.r, unit.b, Tensor(), unit.h})[0]),
      (Floats{-224}));
}

TEST(GRU, ChecksItsConstraints) {
  const OneGruUnit unit;
  EXPECT_EQ(broken_constraint("GRU", 14, {}, {unit.x, unit.w, counting<double>({1, 3, 1})}), "gru_c1");
  EXPECT_EQ(broken_constraint("GRU", 14, {}, {unit.x, unit.w, unit.r, counting<float>({1, 3})}), "gru_c2");
  EXPECT_EQ(broken_constraint("GRU", 14, {{"activations", Strings{"Tanh"}}}, {unit.x, unit.w, unit.r}), "gru_c3");
  EXPECT_EQ(broken_constraint("GRU", 14, {}, {unit.x, unit.w, unit.r, Tensor(), counting<std::int64_t>({1})}),
            "gru_c4");
}

// All gates the identity: i = x, o = 2x, f = h, n = x.
struct OneLstmUnit {
  AttributeList attributes = {{"activations", Strings{"Affine", "Affine", "Affine"}}};
  Tensor x = Tensor::from<float>({1, 1, 1}, {3}), h = Tensor::from<float>({1, 1, 1}, {2}),
         c = Tensor::from<float>({1, 1, 1}, {5});
  Tensor w = Tensor::from<float>({1, 4, 1}, {1, 2, 0, 1}), r = Tensor::from<float>({1, 4, 1}, {0, 0, 1, 0});
};

TEST(LSTM, FollowsItsEquations) {
  // c = f * c + i * n = 2 * 5 + 3 * 3 = 19; h = o * c = 6 * 19 = 114.
  const OneLstmUnit unit;
  const auto y =
      run_operator("LSTM", 14, unit.attributes, {unit.x, unit.w, unit.r, Tensor(), Tensor(), unit.h, unit.c}, 3);
  EXPECT_EQ(values<float>(y[0]), (Floats{114}));
  EXPECT_EQ(values<float>(y[1]), (Floats{114}));
  EXPECT_EQ(values<float>(y[2]), (Floats{19}));
}

TEST(LSTM, PeepholesSeeTheCell) {
  // i = 3 + 1 * 5 = 8, f = 2 + 3 * 5 = 17, c = 17 * 5 + 8 * 3 = 109; o = 6 + 2 * 109 = 224; h = 224 * 109.
  const OneLstmUnit unit;
  const Tensor p = Tensor::from<float>({1, 3}, {1, 2, 3});
  const auto y =
      run_operator("LSTM", 7, unit.attributes, {unit.x, unit.w, unit.r, Tensor(), Tensor(), unit.h, unit.c, p}, 3);
  EXPECT_EQ(values<float>(y[2]), (Floats{109}));
  EXPECT_EQ(values<float>(y[0]), (Floats{24416}));
}

TEST(LSTM, InputForgetCouplesTheGates) {
  // f = 1 - i = -2: c = -2 * 5 + 3 * 3 = -1.
  OneLstmUnit unit;
  unit.attributes.push_back({"input_forget", 1L});
  EXPECT_EQ(values<float>(run_operator("LSTM", 14, unit.attributes,
                                       {unit.x, unit.w, unit.r, Tensor(), Tensor(), unit.h, unit.c}, 3)[2]),
            (Floats{-1}));
}

TEST(LSTM, InfersWithSymbols) {
  const Dim n = Dim::symbol("N"), t = Dim::symbol("T");
  const std::vector<Fact> inputs = {fact(DType::kFloat, SymbolicShape{t, n, 8}),
                                    fact(DType::kFloat, SymbolicShape{2, 64, 8}),
                                    fact(DType::kFloat, SymbolicShape{2, 64, 16})};
  const AttributeList attributes = {{"direction", "bidirectional"}};
  EXPECT_EQ(infer_operator("LSTM", 14, attributes, inputs, 3).shape, (SymbolicShape{t, 2, n, 16}));
  EXPECT_EQ(infer_operator("LSTM", 14, attributes, inputs, 3, 2).shape, (SymbolicShape{2, n, 16}));
}

TEST(LSTM, ChecksItsConstraints) {
  const OneLstmUnit unit;
  const Tensor none;
  EXPECT_EQ(
      broken_constraint("LSTM", 14, {}, {unit.x, unit.w, unit.r, none, none, none, counting<double>({1, 1, 1})}, 3),
      "lstm_c1");
  EXPECT_EQ(
      broken_constraint("LSTM", 14, {}, {unit.x, unit.w, unit.r, none, none, none, none, counting<float>({1, 4})}, 3),
      "lstm_c2");
  EXPECT_EQ(broken_constraint("LSTM", 14, {{"direction", "bidirectional"}}, {unit.x, unit.w, unit.r}, 3), "lstm_c2");
  EXPECT_EQ(broken_constraint("LSTM", 14, {{"hidden_size", 0L}}, {unit.x, unit.w, unit.r}, 3), "lstm_c3");
  EXPECT_EQ(broken_constraint("LSTM", 14, {}, {unit.x, unit.w, unit.r, none, Tensor::from<std::int32_t>({1}, {-1})}, 3),
            "lstm_c4");
}

}  // namespace
}  // namespace octet
