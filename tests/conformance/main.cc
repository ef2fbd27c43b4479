// Runs the ONNX node tests and says per operator how many there are and how many pass.
//
//   conformance operators.txt refused.txt exceptions.txt arithmetics.txt counts.txt FOLDER...
//
// A case is selected when Octet knows all its operators, or when it tests one of operators.txt alone; otherwise
// refused.txt must name an operator that it lacks. A selected case fails the run when it does not pass, unless
// exceptions.txt names it; an exception that no case needs fails the run too. Cases that arithmetics.txt names run in
// that arithmetic, and must not pass in the default one. counts.txt has what must come out for each folder. A FOLDER
// that is not there skips the test (77), after everything else has run.
#include <fmt/core.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "octet/base/error.h"
#include "tests/conformance/case.h"
#include "tests/conformance/exceptions.h"

namespace octet {
namespace {

constexpr int kSkipped = 77;

struct Count {
  int cases = 0, passed = 0, excepted = 0, refused = 0;
};

std::string to_string(const Count& count) {
  return fmt::format("{} cases, {} passed, {} refused, {} excepted, {} failed", count.cases, count.passed,
                     count.refused, count.excepted, count.cases - count.passed - count.refused - count.excepted);
}

std::set<std::string> load_words(const char* file) {
  std::ifstream in(file);
  std::set<std::string> words;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream rest(line);
    for (std::string word; rest >> word;) words.insert(word);
  }
  return words;
}

class Conformance {
 public:
  Conformance(std::set<std::string> promised, std::vector<Exception> refused, std::vector<Exception> exceptions,
              std::vector<Exception> arithmetics)
      : promised_(std::move(promised)),
        refused_(std::move(refused)),
        exceptions_(std::move(exceptions)),
        arithmetics_(std::move(arithmetics)) {}

  void run(const std::filesystem::path& folder) {
    try {
      const Case test = load_case(folder);
      const std::string unknown = promised_.contains(test.op) ? "" : unknown_operator(test);
      if (unknown.empty())
        judge(folder, test.op, result_of(test, name_of(folder)));
      else
        refuse(folder, unknown);
    } catch (const Error& error) {
      judge(folder, "(unreadable)", error.what());
    }
  }

  // Compares what came out for a folder with what counts.txt says of it.
  void hold(const std::filesystem::path& folder, const std::vector<Exception>& counts) {
    const std::string name = folder.filename(), got = to_string(folders_[name]);
    fmt::print("{}: {}\n", name, got);
    for (const Exception& line : counts)
      if (line.pattern == name && line.reason == got) return;
    failures_.push_back(fmt::format("{}: {}; counts.txt says something else", name, got));
  }

  // Whether nothing speaks against it. `complete` says that all folders were there.
  bool report(bool complete) {
    for (const std::string& op : promised_)
      if (!counts_.contains(op) && complete) failures_.push_back(fmt::format("{}: there is no case for it", op));
    for (const Exception& exception : exceptions_)
      if (exception.uses == 0 && complete)
        failures_.push_back(fmt::format("exception {}: no case that fails has such a name", exception.pattern));
    for (const Exception& line : arithmetics_)
      if (line.uses == 0 && complete)
        failures_.push_back(fmt::format("arithmetic of {}: no case has such a name", line.pattern));

    Count total;
    fmt::print("{:<28}{:>6}{:>8}{:>10}\n", "operator", "cases", "passed", "excepted");
    for (const auto& [op, count] : counts_) {
      fmt::print("{:<28}{:>6}{:>8}{:>10}\n", op, count.cases, count.passed, count.excepted);
      total.cases += count.cases;
      total.passed += count.passed;
      total.excepted += count.excepted;
    }
    fmt::print("\n{:<44}{:>6}  {}\n", "refused operator", "cases", "why");
    for (const Exception& line : refused_) fmt::print("{:<44}{:>6}  {}\n", line.pattern, line.uses, line.reason);
    for (const std::string& failure : failures_) fmt::print("FAILED {}\n", failure);
    fmt::print("{} operators, {}\n", counts_.size(), to_string(total));
    return failures_.empty();
  }

 private:
  static std::string name_of(const std::filesystem::path& folder) {
    return folder.parent_path().filename() / folder.filename();
  }

  static Exception* find(std::vector<Exception>& lines, const std::string& name) {
    Exception* found = nullptr;
    for (Exception& line : lines)
      if (matches(line.pattern, name)) found = &line;
    return found;
  }

  static std::string result_of(const Case& test, const Arithmetic& arithmetic) {
    try {
      return run_case(test, arithmetic);
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::string result_of(const Case& test, const std::string& name) {
    const std::string by_default = result_of(test, Arithmetic());
    Exception* line = find(arithmetics_, name);
    if (!line) return by_default;
    ++line->uses;
    return by_default.empty() ? "passes in the default arithmetic" : result_of(test, arithmetic_named(line->reason));
  }

  Count& count_of(const std::filesystem::path& folder) { return folders_[folder.parent_path().filename()]; }

  void refuse(const std::filesystem::path& folder, const std::string& op) {
    ++count_of(folder).cases;
    ++count_of(folder).refused;
    if (Exception* line = find(refused_, op))
      ++line->uses;
    else
      failures_.push_back(
          fmt::format("{}: Octet does not know {}, and refused.txt has no reason", name_of(folder), op));
  }

  void judge(const std::filesystem::path& folder, const std::string& op, const std::string& wrong) {
    const std::string name = name_of(folder);
    Count &count = counts_[op], &of_folder = count_of(folder);
    ++count.cases;
    ++of_folder.cases;
    Exception* exception = find(exceptions_, name);
    if (wrong.empty()) {
      ++count.passed;
      ++of_folder.passed;
      if (exception) failures_.push_back(fmt::format("exception {}: {} passes", exception->pattern, name));
    } else if (exception) {
      ++count.excepted;
      ++of_folder.excepted;
      ++exception->uses;
    } else {
      failures_.push_back(fmt::format("{} {}: {}", op, name, wrong));
    }
  }

  const std::set<std::string> promised_;
  std::vector<Exception> refused_, exceptions_, arithmetics_;
  std::map<std::string, Count> counts_, folders_;  // by operator, by folder
  std::vector<std::string> failures_;
};

int run(int argc, char** argv) {
  constexpr int kFolders = 6;
  if (argc <= kFolders) {
    fmt::print(stderr,
               "usage: conformance operators.txt refused.txt exceptions.txt arithmetics.txt counts.txt FOLDER...\n");
    return 2;
  }
  Conformance conformance(load_words(argv[1]), load_exceptions(argv[2]), load_exceptions(argv[3]),
                          load_exceptions(argv[4]));
  const std::vector<Exception> counts = load_exceptions(argv[5]);
  bool complete = true;
  for (int i = kFolders; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      fmt::print("SKIPPED: there is no folder {}\n", argv[i]);
      complete = false;
      continue;
    }
    for (const std::filesystem::path& folder : case_folders(argv[i])) conformance.run(folder);
    conformance.hold(argv[i], counts);
  }
  if (!conformance.report(complete)) return 1;
  return complete ? 0 : kSkipped;
}

}  // namespace
}  // namespace octet

int main(int argc, char** argv) {
  try {
    return octet::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
