// arithmetic.h: the choices that 8-bit hardware and runtimes make differently, as one value.
//
// Kernels take an Arithmetic; the default is ONNX Runtime's on x86 with AVX2 and FMA, without its saturating products.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "octet/spec/rounding.h"

namespace octet {

enum class Overflow { kWrap, kSaturate };

// Where the output's zero point joins the sum. QuantizeLinear and DynamicQuantizeLinear add it after rounding whatever
// this says: the standard leaves no choice there.
enum class ZeroPoint {
  kAsOnnxRuntime,   // each operator as ONNX Runtime does it; the operator's header says which
  kBeforeRounding,  // q = saturate(round(t + z))
  kAfterRounding,   // q = saturate(round(t) + z)
};

// How an accumulator is scaled by the real multiplier M. Operators that ONNX Runtime computes through float tables
// (QLinearConcat, QLinearLeakyRelu, QLinearSigmoid, QLinearSoftmax, QLinearWhere) stay float32.
enum class Product {
  kFloat32,      // f32(acc) * M, one rounding to float32
  kFloat64,      // acc * M in float64
  kFixedSingle,  // (acc * m) >> s, one rounding by the rounding rule; m has multiplier_bits bits
  kFixedDouble,  // gemmlowp's, TFLite's and CMSIS-NN's: a doubling high multiply, ties up, then a shift, ties away
};

// The order of operations in QLinearAdd: ONNX Runtime has one per instruction set. Only for Product::kFloat32; the
// other products have their own (qlinear_add.h).
enum class AddOrder {
  kAvx2,      // fma chain, b first, zero point folded into the constant term
  kSse2,      // the same sum without fma, a first
  kArm,       // integer multipliers, rounding half away from zero
  kPortable,  // dequantize both, add, divide by the output scale
};

// The form in which a real multiplier is stored; the product goes on with the number that is left of it.
enum class MultiplierForm {
  kFloat32,
  kFloat16,     // nearest, ties to even; what is below 2^-25 becomes 0
  kBfloat16,    // nearest, ties to even
  kPowerOfTwo,  // the nearest by ratio: a shift
};

// A crossbar that adds up products as currents (analog_products.h). rows == 0: there is none.
struct AnalogArray {
  int rows = 0;             // products that are added up before a converter reads them
  int adc_bits = 0;         // of the converter, 2 to 24; 0: it reads exactly
  double adc_range = 1;     // what it reads without clipping, as a share of 255 * the largest Sum |w| of a column
  double weight_noise = 0;  // standard deviation, as a share of the largest weight of the layer

  bool operator==(const AnalogArray&) const = default;
};

struct Arithmetic {
  int accumulator_bits = 32;  // 8 to 32, two's complement; checked after every addition
  Overflow accumulator_overflow = Overflow::kWrap;
  // Other ways to sum than a narrow accumulator; at most one of the three.
  bool saturating_pairs = false;  // where uint8 meets int8, two products at a time in 16 bits (pair_products.h)
  AnalogArray analog;
  Rounding rounding = Rounding::kTiesEven;
  // Instead of `rounding`, where an accumulator or a sum of two inputs is requantized: floor(t + u), u uniform in
  // [0, 1) and drawn anew for every element (random.h).
  bool stochastic = false;
  Product product = Product::kFloat32;
  int multiplier_bits = 31;  // 2 to 31; for the fixed-point products
  MultiplierForm multiplier_form = MultiplierForm::kFloat32;
  ZeroPoint zero_point = ZeroPoint::kAsOnnxRuntime;
  AddOrder add_order = AddOrder::kAvx2;
  std::uint64_t seed = 0;  // of all that is drawn

  bool operator==(const Arithmetic&) const = default;
};

struct NamedArithmetic {
  std::string_view name, meaning;
  Arithmetic arithmetic;
};

// "onnxruntime" (the default) first; then the others that have a name.
std::span<const NamedArithmetic> named_arithmetics();
// Throws kUsage for an unknown name, listing the known ones.
const Arithmetic& arithmetic_named(std::string_view name);

// Throws kUsage unless the widths are within their ranges. Kernels rely on it.
void validate(const Arithmetic& arithmetic);

}  // namespace octet
