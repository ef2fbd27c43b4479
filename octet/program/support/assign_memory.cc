// assign_memory.cc: one stretch of memory for everything that steps compute. The largest values choose first, each the
// lowest place where nothing that is alive at the same time stands.
#include <algorithm>

#include "octet/base/fail.h"
#include "octet/program/support/build.h"

namespace octet {
namespace {

constexpr std::int64_t kAlignment = 64;
// A value beyond this has no place in any memory; and a million of them still add up in 64 bits.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 42;

struct Tenant {
  ValueId value;
  std::int64_t bytes, offset;
  std::size_t first, last;  // the steps from which and to which it is alive
};

// Symbols count as 1; nothing when the rank or an unnamed dimension is unknown, or it is too large.
std::optional<std::int64_t> bytes_of(const ProgramValue& value) {
  if (!value.shape || value.dtype == DType::kUndefined) return std::nullopt;
  std::int64_t bytes = static_cast<std::int64_t>(size_of(value.dtype));
  for (const Dim& dim : *value.shape) {
    if (!dim.known() && !dim.is_symbol()) return std::nullopt;
    if (__builtin_mul_overflow(bytes, dim.known() ? dim.value() : 1, &bytes)) return std::nullopt;
  }
  return bytes > kMostBytes ? std::nullopt : std::optional(bytes);
}

}  // namespace

void assign_memory(Program& program) {
  for (const ProgramValue& value : program.values)
    program.constant_bytes += static_cast<std::int64_t>(value.constant.byte_size());

  constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first(program.values.size(), kNever), last(program.values.size(), 0);
  const auto alive = [&](ValueId value, std::size_t step) {
    if (value == kNoValue || !program.values[value].constant.empty()) return;
    first[value] = std::min(first[value], step);
    last[value] = std::max(last[value], step);
  };
  for (const ProgramInput& input : program.inputs) alive(input.value, 0);
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const Operation& operation : program.steps[s].operations) {
      for (const ValueId value : operation.inputs) alive(value, s);
      for (const ValueId value : operation.outputs) alive(value, s);
    }
  for (const ValueId value : program.outputs) alive(value, program.steps.size());

  std::vector<Tenant> tenants;
  for (ValueId value = 0; value < program.values.size(); ++value) {
    if (first[value] == kNever) continue;
    const std::optional<std::int64_t> bytes = bytes_of(program.values[value]);
    if (!bytes) return;  // no plan without every size
    tenants.push_back({value, (*bytes + kAlignment - 1) / kAlignment * kAlignment, 0, first[value], last[value]});
  }
  std::stable_sort(tenants.begin(), tenants.end(), [](const Tenant& a, const Tenant& b) { return a.bytes > b.bytes; });

  std::int64_t end = 0;
  std::vector<const Tenant*> placed;  // by offset
  for (Tenant& tenant : tenants) {
    for (const Tenant* other : placed) {
      if (other->first > tenant.last || other->last < tenant.first) continue;
      if (tenant.offset + tenant.bytes <= other->offset) break;
      tenant.offset = std::max(tenant.offset, other->offset + other->bytes);
    }
    const auto by_offset = [](const Tenant* a, const Tenant* b) { return a->offset < b->offset; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &tenant, by_offset), &tenant);
    program.values[tenant.value].offset = tenant.offset;
    end = std::max(end, tenant.offset + tenant.bytes);
  }
  program.memory_bytes = end;
}

}  // namespace octet
