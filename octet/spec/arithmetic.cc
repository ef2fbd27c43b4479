#include "octet/spec/arithmetic.h"

#include <array>
#include <string>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::array<NamedArithmetic, 9> kNamed = {{
    {"onnxruntime", "ONNX Runtime on x86 with AVX2, products exact", {}},
    {"onnxruntime-sse2", "the same without fma: QLinearAdd sums in another order", {.add_order = AddOrder::kSse2}},
    {"onnxruntime-arm", "QLinearAdd with integer multipliers, ties away", {.add_order = AddOrder::kArm}},
    {"onnxruntime-portable", "QLinearAdd as plain C++ computes it", {.add_order = AddOrder::kPortable}},
    {"onnx-reference",
     "the onnx package's evaluator: float64 product, zero point before rounding, -inf where masked",
     {.product = Product::kFloat64, .zero_point = ZeroPoint::kBeforeRounding, .add_order = AddOrder::kPortable}},
    {"fixed-single",
     "31-bit multiplier and shift, one rounding, ties up, as TFLite with single rounding",
     {.rounding = Rounding::kTiesUp, .product = Product::kFixedSingle, .zero_point = ZeroPoint::kAfterRounding}},
    {"fixed-double",
     "31-bit multiplier and shift, two roundings, as gemmlowp, TFLite and CMSIS-NN",
     {.rounding = Rounding::kTiesAway, .product = Product::kFixedDouble, .zero_point = ZeroPoint::kAfterRounding}},
    {"ties-away", "ONNX Runtime's order of operations with ties away from zero", {.rounding = Rounding::kTiesAway}},
    {"truncate", "ONNX Runtime's order of operations with the fraction dropped", {.rounding = Rounding::kTowardZero}},
}};

}  // namespace

std::span<const NamedArithmetic> named_arithmetics() { return kNamed; }

const Arithmetic& arithmetic_named(std::string_view name) {
  std::string known;
  for (const NamedArithmetic& entry : kNamed) {
    if (entry.name == name) return entry.arithmetic;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  fail(ErrorCode::kUsage, "there is no arithmetic named {}; known are {}", name, known);
}

void validate(const Arithmetic& arithmetic) {
  if (arithmetic.accumulator_bits < 8 || arithmetic.accumulator_bits > 32)
    fail(ErrorCode::kUsage, "an accumulator of {} bits, wanted 8 to 32", arithmetic.accumulator_bits);
  if (arithmetic.multiplier_bits < 2 || arithmetic.multiplier_bits > 31)
    fail(ErrorCode::kUsage, "a multiplier of {} bits, wanted 2 to 31", arithmetic.multiplier_bits);
  const AnalogArray& analog = arithmetic.analog;
  const bool narrow = arithmetic.accumulator_bits != 32 || arithmetic.accumulator_overflow != Overflow::kWrap;
  if (narrow + arithmetic.saturating_pairs + (analog.rows > 0) > 1)
    fail(ErrorCode::kUsage,
         "a narrow accumulator, pairs that saturate and an analog array are three ways to sum: wanted one of them");
  if (analog.rows < 0) fail(ErrorCode::kUsage, "a tile of {} rows, wanted 1 or more", analog.rows);
  if (analog.adc_bits != 0 && (analog.adc_bits < 2 || analog.adc_bits > 24))
    fail(ErrorCode::kUsage, "a converter of {} bits, wanted 2 to 24", analog.adc_bits);
  if (!(analog.adc_range >= 1e-6 && analog.adc_range <= 1))
    fail(ErrorCode::kUsage, "a converter that reads {} of the largest sum, wanted 0.000001 to 1", analog.adc_range);
  if (!(analog.weight_noise >= 0 && analog.weight_noise <= 10))
    fail(ErrorCode::kUsage, "weight noise of {} times the largest weight, wanted 0 to 10", analog.weight_noise);
}

}  // namespace octet
