// runtime_rewrite.h: what ONNX Runtime's own optimizer does to a file that changes its numbers. Such a file computes one
// thing as it is written and another as it is run; a difference that goes when the rewrite is left out is not Octet's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace octet {

struct RuntimeRewrite {
  std::string_view optimizer;   // by the name that disables it
  std::string_view what;        // "it quantizes float weights"
  std::string_view again = "";  // the name under which the same optimizer runs a second time, if it does
  // An operator that only this rewrite makes, and that must have been executed: the optimizer does much else that must
  // not go unjudged. Empty: the rewrite is all it does.
  std::string_view makes = "";
};

// In the order in which they are tried.
std::span<const RuntimeRewrite> runtime_rewrites();

// A rewrite without which the two sides agree.
struct LeftOut {
  RuntimeRewrite rewrite;
  std::int64_t differing = 0;  // elements of one batch that differ with it, step by step
};

}  // namespace octet
