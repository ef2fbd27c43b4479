#include "octet/text/byte_size.h"

#include <charconv>

namespace octet {

std::optional<std::uint64_t> byte_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::size_t unit = end - rest == 1 ? kUnits.find(*rest) : std::string_view::npos;
  const unsigned shift = rest == end ? 0 : 10 * static_cast<unsigned>(unit + 1);
  if (error != std::errc() || (rest != end && unit == std::string_view::npos) || number == 0 ||
      number > UINT64_MAX >> shift)
    return std::nullopt;
  return number << shift;
}

}  // namespace octet
