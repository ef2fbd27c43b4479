// command.h: what a subcommand is. Each has a file of its name; main.cc lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/parser.h"

namespace octet::cli {

// Exit codes. 1 is the verdict "differs" of commands that compare; every octet::Error is bad input or bad usage.
inline constexpr int kFine = 0, kDiffers = 1, kBadInput = 2;

// Which limits main adds to a command's options: --memory for what reads files, --max-trips for what runs networks.
enum class Limits { kMemory, kTrips, kMemoryAndTrips, kNone };

struct Command {
  CommandLine line;
  std::function<int()> run;
  Limits limits = Limits::kMemory;
};

Command inspect_command(Parser& parser);
Command run_command(Parser& parser);
Command lower_command(Parser& parser);
Command explain_command(Parser& parser);
Command verify_command(Parser& parser);
Command compare_command(Parser& parser);
Command conformance_command(Parser& parser);
Command bounds_command(Parser& parser);
Command simulate_command(Parser& parser);
Command sweep_command(Parser& parser);
Command draw_command(Parser& parser);
Command bench_command(Parser& parser);
Command ops_command(Parser& parser);
Command quantize_command(Parser& parser);
Command evaluate_command(Parser& parser);
Command loss_command(Parser& parser);
Command sensitivity_command(Parser& parser);
Command tune_command(Parser& parser);
Command export_command(Parser& parser);
Command compile_command(Parser& parser);
Command version_command(Parser& parser);
Command help_command(Parser& parser);
Command completion_command(Parser& parser);

// `--json FILE` is the same everywhere: facts for machines instead of the text, "-" for standard output.
void add_json_option(CommandLine line, std::string& file);
void write_json(std::string_view text, const std::string& file);

// `--policy NAME`, `--engine NAME` and `--threads N`, where they mean the same.
void add_policy_option(CommandLine line, std::string& policy);
void add_engine_option(CommandLine line, std::string& engine);
void add_threads_option(CommandLine line, int& threads);

// `--memory SIZE`: "512M" and the like in bytes; where nothing was said, 1/`share` of the machine's memory.
void add_memory_option(CommandLine line, std::string& size, const std::string& what);
std::uint64_t memory_limit(const std::string& size, std::uint64_t share);

}  // namespace octet::cli
