// arithmetic.h: the choices that 8-bit hardware and runtimes make differently, as one value.
//
// Kernels take an Arithmetic; the default is ONNX Runtime's on x86 with AVX2 and FMA, without its saturating products.
#pragma once

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

struct Arithmetic {
  int accumulator_bits = 32;  // 8 to 32, two's complement; checked after every addition
  Overflow accumulator_overflow = Overflow::kWrap;
  Rounding rounding = Rounding::kTiesEven;
  Product product = Product::kFloat32;
  int multiplier_bits = 31;  // 2 to 31; for the fixed-point products
  ZeroPoint zero_point = ZeroPoint::kAsOnnxRuntime;
  AddOrder add_order = AddOrder::kAvx2;

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
