// completion.cc: octet completion
#include "cli/command.h"
#include "cli/terminal.h"

namespace octet::cli {

Command completion_command(Parser& parser) {
  CommandLine line =
      parser.command("completion", "Write a script that completes commands, options and values in a shell");
  auto shell = std::make_shared<std::string>();
  line.option("shell", *shell, "The shell").required().one_of({"bash", "zsh", "fish"});
  line.example(
      "  source <(octet completion bash)\n"
      "  octet completion zsh > ~/.zfunc/_octet\n"
      "  octet completion fish > ~/.config/fish/completions/octet.fish");
  return {line,
          [shell, &parser] {
            const Interface interface = parser.interface();
            print(*shell == "bash"  ? bash_completion(interface)
                  : *shell == "zsh" ? zsh_completion(interface)
                                    : fish_completion(interface));
            return kFine;
          },
          Limits::kNone};
}

}  // namespace octet::cli
