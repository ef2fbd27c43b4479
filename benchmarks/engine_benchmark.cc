// engine_benchmark FOLDER: times the reference engine on every FOLDER/*.onnx, with the inputs that the .npz of the same
// name holds, on one thread. Writes what the model gives to FOLDER/*.out.npz, for others to compare.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "octet/octet.h"

namespace {

void run(benchmark::State& state, const std::filesystem::path& path) {
  const octet::ReferenceEngine engine(octet::lower(octet::load_model(path), octet::Policy::kAsWritten), {.threads = 1});
  const octet::NamedTensors inputs = octet::load_npz(std::filesystem::path(path).replace_extension(".npz"));
  octet::save_npz(engine.run(inputs), std::filesystem::path(path).replace_extension(".out.npz"));
  for (auto _ : state) benchmark::DoNotOptimize(engine.run(inputs));
}

}  // namespace

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: engine_benchmark FOLDER [--benchmark_...]\n";
    return 2;
  }
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  for (const std::filesystem::path& model : models) benchmark::RegisterBenchmark(model.stem().c_str(), run, model);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
} catch (const octet::Error& error) {
  std::cerr << "engine_benchmark: " << error.what() << "\n";
  return 2;
}
