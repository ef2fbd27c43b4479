// c_values.h: the values of a program in exported C: their types, the order of their elements, where they stand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/program/program.h"

namespace octet {

// "int8_t", "float", ...: what holds an element. Empty for types that exported C does not have.
std::string c_type(DType type);

struct CValue {
  DType type = DType::kUndefined;
  Shape shape;
  // [N, spatial..., C] in memory instead of [N, C, spatial...]: what one window sees of a row lies side by side.
  bool channels_last = false;

  // Between neighbours along each axis of the shape, in elements.
  std::vector<std::int64_t> strides() const;
  std::int64_t elements() const { return element_count(shape); }
};

// Where a value stands: in the caller's memory, in that of the program, or among the constants.
struct CPlace {
  enum class Kind { kNone, kInput, kOutput, kMemory, kConstant };
  Kind kind = Kind::kNone;
  std::int64_t number = 0;  // of the input or output; the offset in bytes in the program's memory
};

class CValues {
 public:
  // Every value that a step reads or makes must have a type that C has and a known shape.
  explicit CValues(const Program& program);

  const CValue& operator[](ValueId value) const { return values_[value]; }
  // Values that share bytes, a reshape and what it reshapes, have one place.
  CPlace place(ValueId value) const;
  bool same_place(ValueId a, ValueId b) const;
  std::int64_t memory_bytes() const { return memory_bytes_; }

 private:
  void choose_layouts();
  void choose_places();

  const Program& program_;
  std::vector<CValue> values_;
  std::vector<CPlace> places_;
  std::int64_t memory_bytes_ = 0;
};

}  // namespace octet
