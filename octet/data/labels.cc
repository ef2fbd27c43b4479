#include "octet/data/labels.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t number_of(const std::string& name) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size())
    fail(ErrorCode::kFormat, "the class {} is beyond 2^31", name);
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

std::vector<std::int64_t> class_numbers(const std::vector<std::string>& names) {
  std::vector<std::int64_t> classes;
  if (std::all_of(names.begin(), names.end(), is_number)) {
    for (const std::string& name : names) classes.push_back(number_of(name));
    return classes;
  }
  std::vector<std::string> order = names;
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (const std::string& name : names)
    classes.push_back(std::lower_bound(order.begin(), order.end(), name) - order.begin());
  return classes;
}

bool is_fraction(std::string_view label) {
  const std::size_t point = label.find('.');
  const std::string_view before = label.substr(0, point);
  return point != std::string_view::npos && is_number(label.substr(point + 1)) && (before.empty() || is_number(before));
}

std::int64_t named_classes(const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), is_number)) return 0;
  return static_cast<std::int64_t>(std::set<std::string>(names.begin(), names.end()).size());
}

std::vector<LabelledFile> parse_label_list(std::string_view text, bool commas) {
  std::vector<LabelledFile> files;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
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
