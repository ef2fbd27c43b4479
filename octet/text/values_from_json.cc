#include "octet/text/values_from_json.h"

#include <limits>

#include "octet/base/fail.h"

namespace octet {

DType type_from_json(const Json& json) {
  if (json.is_null()) return DType::kUndefined;
  const auto wanted = json.get<std::string>();
  for (int i = 1; i < kDTypeCount; ++i)
    if (name(static_cast<DType>(i)) == wanted) return static_cast<DType>(i);
  fail(ErrorCode::kFormat, "{} is no element type", json_excerpt(json));
}

std::optional<SymbolicShape> shape_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  SymbolicShape shape;
  for (const Json& dim : json) {
    if (dim.is_null())
      shape.emplace_back();
    else if (dim.is_string())
      shape.push_back(Dim::symbol(dim.get<std::string>()));
    else
      shape.emplace_back(dim.get<std::int64_t>());
  }
  return shape;
}

double number_from_json(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace octet
