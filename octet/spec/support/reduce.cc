#include "octet/spec/support/reduce.h"

#include <algorithm>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/support/lane_sums.h"

namespace octet {
namespace {

// Which axes are reduced, given the list as the model has it.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, const Attributes& attributes, bool as_input,
                               std::size_t rank, std::string_view label) {
  const bool noop = as_input && attributes.get_int("noop_with_empty_axes", 0) != 0;
  std::vector<bool> reduced(rank, axes.empty() && !noop);
  for (std::size_t axis : normalize_axes(axes, rank, label)) reduced[axis] = true;
  return reduced;
}

}  // namespace

void infer_reduce(Inference& i, int axes_input, std::string_view label) {
  const bool as_input = i.opset() >= axes_input;
  if (as_input && i.has(1) && i.dtype(1) != DType::kInt64)
    fail_constraint(label, "axes are {}, wanted int64", name(i.dtype(1)));
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  const bool keep = i.attributes().get_int("keepdims", 1) != 0;

  std::vector<std::int64_t> axes;
  if (!as_input) {
    axes = i.attributes().get_ints("axes");
  } else if (const Tensor* constant = i.constant(1)) {
    axes = constant->to_ints();
  } else if (i.has(1)) {  // known only at run time
    return i.set_output(0, i.dtype(0), keep ? std::optional(SymbolicShape(x.size())) : std::nullopt);
  }
  const std::vector<bool> reduced = reduced_axes(axes, i.attributes(), as_input, x.size(), label);
  SymbolicShape y;
  for (std::size_t d = 0; d < x.size(); ++d)
    if (!reduced[d] || keep) y.push_back(reduced[d] ? Dim(1) : x[d]);
  i.set_output(0, i.dtype(0), std::move(y));
}

ReduceLayout::ReduceLayout(const Call& call, int axes_input) {
  const bool as_input = call.opset() >= axes_input;
  const Shape& x = call.input(0).shape();
  std::vector<std::int64_t> axes;
  if (!as_input)
    axes = call.attributes().get_ints("axes");
  else if (call.has(1))
    axes = call.input(1).to_ints();
  const std::vector<bool> reduced = reduced_axes(axes, call.attributes(), as_input, x.size(), {});
  const std::vector<std::int64_t> strides = strides_of(x);
  for (std::size_t d = 0; d < x.size(); ++d) {
    Shape& dims = reduced[d] ? reduced_ : kept_;
    std::vector<std::int64_t>& steps = reduced[d] ? steps_ : kept_steps_;
    if (d > 0 && reduced[d] == reduced[d - 1]) {
      dims.back() *= x[d];
      steps.back() = strides[d];
    } else {
      dims.push_back(x[d]);
      steps.push_back(strides[d]);
    }
  }
  reduced_first_ = !reduced.empty() && reduced[0];
  outputs_ = element_count(kept_);
  elements_ = element_count(reduced_);
  if (elements_ > 0 && !reduced_.empty()) run_length_ = reduced_.back(), run_step_ = steps_.back();
}

ReduceLayout::Neighbours ReduceLayout::neighbours(std::int64_t output, std::int64_t most) const {
  if (kept_.empty() || elements_ == 0) return {1, 0, 0};
  Neighbours found = {std::min(most, kept_.back() - output % kept_.back()), 0, kept_steps_.back()};
  for (std::size_t d = kept_.size(); d-- > 0; output /= kept_[d]) found.start += output % kept_[d] * kept_steps_[d];
  return found;
}

std::int64_t ReduceLayout::run_start(std::int64_t run) const {
  std::int64_t offset = 0;
  for (std::size_t d = reduced_.size(); d-- > 1; run /= reduced_[d - 1])
    offset += run % reduced_[d - 1] * steps_[d - 1];
  return offset;
}

void ReduceLayout::sum(const float* x, std::int64_t begin, std::int64_t end, float* y) const {
  const std::size_t kept = kept_.size(), reduced = reduced_.size();
  const bool several = kept > 0 && kept_[0] > 1;
  const bool rows = reduced == 1 && (kept == 0 || (kept == 1 && !reduced_first_));  // r, kr
  const bool of_runs = reduced == 2 && kept == 1 && reduced_first_ && several;      // rkr
  const bool columns = reduced == 1 && kept == 2 && several;                        // krk
  if (elements_ > 0 && columns) {
    while (begin < end) {
      const Neighbours of = neighbours(begin, end - begin);
      sums_by_fours(x + of.start, elements_, run_step_, of.count, y + begin);
      begin += of.count;
    }
  } else if (elements_ > 0 && (rows || of_runs)) {
    for (std::int64_t output = begin; output < end; ++output) {
      const std::int64_t start = neighbours(output, 1).start;
      float sum = 0;
      for (std::int64_t run = 0; run < runs(); ++run)
        sum += aligned_sum(x + start + run_start(run), run_length_, start + run_start(run));
      y[output] = sum;
    }
  } else {
    fold_outputs<float>(
        *this, x, begin, end, y + begin, 0.0F, [](float sum, float value) { return sum + value; },
        [](float sum) { return sum; });
  }
}

}  // namespace octet
