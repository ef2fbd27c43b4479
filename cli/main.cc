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

// A blank line after the description.
class Formatter : public CLI::Formatter {
 public:
  Formatter() {
    column_width(28);
    label("REQUIRED", "");
  }
  std::string make_description(const CLI::App* app) const override {
    return CLI::Formatter::make_description(app) + "\n";
  }
};

// The subcommand that was named, or octet itself: whose --help to show.
const CLI::App& named(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands().front();
}

std::string names_of(const std::vector<Command>& commands) {
  std::string names;
  for (const Command& command : commands) names += (names.empty() ? "" : ", ") + command.app->get_name();
  return names;
}

int run(int argc, char** argv) {
  CLI::App app("Read any ONNX model, run it bit-true, say what is in it.", "octet");
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  app.set_version_flag("--version", std::string("octet ") + kVersion, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  add_example(app, "  octet inspect model.onnx\n  octet run model.onnx --random 1 --dim N=1");
  const std::vector<Command> commands = {
      inspect_command(app), run_command(app),    quantize_command(app), evaluate_command(app), lower_command(app),
      explain_command(app), verify_command(app), compare_command(app),  bounds_command(app),   simulate_command(app),
      sweep_command(app),   draw_command(app),   ops_command(app),      version_command(app)};

  if (argc < 2) {
    print_error("name a command: " + names_of(commands) + " (octet --help says more)");
    return kBadInput;
  }
  const auto is_named = [&](const Command& command) { return command.app->get_name() == argv[1]; };
  if (argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named)) {
    print_error(std::string("there is no command ") + argv[1] + "; the commands are " + names_of(commands));
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(named(app).help(&named(app) == &app ? "" : app.get_name()));
    return kFine;
  } catch (const CLI::CallForVersion& version) {
    print(version.what() + std::string("\n"));
    return kFine;
  } catch (const CLI::ParseError& error) {
    const std::string help = &named(app) == &app ? "octet --help" : "octet " + named(app).get_name() + " --help";
    print_error(error.what() + std::string(" (") + help + " says more)");
    return kBadInput;
  }
  return std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.app->parsed(); })->run();
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
