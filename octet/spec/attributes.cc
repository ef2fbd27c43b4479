#include "octet/spec/attributes.h"

#include <array>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::array<std::string_view, 8> kKinds = {
    "an int",         "a float",          "a string",          "a tensor",
    "a list of ints", "a list of floats", "a list of strings", "a list of tensors"};

template <typename T>
T get(const Attributes& attributes, std::string_view name, T otherwise) {
  const AttributeValue* value = attributes.find(name);
  if (!value) return otherwise;
  if (const T* typed = std::get_if<T>(value)) return *typed;
  fail(ErrorCode::kModel, "attribute {} is {}, not {}", name, kKinds[value->index()],
       kKinds[AttributeValue(T()).index()]);
}

}  // namespace

const AttributeValue* Attributes::find(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second.value;
}

void Attributes::erase(std::string_view name) {
  if (const auto it = values_.find(name); it != values_.end()) values_.erase(it);
}

std::int64_t Attributes::get_int(std::string_view name, std::int64_t otherwise) const {
  return get<std::int64_t>(*this, name, otherwise);
}
float Attributes::get_float(std::string_view name, float otherwise) const { return get<float>(*this, name, otherwise); }
std::string Attributes::get_string(std::string_view name, std::string_view otherwise) const {
  return get<std::string>(*this, name, std::string(otherwise));
}
std::vector<std::int64_t> Attributes::get_ints(std::string_view name, std::vector<std::int64_t> otherwise) const {
  return get<std::vector<std::int64_t>>(*this, name, std::move(otherwise));
}
std::vector<float> Attributes::get_floats(std::string_view name, std::vector<float> otherwise) const {
  return get<std::vector<float>>(*this, name, std::move(otherwise));
}
std::vector<std::string> Attributes::get_strings(std::string_view name, std::vector<std::string> otherwise) const {
  return get<std::vector<std::string>>(*this, name, std::move(otherwise));
}

}  // namespace octet
