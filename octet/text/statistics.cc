#include "octet/text/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/text/element_json.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

constexpr std::int64_t kListedElements = 8;

bool has_numbers(const Tensor& tensor) {
  return is_integer(tensor.dtype()) || is_float(tensor.dtype()) || is_minifloat(tensor.dtype()) ||
         tensor.dtype() == DType::kBool;
}

}  // namespace

std::optional<Statistics> statistics_of(const Tensor& tensor) {
  if (!has_numbers(tensor)) return std::nullopt;
  Statistics s{-1, -1, 0, 0};
  double least = 0, greatest = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.number_at(i);
    if (std::isnan(value)) {
      ++s.nans;
      continue;
    }
    if (s.least < 0 || value < least) s.least = i, least = value;
    if (s.greatest < 0 || value > greatest) s.greatest = i, greatest = value;
    s.mean += value;
  }
  if (s.least < 0) return std::nullopt;
  s.mean /= static_cast<double>(tensor.size() - s.nans);
  return s;
}

std::string first_elements(const Tensor& tensor, std::int64_t count) {
  if (!has_numbers(tensor)) return {};
  std::string text;
  const std::int64_t shown = std::min(count, tensor.size());
  for (std::int64_t i = 0; i < shown; ++i) text += fmt::format("{}{}", i ? " " : "", element_text(tensor, i));
  return shown < tensor.size() ? text + " …" : text;
}

Json tensor_facts(const std::string& name, const Tensor& tensor) {
  Json facts = {{"name", name}, {"type", octet::name(tensor.dtype())}, {"shape", tensor.shape()}};
  if (const std::optional<Statistics> s = statistics_of(tensor)) {
    facts["min"] = number_json(tensor, s->least);
    facts["max"] = number_json(tensor, s->greatest);
    facts["mean"] = json_number(s->mean);
    facts["nans"] = s->nans;
  }
  Json first = Json::array();
  for (std::int64_t i = 0; has_numbers(tensor) && i < std::min(kListedElements, tensor.size()); ++i)
    first.push_back(number_json(tensor, i));
  facts["first"] = std::move(first);
  return facts;
}

}  // namespace octet
