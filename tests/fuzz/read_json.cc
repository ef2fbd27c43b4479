// Bytes become rules, calibrated ranges, the report of a model, or an octet::Error.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "octet/base/error.h"
#include "octet/inspect/read_report.h"
#include "octet/inspect/report_text.h"
#include "octet/quantize/ranges_file.h"
#include "octet/quantize/selection.h"
#include "octet/system/atomic_file.h"

namespace {

// A file of ranges is read by its name.
const std::filesystem::path& ranges_path() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("octet_fuzz_ranges_" + std::to_string(::getpid()) + ".json");
  return path;
}

template <typename Read>
void survive(Read&& read) {
  try {
    read();
  } catch (const octet::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  survive([&] { octet::parse_rules(text); });
  survive([&] { octet::report_text(octet::report_from_json(text)); });
  survive([&] {
    octet::write_file(ranges_path(), std::as_bytes(std::span(text)));
    octet::load_ranges(ranges_path(), "abc");
  });
  std::filesystem::remove(ranges_path());
  return 0;
}
