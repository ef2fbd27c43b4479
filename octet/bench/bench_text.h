// bench_text.h: measurements as tables for people.
#pragma once

#include <cstddef>
#include <string>

#include "octet/bench/bench.h"

namespace octet {

// "127.4 us", "5.06 ms".
std::string duration_text(double nanoseconds);

// "1 thread, batch 32".
std::string setting_text(const Measurement& measurement);

// The contenders, and with what settings they ran. No line is longer than `width`.
std::string contenders_text(const Measurement& measurement, std::size_t width);
// The steps of Octet, the sum of their times, and the peak that their speed is compared with.
std::string steps_text(const Measurement& measurement, std::size_t width);

}  // namespace octet
