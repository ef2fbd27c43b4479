#include "octet/system/output_tail.h"

#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>

namespace octet {

bool OutputTail::read_from(int descriptor) {
  constexpr std::size_t kMostKept = 4096;
  std::array<char, 4096> bytes;
  const ssize_t count = read(descriptor, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  tail_.append(bytes.data(), static_cast<std::size_t>(count));
  if (tail_.size() > 2 * kMostKept) tail_.erase(0, tail_.size() - kMostKept);
  return true;
}

std::string OutputTail::text() const {
  constexpr std::size_t kShown = 600;
  std::string text;
  for (std::size_t i = 0; i < tail_.size(); ++i) {
    const char c = tail_[i];
    if (c == '\x1b')
      while (i + 1 < tail_.size() && std::isalpha(static_cast<unsigned char>(tail_[i])) == 0) ++i;
    else if (std::isspace(static_cast<unsigned char>(c)) == 0)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() > kShown) text.replace(0, text.size() - kShown, "… ");
  return text.empty() ? "it said nothing" : "it said: " + text;
}

}  // namespace octet
