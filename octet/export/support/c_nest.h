// c_nest.h: loops over the elements of arrays that may stand in different orders.
#pragma once

#include <string>
#include <vector>

#include "octet/export/support/c_step.h"

namespace octet {

// Loops over all elements of `shape`, in the order of the first operand's memory, but for the innermost: a row. They are open
// as long as the object lives.
// Axes that are neighbours in every operand are one. Rows are at most kLongestRow long.
class CNest {
 public:
  static constexpr std::int64_t kLongestRow = 256;

  // `strides`: of each operand, one for each axis.
  CNest(CStep& step, const Shape& shape, std::vector<std::vector<std::int64_t>> strides);

  // What to write in brackets for element i of the row.
  std::string at(std::size_t operand, const std::string& i = "i") const;
  // The elements of the row, a number or a variable.
  const std::string& count() const { return count_; }
  std::int64_t longest() const { return longest_; }

 private:
  std::vector<std::string> first_;         // of each operand, of the row's first element; empty for 0
  std::vector<std::int64_t> row_strides_;  // of each operand
  std::string count_;
  std::int64_t longest_ = 1;
  std::vector<CStep::Block> loops_;
};

// The strides of a value that is broadcast to `target`.
std::vector<std::int64_t> strides_seen_as(const CValue& value, const Shape& target);

// Along `axis`, 1 from channel to channel; 0 elsewhere.
std::vector<std::int64_t> channel_strides(const Shape& shape, std::int64_t axis);

// "3 * n + i" of terms that may be empty; "0" of none.
std::string c_sum(const std::vector<std::string>& terms);
// "i * 16", "i", or nothing.
std::string c_times(const std::string& variable, std::int64_t factor);

}  // namespace octet
