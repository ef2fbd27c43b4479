// interface.h: what the parser knows of each command, as values: for --help, manual pages, completion in shells, and JSON.
#pragma once

#include <string>
#include <vector>

namespace octet::cli {

struct OptionFacts {
  std::string names;                 // "-o,--output", or the word of an operand
  std::string value;                 // what stands for its value, such as FILE; empty for a flag
  std::string default_value;         // empty where there is none to show
  std::string meaning;               // a sentence without its period
  std::vector<std::string> choices;  // all values, or the usual ones
  std::vector<std::string> endings;  // of a file's name
  std::vector<std::string> needs, excludes;
  bool required = false, repeats = false;
  bool value_behind_equals = false;  // the value is optional, and stands directly behind "="

  std::vector<std::string> spellings() const;  // "-o", "--output"
  std::string title() const;                   // "-o,--output FILE=x.onnx ..."
  std::string description() const;             // the meaning, and which options it needs or excludes
};

struct CommandFacts {
  std::string name, meaning;
  std::string example;  // lines
  std::vector<OptionFacts> operands, options;
};

struct Interface {
  CommandFacts program;  // the options that stand in place of a command
  std::vector<CommandFacts> commands;
};

// The command of that name, or the program where the name is empty. Throws std::out_of_range where there is none.
const CommandFacts& command_named(const Interface& interface, const std::string& name);

// "octet run [OPTIONS] model".
std::string usage_line(const Interface& interface, const CommandFacts& command);

// What --help prints, as wide as the terminal. The command is one of the interface's, or its program.
std::string help_text(const Interface& interface, const CommandFacts& command);
// The same as JSON, of all commands.
std::string interface_json(const Interface& interface);
// The manual page octet-NAME.1, or octet.1.
std::string manual_page(const Interface& interface, const CommandFacts& command);

// A script that completes commands, options and their values.
std::string bash_completion(const Interface& interface);
std::string zsh_completion(const Interface& interface);
std::string fish_completion(const Interface& interface);

}  // namespace octet::cli
