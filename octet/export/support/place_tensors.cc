#include "octet/export/support/place_tensors.h"

#include <algorithm>
#include <map>

#include "octet/base/fail.h"

namespace octet {
namespace {

// A tensor that a step makes: the steps from which and to which it is needed.
struct Lifetime {
  std::size_t first = 0, last = 0;
  std::int64_t words = 0;
};

class Placer {
 public:
  explicit Placer(Accelerator& to) : to_(to) {
    for (std::size_t s = 0; s < to.steps.size(); ++s) {
      const AcceleratorStep& step = to.steps[s];
      const PlacedTensor& y = to.tensors[step.y];
      lives_[step.y] = {s, s, y.pixels * y.pixel_words};
      use(step.a, s);
      if (step.addition) use(step.b, s);
    }
    use(to.result, to.steps.size());
  }

  void place() {
    for (std::size_t s = 0; s < to_.steps.size(); ++s)
      if (!banks_.contains(to_.steps[s].y)) choose(to_.steps[s].y);
    for (const int bank : {0, 1}) to_.bank_words[bank] = std::max<std::int64_t>(1, fill(bank, true));
    const PlacedTensor& image = to_.tensors[to_.image];
    to_.image_words = image.pixels * image.pixel_words;
    to_.steps[image_last_].frees_image = true;
  }

 private:
  void use(TensorId tensor, std::size_t step) {
    const TensorId place = to_.place_of[tensor];
    if (place == to_.image)
      image_last_ = step;
    else
      lives_.at(place).last = step;
  }

  // The tensor and all whose banks follow from its own; of the two ways the one that needs less memory so far.
  void choose(TensorId tensor) {
    std::int64_t least = 0;
    std::map<TensorId, int> best;
    const std::map<TensorId, int> before = banks_;
    for (const int bank : {0, 1}) {
      banks_ = before;
      color(tensor, bank);
      const std::int64_t words = fill(0, false) + fill(1, false);
      if (best.empty() || words < least) least = words, best = banks_;
    }
    banks_ = best;
  }

  void color(TensorId tensor, int bank) {
    if (tensor == to_.image) return;
    const auto [at, is_new] = banks_.emplace(tensor, bank);
    if (!is_new) {
      if (at->second != bank)
        fail(ErrorCode::kUnsupported, "the operands of all additions can't lie in different banks of two");
      return;
    }
    for (const AcceleratorStep& step : to_.steps) {
      if (!step.addition) continue;
      const TensorId a = to_.place_of[step.a], b = to_.place_of[step.b];
      if (a == tensor) color(b, 1 - bank);
      if (b == tensor) color(a, 1 - bank);
    }
  }

  // First fit, the largest first. Returns the words of the bank.
  std::int64_t fill(int bank, bool keep) {
    std::vector<TensorId> order;
    for (const auto& [tensor, its_bank] : banks_)
      if (its_bank == bank) order.push_back(tensor);
    std::stable_sort(order.begin(), order.end(),
                     [&](TensorId a, TensorId b) { return lives_.at(a).words > lives_.at(b).words; });
    std::map<TensorId, std::int64_t> bases;
    std::int64_t end = 0;
    for (const TensorId tensor : order) {
      const Lifetime& life = lives_.at(tensor);
      std::int64_t base = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (const auto& [other, at] : bases) {
          const Lifetime& its = lives_.at(other);
          if (its.first > life.last || life.first > its.last) continue;
          if (at >= base + life.words || base >= at + its.words) continue;
          base = at + its.words;
          moved = true;
        }
      }
      bases[tensor] = base;
      end = std::max(end, base + life.words);
    }
    if (keep)
      for (const auto& [tensor, base] : bases) {
        to_.tensors[tensor].bank = bank;
        to_.tensors[tensor].base = base;
      }
    return end;
  }

  Accelerator& to_;
  std::map<TensorId, Lifetime> lives_;
  std::map<TensorId, int> banks_;
  std::size_t image_last_ = 0;
};

}  // namespace

void place_tensors(Accelerator& accelerator) { Placer(accelerator).place(); }

}  // namespace octet
