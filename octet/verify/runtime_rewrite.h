// runtime_rewrite.h: what ONNX Runtime's own optimizer does to a file that changes its numbers. Such a file computes one
// thing as it is written and another as it is run; a difference that goes when the rewrite is left out is not Octet's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

struct RuntimeRewrite {
  std::string_view optimizer;   // by the name that disables it
  std::string_view what;        // "it quantizes float weights"
  std::string_view again = {};  // the name under which the same optimizer runs a second time, if it does
  // An operator that only this rewrite makes, and that must have been executed: the optimizer does much else that must
  // not go unjudged. Empty: the rewrite is all it does.
  std::string_view makes = {};
};

// In the order in which they are tried.
std::span<const RuntimeRewrite> runtime_rewrites();

// A rewrite without which the two sides agree; of several, none can stay.
struct LeftOut {
  RuntimeRewrite rewrite;
  std::int64_t differing = 0;  // elements of one batch that differ with it and without the others, step by step
};

struct Retrial {
  bool agrees = false;
  std::int64_t differing = 0;  // elements, step by step
};

// What to leave out of `candidates` for the two sides to agree, where `differing` elements differ with all of them; nothing
// when that does not help. `retry` judges the batch once more without some; nothing when the runtime can't do without. It
// is asked at most 2n + 1 times for n candidates: for each alone, for all that can go, and then whether each may come back.
std::vector<LeftOut> rewrites_to_leave_out(
    std::span<const RuntimeRewrite> candidates, std::int64_t differing,
    const std::function<std::optional<Retrial>(std::span<const RuntimeRewrite>)>& retry);

}  // namespace octet
