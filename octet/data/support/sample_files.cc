#include "octet/data/support/sample_files.h"

#include <algorithm>
#include <map>

#include "octet/base/fail.h"
#include "octet/data/image.h"
#include "octet/data/labels.h"
#include "octet/system/read_file.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

bool is_array_name(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".bin" || extension == ".npy" || extension == ".npz";
}

// True where `folder` has the first input of a run, which may turn out not to be a file.
bool is_test_data(const fs::path& folder) {
  std::error_code error;
  return fs::exists(fs::symlink_status(folder / "input_0.pb", error));
}

using Endings = std::map<std::string, int>;  // how many files have each

// "3 .bmp, 1 .webp".
std::string endings_text(const Endings& endings) {
  std::string text;
  for (const auto& [ending, count] : endings) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, ending);
  return text;
}

// What a folder holds, by kind; hidden files and folders are none of it.
struct FolderContents {
  std::vector<fs::path> arrays, images, folders;
  Endings other_images;
};

// Fails when there are any: left out silently, a sample or the folder of a class would be missing.
void refuse_irregular(std::vector<fs::path> irregular) {
  constexpr std::size_t kShown = 3;
  if (irregular.empty()) return;
  std::sort(irregular.begin(), irregular.end());
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, irregular.size()); ++i) {
    std::error_code ignored;
    const bool link = fs::is_symlink(fs::symlink_status(irregular[i], ignored));
    const bool there = fs::exists(irregular[i], ignored);
    list += fmt::format("{}{} ({})", i ? ", " : "", irregular[i].string(),
                        link && !there ? "a link that leads nowhere" : "no regular file");
  }
  if (irregular.size() > kShown) list += fmt::format(" and {} more", irregular.size() - kShown);
  fail(ErrorCode::kIo, "samples can't be read: {}; remove them from the folder", list);
}

FolderContents contents_of(const fs::path& folder) {
  FolderContents found;
  std::vector<fs::path> irregular;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    if (path.filename().string().starts_with('.')) continue;
    std::error_code ignored;
    const bool is_sample = is_image_name(path) || is_array_name(path);
    if (entries->is_directory(ignored))
      found.folders.push_back(path);
    else if (!entries->is_regular_file(ignored) && (is_sample || !path.has_extension()))  // a class has no extension
      irregular.push_back(path);
    else if (is_sample)
      (is_image_name(path) ? found.images : found.arrays).push_back(path);
    else if (const std::string ending = other_image_ending(path); !ending.empty())
      ++found.other_images[ending];
  }
  if (error) fail(ErrorCode::kIo, "{} can't be read: {}", folder.string(), error.message());
  refuse_irregular(std::move(irregular));
  for (auto* paths : {&found.arrays, &found.images, &found.folders}) std::sort(paths->begin(), paths->end());
  return found;
}

constexpr int kDeepest = 16;  // folders inside one another: a link may lead back

void add_images_below(const fs::path& folder, int depth, std::vector<fs::path>& images, Endings& others) {
  if (depth > kDeepest) fail(ErrorCode::kUsage, "{} lies deeper than {} folders", folder.string(), kDeepest);
  const FolderContents contents = contents_of(folder);
  images.insert(images.end(), contents.images.begin(), contents.images.end());
  for (const auto& [ending, count] : contents.other_images) others[ending] += count;
  for (const fs::path& inner : contents.folders) add_images_below(inner, depth + 1, images, others);
}

// Every folder is a class, also one without images: the classes behind it keep their numbers. Counts images of other kinds.
// Folders whose names can't be classes give images without labels: who only calibrates needs none.
SampleFiles images_by_folder(const std::vector<fs::path>& folders, Endings& others) {
  SampleFiles files{.kind = SampleKind::kImages};
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    names.push_back(folder.filename().string());
    add_images_below(folder, 1, files.paths, others);
    files.groups.resize(files.paths.size(), static_cast<std::int64_t>(names.size()) - 1);
  }
  try {
    const std::vector<std::int64_t> classes = class_numbers(names);
    for (const std::int64_t owner : files.groups) files.labels.push_back(classes[static_cast<std::size_t>(owner)]);
    files.class_names = class_names(names);
  } catch (const Error& error) {
    files.unlabelled = fmt::format("the names of the folders are labels: {}", error.message());
  }
  return files;
}

