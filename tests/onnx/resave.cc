// resave IN OUT [THRESHOLD]: loads every model in the folder IN and saves it under the same name in the folder OUT,
// tensors of at least THRESHOLD bytes beside it. For round_trip.py, which compares the two.
#include <cstdio>
#include <exception>
#include <string>

#include "octet/onnx/model_file.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path in = argv[1], out = argv[2];
  const octet::SaveOptions options{.external_threshold = argc > 3 ? std::stoll(argv[3]) : -1};
  bool ok = true;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(in)) {
    if (entry.path().extension() != ".onnx") continue;
    const fs::path target = out / entry.path().lexically_relative(in);
    try {
      fs::create_directories(target.parent_path());
      octet::save_model(octet::load_model(entry.path()), target, options);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", entry.path().c_str(), error.what());
      ok = false;
    }
  }
  return ok ? 0 : 1;
}
