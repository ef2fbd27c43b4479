#include "octet/program/memory_plan.h"

#include <algorithm>
#include <bit>

#include "octet/base/fail.h"
#include "octet/program/support/byte_reuse.h"
#include "octet/program/support/place_buffers.h"

namespace octet {
namespace {

constexpr std::int64_t kLargestAlignment = std::int64_t{1} << 20;
// Values that take more together have no place in any memory; up to it no sum of sizes leaves 64 bits.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 61;

// Operations are counted through all steps; each is a moment.
using Moment = std::size_t;
constexpr Moment kNever = static_cast<Moment>(-1);

struct Life {
  Moment first = kNever, last = 0;  // while its bytes must not be touched
  Moment last_read = 0;             // by which operation; behind its step where none does
  bool inside = false;              // of one step
  bool of_caller = false;           // an input or output of the program
};

bool is_variable(const Program& program, ValueId value) {
  return value != kNoValue && program.values[value].constant.empty();
}

// Calls f(step, its first moment, the moment behind it) in the order of execution.
template <typename F>
void for_each_step(const Program& program, F&& f) {
  Moment begin = 0;
  for (const Step& step : program.steps) {
    f(step, begin, begin + step.operations.size());
    begin += step.operations.size();
  }
}

// Marks values that one step makes and only its other operations read. Those read it first: the last reader tells.
void find_values_inside(const Program& program, std::vector<Life>& lives) {
  std::vector<Moment> made(program.values.size(), kNever);  // the beginning of the step
  for_each_step(program, [&](const Step& step, Moment begin, Moment) {
    for (const Operation& operation : step.operations) {
      for (const ValueId input : operation.inputs)
        if (is_variable(program, input)) lives[input].inside = made[input] == begin;
      for (const ValueId output : operation.outputs)
        if (is_variable(program, output)) made[output] = begin;
    }
  });
  for (Life& life : lives)
    if (life.of_caller) life.inside = false;
}

std::vector<Life> lives_of(const Program& program) {
  std::vector<Life> lives(program.values.size());
  for (const ProgramInput& input : program.inputs) lives[input.value].of_caller = true;
  for (const ValueId output : program.outputs) lives[output].of_caller = true;
  find_values_inside(program, lives);

  const auto extend = [&](ValueId value, Moment from, Moment to) {
    if (!is_variable(program, value)) return;
    lives[value].first = std::min(lives[value].first, from);
    lives[value].last = std::max(lives[value].last, to);
  };
  for (const ProgramInput& input : program.inputs) extend(input.value, 0, 0);
  Moment end_of_all = 0;
  for_each_step(program, [&](const Step& step, Moment begin, Moment end) {
    for (Moment now = begin; now < end; ++now) {
      const Operation& operation = step.operations[now - begin];
      for (const auto* values : {&operation.inputs, &operation.outputs})
        for (const ValueId value : *values) {
          if (!is_variable(program, value)) continue;
          extend(value, now, lives[value].inside ? now : end - 1);
          lives[value].last_read = values == &operation.inputs ? now : end;  // a result outlives its step
        }
    }
    end_of_all = end;
  });
  for (const ValueId output : program.outputs) extend(output, end_of_all, end_of_all);
  return lives;
}

// The bytes of a value; nothing, and the reason, where they are not known.
std::optional<std::int64_t> bytes_of(const ProgramValue& value, const MemoryOptions& options, std::string& obstacle) {
  if (value.dtype == DType::kUndefined || !value.shape) {
    obstacle = fmt::format("the {} of {} is not known before the run", value.shape ? "type" : "shape", value.name);
    return std::nullopt;
  }
  std::int64_t bytes = static_cast<std::int64_t>(size_of(value.dtype));
  bool fits = true;
  for (const Dim& dim : *value.shape) {
    if (!dim.known() && !dim.is_symbol()) {
      obstacle = fmt::format("the shape of {}, {}, is not known before the run", value.name, to_string(*value.shape));
      return std::nullopt;
    }
    const auto meaning = dim.known() ? options.symbols.end() : options.symbols.find(dim.symbol());
    const std::int64_t size = dim.known() ? dim.value() : meaning == options.symbols.end() ? 1 : meaning->second;
    fits = fits && size >= 0 && !__builtin_mul_overflow(bytes, size, &bytes);
  }
  if (!fits || bytes > kMostBytes) {
    obstacle = fmt::format("{}, {}, is too large for any memory", value.name, to_string(*value.shape));
    return std::nullopt;
  }
  return bytes;
}

class Planner {
 public:
  Planner(const Program& program, const MemoryOptions& options)
      : program_(program), options_(options), lives_(lives_of(program)), buffer_of_(program.values.size(), kNone) {
    plan_.alignment = options.alignment;
    plan_.values.resize(program.values.size());
  }

