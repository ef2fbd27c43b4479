// c_source.h: a program as C99: one file, one header, nothing else but a freestanding compiler's headers.
//
// NAME_run takes what the network takes and gives what it gives, to the last bit what the reference engine gives. All memory is
// static, and its size is in the header. Where the program is of integers between a float border, NAME_run_integers is the
// part in between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "octet/export/files.h"
#include "octet/program/program.h"

namespace octet {

struct CSourceOptions {
  std::string name;                 // of functions and files, an identifier; of the network if empty
  bool float32_requantize = false;  // of sums: as the operators define it, instead of integers alone
};

// A tensor that the program is given, gives, or computes in between.
struct CTensor {
  ValueId value = kNoValue;
  std::string identifier;  // of ports, in the header
  bool channels_last = false;
};

struct CSource {
  std::string name;
  ExportedFile source, header;
  std::int64_t memory_bytes = 0, scratch_bytes = 0;
  std::vector<CTensor> inputs, outputs;
  std::vector<CTensor> integer_inputs, integer_outputs;  // of NAME_run_integers; none where there is no such function
  std::vector<CTensor> traced;                           // in the order of their numbers
};

// Throws kUsage where the shape of an input is not known, and kUnsupported where C can't have a step: the error lists all
// of them, each with the reason.
CSource c_source(const Program& program, const CSourceOptions& options = {});

}  // namespace octet
