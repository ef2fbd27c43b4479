#include "octet/data/support/input_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "octet/system/npy.h"

namespace octet {
namespace {

bool shape_fits(const Shape& shape, const ValueType& wanted) {
  if (!wanted.shape) return true;
  return std::ranges::equal(shape, *wanted.shape,
                            [](std::int64_t size, const Dim& dim) { return !dim.known() || dim.is(size); });
}

enum class BatchAxis { kAsItIs, kAdded, kDropped };
enum class Channels { kAsTheyAre, kFirst, kLast };

// The order of axes that moves the channels, behind `leading` axes of the batch. Empty: nothing moves.
std::vector<std::size_t> axes_of(std::size_t rank, std::size_t leading, Channels channels) {
  if (channels == Channels::kAsTheyAre) return {};
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  const auto first = axes.begin() + static_cast<std::ptrdiff_t>(leading);
  if (channels == Channels::kFirst)
    std::rotate(first, axes.end() - 1, axes.end());
  else
    std::rotate(first, first + 1, axes.end());
  return axes;
}

struct Attempt {
  BatchAxis batch;
  Channels channels;
  std::size_t leading;
};

// The expression and the words, or nothing where the attempt does not lead to what is wanted.
std::string outcome(const Attempt& attempt, const ArrayType& array, const ValueType& wanted) {
  Shape shape = array.shape;
  std::string expression = "array";
  std::vector<std::string> words;
  if (attempt.batch == BatchAxis::kDropped) {
    if (shape.empty() || shape.front() != 1) return "";
    shape.erase(shape.begin());
    expression += "[0]";
    words.emplace_back("without the first axis");
  }
  if (attempt.channels != Channels::kAsTheyAre) {
    if (shape.size() < attempt.leading + 2) return "";
    const std::vector<std::size_t> axes = axes_of(shape.size(), attempt.leading, attempt.channels);
    Shape moved;
    for (const std::size_t axis : axes) moved.push_back(shape[axis]);
    shape = moved;
    expression += fmt::format(".transpose({})", fmt::join(axes, ", "));
    words.emplace_back(attempt.channels == Channels::kFirst ? "channels first" : "channels last");
  }
  if (attempt.batch == BatchAxis::kAdded) {
    shape.insert(shape.begin(), 1);
    expression += "[None]";
    words.emplace_back("a batch axis in front");
  }
  if (!shape_fits(shape, wanted)) return "";
  const DType stored = numpy_type(wanted.dtype);
  if (array.dtype != wanted.dtype && array.dtype != stored) {
    expression += fmt::format(".astype('{}')", name(stored));
    words.push_back(stored == wanted.dtype
                        ? "another type, scaled as the model was trained on"
                        : fmt::format("the {} of {}, which NumPy lacks", is_minifloat(wanted.dtype) ? "bits" : "values",
                                      name(wanted.dtype)));
  }
  return words.empty() ? "" : fmt::format("{}: {}", expression, fmt::join(words, ", "));
}

}  // namespace

std::string type_text(const ArrayType& array) { return std::string(name(array.dtype)) + to_string(array.shape); }

std::string type_text(const ValueType& wanted) {
  return std::string(name(wanted.dtype)) + (wanted.shape ? to_string(*wanted.shape) : " of any shape");
}

bool fits(const ArrayType& array, const ValueType& wanted) {
  return array.dtype == wanted.dtype && shape_fits(array.shape, wanted);
}

std::string how_to_fit(const ArrayType& array, const ValueType& wanted) {
  for (const Channels channels : {Channels::kAsTheyAre, Channels::kFirst, Channels::kLast})
    for (const BatchAxis batch : {BatchAxis::kAsItIs, BatchAxis::kAdded, BatchAxis::kDropped})
      for (const std::size_t leading : {std::size_t{1}, std::size_t{0}})
        if (std::string found = outcome({batch, channels, leading}, array, wanted); !found.empty()) return found;
  return "";
}

}  // namespace octet
