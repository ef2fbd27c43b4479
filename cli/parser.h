// parser.h: what a command line may say. Only parser.cc sees the library that reads it, whose headers take a compiler
// longer than most commands do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/interface.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace octet::cli {

// The values of an option that completion in a shell offers.
struct OfferedValues {
  std::vector<std::string> choices, endings;
};
using Offers = std::map<const CLI::Option*, OfferedValues>;

// An option, a flag or an operand of a command, and what may be given for it.
class Argument {
 public:
  Argument(CLI::Option* option, Offers* offers) : option_(option), offers_(offers) {}

  Argument& required();
  Argument& one_of(const std::vector<std::string>& names);
  Argument& offers(const std::vector<std::string>& names);  // usual values; others are not refused here
  Argument& within(std::int64_t low, std::int64_t high);
  Argument& not_negative();
  Argument& ends_in(const std::vector<std::string>& endings);  // of a file's name, or "-" for it; devices have any
  Argument& shows_default();                                   // what the variable holds now, in --help
  Argument& separated_by(char delimiter);                      // several values in one word
  Argument& takes(int least, int most);                        // words
  Argument& once_each();                                       // may be repeated, with one word each
  Argument& needs(const Argument& other);                      // not without it
  Argument& excludes(const Argument& other);                   // not together with it

 private:
  CLI::Option* option_;
  Offers* offers_;
};

// The command line of one command. A handle: copies are the same.
class CommandLine {
 public:
  CommandLine(CLI::App* app, Offers* offers) : app_(app), offers_(offers) {}

  // `names` is "--long", "-s,--long", or a word for an operand. `kind` stands for the value in --help. T is std::string,
  // int, std::int64_t, std::uint64_t, double, an optional int, double or std::uint64_t, or a vector of std::string or float.
  template <typename T>
  Argument option(const std::string& names, T& value, const std::string& what, const std::string& kind = "");
  Argument flag(const std::string& names, bool& value, const std::string& what);
  // A flag that may have a value behind "=", and nowhere else: "true" where it has none.
  Argument flag_with_value(const std::string& names, std::string& value, const std::string& what);
  void example(const std::string& lines);  // below the options

  std::string name() const;
  bool parsed() const;                          // this is the command that was named
  bool has(const std::string& argument) const;  // it was given

 private:
  CLI::App* app_;
  Offers* offers_;
};

class Parser {
 public:
  Parser(const std::string& what, const std::string& version);
  ~Parser();

  CommandLine command(const std::string& name, const std::string& what);
  CommandLine line();  // of the program itself

  // Throws kUsage, with what may have been meant, when there is no such command.
  void require_command(const std::string& name) const;
  // What `octet NAME --help` says; of the program itself when the name is empty. Throws as require_command.
  std::string help(const std::string& name) const;
  // All commands and options, once the commands are there.
  Interface interface() const;

  // Fills the variables. If that is all there is to do, because of --help, --version or a mistake, it says what there is
  // to say and returns the exit code.
  std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Offers> offers_ = std::make_unique<Offers>();
};

}  // namespace octet::cli
