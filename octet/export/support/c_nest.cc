#include "octet/export/support/c_nest.h"

#include <algorithm>
#include <numeric>

namespace octet {

std::vector<std::int64_t> channel_strides(const Shape& shape, std::int64_t axis) {
  std::vector<std::int64_t> strides(shape.size(), 0);
  if (axis < static_cast<std::int64_t>(shape.size())) strides[static_cast<std::size_t>(axis)] = 1;
  return strides;
}

std::string c_sum(const std::vector<std::string>& terms) {
  std::string text;
  for (const std::string& term : terms)
    if (!term.empty()) text += (text.empty() ? "" : " + ") + term;
  return text.empty() ? "0" : text;
}

std::string c_times(const std::string& variable, std::int64_t factor) {
  if (factor == 0) return "";
  return factor == 1 ? variable : fmt::format("{} * {}", variable, factor);
}

namespace {

struct NestAxis {
  std::int64_t size;
  std::vector<std::int64_t> strides;
};

// Without axes of one element, in the order of the first operand's memory, neighbours joined.
std::vector<NestAxis> nest_axes(const Shape& shape, const std::vector<std::vector<std::int64_t>>& strides) {
  std::vector<NestAxis> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    axes.push_back({shape[d], {}});
    for (const std::vector<std::int64_t>& operand : strides) axes.back().strides.push_back(operand[d]);
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [](const NestAxis& a, const NestAxis& b) { return a.strides[0] > b.strides[0]; });
  std::vector<NestAxis> joined;
  for (const NestAxis& axis : axes) {
    bool continues = !joined.empty();
    for (std::size_t k = 0; continues && k < strides.size(); ++k)
      continues = joined.back().strides[k] == axis.strides[k] * axis.size;
    if (continues)
      joined.back() = {joined.back().size * axis.size, axis.strides};
    else
      joined.push_back(axis);
  }
  if (joined.empty()) joined.push_back({1, std::vector<std::int64_t>(strides.size(), 0)});
  return joined;
}

}  // namespace

CNest::CNest(CStep& step, const Shape& shape, std::vector<std::vector<std::int64_t>> strides) {
  const std::vector<NestAxis> axes = nest_axes(shape, strides);
  std::vector<std::vector<std::string>> terms(strides.size());
  for (std::size_t a = 0; a + 1 < axes.size(); ++a) {
    const std::string variable = fmt::format("i{}", a);
    loops_.push_back(step.loop(variable, axes[a].size));
    for (std::size_t k = 0; k < strides.size(); ++k) terms[k].push_back(c_times(variable, axes[a].strides[k]));
  }
  const NestAxis& row = axes.back();
  row_strides_ = row.strides;
  longest_ = std::min(row.size, kLongestRow);
  count_ = std::to_string(row.size);
  if (row.size > kLongestRow) {
    loops_.push_back(step.loop("begin", row.size, kLongestRow));
    count_ = std::to_string(kLongestRow);
    if (row.size % kLongestRow != 0) {
      step.line("const ptrdiff_t count = {0} - begin < {1} ? {0} - begin : {1};", row.size, kLongestRow);
      count_ = "count";
    }
    for (std::size_t k = 0; k < strides.size(); ++k) terms[k].push_back(c_times("begin", row.strides[k]));
  }
  for (const std::vector<std::string>& operand : terms) {
    const std::string sum = c_sum(operand);
    first_.push_back(sum == "0" ? "" : sum);
  }
}

std::string CNest::at(std::size_t operand, const std::string& i) const {
  return c_sum({first_[operand], c_times(i, row_strides_[operand])});
}

std::vector<std::int64_t> strides_seen_as(const CValue& value, const Shape& target) {
  std::vector<std::int64_t> strides(target.size(), 0);
  const std::vector<std::int64_t> own = value.strides();
  for (std::size_t d = 0; d < own.size(); ++d)
    strides[target.size() - own.size() + d] = value.shape[d] == 1 ? 0 : own[d];
  return strides;
}

}  // namespace octet
