// main.cc: the command octet.
#include <algorithm>
#include <new>
#include <vector>

#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/base/error.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

std::string names_of(const std::vector<Command>& commands) {
  std::string names;
  for (const Command& command : commands) names += (names.empty() ? "" : ", ") + command.line.name();
  return names;
}

int run(int argc, char** argv) {
  Parser parser("Read any ONNX model, run it bit-true, say what is in it.", std::string("octet ") + kVersion);
  parser.line().example("  octet inspect model.onnx\n  octet run model.onnx --random 1 --dim N=1");
  const std::vector<Command> commands = {inspect_command(parser),  run_command(parser),     quantize_command(parser),
                                         evaluate_command(parser), lower_command(parser),   explain_command(parser),
                                         verify_command(parser),   compare_command(parser), bounds_command(parser),
                                         simulate_command(parser), sweep_command(parser),   draw_command(parser),
                                         ops_command(parser),      version_command(parser)};

  if (argc < 2) {
    print_error("name a command: " + names_of(commands) + " (octet --help says more)");
    return kBadInput;
  }
  const auto is_named = [&](const Command& command) { return command.line.name() == argv[1]; };
  if (argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named)) {
    print_error(std::string("there is no command ") + argv[1] + "; the commands are " + names_of(commands));
    return kBadInput;
  }
  if (const std::optional<int> code = parser.parse(argc, argv)) return *code;
  return std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.line.parsed(); })->run();
}

}  // namespace
}  // namespace octet::cli

int main(int argc, char** argv) {
  using namespace octet::cli;
  claim_standard_streams();
  try {
    return run(argc, argv);
  } catch (const ReaderGone&) {
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kBadInput;
}