  MemoryPlan plan() && {
    if (!measure()) {
      for (PlannedValue& value : plan_.values) value.place.reset();
      return std::move(plan_);
    }
    for (const ProgramInput& input : program_.inputs)
      if (has_bytes(input.value)) hold_alone(input.value);
    for_each_step(program_, [&](const Step& step, Moment begin, Moment end) {
      for (Moment now = begin; now < end; ++now) {
        const Operation& operation = step.operations[now - begin];
        for (const ValueId output : operation.outputs)
          if (has_bytes(output) && !rename(operation, output) && !overwrite(step, begin, now, output))
            hold_alone(output);
      }
    });
    plan_.bytes = place_buffers(buffers_);
    for (ValueId value = 0; value < plan_.values.size(); ++value)
      if (buffer_of_[value] != kNone) plan_.values[value].place->offset = buffers_[buffer_of_[value]].offset;
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // What is known of a buffer beside its place.
  struct Holder {
    std::int64_t bytes;  // of each of its values
    Moment last_read;
    bool of_caller;
  };

  // The size of every value that is mentioned.
  bool measure() {
    std::int64_t sum = 0;
    for (ValueId value = 0; value < program_.values.size(); ++value) {
      if (lives_[value].first == kNever) continue;
      const std::optional<std::int64_t> bytes = bytes_of(program_.values[value], options_, plan_.obstacle);
      if (!bytes) return false;
      if (sum += aligned(*bytes); sum > kMostBytes) {
        plan_.obstacle = "all values together are too large for any memory";
        return false;
      }
      plan_.values[value].place = MemoryPlace{0, *bytes};
    }
    return true;
  }

  std::int64_t aligned(std::int64_t bytes) const {
    return (bytes + options_.alignment - 1) / options_.alignment * options_.alignment;
  }

  std::int64_t bytes(ValueId value) const { return plan_.values[value].place->bytes; }
  bool has_bytes(ValueId value) const { return is_variable(program_, value) && bytes(value) > 0; }
  bool is_held(ValueId value) const { return value != kNoValue && buffer_of_[value] != kNone; }

  void hold_alone(ValueId value) {
    buffers_.push_back({aligned(bytes(value)), lives_[value].first, lives_[value].last});
    holders_.push_back({bytes(value), lives_[value].last_read, lives_[value].of_caller});
    buffer_of_[value] = buffers_.size() - 1;
  }

  void join(ValueId value, std::size_t buffer) {
    const Life& life = lives_[value];
    buffer_of_[value] = buffer;
    buffers_[buffer].last = std::max(buffers_[buffer].last, life.last);
    holders_[buffer].last_read = std::max(holders_[buffer].last_read, life.last_read);
    holders_[buffer].of_caller = holders_[buffer].of_caller || life.of_caller;
  }

  bool rename(const Operation& operation, ValueId output) {
    if (!options_.aliases || !renames_bytes(operation) || output != operation.outputs[0]) return false;
    const ValueId input = operation.inputs[0];
    if (!is_held(input) || bytes(input) != bytes(output)) return false;
    if (lives_[output].of_caller && holders_[buffer_of_[input]].of_caller) return false;
    const ValueId renamed = plan_.values[input].alias_of;
    plan_.values[output].alias_of = renamed == kNoValue ? input : renamed;
    join(output, buffer_of_[input]);
    return true;
  }

  // Writes it over a value that the step reads and that is dead afterwards.
  bool overwrite(const Step& step, Moment begin, Moment now, ValueId output) {
    if (!options_.in_place) return false;
    for (Moment reader = now + 1; reader-- > begin;)
      for (const ValueId input : step.operations[reader - begin].inputs) {
        if (!is_held(input) || bytes(input) != bytes(output)) continue;
        const Holder& holder = holders_[buffer_of_[input]];
        if (holder.of_caller || holder.last_read > now || !all_may_go(step, buffer_of_[input], output)) continue;
        plan_.values[output].overwrites = input;
        join(output, buffer_of_[input]);
        return true;
      }
    return false;
  }

  // Whether the output may be written over everything that the step reads out of the buffer.
  bool all_may_go(const Step& step, std::size_t buffer, ValueId output) const {
    for (const Operation& operation : step.operations)
      for (const ValueId input : operation.inputs)
        if (is_held(input) && buffer_of_[input] == buffer && !may_overwrite(program_, step, input, output))
          return false;
    return true;
  }

  const Program& program_;
  const MemoryOptions& options_;
  const std::vector<Life> lives_;
  MemoryPlan plan_;
  std::vector<std::size_t> buffer_of_;  // by ValueId: the buffer that holds it
  std::vector<PlacedBuffer> buffers_;
  std::vector<Holder> holders_;
};

}  // namespace

MemoryPlan plan_memory(const Program& program, const MemoryOptions& options) {
  const bool is_power = options.alignment > 0 && std::has_single_bit(static_cast<std::uint64_t>(options.alignment));
  if (!is_power || options.alignment > kLargestAlignment)
    fail(ErrorCode::kUsage, "an alignment of {} bytes, wanted a power of two up to {}", options.alignment,
         kLargestAlignment);
  for (const auto& [symbol, size] : options.symbols)
    if (size < 0) fail(ErrorCode::kUsage, "symbol {} stands for {}, wanted no negative number", symbol, size);
  return Planner(program, options).plan();
}

}  // namespace octet
