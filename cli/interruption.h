// interruption.h: what happens when a signal ends the program.
#pragma once

namespace octet::cli {

// Call first, before any other thread runs. From then on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove what must not stay behind
// (octet/system/cleanup_on_exit.h), say so in a line and end the process with 128 and the signal's number; one that the caller
// ignores stays ignored. A file that grows beyond its limit (SIGXFSZ) makes the write fail like a full disk does.
void watch_for_interruption();

// The exit code of a run that failed: 128 + SIGXFSZ after that signal, else `code`.
int exit_code_after(int code);

}  // namespace octet::cli
