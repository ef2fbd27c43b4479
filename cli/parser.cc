#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/command.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/text/closest_names.h"

namespace octet::cli {
namespace {

// What stands for the value of a flag that has one behind '='.
constexpr const char* kBehindEquals = "VALUE";

// "a, b or c".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  return names;
}

OptionFacts facts_of(const CLI::Option& option, const Offers& offers) {
  OptionFacts facts = {.names = option.get_name(option.get_positional(), !option.get_positional()),
                       .value = option.get_type_size() == 0 ? "" : option.get_type_name(),
                       .default_value = option.get_type_size() == 0 ? "" : option.get_default_str(),
                       .meaning = option.get_description(),
                       .needs = names_of(option.get_needs()),
                       .excludes = names_of(option.get_excludes()),
                       .required = option.get_required(),
                       .repeats = option.get_expected_max() == CLI::detail::expected_max_vector_size};
  facts.value_behind_equals = facts.value == kBehindEquals;
  if (const auto offer = offers.find(&option); offer != offers.end()) {
    facts.choices = offer->second.choices;
    facts.endings = offer->second.endings;
  }
  return facts;
}

CommandFacts facts_of(const CLI::App& app, const Offers& offers) {
  CommandFacts facts = {.name = app.get_name(), .meaning = app.get_description(), .example = app.get_footer()};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? facts.operands : facts.options).push_back(facts_of(*option, offers));
  return facts;
}

// The command that was named, or the program itself: whose --help to show.
const CLI::App& named(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands().front();
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

// The words that the command has no place for, in the order given; options alone if there are any, as their values are
// among the others.
std::vector<std::string> unexpected_words(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(), options;
  std::ranges::copy_if(words, std::back_inserter(options), is_option);
  return options.empty() ? words : options;
}

// What other tools call options.
constexpr auto kOtherNames =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"std", "deviation"},
                                                                  {"stddev", "deviation"},
                                                                  {"num-samples", "samples"},
                                                                  {"limit", "samples"},
                                                                  {"dataset", "data"},
                                                                  {"calibration-set", "calibration-data"},
                                                                  {"batch-size", "batch"},
                                                                  {"ignore", "exclude"}});

// The option that was meant, without its dashes, or nothing.
std::string meant_option(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  const std::string name = typed.substr(std::min(typed.size(), typed.find_first_not_of('-')));
  for (const auto& [other, ours] : kOtherNames)
    if (name == other && std::ranges::find(names, ours) != names.end()) return std::string(ours);
  return mistyped_name(name, names);
}

// "there are no options --calibation, --ouput; did you mean --calibration, --output?"
std::string unknown_options_text(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> unknown, meant;
  for (const std::string& word : words) {
    unknown.push_back(word.substr(0, word.find('=')));
    const std::string name = meant_option(app, unknown.back());
    if (!name.empty()) meant.push_back("--" + name);
  }
  const std::string text =
      fmt::format("there {} {}", unknown.size() == 1 ? "is no option" : "are no options", fmt::join(unknown, ", "));
  return meant.empty() ? text : fmt::format("{}; did you mean {}?", text, fmt::join(meant, ", "));
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

std::string conversion_text(const std::string& told) {
  constexpr std::string_view kUnread = "Could not convert: ", kIs = " = ";
  const std::size_t is = told.find(kIs);
  if (!told.starts_with(kUnread) || is == std::string::npos) return told;
  const std::string value = told.substr(is + kIs.size());
  return fmt::format("{} {}: wanted a {}", told.substr(kUnread.size(), is - kUnread.size()), value,
                     is_number(value) ? "whole number that is not too large" : "number");
}

// The message for an option with too many values or too few.
std::string mismatch_text(const CLI::App& app, const std::string& told) {
  for (const CLI::Option* option : app.get_options()) {
    const std::size_t most = static_cast<std::size_t>(option->get_items_expected_max());
    if (option->get_type_size() == 0 || option->count() <= most) continue;
    if (most == 1) return fmt::format("{} was given {} times; wanted once", option->get_name(), option->count());
    return fmt::format("{} has {} values; the most is {}", option->get_name(), option->count(), most);
  }
  const CLI::Option* const option = app.get_option_no_throw(told.substr(0, told.find(':')));
  return option ? fmt::format("{} wants a {} behind it", option->get_name(), option->get_type_name()) : told;
}

std::string missing_text(const CLI::App& app, const std::string& told) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && option->count() == 0) return option->get_name() + " is required";
  return told;
}

