// directed_files.h: directed vectors as arrays, as a table for people, and as the manifest says them.
//
//   NAME_channel, NAME_acc, NAME_q    or a and b, table and x, window: one element for each row
//   NAME_patch                        the number of the row's patch, or -1
//   NAME_patches                      [patches, input channels, kernel...]; in the layout of weights
//   NAME.csv                          all of it but the bytes of the patches, and the mistakes that each row catches
#pragma once

#include <string>
#include <vector>

#include "octet/export/array_files.h"
#include "octet/export/directed.h"
#include "octet/text/json.h"

namespace octet {

struct DirectedFiles {
  std::vector<FileArray> arrays;
  ExportedFile table;
  Json manifest;
};

// `identifier` is the set's.
DirectedFiles directed_files(const DirectedSet& set, const std::string& identifier, const ArrayStyle& style);

}  // namespace octet
