// batch_normalization.h: what BatchNormalization makes of its attributes and of one channel's numbers.
#pragma once

#include <cmath>

#include "octet/spec/attributes.h"

namespace octet {

inline constexpr int kBatchNormTrains = 14;  // the opset from which training is an attribute

// Whether mean and variance are those of x, and not inputs.
inline bool batch_norm_trains(const Attributes& attributes, int opset) {
  return opset >= kBatchNormTrains && attributes.get_int("training_mode", 0) != 0;
}

// Whether there is one of each parameter for a channel: before opset 9, spatial = 0 has one for every place of an image.
inline bool batch_norm_is_per_channel(const Attributes& attributes, int opset) {
  return opset >= 9 || attributes.get_int("spatial", 1) != 0;
}

// y = x * factor + offset
template <typename T>
struct BatchNormAffine {
  T factor, offset;
};

template <typename T>
BatchNormAffine<T> batch_norm_affine(T scale, T b, T mean, T variance, T epsilon) {
  const T factor = scale / std::sqrt(variance + epsilon);
  return {factor, b - mean * factor};
}

}  // namespace octet
