#include "octet/base/error.h"

namespace octet {
namespace {

// what() ends at the first NUL: one that a file or a process wrote is shown, and cuts nothing off.
std::string sentence(const std::string& message, const std::string& where, const std::string& constraint) {
  std::string text = where.empty() ? message : where + ": " + message;
  if (!constraint.empty()) text += " [" + constraint + "]";
  for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) text.replace(at, 1, "\\0");
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string message, std::string where, std::string constraint)
    : std::runtime_error(sentence(message, where, constraint)),
      code_(code),
      message_(std::move(message)),
      where_(std::move(where)),
      constraint_(std::move(constraint)) {}

Error Error::at(std::string_view where) const {
  return Error(code_, message_, where_.empty() ? std::string(where) : where_, constraint_);
}

Error Error::inside(std::string_view outer) const {
  return Error(code_, message_, std::string(outer) + (where_.empty() ? "" : ": ") + where_, constraint_);
}

}  // namespace octet
