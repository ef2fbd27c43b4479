// Float operators that have ONNX Runtime's bits, on every machine. Expected numbers are those of ONNX Runtime 1.31.1 on x86-64 with
// AVX2 and FMA; tests/judge/floats.py compares many more.
#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(OnnxRuntimeBits, Exp) {
  const Tensor x = Tensor::from<float>({8}, {-104, -88.4F, -3.3F, -0.001F, 0.7F, 1.9F, 42.4F, 88.7F});
  EXPECT_EQ(
      values<float>(run_operator("Exp", 13, {}, {x})[0]),
      (Floats{0, 4.058515e-39F, 0.036883168F, 0.9990005F, 2.0137527F, 6.6858945F, 2.5946974e+18F, 3.3259769e+38F}));
}

TEST(OnnxRuntimeBits, Erf) {
  const Tensor x = Tensor::from<float>({8}, {-4, -0.93F, -0.92F, 0.001F, 0.5F, 0.921875F, 2.1F, 3.9F});
  EXPECT_EQ(values<float>(run_operator("Erf", 13, {}, {x})[0]),
            (Floats{-1, -0.81156355F, -0.8067677F, 0.0011283788F, 0.5204999F, 0.8076737F, 0.99702054F, 0.99999994F}));
}

TEST(OnnxRuntimeBits, Tanh) {
  const Tensor x = Tensor::from<float>({8}, {-9.5F, -2.2F, -0.001F, 0.3F, 0.77F, 1.5F, 5, 8.9F});
  EXPECT_EQ(values<float>(run_operator("Tanh", 13, {}, {x})[0]),
            (Floats{-1, -0.97574323F, -0.0009999996F, 0.2913126F, 0.6469295F, 0.9051482F, 0.99990916F, 1}));
}

TEST(OnnxRuntimeBits, Gelu) {
  const Tensor x = Tensor::from<float>({6}, {-6, -1.3F, -0.2F, 0.1F, 0.9F, 2.7F});
  EXPECT_EQ(values<float>(run_operator("Gelu", 20, {}, {x})[0]),
            (Floats{-0, -0.12584065F, -0.08414806F, 0.053982783F, 0.7343459F, 2.6906393F}));
}

TEST(OnnxRuntimeBits, HardSwish) {
  const Tensor x = Tensor::from<float>({6}, {-3.1F, -2.0796F, -0.5154F, 0.7F, 2.9F, 4});
  EXPECT_EQ(values<float>(run_operator("HardSwish", 14, {}, {x})[0]),
            (Floats{-0, -0.31901062F, -0.21342713F, 0.43166667F, 2.8516667F, 4}));
}

TEST(OnnxRuntimeBits, Softmax) {
  const Tensor x =
      Tensor::from<float>({1, 11}, {0.102578305F, 4.0792427F, 3.6741633F, -1.5309212F, -0.89390856F, -1.5821526F,
                                    1.709179F, -0.16819331F, 2.2406569F, -5.5419745F, 4.6996465F});
  EXPECT_EQ(values<float>(run_operator("Softmax", 13, {{"axis", 1L}}, {x})[0]),
            (Floats{0.004899798F, 0.2613495F, 0.17430021F, 0.00095666153F, 0.0018088791F, 0.0009088847F, 0.02442958F,
                    0.0037375207F, 0.04156559F, 1.7329263e-05F, 0.48602608F}));
}

TEST(OnnxRuntimeBits, LogSoftmax) {
  const Tensor x =
      Tensor::from<float>({1, 11}, {0.102578305F, 4.0792427F, 3.6741633F, -1.5309212F, -0.89390856F, -1.5821526F,
                                    1.709179F, -0.16819331F, 2.2406569F, -5.5419745F, 4.6996465F});
  EXPECT_EQ(values<float>(run_operator("LogSoftmax", 13, {{"axis", 1L}}, {x})[0]),
            (Floats{-5.3185616F, -1.3418968F, -1.7469761F, -6.9520607F, -6.315048F, -7.003292F, -3.7119606F,
                    -5.5893326F, -3.1804826F, -10.963114F, -0.721493F}));
}

TEST(OnnxRuntimeBits, GlobalAveragePool) {
  const Tensor x = Tensor::from<float>(
      {1, 1, 7}, {-0.09643216F, 0.68037844F, -0.13656634F, -0.37909856F, 0.46311015F, 0.82451355F, -0.20252988F});
  EXPECT_EQ(values<float>(run_operator("GlobalAveragePool", 13, {}, {x})[0]), (Floats{0.16476788F}));
}

