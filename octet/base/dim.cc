#include "octet/base/dim.h"

#include <utility>

#include "octet/base/fail.h"

namespace octet {
namespace {

[[noreturn]] void overflow(const Dim& a, const char* sign, const Dim& b) {
  fail(ErrorCode::kLimit, "the dimension {} {} {} does not fit 63 bits", a.value(), sign, b.value());
}

}  // namespace

Dim Dim::symbol(std::string name) {
  Dim dim;
  dim.symbol_ = std::move(name);
  return dim;
}

bool surely_equal(const Dim& a, const Dim& b) { return a == b && (a.known() || a.is_symbol()); }
bool surely_different(const Dim& a, const Dim& b) { return a.known() && b.known() && a.value() != b.value(); }

Dim operator+(const Dim& a, const Dim& b) {
  if (b.is(0)) return a;
  if (a.is(0)) return b;
  if (!a.known() || !b.known()) return {};
  std::int64_t sum;
  if (__builtin_add_overflow(a.value(), b.value(), &sum)) overflow(a, "+", b);
  return sum;
}

Dim operator-(const Dim& a, const Dim& b) {
  if (b.is(0)) return a;
  if (!a.known() || !b.known()) return {};
  std::int64_t difference;
  if (__builtin_sub_overflow(a.value(), b.value(), &difference)) overflow(a, "-", b);
  return difference;
}

Dim operator*(const Dim& a, const Dim& b) {
  if (b.is(1)) return a;
  if (a.is(1)) return b;
  if (a.is(0) || b.is(0)) return 0;
  if (!a.known() || !b.known()) return {};
  std::int64_t product;
  if (__builtin_mul_overflow(a.value(), b.value(), &product)) overflow(a, "*", b);
  return product;
}

Dim floor_divide(const Dim& a, const Dim& b) {
  if (b.is(1)) return a;
  if (!a.known() || !b.known()) return {};
  if (b.value() <= 0) fail(ErrorCode::kModel, "dimension {} divided by {}", a.value(), b.value());
  const std::int64_t quotient = a.value() / b.value();
  return a.value() % b.value() < 0 ? quotient - 1 : quotient;
}

Dim ceil_divide(const Dim& a, const Dim& b) {
  const Dim down = floor_divide(a, b);
  if (!a.known() || !b.known()) return down;
  return a.value() % b.value() == 0 ? down : down + 1;
}

std::optional<Shape> concrete(const SymbolicShape& shape) {
  Shape result;
  for (const Dim& dim : shape) {
    if (!dim.known()) return std::nullopt;
    result.push_back(dim.value());
  }
  return result;
}

SymbolicShape symbolic(const Shape& shape) { return {shape.begin(), shape.end()}; }

std::optional<SymbolicShape> broadcast(const SymbolicShape& a, const SymbolicShape& b) {
  const SymbolicShape& longer = a.size() < b.size() ? b : a;
  const SymbolicShape& shorter = a.size() < b.size() ? a : b;
  SymbolicShape result = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Dim& dim = result[lead + i];
    const Dim& other = shorter[i];
    if (dim == other || other.is(1)) continue;
    if (dim.is(1))
      dim = other;
    else if (surely_different(dim, other))
      return std::nullopt;
    else if (other.known())
      dim = other;  // not 1: the unknown one is 1 or equal
    else if (!dim.known())
      dim = Dim();
  }
  return result;
}

std::string to_string(const Dim& dim) {
  if (dim.known()) return std::to_string(dim.value());
  return dim.is_symbol() ? dim.symbol() : "?";
}

std::string to_string(const SymbolicShape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace octet
