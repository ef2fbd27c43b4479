#include "octet/spec/support/activation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "octet/base/vectorize.h"
#include "octet/spec/check.h"
#include "octet/spec/ort_sigmoid.h"
#include "octet/spec/ort_tanh.h"

namespace octet {
namespace {

float activated_tanh(float x) { return ort_tanh(x); }
double activated_tanh(double x) { return std::tanh(x); }
float activated_sigmoid(float x) { return ort_sigmoid(x); }
double activated_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

struct Activation::Entry {
  std::string_view name;
  Kind kind;
  bool has_alpha, has_beta;
  float alpha, beta;
};

std::span<const Activation::Entry> Activation::entries() {
  static constexpr std::array kEntries = {
      Entry{"relu", Kind::kRelu, false, false, 0, 0},
      Entry{"tanh", Kind::kTanh, false, false, 0, 0},
      Entry{"sigmoid", Kind::kSigmoid, false, false, 0, 0},
      Entry{"softsign", Kind::kSoftsign, false, false, 0, 0},
      Entry{"softplus", Kind::kSoftplus, false, false, 0, 0},
      Entry{"affine", Kind::kAffine, true, true, 1, 0},
      Entry{"leakyrelu", Kind::kLeakyRelu, true, false, 0.01F, 0},
      Entry{"scaledtanh", Kind::kScaledTanh, true, true, 1, 1},
      Entry{"thresholdedrelu", Kind::kThresholdedRelu, true, false, 1, 0},
      Entry{"hardsigmoid", Kind::kHardSigmoid, true, true, 0.2F, 0.5F},
      Entry{"elu", Kind::kElu, true, false, 1, 0},
  };
  return kEntries;
}

template <typename T>
void Activation::apply(T* x, std::int64_t count) const {
  const T alpha = static_cast<T>(alpha_), beta = static_cast<T>(beta_), one = 1;
  const auto map = [=](auto f) {
    vectorized_float<T>([=] {
      for (std::int64_t k = 0; k < count; ++k) x[k] = f(x[k]);
    });
  };
  switch (kind_) {
    case Kind::kRelu: return map([](T v) { return std::max(T(0), v); });
    case Kind::kTanh: return map([](T v) { return activated_tanh(v); });
    case Kind::kSigmoid: return map([](T v) { return activated_sigmoid(v); });
    case Kind::kSoftsign: return map([=](T v) { return v / (one + std::abs(v)); });
    case Kind::kSoftplus:  // does not overflow
      return map([](T v) { return std::max(T(0), v) + std::log1p(std::exp(-std::abs(v))); });
    case Kind::kAffine: return map([=](T v) { return alpha * v + beta; });
    case Kind::kLeakyRelu: return map([=](T v) { return v < 0 ? alpha * v : v; });
    case Kind::kScaledTanh: return map([=](T v) { return alpha * std::tanh(beta * v); });
    case Kind::kThresholdedRelu: return map([=](T v) { return v >= alpha ? v : T(0); });
    case Kind::kHardSigmoid: return map([=](T v) { return std::clamp(alpha * v + beta, T(0), one); });
    case Kind::kElu: return map([=](T v) { return v < 0 ? alpha * std::expm1(v) : v; });
  }
}

template void Activation::apply(float*, std::int64_t) const;
template void Activation::apply(double*, std::int64_t) const;

std::vector<Activation> activations(std::span<const std::string> names, std::vector<float> alphas,
                                    std::vector<float> betas, std::string_view label) {
  const auto next = [](std::vector<float>& list, bool takes, float otherwise) {
    if (!takes || list.empty()) return otherwise;
    const float value = list.front();
    list.erase(list.begin());
    return value;
  };
  std::vector<Activation> result;
  for (const std::string& name : names) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto all = Activation::entries();
    const auto entry = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == lower; });
    if (entry == all.end()) fail_constraint(label, "activation {} is not one of the standard's", name);
    Activation activation;
    activation.kind_ = entry->kind;
    activation.alpha_ = next(alphas, entry->has_alpha, entry->alpha);
    activation.beta_ = next(betas, entry->has_beta, entry->beta);
    result.push_back(activation);
  }
  return result;
}

}  // namespace octet
