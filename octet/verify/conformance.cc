#include "octet/verify/conformance.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <numeric>
#include <optional>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/system/process.h"
#include "octet/system/scratch_folder.h"

namespace octet {
namespace {

constexpr std::string_view kLeftOut = "-";
constexpr std::size_t kMostNamed = 3;  // mistakes of one operation

// The lines that are answers.
std::vector<std::string_view> answer_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('#')) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <typename T>
std::optional<T> number_of(std::string_view word, int base) {
  T value{};
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value, base);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

// The bits of a float32; one pattern for all NaNs.
std::optional<std::uint32_t> bits_of(std::string_view word) {
  if (word.size() != 8) return std::nullopt;
  const std::optional<std::uint32_t> bits = number_of<std::uint32_t>(word, 16);
  return bits && (*bits & 0x7fffffffU) > 0x7f800000U ? std::optional(0x7fc00000U) : bits;
}

// Whether two words mean the same; null where `word` is none of that type.
std::optional<bool> same_word(SuiteColumn::Type type, std::string_view wanted, std::string_view word) {
  if (type == SuiteColumn::Type::kFloat32) {
    const std::optional<std::uint32_t> bits = bits_of(word);
    return bits ? std::optional(bits == bits_of(wanted)) : std::nullopt;
  }
  if (type == SuiteColumn::Type::kInteger) {
    const std::optional<std::int64_t> value = number_of<std::int64_t>(word, 10);
    return value ? std::optional(value == number_of<std::int64_t>(wanted, 10)) : std::nullopt;
  }
  return word == wanted;
}

// The type of each word of an answer: that of the last column, a list, goes on.
SuiteColumn::Type type_of_word(const SuiteOperation& operation, std::size_t word) {
  return operation.results[std::min(word, operation.results.size() - 1)].type;
}

std::string shown(std::string_view line) {
  constexpr std::size_t kShown = 60;
  return line.size() > kShown ? std::string(line.substr(0, kShown)) + "…" : std::string(line);
}

// Whether a line answers a row rightly. Throws when it is no answer at all.
bool answers(const SuiteOperation& operation, const SuiteRow& row, std::string_view line, const std::string& who) {
  const std::vector<std::string_view> words = words_of_line(line);
  const auto refuse = [&](const std::string& wanted) {
    fail(ErrorCode::kFormat, "{} answered \"{}\" to \"{}\" ({}:{}): wanted {}, or - for what is not computed", who,
         shown(line), shown(row.question), operation.file, row.line, wanted);
  };
  if (words.size() != row.wanted.size())
    refuse(fmt::format("{} word{}:{}", row.wanted.size(), row.wanted.size() == 1 ? "" : "s",
                       form_of(operation).substr(form_of(operation).find(" -> ") + 3)));
  bool right = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const SuiteColumn::Type type = type_of_word(operation, i);
    const std::optional<bool> same = same_word(type, row.wanted[i], words[i]);
    if (!same)
      refuse(type == SuiteColumn::Type::kFloat32 ? "the eight hexadecimal digits of a float32" : "a decimal integer");
    right = right && *same;
  }
  return right;
}

// For each mistake, the computed rows that show it.
std::vector<std::vector<std::size_t>> rows_by_mistake(const SuiteOperation& operation,
                                                      const std::vector<bool>& computed) {
  std::vector<std::vector<std::size_t>> rows(operation.mistakes.size());
  for (std::size_t row = 0; row < operation.rows.size(); ++row)
    if (computed[row])
      for (const std::size_t mistake : operation.rows[row].catches) rows[mistake].push_back(row);
  return rows;
}

