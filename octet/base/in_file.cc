#include "octet/base/in_file.h"

namespace octet {

Error in_file(const std::filesystem::path& file, const Error& error) {
  const std::string separator = file.empty() || error.where().empty() ? "" : ": ";
  return Error(error.code(), error.message(), file.string() + separator + error.where(), error.constraint());
}

}  // namespace octet
