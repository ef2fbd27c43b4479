// conformance.cc: octet conformance
#include "octet/verify/conformance.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/export/files.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

constexpr std::size_t kWitnesses = 3;  // that are printed of each operation

struct ConformanceArguments {
  std::string against, answers, rows, save, suite, json;
  std::vector<std::string> only;
  bool list = false;
  int limit = 600;
};

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::int64_t row_count(const Suite& suite) {
  std::size_t rows = 0;
  for (const SuiteOperation& operation : suite.operations) rows += operation.rows.size();
  return static_cast<std::int64_t>(rows);
}

std::string title_of(const Suite& suite) {
  return fmt::format("suite {}: {}, {}", suite.version,
                     counted(static_cast<std::int64_t>(suite.operations.size()), "operation"),
                     counted(row_count(suite), "row"));
}

std::string number(std::size_t value) { return grouped(static_cast<std::int64_t>(value)); }

// What can be asked.
std::string list_text(const Suite& suite) {
  Table table({{"operation"},
               {"rows", Table::Fit::kWhole, true},
               {"of", Table::Fit::kWrap},
               {"question -> answer", Table::Fit::kWrap}});
  Table mistakes({{"operation"}, {"mistake"}, {"rows", Table::Fit::kWhole, true}, {"what it is", Table::Fit::kWrap}});
  for (const SuiteOperation& operation : suite.operations) {
    table.add({operation.name, number(operation.rows.size()), joined(operation.operators, ", "), form_of(operation)});
    for (std::size_t i = 0; i < operation.mistakes.size(); ++i) {
      const auto rows = std::ranges::count_if(
          operation.rows, [&](const SuiteRow& row) { return std::ranges::find(row.catches, i) != row.catches.end(); });
      mistakes.add({operation.name, operation.mistakes[i].name, grouped(rows), operation.mistakes[i].meaning});
    }
  }
  return title_of(suite) + "\n\n" + table.text(terminal_width()) + "\nMistakes, and the rows that show them:\n" +
         mistakes.text(terminal_width());
}

std::string verdict_of(const OperationVerdict& verdict) {
  if (!verdict.wrong.empty()) return "differs";
  if (verdict.left_out == verdict.rows) return "not computed";
  return verdict.left_out > 0 ? "passed in part" : "passed";
}

std::string likely_text(const SuiteOperation& operation, const OperationVerdict& verdict) {
  Table table({{"mistake"}, {"what it is", Table::Fit::kWrap}, {"rows that show it", Table::Fit::kWrap}});
  for (const LikelyMistake& likely : verdict.likely)
    for (const std::size_t mistake : likely.mistakes)
      table.add({operation.mistakes[mistake].name, operation.mistakes[mistake].meaning,
                 fmt::format("{} of {} differ", number(likely.differing), number(likely.rows))});
  std::string text = fmt::format("\n{}: {} differ{}\n", operation.name,
                                 counted(static_cast<std::int64_t>(verdict.wrong.size()), "row"),
                                 verdict.wrong.size() == 1 ? "s" : "");
  if (!table.empty())
    text += (verdict.explained ? "" : "No mistake of the suite explains most of them; the nearest:\n") +
            table.text(terminal_width());
  if (verdict.explained && verdict.unexplained > 0)
    text += fmt::format("{} besides\n", counted(static_cast<std::int64_t>(verdict.unexplained), "row"));
  for (std::size_t i = 0; i < std::min(kWitnesses, verdict.wrong.size()); ++i) {
    const SuiteRow& row = operation.rows[verdict.wrong[i].row];
    text += fmt::format("{}:{}: {} -> {}, wanted {}\n", operation.file, row.line, row.question, verdict.wrong[i].answer,
                        joined(row.wanted, " "));
  }
  return text;
}

std::string report_text(const Suite& suite, const Conformance& found, const std::string& who) {
  Table table({{"operation"},
               {"of", Table::Fit::kWrap},
               {"rows", Table::Fit::kWhole, true},
               {"passed", Table::Fit::kWhole, true},
               {"differing", Table::Fit::kWhole, true},
               {"left out", Table::Fit::kWhole, true},
               {"verdict"}});
  std::string details;
  std::size_t differing = 0, left_out = 0;
  for (std::size_t i = 0; i < suite.operations.size(); ++i) {
    const SuiteOperation& operation = suite.operations[i];
    const OperationVerdict& verdict = found.operations[i];
    table.add({operation.name, joined(operation.operators, ", "), number(verdict.rows), number(verdict.passed),
               number(verdict.wrong.size()), number(verdict.left_out), verdict_of(verdict)});
    if (!verdict.wrong.empty()) details += likely_text(operation, verdict);
    differing += verdict.wrong.empty() ? 0 : 1;
    left_out += verdict.left_out;
  }
  const std::string total =
      differing > 0 ? fmt::format("differs in {} of {}", differing,
                                  counted(static_cast<std::int64_t>(suite.operations.size()), "operation"))
      : left_out > 0
          ? fmt::format("passed what it computes; {} left out", counted(static_cast<std::int64_t>(left_out), "row"))
          : "passed";
  return fmt::format("{}; against {}\n\n{}{}\nverdict  {}\n", title_of(suite), who, table.text(terminal_width()),
                     details, total);
}

