#include "octet/verify/conformance_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/version.h"

namespace octet {
namespace {

constexpr std::size_t kShownRows = 3;  // shown per operation

std::string joined_words(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::int64_t suite_rows(const Suite& suite) {
  std::size_t rows = 0;
  for (const SuiteOperation& operation : suite.operations) rows += operation.rows.size();
  return static_cast<std::int64_t>(rows);
}

std::string grouped_size(std::size_t value) { return grouped(static_cast<std::int64_t>(value)); }

std::string verdict_text(const OperationVerdict& verdict) {
  if (!verdict.wrong.empty()) return "differs";
  if (verdict.left_out == verdict.rows) return "not computed";
  return verdict.left_out > 0 ? "passed in part" : "passed";
}

std::string likely_text(const SuiteOperation& operation, const OperationVerdict& verdict, std::size_t width) {
  Table table({{"mistake"}, {"what it is", Table::Fit::kWrap}, {"rows that show it", Table::Fit::kWrap}});
  for (const LikelyMistake& likely : verdict.likely)
    for (const std::size_t mistake : likely.mistakes)
      table.add({operation.mistakes[mistake].name, operation.mistakes[mistake].meaning,
                 fmt::format("{} of {} differ", grouped_size(likely.differing), grouped_size(likely.rows))});
  std::string text = fmt::format("\n{}: {} differ{}\n", operation.name,
                                 counted(static_cast<std::int64_t>(verdict.wrong.size()), "row"),
                                 verdict.wrong.size() == 1 ? "s" : "");
  if (!table.empty())
    text +=
        (verdict.explained ? "" : "No mistake of the suite explains most of them; the nearest:\n") + table.text(width);
  if (verdict.explained && verdict.unexplained > 0)
    text += fmt::format("{} besides\n", counted(static_cast<std::int64_t>(verdict.unexplained), "row"));
  for (std::size_t i = 0; i < std::min(kShownRows, verdict.wrong.size()); ++i) {
    const SuiteRow& row = operation.rows[verdict.wrong[i].row];
    text += fmt::format("{}:{}: {} -> {}, wanted {}\n", operation.file, row.line, row.question, verdict.wrong[i].answer,
                        joined_words(row.wanted, " "));
  }
  return text;
}

}  // namespace

std::string suite_title(const Suite& suite) {
  return fmt::format("suite {}: {}, {}", suite.version,
                     counted(static_cast<std::int64_t>(suite.operations.size()), "operation"),
                     counted(suite_rows(suite), "row"));
}

std::string suite_text(const Suite& suite, std::size_t width) {
  Table table({{"operation"},
               {"rows", Table::Fit::kWhole, true},
               {"of", Table::Fit::kWrap},
               {"question -> answer", Table::Fit::kWrap}});
  Table mistakes({{"operation"}, {"mistake"}, {"rows", Table::Fit::kWhole, true}, {"what it is", Table::Fit::kWrap}});
  for (const SuiteOperation& operation : suite.operations) {
    table.add({operation.name, grouped_size(operation.rows.size()), joined_words(operation.operators, ", "),
               form_of(operation)});
    for (std::size_t i = 0; i < operation.mistakes.size(); ++i) {
      const auto rows = std::ranges::count_if(
          operation.rows, [&](const SuiteRow& row) { return std::ranges::find(row.catches, i) != row.catches.end(); });
      mistakes.add({operation.name, operation.mistakes[i].name, grouped(rows), operation.mistakes[i].meaning});
    }
  }
  return suite_title(suite) + "\n\n" + table.text(width) + "\nMistakes, and the rows that show them:\n" +
         mistakes.text(width);
}

std::string conformance_text(const Suite& suite, const Conformance& found, const std::string& who, std::size_t width) {
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
    table.add({operation.name, joined_words(operation.operators, ", "), grouped_size(verdict.rows),
               grouped_size(verdict.passed), grouped_size(verdict.wrong.size()), grouped_size(verdict.left_out),
               verdict_text(verdict)});
    if (!verdict.wrong.empty()) details += likely_text(operation, verdict, width);
    differing += verdict.wrong.empty() ? 0 : 1;
    left_out += verdict.left_out;
  }
  const std::string total =
      differing > 0 ? fmt::format("differs in {} of {}", differing,
                                  counted(static_cast<std::int64_t>(suite.operations.size()), "operation"))
      : left_out > 0
          ? fmt::format("passed what it computes; {} left out", counted(static_cast<std::int64_t>(left_out), "row"))
          : "passed";
  return fmt::format("{}; against {}\n\n{}{}\nverdict  {}\n", suite_title(suite), who, table.text(width), details,
                     total);
}

std::string conformance_json(const Suite& suite, const Conformance& found, const std::string& who) {
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
                       {"wanted", joined_words(row.wanted, " ")},
                       {"answer", one.answer}});
    }
    operations.push_back({{"name", operation.name},
                          {"operators", operation.operators},
                          {"file", operation.file},
                          {"rows", verdict.rows},
                          {"passed", verdict.passed},
                          {"differing", verdict.wrong.size()},
                          {"left_out", verdict.left_out},
                          {"verdict", verdict_text(verdict)},
                          {"likely", likely},
                          {"explained", verdict.explained},
                          {"unexplained", verdict.unexplained},
                          {"wrong", wrong}});
  }
  return json_text({{"schema", "octet.conformance/1"},
                    {"octet", kVersion},
                    {"suite", suite.version},
                    {"against", who},
                    {"passed", found.passed()},
                    {"operations", operations}});
}

}  // namespace octet