// The message for options that need or exclude each other.
std::string combination_text(const CLI::App& app, const std::string& told) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    for (const CLI::Option* other : option->get_needs())
      if (other->count() == 0) return fmt::format("{} requires {}", option->get_name(), other->get_name());
    for (const CLI::Option* other : option->get_excludes())
      if (other->count() > 0) return fmt::format("{} excludes {}", option->get_name(), other->get_name());
  }
  return told;
}

// In words of our own, because the library's differ between its versions. Validators have theirs already.
std::string plain_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::string told = error.what(), kind = error.get_name();
  if (kind == "ConversionError") return conversion_text(told);
  if (kind == "ArgumentMismatch") return mismatch_text(app, told);
  if (kind == "RequiredError") return missing_text(app, told);
  if (kind == "RequiresError" || kind == "ExcludesError") return combination_text(app, told);
  return told;
}

// What to say where a flag that can have a value was given none.
std::string hint_at_equals(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_type_name() == kBehindEquals && option->count() > 0 && option->results() == CLI::results_t{"true"})
      return fmt::format("; a value of {0} stands directly behind it: {0}=VALUE", option->get_name());
  return "";
}

// Nothing, or a list of nothing.
bool is_empty_value(std::string_view value) { return value.find_first_not_of(',') == std::string_view::npos; }

std::string empty_option_text(const std::string& option) {
  return fmt::format("the value of {} is empty; leave the option out, or give it a value", option);
}

// The argument whose value is empty, as a script's unset variable makes it: never taken for an option that was left out.
std::string empty_value_text(std::span<char* const> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i], before = words[i - 1];
    if (is_empty_value(word) && i > 1 && is_option(before)) return empty_option_text(before);
    if (is_empty_value(word)) return fmt::format("argument {} is empty", i);
    if (const std::size_t equals = word.find('='); word.starts_with("--") && equals != std::string::npos)
      if (is_empty_value(std::string_view(word).substr(equals + 1))) return empty_option_text(word.substr(0, equals));
  }
  return "";
}

// What was wrong with the command line: a name that is mistyped, before what the mistake leads to.
std::string mistake_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unexpected = unexpected_words(app);
  if (unexpected.empty()) return plain_text(app, error);
  if (is_option(unexpected.front())) return unknown_options_text(app, unexpected);
  return fmt::format("{} {} not expected{}", fmt::join(unexpected, ", "), unexpected.size() == 1 ? "was" : "were",
                     hint_at_equals(app));
}

}  // namespace

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& names) {
  option_->check(CLI::Validator(
      [names](const std::string& text) {
        return std::ranges::find(names, text) != names.end() ? std::string() : text + ": wanted " + listed(names);
      },
      ""));
  option_->description(option_->get_description() + " (" + listed(names) + ")");
  return offers(names);
}

Argument& Argument::offers(const std::vector<std::string>& names) {
  (*offers_)[option_].choices = names;
  return *this;
}

Argument& Argument::within(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Validator(
      [low, high](const std::string& text) {
        std::int64_t value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return fits ? std::string() : fmt::format("{}: wanted a whole number from {} to {}", text, low, high);
      },
      ""));
  option_->description(option_->get_description() + " (" + std::to_string(low) + " to " + std::to_string(high) + ")");
  return *this;
}

Argument& Argument::not_negative() {
  option_->check(CLI::Validator(
      [](const std::string& text) {
        return text.starts_with('-') ? text + "; wanted 0 or more"
                                     : std::string();  // what is no number fails elsewhere
      },
      ""));
  return *this;
}

