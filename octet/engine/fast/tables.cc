// Kernels that send bytes through tables: Table, ChannelTables, Concatenation and Selection.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

bool is_identity(const LookupTable& table) {
  for (std::size_t k = 0; k < table.size(); ++k)
    if (table[k] != k) return false;
  return true;
}

// A table, or nothing to do.
class Mapping {
 public:
  Mapping(const LookupTable& table, const Elements& elements) : elements_(elements) {
    if (!is_identity(table)) table_ = table;
  }
  void operator()(const std::uint8_t* x, std::int64_t count, std::uint8_t* y) const {
    if (table_)
      elements_.look_up(*table_, x, count, y);
    else
      std::memcpy(y, x, static_cast<std::size_t>(count));
  }
  // Where the results stand, in `buffer` if anywhere else than x.
  const std::uint8_t* mapped(const std::uint8_t* x, std::int64_t count, std::uint8_t* buffer) const {
    if (!table_) return x;
    elements_.look_up(*table_, x, count, buffer);
    return buffer;
  }

 private:
  const Elements& elements_;
  std::optional<LookupTable> table_;
};

class TableKernel : public Kernel {
 public:
  TableKernel(const work::Table& work, const KernelContext& context)
      : x_(work.x), y_(work.y), size_(context.at(work.y).size()), mapping_(work.bytes, context.simd.elements) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::uint8_t* x = bytes_at(places, x_);
    std::uint8_t* y = bytes_at(places, y_);
    parallel.for_each_block(size_, kGrain,
                            [&](std::int64_t begin, std::int64_t end) { mapping_(x + begin, end - begin, y + begin); });
  }
  std::string describe() const override { return "table"; }

 private:
  ValueId x_, y_;
  std::int64_t size_;
  Mapping mapping_;
};

class ChannelTablesKernel : public Kernel {
 public:
  ChannelTablesKernel(const work::ChannelTables& work, const KernelContext& context)
      : x_(work.x),
        y_(work.y),
        size_(context.at(work.y).size()),
        tables_(work.tables),
        elements_(context.simd.elements) {
    const Operand& y = context.at(work.y);
    const Shape shape = memory_shape(y);
    const std::size_t axis = memory_axis(y.layout, shape.size(), static_cast<std::size_t>(work.axis));
    run_ = element_count(std::span(shape).subspan(axis + 1));
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::uint8_t* x = bytes_at(places, x_);
    std::uint8_t* y = bytes_at(places, y_);
    const auto channels = static_cast<std::int64_t>(tables_.size());
    parallel.for_each_block(size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      if (run_ == 1) {
        for (std::int64_t k = begin; k < end; ++k) y[k] = tables_[static_cast<std::size_t>(k % channels)][x[k]];
        return;
      }
      for (std::int64_t k = begin; k < end;) {
        const std::int64_t count = std::min(run_ - k % run_, end - k);
        elements_.look_up(tables_[static_cast<std::size_t>(k / run_ % channels)], x + k, count, y + k);
        k += count;
      }
    });
  }
  std::string describe() const override { return "tables by channel"; }

 private:
  ValueId x_, y_;
  std::int64_t size_, run_ = 1;  // bytes of one channel that stand side by side
  std::vector<LookupTable> tables_;
  const Elements& elements_;
};

