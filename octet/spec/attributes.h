// attributes.h: the attributes of one operator, by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "octet/base/tensor.h"

namespace octet {

using AttributeValue = std::variant<std::int64_t, float, std::string, Tensor, std::vector<std::int64_t>,
                                    std::vector<float>, std::vector<std::string>, std::vector<Tensor>>;

struct Attribute {
  AttributeValue value;
  std::string doc;
  std::string unknown_fields;  // serialized fields that Octet does not know, kept for the way back
};

// Getters return the default when the attribute is absent and throw kModel when it has another kind.
class Attributes {
 public:
  bool has(std::string_view name) const { return values_.contains(name); }
  const AttributeValue* find(std::string_view name) const;

  std::int64_t get_int(std::string_view name, std::int64_t otherwise) const;
  float get_float(std::string_view name, float otherwise) const;
  std::string get_string(std::string_view name, std::string_view otherwise) const;
  std::vector<std::int64_t> get_ints(std::string_view name, std::vector<std::int64_t> otherwise = {}) const;
  std::vector<float> get_floats(std::string_view name, std::vector<float> otherwise = {}) const;
  std::vector<std::string> get_strings(std::string_view name, std::vector<std::string> otherwise = {}) const;

  void set(std::string name, AttributeValue value) { values_[std::move(name)].value = std::move(value); }
  void set(std::string name, Attribute attribute) { values_[std::move(name)] = std::move(attribute); }
  void erase(std::string_view name);

  std::size_t size() const { return values_.size(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::map<std::string, Attribute, std::less<>> values_;
};

}  // namespace octet