Argument& Argument::ends_in(const std::vector<std::string>& endings) {
  option_->check(CLI::Validator(
      [endings](const std::string& file) {
        std::error_code ignored;
        const std::filesystem::file_status status = std::filesystem::status(file, ignored);
        const bool device = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                            !std::filesystem::is_directory(status);
        const bool fits = std::ranges::any_of(endings, [&](const std::string& end) {
          return end == "-" ? file == "-" : file.size() > end.size() && file.ends_with(end);
        });
        std::vector<std::string> wanted = endings;
        for (std::string& end : wanted)
          if (end != "-") end.insert(0, "NAME");
        return device || fits ? std::string() : file + ": wanted " + listed(wanted);
      },
      ""));
  std::vector<std::string>& offered = (*offers_)[option_].endings;
  std::ranges::copy_if(endings, std::back_inserter(offered), [](const std::string& end) { return end != "-"; });
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
  CLI::Option* const option = app_->add_option(names, value, what)->type_name(kind);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>)
    option->check(CLI::Validator(
        [](const std::string& text) {
          return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + ": wanted a number" : std::string();
        },
        ""));
  return Argument(option, offers_);
}

template Argument CommandLine::option(const std::string&, std::string&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, int&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::int64_t&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::uint64_t&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, double&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<int>&, const std::string&, const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<double>&, const std::string&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::optional<std::uint64_t>&, const std::string&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::vector<std::string>&, const std::string&,
                                      const std::string&);
template Argument CommandLine::option(const std::string&, std::vector<float>&, const std::string&, const std::string&);

Argument CommandLine::flag(const std::string& names, bool& value, const std::string& what) {
  return Argument(app_->add_flag(names, value, what), offers_);
}

Argument CommandLine::flag_with_value(const std::string& names, std::string& value, const std::string& what) {
  return Argument(app_->add_flag(names, value, what)->type_name(kBehindEquals), offers_);
}

void CommandLine::example(const std::string& lines) { app_->footer(lines); }

std::string CommandLine::name() const { return app_->get_name(); }

bool CommandLine::parsed() const { return app_->parsed(); }

bool CommandLine::has(const std::string& argument) const { return app_->count(argument) > 0; }

Parser::Parser(const std::string& what, const std::string& version) : app_(std::make_unique<CLI::App>(what, "octet")) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version, "Print the version and exit");
  app_->set_help_flag("-h,--help", "Print this help and exit");
}

Parser::~Parser() = default;

CommandLine Parser::command(const std::string& name, const std::string& what) {
  return CommandLine(app_->add_subcommand(name, what), offers_.get());
}

CommandLine Parser::line() { return CommandLine(app_.get(), offers_.get()); }

void Parser::require_command(const std::string& name) const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string meant = mistyped_name(name, names);
  if (!meant.empty()) fail(ErrorCode::kUsage, "there is no command {}; did you mean {}?", name, meant);
  fail(ErrorCode::kUsage, "there is no command {}; the commands are {}", name, fmt::join(names, ", "));
}

std::string Parser::help(const std::string& name) const {
  if (!name.empty()) require_command(name);
  const Interface all = interface();
  return help_text(all, command_named(all, name));
}

Interface Parser::interface() const {
  Interface all = {.program = facts_of(*app_, *offers_), .commands = {}};
  for (const CLI::App* command : app_->get_subcommands({})) all.commands.push_back(facts_of(*command, *offers_));
  return all;
}

std::optional<int> Parser::parse(int argc, char** argv) {
  const std::string program = app_->get_name();
  if (const std::string empty = empty_value_text({argv, static_cast<std::size_t>(argc)}); !empty.empty()) {
    print_error(empty);
    return kBadInput;
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& asked = named(*app_);
    print(help(&asked == app_.get() ? "" : asked.get_name()));
    return kFine;
  } catch (const CLI::CallForVersion& version) {
    print(version.what() + std::string("\n"));
    return kFine;
  } catch (const CLI::ParseError& error) {
    const CLI::App& asked = named(*app_);
    const std::string where = &asked == app_.get() ? program + " --help" : program + " " + asked.get_name() + " --help";
    print_error(mistake_text(asked, error) + " (" + where + " says more)");
    return kBadInput;
  }
  return std::nullopt;
}

}  // namespace octet::cli
