// conformance.cc: octet conformance
#include "octet/verify/conformance.h"

#include <fmt/core.h>

#include <memory>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/export/files.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "octet/text/numbers.h"
#include "octet/verify/conformance_report.h"

namespace octet::cli {
namespace {

struct ConformanceArguments {
  std::string against, answers, rows, save, suite, json;
  std::vector<std::string> only;
  bool list = false;
  int limit = 600;
};

int run_conformance(const ConformanceArguments& options) {
  check_outputs({{"--answers", options.answers}, {"--suite", options.suite}},
                {{"--rows", options.rows}, {"--save", options.save}, {"--json", options.json}});
  const Suite suite = chosen(options.suite.empty() ? built_in_suite() : load_suite(options.suite), options.only);
  if (options.list) {
    if (options.json.empty())
      print(suite_text(suite, terminal_width()));
    else
      write_json(suite.files.front().contents, options.json);
    return kFine;
  }
  if (!options.save.empty()) {
    ExportedFiles files;
    for (const SuiteFile& file : suite.files) files.push_back({file.name, file.contents});
    write_files(options.save, files);
    print(fmt::format("{}\n{} written to {}; manifest.json says what they are\n", suite_title(suite),
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
    print(conformance_text(suite, found, who, terminal_width()));
  else
    write_json(conformance_json(suite, found, who), options.json);
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
