// manifest.h: what the files of an export of vectors are: docs/schemas/vectors.schema.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/export/array_files.h"
#include "octet/export/files.h"
#include "octet/export/vectors.h"
#include "octet/integer/integer_program.h"
#include "octet/text/json.h"

namespace octet {

// An array among the files: its file, its member in an archive, its type, its shape, the order of its axes there.
Json array_json(const FileArray& array, const ArrayStyle& style);

// A tensor of the program: what it is, and its array for each of the inputs.
Json tensor_json(const IntegerProgram& program, TensorId tensor, const std::string& identifier,
                 const std::vector<FileArray>& arrays, const ArrayStyle& style);

// Steps of the program that are the host's.
Json host_json(const Program& program, const IntegerProgram& integers);

// Every file with its size and hash.
Json files_json(const ExportedFiles& files);

}  // namespace octet
