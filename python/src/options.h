// options.h: the keyword arguments of a call, each checked for its type.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/src/python.h"

namespace octet::python {

// What has another type than is asked for throws kUsage: "bounds: max_bits is 'x' (str); wanted a whole number". None stands
// for an option that is not given.
class Options {
 public:
  Options(std::string command, nb::dict values) : command_(std::move(command)), values_(std::move(values)) {}

  const std::string& command() const { return command_; }
  bool given(const char* option) const { return !object(option).is_none(); }
  nb::object object(const char* option) const;

  std::string text(const char* option) const;  // empty where it is not given
  std::string path(const char* option) const;  // of whatever is a path
  bool flag(const char* option) const;
  std::int64_t integer(const char* option, std::int64_t low, std::int64_t high) const;
  std::optional<std::int64_t> optional_integer(const char* option, std::int64_t low, std::int64_t high) const;
  double number(const char* option) const;
  std::optional<double> optional_number(const char* option) const;
  // A list of them; one alone is a list of one.
  std::vector<std::string> texts(const char* option) const;
  std::vector<std::string> paths(const char* option) const;
  std::vector<double> numbers(const char* option) const;
  std::vector<std::int64_t> integers(const char* option, std::int64_t low, std::int64_t high) const;
  // A dict.
  std::map<std::string, std::int64_t> sizes(const char* option) const;
  std::map<std::string, std::string> names(const char* option) const;
  // Bytes: a number, or a text such as "512M".
  std::optional<std::int64_t> bytes(const char* option) const;

 private:
  [[noreturn]] void refuse(const char* option, nb::handle value, std::string_view wanted) const;
  std::int64_t to_integer(const char* option, nb::handle value, std::int64_t low, std::int64_t high) const;
  double to_number(const char* option, nb::handle value) const;
  std::string to_path(const char* option, nb::handle value) const;
  nb::list to_list(const char* option, const char* wanted) const;

  std::string command_;
  nb::dict values_;
};

}  // namespace octet::python
