#include "octet/export/files.h"

#include <memory>
#include <system_error>

#include "octet/base/error.h"
#include "octet/system/atomic_file.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

// Folders that were made for files that are not there yet: gone again unless kept. The innermost go first.
class NewFolders {
 public:
  NewFolders() = default;
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  ~NewFolders() {
    std::error_code ignored;
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, ignored);
  }

  void make(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return;
    make(folder.parent_path());
    error.clear();
    if (fs::create_directory(folder, error)) made_.push_back(folder);
    if (error) throw Error(ErrorCode::kIo, "the folder can't be made: " + error.message(), folder.string());
  }

  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;
};

}  // namespace

void write_folders(const std::vector<ExportedFolder>& folders) {
  NewFolders made;
  std::vector<std::unique_ptr<AtomicFile>> written;  // destroyed before the folders are removed
  for (const ExportedFolder& folder : folders) {
    made.make(folder.path);
    for (const ExportedFile& file : folder.files) {
      const fs::path path = folder.path / file.name;
      made.make(path.parent_path());
      written.push_back(std::make_unique<AtomicFile>(path));
      written.back()->write(file.contents);
    }
  }
  for (const std::unique_ptr<AtomicFile>& file : written) file->commit();
  made.keep();
}

void write_files(const fs::path& folder, const ExportedFiles& files) { write_folders({{folder, files}}); }

}  // namespace octet
