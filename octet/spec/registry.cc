#include "octet/spec/registry.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace octet {

// Each is defined in the file of its name: relu.cc defines kRelu. To add an operator: its file, and its name in both
// lists below.
extern const Operator kIdentity;
extern const Operator kConv;
extern const Operator kConvTranspose;
extern const Operator kGemm;
extern const Operator kMatMul;

namespace {

const std::vector<const Operator*>& sorted() {
  static const std::vector<const Operator*> list = [] {
    std::vector<const Operator*> all = {
        &kIdentity,
        &kConv,
        &kConvTranspose,
        &kGemm,
        &kMatMul,
    };
    std::sort(all.begin(), all.end(), [](const Operator* a, const Operator* b) {
      return std::tie(a->domain, a->name) < std::tie(b->domain, b->name);
    });
    return all;
  }();
  return list;
}

}  // namespace

std::span<const Operator* const> operators() { return sorted(); }

const Operator* find_operator(std::string_view domain, std::string_view name) {
  const auto& all = sorted();
  const auto key = std::tie(domain, name);
  const auto it = std::lower_bound(all.begin(), all.end(), key, [](const Operator* op, const auto& wanted) {
    return std::tie(op->domain, op->name) < wanted;
  });
  return it != all.end() && (*it)->domain == domain && (*it)->name == name ? *it : nullptr;
}

}  // namespace octet