// A line that names neither an image nor a file.
bool is_heading(const LabelledFile& line, const fs::path& folder) {
  std::error_code error;
  return !is_image_name(line.file) && !fs::exists(folder / line.file, error);
}

SampleFiles images_by_list(const fs::path& folder, const fs::path& list) {
  const FileBytes text = read_file(list, std::uint64_t{64} << 20);
  try {
    std::vector<LabelledFile> listed = parse_label_list(
        {reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()}, list.extension() == ".csv");
    if (listed.size() > 1 && listed.front().line == 1 && is_heading(listed.front(), folder))
      listed.erase(listed.begin());
    SampleFiles files{.kind = SampleKind::kImages};
    std::vector<std::string> names;
    for (LabelledFile& entry : listed) {
      std::error_code error;
      const fs::path path = folder / entry.file;
      if (!fs::exists(path, error)) fail(ErrorCode::kUsage, "line {}: there is no {}", entry.line, path.string());
      if (!may_be_class(entry.label))
        fail(ErrorCode::kFormat, "line {}: the label is {}; wanted a whole number from 0 on, or a name", entry.line,
             entry.label);
      files.paths.push_back(path);
      names.push_back(std::move(entry.label));
    }
    listed = {};
    files.labels = class_numbers(names);
    files.groups = files.labels;
    files.class_names = class_names(names);
    return files;
  } catch (const Error& error) {
    throw error.at(list.string());
  }
}

SampleFiles files_in_folder(const fs::path& folder) {
  if (is_test_data(folder)) return {SampleKind::kTestData, {folder}};
  FolderContents contents = contents_of(folder);
  if (!contents.arrays.empty() && !contents.images.empty())
    fail(ErrorCode::kUsage, "{} holds arrays and images, such as {} and {}; wanted one of the two", folder.string(),
         contents.arrays.front().filename().string(), contents.images.front().filename().string());
  if (!contents.arrays.empty()) return {SampleKind::kArrays, contents.arrays};
  SampleFiles sets{.kind = SampleKind::kTestData};
  std::copy_if(contents.folders.begin(), contents.folders.end(), std::back_inserter(sets.paths), is_test_data);
  if (!sets.paths.empty()) return sets;
  Endings& others = contents.other_images;
  SampleFiles below = images_by_folder(contents.folders, others);
  if (contents.images.empty() && !below.paths.empty()) {
    below.passed_over = endings_text(others);
    if (!below.unlabelled.empty()) below.unlabelled = folder.string() + ": " + below.unlabelled;
    return below;
  }
  if (!contents.images.empty() && !below.paths.empty())
    fail(ErrorCode::kUsage, "{} holds images, and its folder {} too; are folders classes or not?", folder.string(),
         below.paths.front().parent_path().filename().string());
  if (contents.images.empty())
    fail(ErrorCode::kUsage,
         "{} holds no images (.jpg, .jpeg, .png), arrays (.bin, .npy, .npz) or ONNX test data (input_0.pb){}",
         folder.string(),
         others.empty() ? "" : fmt::format("; images of other kinds are not read: {}", endings_text(others)));
  return {.kind = SampleKind::kImages, .paths = contents.images, .passed_over = endings_text(others)};
}

}  // namespace

std::string_view name(SampleKind kind) {
  switch (kind) {
    case SampleKind::kArrays: return "arrays";
    case SampleKind::kImages: return "images";
    case SampleKind::kTestData: break;
  }
  return "ONNX test data";
}

SampleFiles find_sample_files(const fs::path& path, const fs::path& labels) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!labels.empty()) {
    if (!folder) fail(ErrorCode::kUsage, "a list of labels names images in a folder, and {} is none", path.string());
    return images_by_list(path, labels);
  }
  if (folder) return files_in_folder(path);
  if (!fs::exists(path, error)) fail(ErrorCode::kIo, "there is no file or folder {}", path.string());
  return {is_image_name(path) ? SampleKind::kImages : SampleKind::kArrays, {path}};
}

}  // namespace octet