class ConcatenationKernel : public Kernel {
 public:
  ConcatenationKernel(const work::Concatenation& work, const KernelContext& context) : y_(work.y) {
    const Operand& y = context.at(work.y);
    const Shape shape = memory_shape(y);
    const auto axis =
        static_cast<std::ptrdiff_t>(memory_axis(y.layout, shape.size(), static_cast<std::size_t>(work.axis)));
    rows_ = element_count(std::span(shape.begin(), shape.begin() + axis));
    row_ = element_count(std::span(shape.begin() + axis, shape.end()));
    std::int64_t before = 0;
    for (const work::Concatenation::Part& part : work.parts) {
      const std::int64_t length = rows_ == 0 ? 0 : context.at(part.x).size() / rows_;
      parts_.push_back({part.x, before, length, Mapping(part.table, context.simd.elements)});
      before += length;
    }
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    for (const Part& part : parts_) {
      if (part.length == 0) continue;
      const std::uint8_t* x = bytes_at(places, part.x);
      std::uint8_t* y = bytes_at(places, y_) + part.before;
      parallel.for_each_block(rows_ * part.length, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end;) {
          const std::int64_t row = k / part.length, i = k % part.length, run = std::min(part.length - i, end - k);
          part.mapping(x + k, run, y + row * row_ + i);
          k += run;
        }
      });
    }
  }
  std::string describe() const override { return "rows through tables"; }

 private:
  struct Part {
    ValueId x;
    std::int64_t before, length;  // of each row of y
    Mapping mapping;
  };

  ValueId y_;
  std::int64_t rows_ = 0, row_ = 0;
  std::vector<Part> parts_;
};

class SelectionKernel : public Kernel {
 public:
  SelectionKernel(const work::Selection& work, const KernelContext& context)
      : condition_(context.at(work.condition), context.at(work.y)),
        a_(context.at(work.a.x), context.at(work.y)),
        b_(context.at(work.b.x), context.at(work.y)),
        y_(work.y),
        size_(context.at(work.y).size()),
        a_mapping_(work.a.table, context.simd.elements),
        b_mapping_(work.b.table, context.simd.elements) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    parallel.for_each_block(size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kAtOnce = 4096;
      alignas(64) std::uint8_t buffers[3][kAtOnce];
      for (std::int64_t k = begin; k < end; k += kAtOnce) {
        const std::int64_t count = std::min(kAtOnce, end - k);
        const std::uint8_t* condition = condition_.bytes(places, k, count, buffers[0]);
        const std::uint8_t* a = a_mapping_.mapped(a_.bytes(places, k, count, buffers[1]), count, buffers[1]);
        const std::uint8_t* b = b_mapping_.mapped(b_.bytes(places, k, count, buffers[2]), count, buffers[2]);
        std::uint8_t* y = bytes_at(places, y_) + k;
        for (std::int64_t i = 0; i < count; ++i) y[i] = condition[i] != 0 ? a[i] : b[i];
      }
    });
  }
  std::string describe() const override { return "elements"; }

 private:
  View condition_, a_, b_;
  ValueId y_;
  std::int64_t size_;
  Mapping a_mapping_, b_mapping_;
};

}  // namespace

bool fits(const work::Table& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (!has_bytes(x) || !has_bytes(y) || x.layout != y.layout) return false;
  return true;
}

KernelPtr make_kernel(const work::Table& work, const KernelContext& context) {
  return std::make_unique<TableKernel>(work, context);
}

bool fits(const work::ChannelTables& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (!has_bytes(x) || !has_bytes(y) || x.layout != y.layout) return false;
  return true;
}

KernelPtr make_kernel(const work::ChannelTables& work, const KernelContext& context) {
  return std::make_unique<ChannelTablesKernel>(work, context);
}

bool fits(const work::Concatenation& work, const KernelContext& context) {
  if (!context.known(work.y) || !has_bytes(context.at(work.y))) return false;
  for (const work::Concatenation::Part& part : work.parts)
    if (!context.known(part.x) || context.at(part.x).layout != context.at(work.y).layout) return false;
  return true;
}

KernelPtr make_kernel(const work::Concatenation& work, const KernelContext& context) {
  return std::make_unique<ConcatenationKernel>(work, context);
}

bool fits(const work::Selection& work, const KernelContext& context) {
  for (const ValueId value : {work.condition, work.a.x, work.b.x, work.y})
    if (!context.known(value)) return false;
  if (!has_bytes(context.at(work.y)) || context.at(work.condition).type != DType::kBool) return false;
  return true;
}

KernelPtr make_kernel(const work::Selection& work, const KernelContext& context) {
  return std::make_unique<SelectionKernel>(work, context);
}

}  // namespace octet::fast
