// main.cc: the command octet.
#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/counted_heap.h"
#include "cli/interruption.h"
#include "cli/terminal.h"
#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "octet/base/trip_limit.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

std::string names_of(const std::vector<Command>& commands) {
  std::string names;
  for (const Command& command : commands) names += (names.empty() ? "" : ", ") + command.line.name();
  return names;
}

void add_memory_options(const std::vector<Command>& commands, std::string& size) {
  for (const Command& command : commands)
    if (command.limits == Limits::kMemory || command.limits == Limits::kMemoryAndTrips)
      add_memory_option(
          command.line, size,
          "The most that may be taken, such as 512M or 2G; else three quarters of the machine for tensors");
}

// Commands that run networks.
void add_running_options(const std::vector<Command>& commands, std::optional<std::uint64_t>& trips,
                         std::string& progress) {
  for (Command command : commands)
    if (command.limits == Limits::kTrips || command.limits == Limits::kMemoryAndTrips) {
      command.line.option("--max-trips", trips, "The most trips of a Loop: beyond them it is an error; else no limit",
                          "N");
      command.line
          .option("--progress", progress, "A changing line where there is a terminal, or plain: a line every 5 seconds",
                  "KIND")
          .one_of({"auto", "plain", "none"})
          .shows_default();
    }
}

int run_command_line(int argc, char** argv) {
  Parser parser("Read any ONNX model, run it bit-true, say what is in it.", std::string("octet ") + kVersion);
  parser.line().example("  octet inspect model.onnx\n  octet run model.onnx --random 1 --dim N=1");
  const std::vector<Command> commands = {
      inspect_command(parser), run_command(parser),         quantize_command(parser),  evaluate_command(parser),
      loss_command(parser),    sensitivity_command(parser), tune_command(parser),      lower_command(parser),
      explain_command(parser), verify_command(parser),      compare_command(parser),   conformance_command(parser),
      bounds_command(parser),  simulate_command(parser),    sweep_command(parser),     draw_command(parser),
      bench_command(parser),   export_command(parser),      compile_command(parser),   ops_command(parser),
      version_command(parser), help_command(parser),        completion_command(parser)};
  std::string memory;
  add_memory_options(commands, memory);
  std::optional<std::uint64_t> trips;
  std::string progress = "auto";
  add_running_options(commands, trips, progress);

  if (argc < 2) {
    print_error("name a command: " + names_of(commands) + " (octet --help says more)");
    return kBadInput;
  }
  if (argv[1][0] != '-' && argv[1][0] != '\0') parser.require_command(argv[1]);
  if (const std::optional<int> code = parser.parse(argc, argv)) return *code;
  choose_progress(progress);
  std::optional<MemoryBudget> budget;
  if (!memory.empty()) {
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(memory_limit(memory, 1), INT64_MAX));
    budget.emplace(bytes, MemoryBudget::Around::kReplaced);
    limit_heap(bytes);
  }
  const TripLimit limit(static_cast<std::int64_t>(std::min<std::uint64_t>(trips.value_or(INT64_MAX), INT64_MAX)),
                        progress_line("trips of a Loop:"));
  return std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.line.parsed(); })->run();
}

}  // namespace
}  // namespace octet::cli

int main(int argc, char** argv) {
  using namespace octet::cli;
  claim_standard_streams();
  watch_for_interruption();
  try {
    return run_command_line(argc, argv);
  } catch (const ReaderGone&) {
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory, or --memory allows too little");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return exit_code_after(kBadInput);
}
