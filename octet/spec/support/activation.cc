#include "octet/spec/support/activation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

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
T Activation::operator()(T x) const {
  const T alpha = static_cast<T>(alpha_), beta = static_cast<T>(beta_), one = 1;
  switch (kind_) {
    case Kind::kRelu: return std::max(T(0), x);
    case Kind::kTanh: return activated_tanh(x);
    case Kind::kSigmoid: return activated_sigmoid(x);
    case Kind::kSoftsign: return x / (one + std::abs(x));
    case Kind::kSoftplus: return std::max(T(0), x) + std::log1p(std::exp(-std::abs(x)));  // does not overflow
    case Kind::kAffine: return alpha * x + beta;
    case Kind::kLeakyRelu: return x < 0 ? alpha * x : x;
    case Kind::kScaledTanh: return alpha * std::tanh(beta * x);
    case Kind::kThresholdedRelu: return x >= alpha ? x : T(0);
    case Kind::kHardSigmoid: return std::clamp(alpha * x + beta, T(0), one);
    case Kind::kElu: return x < 0 ? alpha * std::expm1(x) : x;
  }
  return x;
}

template float Activation::operator()(float) const;
template double Activation::operator()(double) const;

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
