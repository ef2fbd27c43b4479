// c_sum.h: sums of products as C: what a window sees is laid side by side as a column, and multiplied with the weights of all
// channels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "octet/export/support/c_stages.h"

namespace octet {

// x [batches, groups * group_inputs, input...], y [batches, groups * group_outputs, output...].
struct CWindows {
  ValueId x = kNoValue, y = kNoValue;
  std::int64_t batches = 1, groups = 1, group_inputs = 1, group_outputs = 1;
  std::vector<integer::Axis> axes;
  std::string padding;  // what is read outside the image, as a literal
  std::string
      zero_point;  // subtracted from every x, as an expression; empty for none, and then nothing from the padding

  std::int64_t outputs() const { return groups * group_outputs; }
  std::int64_t taps() const;
  std::int64_t products() const { return group_inputs * taps(); }
  std::int64_t positions() const;
};

// Takes a row of sums, of all channels of one position, to where it belongs.
using CFinish = std::function<void(const CRow&)>;

// Sums that begin at 0. Weights [channels, group_inputs, taps], less their zero points.
void write_convolution(CStep& step, const CWindows& windows, const std::vector<std::int32_t>& weights,
                       const CFinish& finish);

// Rows of x times weights [columns, products]: row r of matrix b begins at x[matrices[b] + r * x_row].
struct CRows {
  ValueId x = kNoValue;
  std::int64_t rows = 1, products = 1, columns = 1, x_row = 0, x_product = 1;
  std::vector<std::int64_t> matrices;
  std::string x_name, zero_point;  // as above
};
void write_product(CStep& step, const CRows& rows, const std::vector<std::int32_t>& weights, const CFinish& finish);

// The sums of more products may leave 32 bits before the start is added.
inline constexpr std::int64_t kMostProducts = 33025;

}  // namespace octet
