// export_c.h: octet export --c
#pragma once

#include "cli/exporter.h"

namespace octet::cli {

Exporter c_exporter(CommandLine line);

}  // namespace octet::cli
