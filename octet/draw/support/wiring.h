// wiring.h: wires of a picture, gathered by the value they carry.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octet/base/dtype.h"
#include "octet/draw/picture.h"

namespace octet {

WireKind wire_kind(DType dtype);

// One wire from the node that makes a value to each that reads it. A value that is read more than once goes to a dot,
// with its lines, and from there to its readers.
class Wiring {
 public:
  // `value` is the tensor's name, and tells one from another; `from`, `kind` and `lines` are taken from its first reader.
  void add(const std::string& value, std::size_t from, std::size_t to, WireKind kind, std::vector<PictureLine> lines);
  void draw(Picture& picture) const;

 private:
  struct Value {
    std::string name;
    std::size_t from;
    WireKind kind;
    std::vector<PictureLine> lines;
    std::vector<std::size_t> readers;
  };
  std::vector<Value> values_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace octet
