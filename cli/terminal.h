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

// To standard output. Throws octet::Error with kIo when it can't be written, ReaderGone when nobody reads it.
void print(std::string_view text);

// One line on standard error, "octet: <message>". Control characters are shown as escapes.
void print_error(std::string_view message);

// The columns of the terminal; 120 when standard output is none.
std::size_t terminal_width();

// Shows "label done/total" on standard error while it is a terminal, and wipes it at the end; else does nothing.
Progress progress_line(std::string_view label);

}  // namespace octet::cli
