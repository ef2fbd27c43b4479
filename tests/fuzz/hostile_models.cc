// Hostile models (hostile_model.h) of every operator go through everything that Octet does with models.
//
//   hostile_models SECONDS                    for that long: seed after seed, all operators with each
//   hostile_models SECONDS operator [seed]    one operator alone, from that seed on
//   hostile_models --write FOLDER             one model for each operator, as seeds of the fuzz targets
//
// Two runs try the same models, as far as they get. What breaks is named by operator and seed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "hostile_model.h"
#include "octet/base/error.h"
#include "octet/onnx/model_file.h"
#include "octet/spec/registry.h"
#include "octet/system/atomic_file.h"
#include "walk.h"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace octet {
namespace {

std::string tried;  // operator and seed

void say_what_was_tried() { std::fprintf(stderr, "hostile_models broke at: %s\n", tried.c_str()); }

// Through the bytes of a file, as from a stranger. Returns whether they are a model.
bool try_seed(const Operator& op, std::uint64_t seed) {
  tried = std::string(op.name) + " " + std::to_string(seed);
  const std::string bytes = serialize_model(hostile_model(op, seed));
  Model model;
  try {
    model = parse_model(std::as_bytes(std::span(bytes)));
  } catch (const Error&) {
    return false;
  }
  walk_inspection(model);
  walk_run(model, seed);
  walk_engines(model, seed);
  walk_explanation(model, seed);
  walk_quantization(model);
  return true;
}

int try_seeds(double seconds, std::string_view only, std::uint64_t first) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t seed = first;
  unsigned models = 0, read = 0;
  for (; std::chrono::steady_clock::now() < end; ++seed)
    for (const Operator* op : operators()) {
      if (!only.empty() && op->name != only) continue;
      ++models;
      read += try_seed(*op, seed);
    }
  std::printf("%u models, %u of them well-formed: each ended as a result or as an error\n", models, read);
  return read > models / 2 ? 0 : 1;  // else nothing was tried
}

int write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const Operator* op : operators())
    write_file(folder / (std::string(op->name) + ".onnx"), serialize_model(hostile_model(*op, 1)));
  return 0;
}

int run_hostile_models(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::string_view(argv[1]) == "--write") return argc == 3 ? write_seeds(argv[2]) : 2;
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(say_what_was_tried);
  try {
    return try_seeds(std::atof(argv[1]), argc > 2 ? argv[2] : "", argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    say_what_was_tried();
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace octet

int main(int argc, char** argv) { return octet::run_hostile_models(argc, argv); }
