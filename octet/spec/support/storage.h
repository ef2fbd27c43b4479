// storage.h: elements that are moved and not looked at, of any type Octet stores.
//
//   visit_storage(t.dtype(), [&]<typename E>() { ... stored<E>(t)[k] ... });
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "octet/base/tensor.h"
#include "octet/base/visit.h"

namespace octet {

// An element by its width alone; may be read where a float, an integer or a half was written.
template <typename Word>
struct [[gnu::may_alias]] Opaque {
  Word bits;
};

// An Opaque of the element's width, or std::string.
template <typename F>
decltype(auto) visit_storage(DType dtype, F&& f) {
  if (dtype == DType::kString) return f.template operator()<std::string>();
  switch (size_of(dtype)) {
    case 1: return f.template operator()<Opaque<std::uint8_t>>();
    case 2: return f.template operator()<Opaque<std::uint16_t>>();
    case 4: return f.template operator()<Opaque<std::uint32_t>>();
    case 8: return f.template operator()<Opaque<std::uint64_t>>();
    case 16: return f.template operator()<Opaque<std::array<std::uint64_t, 2>>>();
    default: throw_unsupported_type(dtype);
  }
}

template <typename E>
const E* stored(const Tensor& tensor) {
  if constexpr (std::is_same_v<E, std::string>)
    return tensor.strings().data();
  else
    return reinterpret_cast<const E*>(tensor.bytes().data());
}

template <typename E>
E* mutable_stored(Tensor& tensor) {
  if constexpr (std::is_same_v<E, std::string>)
    return tensor.mutable_strings().data();
  else
    return reinterpret_cast<E*>(tensor.mutable_bytes().data());
}

}  // namespace octet
