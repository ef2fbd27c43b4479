// score.h: how often a classifier is right, and whether two classifiers differ by more than chance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace octet {

// The classes by descending score; equal scores by ascending class.
std::vector<std::int64_t> ranked(std::span<const double> scores);

// Predictions of one model over a labelled set.
class Score {
 public:
  void add(std::int64_t label, std::span<const double> scores);

  std::int64_t samples() const { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t classes() const { return classes_; }
  std::int64_t top1() const { return top1_; }
  std::int64_t top5() const { return top5_; }
  const std::vector<std::int64_t>& predictions() const { return predictions_; }
  const std::vector<std::int64_t>& labels() const { return labels_; }
  const std::vector<double>& best_scores() const { return best_scores_; }  // of the predictions
  // confusion[label][prediction].
  std::vector<std::vector<std::int64_t>> confusion() const;
  double accuracy() const;  // top-1, in percent
  // By class: how many samples have it as their label, and how many of these are predicted right.
  std::vector<std::int64_t> labelled_per_class() const;
  std::vector<std::int64_t> right_per_class() const;

 private:
  std::vector<std::int64_t> per_class(bool right) const;

  std::int64_t classes_ = 0, top1_ = 0, top5_ = 0;
  std::vector<std::int64_t> labels_, predictions_;
  std::vector<double> best_scores_;
};

// Two models on the same samples. McNemar's test looks only at the samples that one gets right and the other wrong.
struct Agreement {
  std::int64_t samples = 0;
  std::int64_t same_prediction = 0;
  std::int64_t only_first_right = 0, only_second_right = 0;
  // Two-sided exact probability of a split at least this uneven, were both equally good. 1 when nothing differs.
  double p_value = 1;
};
Agreement compare(const Score& first, const Score& second);
// By how many points of accuracy the second is behind the first, on the same samples.
double points_lost(const Score& first, const Score& second);

}  // namespace octet
