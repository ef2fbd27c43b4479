#include "octet/spec/support/types.h"

#include "octet/spec/check.h"

namespace octet {
namespace {

bool matches(DType dtype, TypeKind kind) {
  const bool whole_bytes = is_integer(dtype) && bits(dtype) >= 8;
  switch (kind) {
    case TypeKind::kFloat: return is_float(dtype);
    case TypeKind::kInteger: return whole_bytes;
    case TypeKind::kNumeric: return is_float(dtype) || whole_bytes;
    case TypeKind::kWide: return is_float(dtype) || (is_integer(dtype) && bits(dtype) >= 32);
    case TypeKind::kBool: return dtype == DType::kBool;
  }
  return false;
}

std::string_view describe(TypeKind kind) {
  switch (kind) {
    case TypeKind::kFloat: return "a floating-point type";
    case TypeKind::kInteger: return "an integer type of 8 to 64 bits";
    case TypeKind::kNumeric: return "a floating-point type or an integer type of 8 to 64 bits";
    case TypeKind::kWide: return "a floating-point type or an integer type of 32 or 64 bits";
    case TypeKind::kBool: return "bool";
  }
  return "";
}

}  // namespace

void require_type(const Inference& i, std::size_t index, TypeKind kind, std::string_view label) {
  if (!matches(i.dtype(index), kind))
    fail_constraint(label, "input {} is {}, wanted {}", index, name(i.dtype(index)), describe(kind));
}

void require_same_type(const Inference& i, std::size_t a, std::size_t b, std::string_view label) {
  if (i.dtype(a) != i.dtype(b))
    fail_constraint(label, "input {} is {}, input {} is {}: wanted the same type", a, name(i.dtype(a)), b,
                    name(i.dtype(b)));
}

}  // namespace octet
