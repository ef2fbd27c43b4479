#include "cli/parser.h"

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/terminal.h"

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

// The command that was named, or the program itself: whose --help to show.
const CLI::App& named(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands().front();
}

}  // namespace

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& names) {
  option_->check(CLI::IsMember(names));
  return *this;
}

Argument& Argument::within(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::not_negative() {
  option_->check(CLI::Validator(
      [](const std::string& text) {
        return text.starts_with('-') ? text + "; wanted 0 or more"
                                     : std::string();  // what is no number fails elsewhere
      },
      "NONNEGATIVE"));
  return *this;
}

Argument& Argument::shows_default() {
  option_->capture_default_str();
  return *this;
}

Argument& Argument::separated_by(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Argument& Argument::takes(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Argument& Argument::once_each() {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

Argument& Argument::needs(const Argument& other) {
  option_->needs(other.option_);
  return *this;
}

Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

template <typename T>
Argument CommandLine::option(const std::string& names, T& value, const std::string& what, const std::string& kind) {
  return Argument(app_->add_option(names, value, what)->type_name(kind));
}

template Argument CommandLine::option(const std::string&, std::string&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, int&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::int64_t&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::uint64_t&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, double&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<int>&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<std::uint64_t>&, const std::string&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::vector<std::string>&, const std::string&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::vector<float>&, const std::string&, const std::string&);

Argument CommandLine::flag(const std::string& names, bool& value, const std::string& what) {
  return Argument(app_->add_flag(names, value, what));
}

void CommandLine::example(const std::string& lines) { app_->footer("Example:\n" + lines); }

std::string CommandLine::name() const { return app_->get_name(); }

bool CommandLine::parsed() const { return app_->parsed(); }

bool CommandLine::has(const std::string& argument) const { return app_->count(argument) > 0; }

Parser::Parser(const std::string& what, const std::string& version) : app_(std::make_unique<CLI::App>(what, "octet")) {
  app_->require_subcommand(1);
  app_->formatter(std::make_shared<Formatter>());
  app_->set_version_flag("--version", version, "Print the version and exit");
  app_->set_help_flag("-h,--help", "Print this help and exit");
}

Parser::~Parser() = default;

CommandLine Parser::command(const std::string& name, const std::string& what) {
  return CommandLine(app_->add_subcommand(name, what));
}

CommandLine Parser::line() { return CommandLine(app_.get()); }

std::optional<int> Parser::parse(int argc, char** argv) {
  const std::string program = app_->get_name();
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& asked = named(*app_);
    print(asked.help(&asked == app_.get() ? "" : program));
    return kFine;
  } catch (const CLI::CallForVersion& version) {
    print(version.what() + std::string("\n"));
    return kFine;
  } catch (const CLI::ParseError& error) {
    const CLI::App& asked = named(*app_);
    const std::string help = &asked == app_.get() ? program + " --help" : program + " " + asked.get_name() + " --help";
    print_error(error.what() + std::string(" (") + help + " says more)");
    return kBadInput;
  }
  return std::nullopt;
}

}  // namespace octet::cli
