// explainers.h: one function for each way in which an operation makes an element. Each fills in the sections, the
// result, and those alternatives that other Arithmetic values can't express.
#pragma once

#include "octet/analyze/support/applied.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

void explain_convolution(const Applied& applied, Findings& findings);     // QLinearConv, ConvInteger
void explain_matmul(const Applied& applied, Findings& findings);          // QLinearMatMul, QGemm, MatMulInteger, ...
void explain_dynamic_matmul(const Applied& applied, Findings& findings);  // DynamicQuantizeMatMul
void explain_addition(const Applied& applied, Findings& findings);        // QLinearAdd
void explain_multiplication(const Applied& applied, Findings& findings);  // QLinearMul
void explain_average_pool(const Applied& applied, Findings& findings);    // QLinearAveragePool, of the whole image too
void explain_concatenation(const Applied& applied, Findings& findings);   // QLinearConcat
void explain_choice(const Applied& applied, Findings& findings);          // QLinearWhere
void explain_activation(const Applied& applied, Findings& findings);      // QLinearSigmoid, QLinearLeakyRelu
void explain_table(const Applied& applied, Findings& findings);           // Gather of a table's entries
void explain_softmax(const Applied& applied, Findings& findings);         // QLinearSoftmax
void explain_quantize(const Applied& applied, Findings& findings);        // QuantizeLinear
void explain_dynamic_quantize(const Applied& applied, Findings& findings);  // DynamicQuantizeLinear
void explain_dequantize(const Applied& applied, Findings& findings);        // DequantizeLinear
void explain_max_pool(const Applied& applied, Findings& findings);          // MaxPool
void explain_move(const Applied& applied, Findings& findings);              // Transpose, Reshape, Concat, ...
void explain_elementwise(const Applied& applied, Findings& findings);       // Add, Mul, Clip, Cast, ...
void explain_whole(const Applied& applied, Findings& findings);             // any other

// ---- what several of them share

// Scale and zero point of an operand, as lines.
void explain_parameters(Findings& findings, const std::string& operand, const Quantization& quantization);

// From t, a real number in units of the output scale, to the integer: the lines of the last section. `exact` is t
// without any rounding; the output has been resolved.
template <typename Real>
std::int32_t explain_rounding(Findings& findings, Real t, const Exact& exact, const QuantizedOutput& output,
                              Rounding rounding);

// From an accumulator to the integer, in a section of its own. `multiplier` is M and `exact` the same without rounding;
// the output has not been resolved.
std::int32_t explain_requantization(Findings& findings, const Arithmetic& arithmetic, std::int32_t accumulator,
                                    float multiplier, const Exact& exact, const QuantizedOutput& output);

// From an 8-bit x to y through float32: v = x_scale * (x - x_zero_point), f(v), QuantizeLinear. `exact` is f(v) without
// any rounding, or no number.
std::int32_t explain_through_float(Findings& findings, const Arithmetic& arithmetic, DType dtype, float value,
                                   const Exact& exact, const Quantization& y);

// "[-128, 127]".
std::string range_text(const IntegerRange& range);
std::string_view direction_text(Rounding rounding);

}  // namespace octet
