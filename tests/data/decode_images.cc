// decode_images FROM TO [WIDTH HEIGHT]: every file of one folder, as octet decodes it, resized where asked for: NAME.npy in the
// other folder, or NAME.txt with the error.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "octet/base/error.h"
#include "octet/data/image.h"
#include "octet/data/resize.h"
#include "octet/system/npy.h"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) return 2;
  const std::filesystem::path to = argv[2];
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const std::string name = entry.path().filename().string();
    try {
      octet::Tensor image = octet::decode_image(octet::read_file(entry.path()));
      if (argc == 5) image = octet::resized(image, {std::atoi(argv[3]), std::atoi(argv[4])});
      octet::save_npy(image, to / (name + ".npy"));
    } catch (const octet::Error& error) {
      std::ofstream(to / (name + ".txt")) << error.what();
    }
  }
  return 0;
}
