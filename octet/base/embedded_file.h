// embedded_file.h: a file that travels inside the library (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace octet {

struct EmbeddedFile {
  std::string_view name, text;
};

}  // namespace octet