Json report_json(const Suite& suite, const Conformance& found, const std::string& who) {
  Json operations = Json::array();
  for (std::size_t i = 0; i < suite.operations.size(); ++i) {
    const SuiteOperation& operation = suite.operations[i];
    const OperationVerdict& verdict = found.operations[i];
    Json likely = Json::array(), wrong = Json::array();
    for (const LikelyMistake& one : verdict.likely) {
      Json names = Json::array();
      for (const std::size_t mistake : one.mistakes)
        names.push_back({{"name", operation.mistakes[mistake].name}, {"meaning", operation.mistakes[mistake].meaning}});
      likely.push_back({{"mistakes", names}, {"rows", one.rows}, {"differing", one.differing}});
    }
    for (const WrongRow& one : verdict.wrong) {
      const SuiteRow& row = operation.rows[one.row];
      wrong.push_back({{"line", row.line},
                       {"question", row.question},
                       {"wanted", joined(row.wanted, " ")},
                       {"answer", one.answer}});
    }
    operations.push_back({{"name", operation.name},
                          {"operators", operation.operators},
                          {"file", operation.file},
                          {"rows", verdict.rows},
                          {"passed", verdict.passed},
                          {"differing", verdict.wrong.size()},
                          {"left_out", verdict.left_out},
                          {"verdict", verdict_of(verdict)},
                          {"likely", likely},
                          {"explained", verdict.explained},
                          {"unexplained", verdict.unexplained},
                          {"wrong", wrong}});
  }
  return {{"schema", "octet.conformance/1"}, {"octet", kVersion},       {"suite", suite.version}, {"against", who},
          {"passed", found.passed()},        {"operations", operations}};
}

int run_conformance(const ConformanceArguments& options) {
  check_outputs({{"--answers", options.answers}, {"--suite", options.suite}},
                {{"--rows", options.rows}, {"--save", options.save}, {"--json", options.json}});
  const Suite suite = chosen(options.suite.empty() ? built_in_suite() : load_suite(options.suite), options.only);
  if (options.list) {
    if (options.json.empty())
      print(list_text(suite));
    else
      write_json(suite.files.front().contents, options.json);
    return kFine;
  }
  if (!options.save.empty()) {
    ExportedFiles files;
    for (const SuiteFile& file : suite.files) files.push_back({file.name, file.contents});
    write_files(options.save, files);
    print(fmt::format("{}\n{} written to {}; manifest.json says what they are\n", title_of(suite),
                      counted(static_cast<std::int64_t>(files.size()), "file"), options.save));
    return kFine;
  }
  if (!options.rows.empty()) {
    const std::string questions = questions_of(suite);
    if (options.rows == "-")
      print_data(questions);
    else
      write_file(options.rows, questions);
    return kFine;
  }
  const std::string who = options.against.empty() ? options.answers : options.against;
  std::string answers;
  if (options.against.empty()) {
    const FileBytes file = read_file(options.answers, std::uint64_t{1} << 30);
    answers.assign(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  } else {
    answers = answers_of(options.against, suite, std::chrono::seconds(options.limit));
  }
  const Conformance found = judge_answers(suite, answers, who);
  if (options.json.empty())
    print(report_text(suite, found, who));
  else
    write_json(json_text(report_json(suite, found, who)), options.json);
  return found.passed() ? kFine : kDiffers;
}

}  // namespace

Command conformance_command(Parser& parser) {
  CommandLine line = parser.command(
      "conformance", "Hold an implementation of the 8-bit operators to rows that name the mistake behind a wrong byte");
  auto options = std::make_shared<ConformanceArguments>();
  line.option("--against", options->against,
              "Your implementation: a command that reads a question on each line and writes an answer on each",
              "COMMAND");
  line.option("--answers", options->answers, "Its answers, from a file: instead of running a command", "FILE");
  line.option("--rows", options->rows, "Write the questions, one on each line; - is standard output", "FILE");
  line.option("--save", options->save, "Write the suite: its tables and a manifest of them", "FOLDER");
  line.flag("--list", options->list, "Say what is asked, operation by operation, and which mistakes show");
  line.option("--only", options->only, "This operation alone; may be repeated", "NAME").once_each();
  line.option("--suite", options->suite, "A suite in a folder with a manifest.json; else the one that is built in",
              "FOLDER");
  line.option("--time-limit", options->limit, "Seconds that the command may take; 600 if not said", "SECONDS")
      .within(1, 1000000);
  add_json_option(line, options->json);
  line.example(
      "  octet conformance --against ./my_unit\n"
      "  octet conformance --rows rows.txt --only requantize, then octet conformance --answers answers.txt --only "
      "requantize");
  return {line, [options, line] {
            const bool asks = !options->against.empty() || !options->answers.empty();
            const int ways = !options->against.empty() + !options->answers.empty() + !options->rows.empty() +
                             !options->save.empty() + options->list;
            if (ways != 1)
              fail(ErrorCode::kUsage,
                   "say one of --against COMMAND, --answers FILE, --rows FILE, --save FOLDER and --list");
            refuse_unused(line, {{options->against.empty(), {"--time-limit"}, "it is about --against"},
                                 {!options->save.empty(), {"--only"}, "a suite is saved whole"},
                                 {options->list && !options->json.empty(), {"--only"}, "--json has the whole manifest"},
                                 {!asks && !options->list, {"--json"}, "there is no verdict"}});
            return run_conformance(*options);
          }};
}

}  // namespace octet::cli
