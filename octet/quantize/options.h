// options.h: what a user can ask of static quantization.
#pragma once

#include "octet/base/dtype.h"
#include "octet/quantize/parameters.h"

namespace octet {

enum class QuantizedFormat {
  kQdq,       // float operators between QuantizeLinear and DequantizeLinear
  kOperator,  // QLinearConv, QLinearAdd, ...: operators on integers
};

enum class ResidualForm {
  kOwnScales,    // each operand and the result of an Add has its own scale
  kSharedScale,  // the three share one: the addition needs no multiplier
};

// The scale of an average pool's result. Averages have a smaller range than what they average. With the second and the
// third the pool needs no multiplier but one over the number of elements, or a power of two over it.
enum class PoolForm {
  kOwnScale,
  kSharedScale,   // its input's
  kShiftedScale,  // its input's over the largest power of two that leaves room for the averages (pool_scale.h)
};

// What the model is to run on: which kind of quantization is cheapest there.
enum class Deployment {
  kHardware,        // one scale per tensor and no zero points cost least
  kOnnxRuntimeX86,  // uint8 activations are fastest; scales per channel and zero points cost nothing
  kOnnxRuntimeArm,  // int8 activations are fastest; scales per channel and zero points cost nothing
};
DType activations_for(Deployment target);
DType wide_type(DType activations);  // 16 bits of the same kind

struct StaticOptions {
  QuantizedFormat format = QuantizedFormat::kQdq;
  DType activations = DType::kInt8;  // int8, uint8, int16 or uint16
  DType weights = DType::kInt8;      // int8 or uint8
  bool symmetric_activations = false;
  bool symmetric_weights = true;
  bool per_channel = true;    // of the weights
  bool reduce_range = false;  // of the weights: one bit less, so that no pair of products saturates 16 bits
  ScaleForm scale_form = ScaleForm::kReal;
  ZeroPointForm zero_point_form = ZeroPointForm::kAny;
  ResidualForm residual_form = ResidualForm::kOwnScales;
  PoolForm average_pool_form = PoolForm::kShiftedScale;
  PoolForm global_pool_form = PoolForm::kOwnScale;

  Encoding activation_encoding() const {
    return {activations, symmetric_activations, false, scale_form, zero_point_form};
  }
  Encoding weight_encoding() const { return {weights, symmetric_weights, reduce_range, scale_form, zero_point_form}; }
};

}  // namespace octet
