#include "octet/export/support/c_stages.h"

#include <algorithm>

#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

using namespace integer;

class StageWriter {
 public:
  StageWriter(CStep& step, const CStages& stages, const CRow& row)
      : step_(step), stages_(stages), row_(row), from_(row.acc), to_(row.spare) {}

  std::string write() {
    for (const Stage& stage : stages_.stages) {
      ++number_;
      std::visit([&](const auto& some) { write(some); }, stage);
    }
    return from_;
  }

 private:
  // Names of constants, each of its own where a step has several stages of a kind.
  std::string named(const std::string& what) const { return number_ == 1 ? what : fmt::format("{}_{}", what, number_); }

  void write(const Requantize& stage) {
    if (stages_.float32 && number_ == 1)
      write_float32(*stages_.float32);
    else if (stage.channels.size() > 1)
      write_channels(stage);
    else
      write_one(stage.channels[0]);
    std::swap(from_, to_);
  }

  void write_channels(const Requantize& stage) {
    std::vector<std::int32_t> m;
    std::vector<std::int64_t> addend;
    std::vector<std::uint8_t> shift;
    std::vector<std::string> exceptions;
    bool narrow = true;
    for (std::size_t c = 0; c < stage.channels.size(); ++c) {
      const IntegerRequantizer& channel = stage.channels[c];
      m.push_back(static_cast<std::int32_t>(channel.m));
      addend.push_back(channel.addend);
      shift.push_back(static_cast<std::uint8_t>(channel.shift));
      narrow = narrow && widths(channel, {INT32_MIN, INT32_MAX}).sum <= 62;
      for (const RequantizerException& exception : channel.exceptions)
        exceptions.push_back(
            fmt::format("{}, {}, {}, {}", c, c_number(exception.first), c_number(exception.last), exception.value));
    }
    const IntegerRange range = stage.channels[0].range;
    step_.line("{}({}, {}, {}, {}, {}, {}, {}, {});",
               step_.use(narrow ? "requantize_channels" : "requantize_wide_channels"), from_, to_, row_.count,
               step_.constant(named("m"), "int32_t", m), step_.constant(named("addend"), "int64_t", addend),
               step_.constant(named("shift"), "uint8_t", shift), c_number(range.min), c_number(range.max));
    if (exceptions.empty()) return;
    step_.use("channel_exception");
    const std::string array = step_.rows(named("exceptions"), "struct channel_exception", exceptions);
    step_.line("except_channels({}, {}, {}, {});", from_, to_, array, exceptions.size());
  }

  void write_one(const IntegerRequantizer& all) {
    step_.line("{}({}, {}, {}, {}, {}, {}, {}, {});", step_.use("requantize_all"), from_, to_, row_.count,
               c_number(all.m), c_number(all.addend), all.shift, c_number(all.range.min), c_number(all.range.max));
    if (all.exceptions.empty()) return;
    std::vector<std::string> rows;
    for (const RequantizerException& exception : all.exceptions)
      rows.push_back(fmt::format("{}, {}, {}", c_number(exception.first), c_number(exception.last), exception.value));
    step_.use("exception");
    step_.line("except_all({}, {}, {}, {}, {});", from_, to_, row_.count,
               step_.rows(named("exceptions"), "struct exception", rows), rows.size());
  }

  void write_float32(const work::Requantize& stage) {
    const IntegerRange range = integer_range(stage.type);
    if (stage.multipliers.size() > 1)
      step_.line("{}({}, {}, {}, {}, {}, {}, {});", step_.use("requantize_float_channels"), from_, to_, row_.count,
                 step_.constant(named("multiplier"), "float", stage.multipliers), stage.y.zero_point, range.min,
                 range.max);
    else
      step_.line("{}({}, {}, {}, {}, {}, {}, {});", step_.use("requantize_float_all"), from_, to_, row_.count,
                 c_float(stage.multipliers[0]), stage.y.zero_point, range.min, range.max);
  }

  void write(const Clamp& stage) {
    step_.line("{}({}, {}, {}, {});", step_.use("clamp"), from_, row_.count, c_number(stage.low), c_number(stage.high));
  }

  void write(const LookUp& stage) {
    const std::vector<std::int32_t> numbers(stage.table.begin(), stage.table.end());
    step_.line("for (ptrdiff_t i = 0; i < {0}; ++i) {1}[i] = {2}[{1}[i] & 255];", row_.count, from_,
               step_.constant(named("table"), "int32_t", numbers));
  }

  void write(const Combine& stage) {
    const ValueId other = stages_.integers.values[stage.other];
    const std::string name = step_.reads(other, named("other"));
    write_pair(step_, stage.pair, named("pair"), row_, from_ + "[i]", fmt::format("{}[{}]", name, row_.at(other)),
               from_);
  }

  CStep& step_;
  const CStages& stages_;
  const CRow& row_;
  std::string from_, to_;
  int number_ = 0;
};

