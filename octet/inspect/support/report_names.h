// report_names.h: how a report writes its enumerators, in the order of their declaration, and the standard's domain.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "octet/inspect/report.h"

namespace octet {

inline constexpr std::array<std::string_view, 5> kOriginNames = {"absent", "input", "initializer", "constant",
                                                                 "runtime"};
inline constexpr std::array<std::string_view, 4> kGranularityNames = {"tensor", "axis", "blocked", "unknown"};
inline constexpr std::array<std::string_view, 5> kFormNames = {"integer", "qdq", "float", "conversion", "other"};

constexpr std::string_view text_of(Origin origin) { return kOriginNames[static_cast<std::size_t>(origin)]; }
constexpr std::string_view text_of(Granularity granularity) {
  return kGranularityNames[static_cast<std::size_t>(granularity)];
}
constexpr std::string_view text_of(Form form) { return kFormNames[static_cast<std::size_t>(form)]; }

inline std::string domain_name(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

}  // namespace octet
