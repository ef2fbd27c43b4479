// weight_store.h: constants in the order in which kernels read them, packed once for all plans of an engine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "octet/program/program.h"

namespace octet::fast {

// What a constant is packed for, beside its own elements: equal forms of the same weights are one.
struct PackingForm {
  std::string_view name;  // a literal; says what type is packed
  std::vector<std::int64_t> numbers = {};
  std::vector<std::int32_t> zero_points = {}, bias = {};

  bool operator==(const PackingForm&) const = default;
};

// May be used by several threads. What it gives lives as long as anyone has it.
class WeightStore {
 public:
  // Keeps what is packed of this program's constants. The program outlives the store.
  explicit WeightStore(const Program& program) { add(program); }
  // The same for another program.
  void add(const Program& program);

  // What make() returns, of a type with `std::int64_t bytes() const`; from the second call on the same object. Weights that are not
  // of the program are packed anew by each call. What make() throws is passed on.
  template <typename Make>
  auto get(const Tensor& weights, const PackingForm& form, const Make& make) {
    using Packed = decltype(make());
    const auto packed = get_any(weights, form, [&] {
      auto made = std::make_shared<const Packed>(make());
      const std::int64_t bytes = made->bytes();
      return std::pair(std::shared_ptr<const void>(std::move(made)), bytes);
    });
    return std::static_pointer_cast<const Packed>(packed);
  }

  // What is kept.
  std::int64_t bytes() const { return bytes_; }
  // Keeps nothing of what has been packed.
  void clear();

 private:
  struct Slot {
    Slot(const Tensor& weights, PackingForm packing)
        : dtype(weights.dtype()), shape(weights.shape()), form(std::move(packing)) {}

    const DType dtype;
    const Shape shape;
    const PackingForm form;
    std::mutex mutex;  // held while it is packed
    std::shared_ptr<const void> packed;
  };
  using MakeAny = std::function<std::pair<std::shared_ptr<const void>, std::int64_t>()>;

  std::shared_ptr<const void> get_any(const Tensor& weights, const PackingForm& form, const MakeAny& make);
  // Null where the weights are not of the program.
  std::shared_ptr<Slot> slot_for(const Tensor& weights, const PackingForm& form);

  std::mutex mutex_;
  // By where the elements are: those of the program stay there.
  std::unordered_map<const std::byte*, std::vector<std::shared_ptr<Slot>>> slots_;
  std::atomic<std::int64_t> bytes_ = 0;
};

}  // namespace octet::fast