// What an implementation gets wrong, said by mistakes: an implementation with that mistake differs on every row that shows it. Of those
// for which that holds, the one that shows most of the rows still unexplained comes first; if those explain
// no more than half of the wrong rows, or it holds for none, the one whose rows are most like the wrong ones.
void name_mistakes(const SuiteOperation& operation, const std::vector<bool>& computed, OperationVerdict& verdict) {
  if (verdict.wrong.empty()) return;
  const std::vector<std::vector<std::size_t>> shown_by = rows_by_mistake(operation, computed);
  std::vector<bool> wrong(operation.rows.size()), left(operation.rows.size());
  for (const WrongRow& row : verdict.wrong) wrong[row.row] = left[row.row] = true;
  const auto count_in = [](const std::vector<std::size_t>& rows, const std::vector<bool>& among) {
    return static_cast<std::size_t>(std::ranges::count_if(rows, [&](std::size_t row) { return among[row]; }));
  };
  const auto name = [&](std::size_t mistake) {
    LikelyMistake likely{.rows = shown_by[mistake].size(), .differing = count_in(shown_by[mistake], wrong)};
    for (std::size_t other = 0; other < shown_by.size(); ++other)
      if (shown_by[other] == shown_by[mistake]) likely.mistakes.push_back(other);
    for (const std::size_t row : shown_by[mistake]) left[row] = false;
    verdict.likely.push_back(std::move(likely));
  };
  std::vector<std::size_t> candidates(shown_by.size());
  std::iota(candidates.begin(), candidates.end(), std::size_t{0});
  const auto best = [&](const auto& worth) -> std::optional<std::size_t> {
    const auto found = std::ranges::max_element(candidates, {}, worth);
    return found != candidates.end() && worth(*found) > 0 ? std::optional(*found) : std::nullopt;
  };
  const auto explained = [&](std::size_t mistake) {
    return count_in(shown_by[mistake], wrong) == shown_by[mistake].size() ? count_in(shown_by[mistake], left) : 0;
  };
  const auto likeness = [&](std::size_t mistake) {
    const std::size_t common = count_in(shown_by[mistake], wrong);
    const std::size_t either = shown_by[mistake].size() + verdict.wrong.size() - common;
    return either == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(either);
  };
  while (verdict.likely.size() < kMostNamed) {
    const std::optional<std::size_t> next = best(explained);
    if (!next) break;
    name(*next);
  }
  const auto count_left = [&] { return static_cast<std::size_t>(std::ranges::count(left, true)); };
  verdict.explained = count_left() * 2 < verdict.wrong.size();
  if (!verdict.explained) {  // what was named may be chance
    verdict.likely.clear();
    left = wrong;
    if (const std::optional<std::size_t> nearest = best(likeness)) name(*nearest);
  }
  verdict.unexplained = count_left();
}

}  // namespace

bool Conformance::passed() const {
  return std::ranges::all_of(operations, [](const OperationVerdict& verdict) { return verdict.wrong.empty(); });
}

std::string questions_of(const Suite& suite) {
  std::string lines;
  for (const SuiteOperation& operation : suite.operations)
    for (const SuiteRow& row : operation.rows) lines += row.question + "\n";
  return lines;
}

std::string answers_of(const std::string& command, const Suite& suite, std::chrono::seconds limit) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "rows.txt";
  const std::string questions = questions_of(suite);
  write_file(file, questions);
  const int question = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (question < 0) fail(ErrorCode::kIo, "{} can't be opened: {}", file.string(), std::strerror(errno));
  std::string answers;
  const std::size_t most = (std::size_t{1} << 20) + 16 * questions.size();
  ProcessResult result;
  try {
    result = run_process({"/bin/sh", "-c", command}, folder.path(), limit,
                         {.question = question, .answer = &answers, .most = most});
  } catch (...) {
    close(question);
    throw;
  }
  close(question);
  const std::string so_far =
      fmt::format("{} of {} questions answered", answer_lines(answers).size(), std::ranges::count(questions, '\n'));
  if (result.too_long)
    fail(ErrorCode::kIo, "{} wrote more than {} bytes, and was ended; {}", command, most, result.said);
  if (result.timed_out)
    fail(ErrorCode::kIo, "{} was not done after {} seconds, with {}; {}", command, limit.count(), so_far, result.said);
  if (result.signal != 0)
    fail(ErrorCode::kIo, "{} was ended by signal {} ({}), with {}; {}", command, result.signal,
         strsignal(result.signal), so_far, result.said);
  if (result.exit_code != 0)
    fail(ErrorCode::kIo, "{} ended with code {}, with {}; {}", command, result.exit_code, so_far, result.said);
  return answers;
}

Conformance judge_answers(const Suite& suite, const std::string& answers_text, const std::string& who) {
  const std::vector<std::string_view> lines = answer_lines(answers_text);
  std::size_t next = 0;
  Conformance found;
  bool any = false;
  for (const SuiteOperation& operation : suite.operations) {
    OperationVerdict verdict{.rows = operation.rows.size()};
    std::vector<bool> computed(operation.rows.size());
    for (std::size_t i = 0; i < operation.rows.size(); ++i, ++next) {
      if (next == lines.size())
        fail(ErrorCode::kFormat, "{} answered {} questions; the next is \"{}\" ({}:{})", who, lines.size(),
             shown(operation.rows[i].question), operation.file, operation.rows[i].line);
      if (words_of_line(lines[next]) == std::vector<std::string_view>{kLeftOut}) {
        ++verdict.left_out;
        continue;
      }
      any = computed[i] = true;
      if (answers(operation, operation.rows[i], lines[next], who))
        ++verdict.passed;
      else
        verdict.wrong.push_back({i, std::string(lines[next])});
    }
    name_mistakes(operation, computed, verdict);
    found.operations.push_back(std::move(verdict));
  }
  if (next < lines.size())
    fail(ErrorCode::kFormat, "{} gave {} answers to {} questions; the first too many is \"{}\"", who, lines.size(),
         next, shown(lines[next]));
  if (!any) fail(ErrorCode::kFormat, "{} computed none of {} questions", who, next);
  return found;
}

}  // namespace octet
