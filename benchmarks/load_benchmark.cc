// load_benchmark FILE: times loading a model, validation included.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <iostream>

#include "octet/base/error.h"
#include "octet/onnx/model_file.h"

namespace {

void load(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) benchmark::DoNotOptimize(octet::load_model(path));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

}  // namespace

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: load_benchmark FILE [--benchmark_...]\n";
    return 2;
  }
  benchmark::RegisterBenchmark("load_model", load, argv[1])->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
} catch (const octet::Error& error) {
  std::cerr << "load_benchmark: " << error.what() << "\n";
  return 2;
}
