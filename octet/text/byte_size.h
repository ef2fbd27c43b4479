// byte_size.h: numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace octet {

// "4096", "512M", "2G", "1T": K, M, G and T are powers of 1,024. Nothing for what is no such number above 0.
std::optional<std::uint64_t> byte_size(std::string_view text);

}  // namespace octet
