#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

// Steps are in elements of the source and of y.
struct CopyLoop {
  std::int64_t count = 0, from = 0, to = 0;
};

// A box as nested loops, outermost first. Of a matrix that is transposed, the last two are its columns and its rows.
struct BoxCopy {
  std::optional<std::size_t> source;
  std::int64_t from = 0, to = 0;  // the first element's number
  std::vector<CopyLoop> loops;    // at least one
  bool transposes = false;
};

BoxCopy copy_of(const work::MoveBox& box, const Shape& y) {
  const std::vector<std::int64_t> steps = strides_of(y);
  BoxCopy copy = {box.source, box.offset, 0, {}, false};
  for (std::size_t d = 0; d < y.size(); ++d) {
    copy.to += box.begin[d] * steps[d];
    const CopyLoop loop = {box.shape[d], box.source ? box.strides[d] : 0, steps[d]};
    if (loop.count == 1) continue;
    CopyLoop* last = copy.loops.empty() ? nullptr : &copy.loops.back();
    if (last != nullptr && last->from == loop.from * loop.count && last->to == loop.to * loop.count)
      *last = {last->count * loop.count, loop.from, loop.to};
    else
      copy.loops.push_back(loop);
  }
  if (copy.loops.empty()) copy.loops.push_back({1, 1, 1});
  // Where neighbours in y are not neighbours in the source, but others are, these are the columns.
  const CopyLoop& inner = copy.loops.back();
  const auto columns =
      std::find_if(copy.loops.begin(), copy.loops.end(), [](const CopyLoop& loop) { return loop.from == 1; });
  if (inner.to == 1 && inner.from > 1 && columns != copy.loops.end()) {
    std::rotate(columns, columns + 1, copy.loops.end() - 1);
    copy.transposes = true;
  }
  return copy;
}

// Elements of the size of T; a matrix is transposed by SIMD where there is a function for the size.
template <typename T>
void transpose_elements(const T* x, std::int64_t x_step, std::int64_t rows, std::int64_t columns, T* y,
                        std::int64_t y_step, const Elements& elements) {
  if constexpr (sizeof(T) == 1)
    elements.transpose8(x, x_step, rows, columns, y, y_step);
  else if constexpr (sizeof(T) == 4)
    elements.transpose32(x, x_step, rows, columns, y, y_step);
  else
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t r = 0; r < rows; ++r) y[c * y_step + r] = x[r * x_step + c];
}

template <typename T>
void copy_elements(const T* from, T* to, const CopyLoop& loop, std::int64_t count) {
  if (loop.from == 1 && loop.to == 1)
    std::copy(from, from + count, to);
  else if (loop.from == 0 && loop.to == 1)
    std::fill(to, to + count, *from);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i * loop.to] = from[i * loop.from];
}

template <typename T>
class MoveKernel : public Kernel {
 public:
  MoveKernel(const work::Move& work, const KernelContext& context)
      : sources_(work.sources), y_(work.y), indices_(work.indices), elements_(context.simd.elements) {
    if (!work.fill.empty()) std::memcpy(&fill_, work.fill.bytes().data(), sizeof(T));
    for (const ValueId source : sources_) source_sizes_.push_back(context.at(source).size());
    if (work.only_renames) {
      const std::int64_t size = context.at(work.y).size();
      if (size > 0) copies_.push_back({0, 0, 0, {{size, 1, 1}}, false});
      return;
    }
    for (const work::MoveBox& box : work.boxes)
      if (element_count(box.shape) > 0) copies_.push_back(copy_of(box, context.at(work.y).shape));
    if (!indices_.empty()) find_rows(context.at(work.y).shape.back());
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    for (const BoxCopy& copy : copies_) run(copy, places, parallel);
    if (!indices_.empty()) gather(places, parallel);
    if (!rows_.empty()) gather_rows(places, parallel);
  }
  std::string describe() const override { return !rows_.empty() ? "rows" : indices_.empty() ? "boxes" : "one by one"; }

 private:
  T* y(const ValuePointers& places) const { return reinterpret_cast<T*>(places[y_]); }
  const T* source(std::optional<std::size_t> number, const ValuePointers& places) const {
    return number ? reinterpret_cast<const T*>(places[sources_[*number]]) : &fill_;
  }

