// offered.h: what completion offers for a value. One decision for all shells.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interface.h"

namespace octet::cli {

enum class Offered { kNothing, kWords, kFiles, kFolders };

inline bool means_file(std::string_view value) {
  return value == "FILE" || value == "PATH" || value == "MODEL" || value == "COMMAND";
}

inline Offered offered_for(const OptionFacts& option) {
  if (!option.choices.empty()) return Offered::kWords;
  if (!option.endings.empty() || means_file(option.value)) return Offered::kFiles;
  return option.value == "FOLDER" ? Offered::kFolders : Offered::kNothing;
}

// Operands are files, but for those that are one of several words.
inline Offered offered_for_operand(const CommandFacts& command) {
  if (command.operands.empty()) return Offered::kNothing;
  return command.operands.front().choices.empty() ? Offered::kFiles : Offered::kWords;
}

inline std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// 'word' as shells take it literally.
inline std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace octet::cli
