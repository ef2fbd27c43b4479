#include "octet/data/labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// The number that a label is, infinite where no double is as large or as small; nothing for a name.
std::optional<double> number_of(std::string_view label) {
  if (label.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;
  if (label.starts_with('+') && !label.starts_with("+-")) label.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  if (end != label.data() + label.size() || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc() ? value : std::numeric_limits<double>::infinity();
}

bool is_number(std::string_view label) { return number_of(label).has_value(); }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

// In order, each once.
std::vector<std::string_view> different(const std::vector<std::string>& names) {
  std::vector<std::string_view> order(names.begin(), names.end());
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  return order;
}

}  // namespace

bool may_be_class(std::string_view label) {
  const std::optional<double> number = number_of(label);
  return !number || (*number >= 0 && *number < 0x1p31 && std::trunc(*number) == *number);
}

std::vector<std::int64_t> class_numbers(const std::vector<std::string>& names) {
  std::vector<std::int64_t> classes;
  if (std::all_of(names.begin(), names.end(), is_number)) {
    for (const std::string& name : names) {
      if (!may_be_class(name)) fail(ErrorCode::kFormat, "the label is {}; wanted a whole number from 0 on", name);
      classes.push_back(static_cast<std::int64_t>(*number_of(name)));
    }
    return classes;
  }
  const std::vector<std::string_view> order = different(names);
  for (const std::string& name : names)
    classes.push_back(std::ranges::lower_bound(order, std::string_view(name)) - order.begin());
  return classes;
}

std::vector<std::string> class_names(const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), is_number)) return {};
  const std::vector<std::string_view> order = different(names);
  return {order.begin(), order.end()};
}

std::vector<LabelledFile> parse_label_list(std::string_view text, bool commas) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<LabelledFile> files;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    if (whole.find('\0') != std::string_view::npos)
      fail(ErrorCode::kFormat, "line {} holds a NUL: this is no text", number);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t last = whole.find_last_not_of(kBlanks);
    if (last == std::string_view::npos) continue;
    const std::string_view line = whole.substr(0, last + 1);
    const std::size_t cut = line.find_last_of(commas ? "," : " \t");
    const std::string_view file = trimmed(line.substr(0, std::min(cut, line.size())));
    const std::string_view label = cut == std::string_view::npos ? std::string_view() : trimmed(line.substr(cut + 1));
    if (file.empty() || label.empty())
      fail(ErrorCode::kFormat, "line {} is not a file and its label, with a {} between", number,
           commas ? "comma" : "space or tab");
    files.push_back({std::string(file), std::string(label), number});
  }
  const bool numbers_follow = files.size() > 1 && std::all_of(files.begin() + 1, files.end(),
                                                              [](const LabelledFile& f) { return is_number(f.label); });
  if (numbers_follow && !is_number(files.front().label)) files.erase(files.begin());
  if (files.empty()) fail(ErrorCode::kFormat, "it lists no files");
  return files;
}

}  // namespace octet