void write_addition(CStep& step, const IntegerAddition& add, const std::string& what, const CRow& row,
                    const std::string& a, const std::string& b, const std::string& to) {
  // 32 bits are enough where the products and all sums fit them.
  const IntegerWidths wide = widths(add);
  const bool narrow = wide.sum <= 30 && wide.product <= 30;
  const auto elements = step.block("for (ptrdiff_t i = 0; i < {}; ++i)", row.count);
  step.line("const int32_t left = {}, right = {};", a, b);
  if (narrow)
    step.line("const int32_t t = {}(left * {} + right * {} + {}, {});", step.use("shift_down_32"), add.ma, add.mb,
              add.addend, add.shift);
  else
    step.line("const int64_t t = {}(left * INT64_C({}) + right * INT64_C({}) + {}, {});", step.use("shift_down"),
              add.ma, add.mb, c_number(add.addend), add.shift);
  std::string q =
      fmt::format("{}(t, {}, {})", step.use(narrow ? "saturate_32" : "saturate"), add.range.min, add.range.max);
  if (!add.exceptions.empty()) {
    std::vector<std::string> rows;
    for (const PairException& exception : add.exceptions)
      rows.push_back(fmt::format("{}, {}, {}, {}", exception.a, exception.first, exception.last, exception.value));
    step.use("pair_exception");
    q = fmt::format("except_pair({}, left, right, {}, {})", q,
                    step.rows(what + "_exceptions", "struct pair_exception", rows), rows.size());
  }
  step.line("{}[i] = {};", to, q);
}

std::string constants_of(const Pair& pair) {
  if (const auto* add = std::get_if<IntegerAddition>(&pair))
    return fmt::format("saturate((a * {} + b * {} + {}) >> {})", add->ma, add->mb, add->addend, add->shift);
  const auto& product = std::get<Multiplication>(pair);
  return fmt::format("saturate(((a - {}) * (b - {}) * {} + {}) >> {})", product.a_zero_point, product.b_zero_point,
                     product.requantize.m, product.requantize.addend, product.requantize.shift);
}

}  // namespace

std::string write_stages(CStep& step, const CStages& stages, const CRow& row) {
  return StageWriter(step, stages, row).write();
}

void write_store(CStep& step, const std::string& to, ValueId y, const std::string& at, const std::string& from,
                 const std::string& count) {
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[{}] = ({}){}[i];", count, to, at, c_type(step.value(y).type), from);
}

void write_pair(CStep& step, const integer::Pair& pair, const std::string& what, const CRow& row, const std::string& a,
                const std::string& b, const std::string& to) {
  if (const auto* add = std::get_if<IntegerAddition>(&pair)) return write_addition(step, *add, what, row, a, b, to);
  const auto& product = std::get<Multiplication>(pair);
  const std::string products = to == row.acc ? row.spare : row.acc;
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[i] = ({} - {}) * ({} - {});", row.count, products, a,
            c_number(product.a_zero_point), b, c_number(product.b_zero_point));
  const IntegerRequantizer& q = product.requantize;
  step.line("{}({}, {}, {}, {}, {}, {}, {}, {});", step.use("requantize_all"), products, to, row.count, c_number(q.m),
            c_number(q.addend), q.shift, c_number(q.range.min), c_number(q.range.max));
  if (q.exceptions.empty()) return;
  std::vector<std::string> rows;
  for (const RequantizerException& exception : q.exceptions)
    rows.push_back(fmt::format("{}, {}, {}", c_number(exception.first), c_number(exception.last), exception.value));
  step.use("exception");
  step.line("except_all({}, {}, {}, {}, {});", products, to, row.count,
            step.rows(what + "_exceptions", "struct exception", rows), rows.size());
}

void say_stages(CStep& step, const integer::Epilogue& stages, bool float32) {
  for (const Stage& stage : stages) {
    if (const auto* requantize = std::get_if<Requantize>(&stage)) {
      if (float32)
        step.say("  q = saturate(round_ties_even(f32(acc) * multiplier) + zero_point)");
      else if (requantize->channels.size() > 1)
        step.say("  q = saturate((acc * m[c] + addend[c]) >> shift[c]), but on exceptions");
      else
        step.say("  q = saturate((acc * {} + {}) >> {}){}", requantize->channels[0].m, requantize->channels[0].addend,
                 requantize->channels[0].shift,
                 requantize->channels[0].exceptions.empty() ? "" : ", but on exceptions");
    } else if (const auto* clamp = std::get_if<Clamp>(&stage)) {
      step.say("  q = clamp(q, {}, {})", clamp->low, clamp->high);
    } else if (std::holds_alternative<LookUp>(stage)) {
      step.say("  q = table[q & 255]");
    } else if (const auto* combine = std::get_if<Combine>(&stage)) {
      step.say("  q = {}, a being q and b the other tensor", constants_of(combine->pair));
    }
  }
}

}  // namespace octet