TEST(OnnxRuntimeBits, AveragePoolByColumns) {
  const Tensor x = Tensor::from<float>(
      {1, 1, 3, 4}, {-0.15278618F, 0.6856986F, -0.87034065F, -1.5143836F, 0.39498186F, -0.67056584F, -1.9203405F,
                     -0.81405365F, -0.46759754F, -1.1932025F, -1.4924638F, 0.036637828F});
  EXPECT_EQ(values<float>(run_operator("AveragePool", 13, {{"kernel_shape", ints({3, 3})}}, {x})[0]),
            (Floats{-0.63184625F, -0.861446F}));
}

TEST(OnnxRuntimeBits, AveragePoolByRows) {
  const Tensor x = Tensor::from<float>(
      {1, 1, 3, 4}, {-0.15278618F, 0.6856986F, -0.87034065F, -1.5143836F, 0.39498186F, -0.67056584F, -1.9203405F,
                     -0.81405365F, -0.46759754F, -1.1932025F, -1.4924638F, 0.036637828F});
  EXPECT_EQ(values<float>(run_operator("AveragePool", 19, {{"kernel_shape", ints({3, 3})}}, {x})[0]),
            (Floats{-0.6318463F, -0.861446F}));
}

TEST(OnnxRuntimeBits, ReduceMean) {
  const Tensor x =
      Tensor::from<float>({2, 9}, {0.8972493F, -0.23313208F, -0.743596F, 0.38499382F, 0.7172358F, -0.3000106F,
                                   0.5446678F, 1.0428755F, -0.20695643F, -0.81351554F, 0.3476506F, 0.24754573F,
                                   1.0988128F, -1.2845808F, -0.6616129F, -0.83816695F, -1.7340149F, 0.12643455F});
  EXPECT_EQ(values<float>(run_operator("ReduceMean", 13, {{"axes", ints({1})}}, {x})[0]),
            (Floats{0.233703F, -0.39016086F}));
}

TEST(OnnxRuntimeBits, LayerNormalizationOfAShortRow) {
  const Tensor x = Tensor::from<float>({1, 5}, {0.5278042F, -0.73879004F, 1.385647F, 0.8219243F, 0.6273765F});
  const Tensor s = Tensor::from<float>({5}, {0.40170708F, 0.9556696F, -1.3319799F, 0.6139296F, 0.6027768F});
  const Tensor b = Tensor::from<float>({5}, {-1.7677186F, 0.3470301F, -0.25042135F, 0.7815227F, -0.43906218F});
  EXPECT_EQ(values<float>(run_operator("LayerNormalization", 17, {}, {x, s, b})[0]),
            (Floats{-1.7659854F, -1.3828099F, -1.8929846F, 1.0428367F, -0.35048306F}));
}

TEST(OnnxRuntimeBits, LayerNormalization) {
  const Tensor x = Tensor::from<float>(
      {1, 14}, {-0.018240858F, 0.34285152F, -0.8762617F, 0.59859663F, -0.10496319F, 0.49248263F, -0.52183753F,
                1.0862015F, 0.60520196F, -0.17802502F, 0.6319572F, 1.2597551F, 1.7911755F, -1.5735763F});
  const Tensor s = Tensor::from<float>(
      {14}, {0.8831318F, 0.46506852F, -0.09386078F, -1.006665F, 1.2571886F, -1.261738F, 0.5669455F, 1.301868F,
             -1.5996693F, -0.30251783F, -1.3092169F, 0.24405411F, 1.5143751F, 2.023556F});
  const Tensor b = Tensor::from<float>(
      {14}, {-1.7781144F, -0.574949F, 0.7035451F, 1.5793726F, 0.42121065F, -0.746152F, 0.2971315F, -0.016619202F,
             -0.20374072F, -0.7344711F, 0.38725975F, 0.30787963F, -0.092984125F, -0.22168794F});
  EXPECT_EQ(values<float>(run_operator("LayerNormalization", 17, {}, {x, s, b})[0]),
            (Floats{-2.0592806F, -0.52555317F, 0.8281234F, 1.1697338F, -0.10724259F, -1.1021563F, -0.21908467F,
                    1.2595639F, -0.8671132F, -0.5813202F, -0.19685164F, 0.59692305F, 2.6468318F, -4.5666585F}));
}

}  // namespace
}  // namespace octet
