// dim.h: a dimension that may be known, a symbol such as N, or unknown; and shapes made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/shape.h"

namespace octet {

// Arithmetic keeps what it can: known values are computed (overflow throws kLimit), x + 0, x * 1 and x / 1 stay x, and
// everything else that involves a symbol is unknown.
class Dim {
 public:
  Dim() = default;                            // unknown
  Dim(std::int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor): an int64 is a dimension
  static Dim symbol(std::string name);

  bool known() const { return value_.has_value(); }
  bool is_symbol() const { return !symbol_.empty(); }
  std::int64_t value() const { return *value_; }
  const std::string& symbol() const { return symbol_; }
  bool is(std::int64_t value) const { return value_ == value; }

  // The same known value, the same symbol, or both unknown.
  bool operator==(const Dim&) const = default;

 private:
  std::optional<std::int64_t> value_;
  std::string symbol_;
};

// Both known or the same symbol, and equal. / Both known and different.
bool surely_equal(const Dim& a, const Dim& b);
bool surely_different(const Dim& a, const Dim& b);

Dim operator+(const Dim& a, const Dim& b);
Dim operator-(const Dim& a, const Dim& b);
Dim operator*(const Dim& a, const Dim& b);
// Rounds toward minus infinity. The divisor must be positive where it is known.
Dim floor_divide(const Dim& a, const Dim& b);
Dim ceil_divide(const Dim& a, const Dim& b);

// A known rank; dimensions that may not be known.
using SymbolicShape = std::vector<Dim>;

// The concrete shape when every dimension is known.
std::optional<Shape> concrete(const SymbolicShape& shape);
SymbolicShape symbolic(const Shape& shape);

// numpy's rules; an unknown dimension against a known one larger than 1 gives that one. Nothing when they can't match.
std::optional<SymbolicShape> broadcast(const SymbolicShape& a, const SymbolicShape& b);

// "[N,3,32,?]".
std::string to_string(const SymbolicShape& shape);
std::string to_string(const Dim& dim);

}  // namespace octet
