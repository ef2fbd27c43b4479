#include "octet/evaluate/output_changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace octet {
namespace {

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.size()));
  for (std::int64_t i = 0; i < tensor.size(); ++i) numbers[static_cast<std::size_t>(i)] = tensor.number_at(i);
  return numbers;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double distance(double wanted, double found) {
  if (is_same(wanted, found)) return 0;
  const double difference = std::abs(found - wanted);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

Shape place_of(std::int64_t index, const Shape& shape) {
  Shape place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) place[axis] = index % shape[axis];
  return place;
}

std::optional<std::size_t> axis_of_scores(const Shape& shape) {
  if (shape.size() < 2) return std::nullopt;
  const std::size_t axis = shape.size() == 3 ? 2 : 1;
  return shape[axis] > 1 ? std::optional(axis) : std::nullopt;
}

// From 0 on; equal numbers share the mean of their ranks. NaNs come last.
std::vector<double> ranks_of(const std::vector<double>& numbers) {
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::isnan(numbers[b]) ? !std::isnan(numbers[a]) : numbers[a] < numbers[b];
  };
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, before);
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && is_same(numbers[order[begin]], numbers[order[end]])) ++end;
    for (std::size_t k = begin; k < end; ++k) ranks[order[k]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean = static_cast<double>(a.size() - 1) / 2;  // of ranks
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa == 0 || bb == 0) return aa == bb ? 1 : 0;
  return ab / (std::sqrt(aa) * std::sqrt(bb));
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double sign_share(const OutputChanges& changes) { return share(changes.signs, changes.elements); }

double arg_max_share(const OutputChanges& changes) { return share(changes.arg_max, changes.rows); }

double threshold_share(const OutputChanges& changes) { return share(changes.lost + changes.gained, changes.elements); }

std::string useless_samples_text(const std::string& output, const OutputChanges& changes) {
  if (changes.constant)
    return fmt::format("output {} is {:.4g} in every element, in both networks: these samples say nothing about it",
                       output, changes.wanted);
  if (changes.alike)
    return fmt::format(
        "output {} is the same for all {} samples: these samples say nothing about it; are they what the model "
        "was trained on, and in its range (--mean, --deviation, --pixels)?",
        output, changes.samples);
  return "";
}

void OutputComparison::add(const Tensor& wanted, const Tensor& found, std::int64_t samples) {
  const Shape& shape = wanted.shape();
  const std::vector<double> w = numbers_of(wanted), f = numbers_of(found);
  const bool by_sample = !shape.empty() && shape[0] == samples && samples > 0;
  for (std::size_t i = 0; i < w.size(); ++i)
    add_element(w[i], f[i], shape, static_cast<std::int64_t>(i), by_sample ? changes_.samples : 0);
  add_rows(w, f, shape);
  const std::size_t parts = by_sample ? static_cast<std::size_t>(samples) : 1, size = w.size() / parts;
  for (std::size_t s = 0; s < parts && size > 0; ++s) {
    const auto begin = static_cast<std::ptrdiff_t>(s * size), end = static_cast<std::ptrdiff_t>((s + 1) * size);
    add_sample({w.begin() + begin, w.begin() + end}, {f.begin() + begin, f.begin() + end});
  }
  changes_.samples += samples;
}

void OutputComparison::add_element(double wanted, double found, const Shape& shape, std::int64_t index,
                                   std::int64_t samples) {
  OutputChanges& c = changes_;
  if (!constant_wanted_) constant_wanted_ = wanted, constant_found_ = found;
  varies_ = varies_ || !is_same(wanted, *constant_wanted_) || !is_same(found, *constant_found_);
  ++c.elements;
  c.signs += (wanted < 0) != (found < 0);
  if (c.threshold) {
    const bool was = wanted >= *c.threshold, is = found >= *c.threshold;
    c.above += was;
    c.lost += was && !is;
    c.gained += is && !was;
  }
  const double change = distance(wanted, found);
  if (change <= c.largest) return;
  c.largest = change;
  c.wanted = wanted;
  c.found = found;
  c.place = place_of(index, shape);
  if (!c.place.empty()) c.place[0] += samples;
}

void OutputComparison::add_rows(const std::vector<double>& wanted, const std::vector<double>& found,
                                const Shape& shape) {
  changes_.axis = axis_of_scores(shape);
  if (!changes_.axis || wanted.empty()) return;
  const auto length = static_cast<std::size_t>(shape[*changes_.axis]);
  const auto step = static_cast<std::size_t>(element_count(std::span(shape).subspan(*changes_.axis + 1)));
  const auto largest = [&](const std::vector<double>& numbers, std::size_t first) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < length; ++k)
      if (numbers[first + k * step] > numbers[first + best * step]) best = k;
    return best;
  };
  for (std::size_t outer = 0; outer < wanted.size(); outer += length * step)
    for (std::size_t inner = 0; inner < step; ++inner) {
      ++changes_.rows;
      changes_.arg_max += largest(wanted, outer + inner) != largest(found, outer + inner);
    }
}

void OutputComparison::add_sample(std::vector<double> wanted, const std::vector<double>& found) {
  agreement_ += correlation(ranks_of(wanted), ranks_of(found));
  if (compared_++ == 0)
    first_ = std::move(wanted);
  else
    differs_ = differs_ || !std::ranges::equal(first_, wanted, is_same);
}

OutputChanges OutputComparison::result() const {
  OutputChanges result = changes_;
  if (compared_ > 0) result.rank_agreement = agreement_ / static_cast<double>(compared_);
  result.constant = changes_.elements > 1 && !varies_;
  if (result.constant) result.wanted = *constant_wanted_, result.found = *constant_found_;
  result.alike = compared_ > 1 && !differs_;
  return result;
}

}  // namespace octet
