// terminal.h: all that Octet prints goes through here.
#pragma once

#include <cstddef>
#include <string_view>

#include "octet/base/progress.h"

namespace octet::cli {

// The reader of standard output has gone: nothing is left to say.
struct ReaderGone {};

// Call first: a file opened later must not get the number of a standard stream that the caller closed.
void claim_standard_streams();

// Text for people, to standard output: hidden characters (octet/text/characters.h) but line breaks are shown as escapes,
// and lines that are longer than the columns of the terminal, or than COLUMNS says, go on in the next one, indented.
// Throws octet::Error with kIo when it can't be written, ReaderGone when its reader is gone.
void print(std::string_view text);

// Text for programs (JSON, CSV, Markdown), to standard output: as it is; hidden characters are shown as escapes where a
// terminal would act on them. Throws as print.
void print_data(std::string_view text);

// The bytes of a file, to standard output, which may not be a terminal: throws kUsage. Throws as print.
void print_bytes(std::string_view bytes);

// One line on standard error, "octet: <message>", without its middle if it is very long. Hidden characters are shown as
// escapes.
void print_error(std::string_view message);

// The columns that tables may take: what COLUMNS says, or those of the terminal; 120 when standard output is none. At
// least 20.
std::size_t terminal_width();

// How progress is shown on standard error: kAuto is a line that changes where it is a terminal, and nothing else; kPlain a line
// of its own at first and then every few seconds, for logs.
enum class ProgressKind { kAuto, kPlain, kNone };
// From now on. Throws kUsage for a word that is none of auto, plain and none.
void choose_progress(std::string_view kind);

// Shows "label done/total" as it was chosen.
Progress progress_line(std::string_view label);

}  // namespace octet::cli
