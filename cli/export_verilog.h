// export_verilog.h: octet export --verilog
#pragma once

#include "cli/exporter.h"

namespace octet::cli {

Exporter verilog_exporter(CommandLine line);

}  // namespace octet::cli