  // Threads share the iterations of all loops but the rows of a transposed matrix.
  void run(const BoxCopy& copy, const ValuePointers& places, const Parallel& parallel) const {
    const std::size_t depth = copy.loops.size() - (copy.transposes ? 2 : 1);
    const CopyLoop &shared = copy.loops[depth], &rows = copy.loops.back();
    const T* from = source(copy.source, places) + copy.from;
    T* to = y(places) + copy.to;
    std::int64_t iterations = 1;
    for (std::size_t k = 0; k <= depth; ++k) iterations *= copy.loops[k].count;
    const std::int64_t grain = 1 + kGrain / (copy.transposes ? rows.count : 1);
    parallel.for_each_block(iterations, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end;) {
        const std::int64_t i = k % shared.count, count = std::min(shared.count - i, end - k);
        std::int64_t x_place = i * shared.from, y_place = i * shared.to, index = k / shared.count;
        for (std::size_t d = depth; d-- > 0; index /= copy.loops[d].count) {
          x_place += index % copy.loops[d].count * copy.loops[d].from;
          y_place += index % copy.loops[d].count * copy.loops[d].to;
        }
        // Whole lines of the next loop follow one another without another division.
        const CopyLoop next = depth > 0 ? copy.loops[depth - 1] : CopyLoop{1, 0, 0};
        const std::int64_t in_loop = next.count - k / shared.count % next.count;
        const std::int64_t lines = count < shared.count ? 1 : std::min(in_loop, (end - k) / shared.count);
        for (std::int64_t line = 0; line < lines; ++line, x_place += next.from, y_place += next.to)
          if (copy.transposes)
            transpose_elements(from + x_place, rows.from, rows.count, count, to + y_place, shared.to, elements_);
          else
            copy_elements(from + x_place, to + y_place, shared, count);
        k += lines * count;
      }
    });
  }

  // Moves of one source where the elements of every row of y lie alike: `places_` from the first of the row on.
  void find_rows(std::int64_t length) {
    if (sources_.size() != 1 || length < 4 || std::ranges::count(indices_, 0) > 0) return;
    std::vector<std::int64_t> rows, along;
    for (std::int64_t k = 0; k < std::ssize(indices_); ++k) {
      const std::int64_t index = indices_[static_cast<std::size_t>(k)] - 1;
      if (k % length == 0) rows.push_back(index);
      const std::int64_t place = index - rows.back();
      if (k < length) along.push_back(place);
      if (place != along[static_cast<std::size_t>(k % length)]) return;
    }
    rows_ = std::move(rows);
    places_ = std::move(along);
    indices_.clear();
  }

  void gather_rows(const ValuePointers& places, const Parallel& parallel) const {
    const std::int64_t length = std::ssize(places_);
    const T* const x = source(0, places);
    T* const all = y(places);
    parallel.for_each_block(std::ssize(rows_), 1 + kGrain / length, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t before = -1;
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t first = rows_[static_cast<std::size_t>(row)];
        T* const to = all + row * length;
        if (std::exchange(before, first) == first)
          std::copy_n(to - length, length, to);
        else
          for (std::int64_t k = 0; k < length; ++k) to[k] = x[first + places_[static_cast<std::size_t>(k)]];
      }
    });
  }

  void gather(const ValuePointers& places, const Parallel& parallel) const {
    parallel.for_each_block(std::ssize(indices_), kGrain / 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        std::int64_t number = indices_[static_cast<std::size_t>(k)] - 1;
        std::size_t part = 0;
        while (number >= 0 && number >= source_sizes_[part]) number -= source_sizes_[part++];
        y(places)[k] = number < 0 ? fill_ : source(part, places)[number];
      }
    });
  }

  std::vector<ValueId> sources_;
  std::vector<std::int64_t> source_sizes_;
  ValueId y_;
  T fill_{};
  std::vector<BoxCopy> copies_;
  std::vector<std::int64_t> indices_, rows_, places_;  // numbers of elements; of the first of each row, and from there
  const Elements& elements_;
};

}  // namespace

bool fits(const work::Move& work, const KernelContext& context) {
  if (!context.known(work.y) || context.at(work.y).layout != Layout::kAsDeclared) return false;
  const DType type = context.at(work.y).type;
  return type != DType::kString && std::ranges::all_of(work.sources, [&](ValueId source) {
           return context.known(source) && context.at(source).layout == Layout::kAsDeclared &&
                  context.at(source).type == type;
         });
}

KernelPtr make_kernel(const work::Move& work, const KernelContext& context) {
  switch (size_of(context.at(work.y).type)) {
    case 1: return std::make_unique<MoveKernel<std::uint8_t>>(work, context);
    case 2: return std::make_unique<MoveKernel<std::uint16_t>>(work, context);
    case 4: return std::make_unique<MoveKernel<std::uint32_t>>(work, context);
    case 8: return std::make_unique<MoveKernel<std::uint64_t>>(work, context);
    default: return std::make_unique<MoveKernel<std::array<std::uint64_t, 2>>>(work, context);
  }
}

}  // namespace octet::fast
