// c_header.h: what the user of exported C includes.
#pragma once

#include <string>
#include <vector>

#include "octet/export/c_source.h"
#include "octet/export/support/c_values.h"

namespace octet {

struct CHeader {
  const Program& program;
  const CValues& values;
  const CSource& source;
};

std::string header_text(const CHeader& header);

// "void NAME_run(const float *in_image, float *out_class)"
std::string run_prototype(const CValues& values, const std::string& name, const std::vector<CTensor>& inputs,
                          const std::vector<CTensor>& outputs);

std::string upper_case(std::string text);

}  // namespace octet
