// last_words.h: the end of what a process said, for messages about how it ended.
#pragma once

#include <string>

namespace octet {

class LastWords {
 public:
  // Reads what there is; false at the end of all.
  bool listen(int descriptor);

  // "it said: ...", the last lines as one, without what colours them, or "it said nothing".
  std::string text() const;

 private:
  std::string said_;  // the end alone
};

}  // namespace octet
