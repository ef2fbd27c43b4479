// output_changes.h: what changes in an output for those who decide by it, summed up while samples stream by. A ratio of signal to
// noise hides one wrong score among thousands.
//
//   largest          |found - wanted|, and where: an index whose first number counts the samples
//   sign             elements that are below 0 in one network alone
//   arg max          rows whose largest element (the first among equals) is another; a row runs along axis 1 of an output of rank
//                    2 or 4 and more, and along axis 2 of one of rank 3, if the axis has more than one element
//   threshold        elements that are at least the threshold in one network alone
//   rank agreement   Spearman's: per sample the correlation of the ranks of all elements (equal elements share the mean of their
//                    ranks), averaged over the samples; 0 where the elements of one network alone are all equal, 1 where those of
//                    both are
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/tensor.h"

namespace octet {

struct OutputChanges {
  std::int64_t samples = 0, elements = 0;
  double largest = 0;            // infinite where one side alone is not finite
  Shape place;                   // of the largest; empty where nothing changes
  double wanted = 0, found = 0;  // there
  std::int64_t signs = 0;        // elements whose sign changes
  std::optional<std::size_t> axis;
  std::int64_t rows = 0, arg_max = 0;  // along the axis, and those whose arg max changes
  std::optional<double> threshold;
  std::int64_t above = 0;             // elements of the reference that are at least the threshold
  std::int64_t lost = 0, gained = 0;  // of these no longer, of the others now
  double rank_agreement = 1;
  // Why samples say nothing about this output.
  bool constant = false;  // all elements of all samples are equal, in both networks
  bool alike = false;     // the reference has the same output for every sample, and there are several
};

// The shares of all elements, and of all rows, from 0 to 1.
double sign_share(const OutputChanges& changes);
double arg_max_share(const OutputChanges& changes);
double threshold_share(const OutputChanges& changes);

// What a user should know before the figures count: "output y is 0.5 in every element of both networks: ...". Empty where there is
// nothing to say.
std::string useless_samples_text(const std::string& output, const OutputChanges& changes);

class OutputComparison {
 public:
  explicit OutputComparison(std::optional<double> threshold = std::nullopt) { changes_.threshold = threshold; }

  // Of one batch: tensors of the same shape, whose first axis counts the samples where it is as long as they are many; else they
  // are taken as one sample.
  void add(const Tensor& wanted, const Tensor& found, std::int64_t samples);
  OutputChanges result() const;

 private:
  void add_element(double wanted, double found, const Shape& shape, std::int64_t index, std::int64_t samples);
  void add_rows(const std::vector<double>& wanted, const std::vector<double>& found, const Shape& shape);
  void add_sample(std::vector<double> wanted, const std::vector<double>& found);

  OutputChanges changes_;
  double agreement_ = 0;       // sum over samples
  std::int64_t compared_ = 0;  // samples in that sum
  std::vector<double> first_;  // the reference's first sample
  std::optional<double> constant_wanted_, constant_found_;
  bool varies_ = false;   // some element differs from the first
  bool differs_ = false;  // some sample differs from the first
};

}  // namespace octet
