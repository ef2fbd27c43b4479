// sha256.h: the hash SHA-256 of FIPS 180-4, over bytes that come in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace octet {

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

  // The hash of everything added, as 64 hexadecimal digits. Call it once, last.
  std::string hex();

 private:
  void take(std::span<const std::byte, 64> block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> waiting_ = {};  // what does not fill a block yet: size_ % 64 bytes
  std::uint64_t size_ = 0;                  // bytes added
};

}  // namespace octet
