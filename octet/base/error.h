// error.h: the one exception Octet throws.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace octet {

enum class ErrorCode {
  kUsage,        // the caller asked for something that makes no sense
  kIo,           // a file could not be read or written
  kFormat,       // bytes that are not the format they claim to be
  kModel,        // a well-formed file whose network is not valid
  kConstraint,   // an operator's numbered constraint does not hold
  kUnsupported,  // valid, and not something Octet computes
  kLimit,        // a limit on memory or size would be exceeded
  kCancelled,    // the caller asked for it to end
};

// what() reads "where: message [constraint]": where it happened (node and operator), what was found and what was
// wanted, and the label of the constraint that failed. Empty parts are left out.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, std::string where = {}, std::string constraint = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& constraint() const { return constraint_; }

  // The same error, placed at `where` unless it already has a place.
  Error at(std::string_view where) const;
  // The same error, its place inside `outer`: "if_1 (If): then_branch: conv (Conv)".
  Error inside(std::string_view outer) const;

 private:
  ErrorCode code_;
  std::string message_, where_, constraint_;
};

}  // namespace octet
