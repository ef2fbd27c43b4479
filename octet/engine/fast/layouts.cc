#include "octet/engine/fast/layouts.h"

#include <algorithm>
#include <cstring>

#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {

std::vector<Operand> lay_out(const Program& program) {
  std::vector<Operand> operands(program.values.size());
  for (ValueId id = 0; id < operands.size(); ++id) {
    const ProgramValue& value = program.values[id];
    const std::optional<Shape> shape = value.shape ? concrete(*value.shape) : std::nullopt;
    if (!shape || value.dtype == DType::kUndefined || value.dtype == DType::kString) continue;
    operands[id] = {id, value.dtype, *shape, Layout::kAsDeclared};
  }
  const std::vector<bool> last = channels_last(
      program, {.copies = true, .takes_any = [&](const Step& step) { return runs_in_any_layout(program, step); }});
  for (ValueId id = 0; id < operands.size(); ++id)
    if (last[id]) operands[id].layout = Layout::kChannelsLast;
  return operands;
}

namespace {

// Some columns at a time, so that what is written stays in the cache from row to row.
void transpose_words(const std::uint16_t* x, std::int64_t rows, std::int64_t columns, std::uint16_t* y) {
  constexpr std::int64_t kAtOnce = 32;
  for (std::int64_t first = 0; first < columns; first += kAtOnce)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = first; c < std::min(first + kAtOnce, columns); ++c) y[c * rows + r] = x[r * columns + c];
}

}  // namespace

void change_layout(const Simd& simd, const Operand& operand, Layout from, const std::byte* x, std::byte* y) {
  const Shape& shape = operand.shape;
  const auto size = static_cast<std::int64_t>(size_of(operand.type));
  const std::int64_t channels = shape[1];
  const std::int64_t pixels = channels == 0 || shape[0] == 0 ? 0 : operand.size() / channels / shape[0];
  const std::int64_t rows = from == Layout::kAsDeclared ? channels : pixels, columns = channels + pixels - rows;
  for (std::int64_t n = 0; n < shape[0]; ++n, x += channels * pixels * size, y += channels * pixels * size) {
    if (size == 1)
      simd.elements.transpose8(reinterpret_cast<const std::uint8_t*>(x), columns, rows, columns,
                               reinterpret_cast<std::uint8_t*>(y), rows);
    else if (size == 2)
      transpose_words(reinterpret_cast<const std::uint16_t*>(x), rows, columns, reinterpret_cast<std::uint16_t*>(y));
    else if (size == 4)
      simd.elements.transpose32(reinterpret_cast<const std::uint32_t*>(x), columns, rows, columns,
                                reinterpret_cast<std::uint32_t*>(y), rows);
    else
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
          std::memcpy(y + (c * rows + r) * size, x + (r * columns + c) * size, static_cast<std::size_t>(size));
  }
}

}  // namespace octet::fast
