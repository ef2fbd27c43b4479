#include <fmt/format.h>

#include <map>

#include "cli/interface.h"
#include "cli/offered.h"

namespace octet::cli {
namespace {

// Bash splits "--policy=exact" at the equals sign.
constexpr const char* kBashHead = R"(# Completion of octet for bash.

_octet_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

# Files with these endings, or any, and folders.
_octet_files() {
  local name ending
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
  while IFS= read -r name; do
    [[ -d $name ]] && continue
    (($# == 0)) && COMPREPLY+=("$name")
    for ending in "$@"; do [[ $name == *"$ending" ]] && COMPREPLY+=("$name") && break; done
  done < <(compgen -f -- "$current")
}

_octet_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}

_octet() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=
  COMPREPLY=()
  if [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ $current == "=" ]]; then current=; fi
  if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; fi
)";

std::string bash_action(const OptionFacts& option) {
  switch (offered_for(option)) {
    case Offered::kWords: return "_octet_words " + shell_quoted(joined(option.choices));
    case Offered::kFiles: return joined({"_octet_files", joined(option.endings)}, option.endings.empty() ? "" : " ");
    case Offered::kFolders: return "_octet_folders";
    case Offered::kNothing: return ":";
  }
  return ":";
}

std::string options_of(const CommandFacts& command) {
  std::vector<std::string> words;
  for (const OptionFacts& option : command.options)
    for (const std::string& name : option.spellings()) words.push_back(name);
  return joined(words);
}

// Patterns "command:--option" by what is to be done for their values.
std::map<std::string, std::vector<std::string>> values_of(const Interface& interface) {
  std::map<std::string, std::vector<std::string>> found;
  for (const CommandFacts& command : interface.commands)
    for (const OptionFacts& option : command.options)
      if (!option.value.empty() && !option.value_behind_equals)
        for (const std::string& name : option.spellings())
          found[bash_action(option)].push_back(command.name + ":" + name);
  return found;
}

std::string operands_of(const CommandFacts& command) {
  switch (offered_for_operand(command)) {
    case Offered::kNothing: return ":";
    case Offered::kWords: return bash_action(command.operands.front());
    default: return "_octet_files";
  }
}

}  // namespace

std::string bash_completion(const Interface& interface) {
  std::vector<std::string> names;
  for (const CommandFacts& command : interface.commands) names.push_back(command.name);
  std::string text = kBashHead;
  text += "  case $command:$before in\n";
  for (const auto& [what, patterns] : values_of(interface))
    text += fmt::format("    {})\n      {}\n      return ;;\n", joined(patterns, " | "), what);
  text += "  esac\n  case $command:$current in\n";
  text += fmt::format("    :-*) _octet_words {} ;;\n    :*) _octet_words {} ;;\n",
                      shell_quoted(options_of(interface.program)), shell_quoted(joined(names)));
  for (const CommandFacts& command : interface.commands)
    text += fmt::format("    {0}:-*) _octet_words {1} ;;\n    {0}:*) {2} ;;\n", command.name,
                        shell_quoted(options_of(command)), operands_of(command));
  return text + "  esac\n}\n\ncomplete -F _octet octet\n";
}

}  // namespace octet::cli
