#include "octet/evaluate/score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace octet {

std::vector<std::int64_t> ranked(std::span<const double> scores) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  return order;
}

void Score::add(std::int64_t label, std::span<const double> scores) {
  const std::vector<std::int64_t> order = ranked(scores);
  const auto rank = std::find(order.begin(), order.end(), label) - order.begin();
  top1_ += rank == 0 && !order.empty();
  top5_ += rank < 5 && static_cast<std::size_t>(rank) < order.size();
  classes_ = std::max(classes_, static_cast<std::int64_t>(scores.size()));
  labels_.push_back(label);
  predictions_.push_back(order.empty() ? -1 : order[0]);
  best_scores_.push_back(order.empty() ? 0 : scores[static_cast<std::size_t>(order[0])]);
}

std::vector<std::vector<std::int64_t>> Score::confusion() const {
  const auto size = static_cast<std::size_t>(classes_);
  std::vector<std::vector<std::int64_t>> table(size, std::vector<std::int64_t>(size, 0));
  for (std::size_t i = 0; i < labels_.size(); ++i)
    if (labels_[i] >= 0 && labels_[i] < classes_ && predictions_[i] >= 0)
      ++table[static_cast<std::size_t>(labels_[i])][static_cast<std::size_t>(predictions_[i])];
  return table;
}

double Score::accuracy() const { return 100.0 * static_cast<double>(top1_) / static_cast<double>(samples()); }

std::vector<std::int64_t> Score::labelled_per_class() const { return per_class(false); }

std::vector<std::int64_t> Score::right_per_class() const { return per_class(true); }

std::vector<std::int64_t> Score::per_class(bool right) const {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes_), 0);
  for (std::size_t i = 0; i < labels_.size(); ++i)
    if (labels_[i] >= 0 && labels_[i] < classes_ && (!right || labels_[i] == predictions_[i]))
      ++counts[static_cast<std::size_t>(labels_[i])];
  return counts;
}

double points_lost(const Score& first, const Score& second) {
  return 100.0 * static_cast<double>(first.top1() - second.top1()) / static_cast<double>(second.samples());
}

Agreement compare(const Score& first, const Score& second) {
  Agreement result{.samples = std::min(first.samples(), second.samples())};
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.samples); ++i) {
    const std::int64_t label = first.labels()[i], a = first.predictions()[i], b = second.predictions()[i];
    result.same_prediction += a == b;
    result.only_first_right += a == label && b != label;
    result.only_second_right += b == label && a != label;
  }
  const std::int64_t n = result.only_first_right + result.only_second_right;
  const std::int64_t smaller = std::min(result.only_first_right, result.only_second_right);
  if (n == 0) return result;
  double tail = 0;  // of Binomial(n, 1/2) up to the smaller count, through logarithms: n may be thousands
  for (std::int64_t k = 0; k <= smaller; ++k)
    tail += std::exp(std::lgamma(static_cast<double>(n + 1)) - std::lgamma(static_cast<double>(k + 1)) -
                     std::lgamma(static_cast<double>(n - k + 1)) - static_cast<double>(n) * std::log(2.0));
  result.p_value = std::min(1.0, 2 * tail);
  return result;
}

}  // namespace octet
