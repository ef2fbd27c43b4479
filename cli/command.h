// command.h: what a subcommand is. Each has a file of its name; main.cc lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace octet::cli {

// Exit codes. 1 is the verdict "differs" of commands that compare; every octet::Error is bad input or bad usage.
inline constexpr int kFine = 0, kDiffers = 1, kBadInput = 2;

struct Command {
  CLI::App* app;
  std::function<int()> run;
};

Command inspect_command(CLI::App& app);
Command run_command(CLI::App& app);
Command lower_command(CLI::App& app);
Command explain_command(CLI::App& app);
Command verify_command(CLI::App& app);
Command compare_command(CLI::App& app);
Command bounds_command(CLI::App& app);
Command simulate_command(CLI::App& app);
Command sweep_command(CLI::App& app);
Command draw_command(CLI::App& app);
Command ops_command(CLI::App& app);
Command quantize_command(CLI::App& app);
Command evaluate_command(CLI::App& app);
Command version_command(CLI::App& app);

// `--json FILE` is the same everywhere: facts for machines instead of the text, "-" for standard output.
void add_json_option(CLI::App& app, std::string& file);
void write_json(std::string_view text, const std::string& file);

// The same example for the command's --help and for the reader's eye: one line per command.
void add_example(CLI::App& app, const std::string& lines);

}  // namespace octet::cli
