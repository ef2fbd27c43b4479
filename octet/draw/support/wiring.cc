#include "octet/draw/support/wiring.h"

#include <utility>

namespace octet {

WireKind wire_kind(DType dtype) {
  if (is_float(dtype)) return WireKind::kFloat;
  if (!is_integer(dtype) || bits(dtype) > 32) return WireKind::kOther;
  return bits(dtype) <= 8 ? WireKind::kBytes : WireKind::kInteger;
}

void Wiring::add(const std::string& value, std::size_t from, std::size_t to, WireKind kind,
                 std::vector<PictureLine> lines) {
  const auto [found, is_new] = index_.try_emplace(value, values_.size());
  if (is_new) values_.push_back({value, from, kind, std::move(lines), {}});
  values_[found->second].readers.push_back(to);
}

void Wiring::draw(Picture& picture) const {
  for (const Value& value : values_) {
    if (value.readers.size() == 1) {
      picture.wires.push_back({value.from, value.readers[0], value.kind, value.lines, value.name});
      continue;
    }
    const std::size_t fork = picture.nodes.size();
    picture.nodes.push_back({.kind = NodeKind::kFork, .name = value.name});
    picture.wires.push_back({value.from, fork, value.kind, value.lines, value.name});
    for (const std::size_t reader : value.readers) picture.wires.push_back({fork, reader, value.kind, {}, value.name});
  }
}

}  // namespace octet
