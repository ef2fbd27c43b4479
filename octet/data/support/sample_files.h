// sample_files.h: which files hold the samples that a path stands for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

enum class SampleKind {
  kArrays,    // .bin, .npy, .npz and .pb files
  kImages,    // JPEG and PNG files, one sample each
  kTestData,  // folders with input_0.pb, input_1.pb, ...
};
std::string_view name(SampleKind kind);  // "arrays", ...

struct SampleFiles {
  SampleKind kind = SampleKind::kArrays;
  std::vector<std::filesystem::path> paths;   // in the order of the samples
  std::vector<std::int64_t> labels = {};      // of images, one for each; empty when unknown
  std::string unlabelled = {};                // why there are none, where something special is the reason
  std::vector<std::string> class_names = {};  // by label, where labels are names that were counted
  std::vector<std::int64_t> groups = {};      // of images, the class or the folder of each; empty: they are one group
  std::string passed_over = {};               // images of other kinds beside these: "3 .bmp, 1 .webp"
};

// A file, or a folder of files in the order of their names. `labels`, unless empty, is a list of images in the folder
// (labels.h). Throws kUsage, kIo and kFormat.
SampleFiles find_sample_files(const std::filesystem::path& path, const std::filesystem::path& labels);

}  // namespace octet
