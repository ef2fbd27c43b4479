// conformance.h: runs an external implementation of the quantized operators on a suite (protocol: docs/conformance.md).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "octet/verify/suite.h"

namespace octet {

// All questions of a suite, one on each line, in order.
std::string questions_of(const Suite& suite);

// What `command` (of a shell) writes when it reads the questions. Throws kIo, with the end of what it said, when it can't
// be run, fails, is killed, takes longer than `limit` or writes without end.
std::string answers_of(const std::string& command, const Suite& suite, std::chrono::seconds limit);

// Mistakes that one and the same rows show.
struct LikelyMistake {
  std::vector<std::size_t> mistakes;  // of the operation's list
  std::size_t rows = 0;               // that show it, of those that were computed
  std::size_t differing = 0;          // of these
};

struct WrongRow {
  std::size_t row = 0;  // of the operation's
  std::string answer;
};

struct OperationVerdict {
  std::size_t rows = 0, passed = 0, left_out = 0;
  std::vector<WrongRow> wrong;
  // The mistakes that explain most of the wrong rows: every row that shows one of them is wrong. Where none do, the one
  // whose rows are most like the wrong ones.
  std::vector<LikelyMistake> likely;
  bool explained = false;       // whether they do
  std::size_t unexplained = 0;  // wrong rows that none of them shows
};

struct Conformance {
  std::vector<OperationVerdict> operations;  // of the suite's
  bool passed() const;                       // nothing differs
};

// Holds answers to a suite: a line for each question, but for lines that begin with #. "-" alone: the program does not
// compute this. Throws kFormat, naming the line and the question, for too few or too many lines, for what is no answer,
// and where nothing at all was computed. `who` answered, for messages.
Conformance judge_answers(const Suite& suite, const std::string& answers, const std::string& who);

}  // namespace octet
