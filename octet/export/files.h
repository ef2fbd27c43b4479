// files.h: what an exporter makes: files as values. Exporters write nothing; write_files does, all of them or none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace octet {

struct ExportedFile {
  std::string name;  // in the folder that the user names; '/' between folders
  std::string contents;
};
using ExportedFiles = std::vector<ExportedFile>;

struct ExportedFolder {
  std::filesystem::path path;
  const ExportedFiles& files;
};

// Makes the folders, and folders in them, where they are not there. Every file is written whole under another name before
// the first appears under its own; where one can't be written, none appears, and folders that were made are removed.
// Other files of the folders stay. Throws kIo.
void write_folders(const std::vector<ExportedFolder>& folders);
void write_files(const std::filesystem::path& folder, const ExportedFiles& files);

}  // namespace octet
