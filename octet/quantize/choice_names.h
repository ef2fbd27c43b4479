// choice_names.h: the words for the choices of quantization, as options, rules, JSON and bindings spell them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "octet/quantize/bias_correction.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/equalize.h"
#include "octet/quantize/options.h"

namespace octet {

// Choices and their words, in the order in which help and errors list them.
template <typename T>
inline constexpr std::array<std::pair<std::string_view, T>, 0> kChoices = {};
template <>
inline constexpr auto kChoices<QuantizedFormat> = std::to_array<std::pair<std::string_view, QuantizedFormat>>(
    {{"qdq", QuantizedFormat::kQdq}, {"qoperator", QuantizedFormat::kOperator}});
template <>
inline constexpr auto kChoices<ScaleForm> = std::to_array<std::pair<std::string_view, ScaleForm>>(
    {{"real", ScaleForm::kReal}, {"power-of-two", ScaleForm::kPowerOfTwo}});
template <>
inline constexpr auto kChoices<ZeroPointForm> = std::to_array<std::pair<std::string_view, ZeroPointForm>>(
    {{"any", ZeroPointForm::kAny}, {"restricted", ZeroPointForm::kRestricted}});
template <>
inline constexpr auto kChoices<ResidualForm> = std::to_array<std::pair<std::string_view, ResidualForm>>(
    {{"own-scales", ResidualForm::kOwnScales}, {"shared-scale", ResidualForm::kSharedScale}});
template <>
inline constexpr auto kChoices<PoolForm> =
    std::to_array<std::pair<std::string_view, PoolForm>>({{"own-scale", PoolForm::kOwnScale},
                                                          {"shared-scale", PoolForm::kSharedScale},
                                                          {"shifted-scale", PoolForm::kShiftedScale}});
template <>
inline constexpr auto kChoices<Deployment> =
    std::to_array<std::pair<std::string_view, Deployment>>({{"hardware", Deployment::kHardware},
                                                            {"onnxruntime-x86", Deployment::kOnnxRuntimeX86},
                                                            {"onnxruntime-arm", Deployment::kOnnxRuntimeArm}});
template <>
inline constexpr auto kChoices<BoundedClamps> = std::to_array<std::pair<std::string_view, BoundedClamps>>(
    {{"plain", BoundedClamps::kLeave}, {"replace-clip", BoundedClamps::kReplace}});
template <>
inline constexpr auto kChoices<BiasCorrection> = std::to_array<std::pair<std::string_view, BiasCorrection>>(
    {{"analytic", BiasCorrection::kAnalytic}, {"empirical", BiasCorrection::kEmpirical}});
template <>
inline constexpr auto kChoices<Calibration> =
    std::to_array<std::pair<std::string_view, Calibration>>({{"minmax", Calibration::kMinMax},
                                                             {"moving-average", Calibration::kMovingAverage},
                                                             {"percentile", Calibration::kPercentile},
                                                             {"entropy", Calibration::kEntropy},
                                                             {"mse", Calibration::kSquaredError}});

template <typename T>
std::string choice_name(T choice) {
  for (const auto& [word, value] : kChoices<T>)
    if (value == choice) return std::string(word);
  return "";
}

template <typename T>
std::vector<std::string> choice_names() {
  std::vector<std::string> words;
  for (const auto& entry : kChoices<T>) words.emplace_back(entry.first);
  return words;
}

// Throws kUsage, with the words that there are.
[[noreturn]] void fail_choice(std::string_view word, const std::vector<std::string>& words);

// Throws kUsage for a word that names no choice.
template <typename T>
T choice_named(std::string_view word) {
  for (const auto& [name, value] : kChoices<T>)
    if (name == word) return value;
  fail_choice(word, choice_names<T>());
}

}  // namespace octet
