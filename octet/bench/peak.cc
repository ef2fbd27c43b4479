#include "octet/bench/peak.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "octet/base/parallel.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet {
namespace {

#if defined(__x86_64__)

constexpr int kChains = 12;  // of instructions that wait for one another: more than an instruction takes cycles

using Vector256 [[gnu::vector_size(32)]] = std::int32_t;
using Vector512 [[gnu::vector_size(64)]] = std::int32_t;

// The instructions are assembly so that no compiler finds out that nothing new is computed.
[[gnu::target("avx2")]] void multiply_pairs_256(std::int64_t count) {
  std::array<Vector256, kChains> sums{};
  const Vector256 a{}, b{};
  for (std::int64_t i = 0; i < count; ++i)
#pragma GCC unroll 12
    for (Vector256& sum : sums) {
      Vector256 products;
      asm volatile("vpmaddwd %2, %3, %0\n\tvpaddd %0, %1, %1" : "=&x"(products), "+x"(sum) : "x"(a), "x"(b));
    }
}

[[gnu::target("avx512f,avx512bw")]] void multiply_pairs_512(std::int64_t count) {
  std::array<Vector512, kChains> sums{};
  const Vector512 a{}, b{};
  for (std::int64_t i = 0; i < count; ++i)
#pragma GCC unroll 12
    for (Vector512& sum : sums) {
      Vector512 products;
      asm volatile("vpmaddwd %2, %3, %0\n\tvpaddd %0, %1, %1" : "=&v"(products), "+v"(sum) : "v"(a), "v"(b));
    }
}

[[gnu::target("avx512f,avx512vnni")]] void multiply_bytes_512(std::int64_t count) {
  std::array<Vector512, kChains> sums{};
  const Vector512 a{}, b{};
  for (std::int64_t i = 0; i < count; ++i)
#pragma GCC unroll 12
    for (Vector512& sum : sums) asm volatile("vpdpbusd %1, %2, %0" : "+v"(sum) : "v"(a), "v"(b));
}

[[gnu::target("avx2")]] void multiply_bytes_256(std::int64_t count) {
  std::array<Vector256, kChains> sums{};
  const Vector256 a{}, b{};
  for (std::int64_t i = 0; i < count; ++i)
#pragma GCC unroll 12
    for (Vector256& sum : sums) asm volatile("%{vex%} vpdpbusd %1, %2, %0" : "+x"(sum) : "x"(a), "x"(b));
}

struct PeakLoop {
  std::string_view cpu, instruction;
  std::int64_t products;  // of one instruction
  void (*run)(std::int64_t count);
};

// By the names of simd.h.
constexpr PeakLoop kPeakLoops[] = {
    {"avx512-vnni", "vpdpbusd, 512 bits", 64, multiply_bytes_512},
    {"avx512", "vpmaddwd, 512 bits", 32, multiply_pairs_512},
    {"avx2-vnni", "vpdpbusd, 256 bits", 32, multiply_bytes_256},
    {"avx2", "vpmaddwd, 256 bits", 16, multiply_pairs_256},
};

#endif

}  // namespace

std::optional<Peak> measure_peak(int threads) {
#if defined(__x86_64__)
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kCount = 100'000;
  const Parallel parallel(threads);
  for (const PeakLoop& loop : kPeakLoops) {
    if (loop.cpu != fast::chosen_simd().name) continue;
    double best = 0;
    for (int i = 0; i < 20; ++i) {
      const Clock::time_point start = Clock::now();
      parallel.for_each_block(threads, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) loop.run(kCount);
      });
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::max(best, static_cast<double>(threads * kCount * kChains * loop.products) / seconds);
    }
    return Peak{std::string(loop.instruction), best};
  }
#endif
  return std::nullopt;
}

}  // namespace octet
