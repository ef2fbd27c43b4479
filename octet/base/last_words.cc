#include "octet/base/last_words.h"

#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>

namespace octet {

bool LastWords::listen(int descriptor) {
  constexpr std::size_t kMostKept = 4096;
  std::array<char, 4096> bytes;
  const ssize_t count = read(descriptor, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  said_.append(bytes.data(), static_cast<std::size_t>(count));
  if (said_.size() > 2 * kMostKept) said_.erase(0, said_.size() - kMostKept);
  return true;
}

std::string LastWords::text() const {
  constexpr std::size_t kShown = 600;
  std::string text;
  for (std::size_t i = 0; i < said_.size(); ++i) {
    const char c = said_[i];
    if (c == '\x1b')
      while (i + 1 < said_.size() && std::isalpha(static_cast<unsigned char>(said_[i])) == 0) ++i;
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
