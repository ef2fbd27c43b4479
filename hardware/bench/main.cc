// main.cc: the network under Verilator, held to golden vectors: every byte that a step writes, and the result.
//
//   simulate [--stall] vectors/image_0.hex ...
//
// Prints PASS, or FAIL with the first difference and its place; then the cycles of each step. --stall lets the host wait now
// and then. tensors.txt says what the steps write; a file of vectors has the bytes of the image, then of every step's result,
// pixel after pixel, the channels of a pixel together.
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Voctet_network.h"

namespace {

struct Result {
  std::size_t channels, rows, columns, pixel_bytes;  // pixel_bytes: from a pixel to the next in memory
  unsigned long long useful;                         // products
  std::string name;
  std::size_t offset = 0, seen = 0;  // its first byte among the vectors; how many were compared
  unsigned long long cycles = 0;     // of all images
  std::size_t size() const { return channels * rows * columns; }
};

struct Network {
  int multipliers = 0;
  std::size_t image_bytes = 0, bytes = 0;
  std::vector<Result> results;
};

[[noreturn]] void stop(const std::string& message) {
  std::cout << "FAIL: " << message << "\n";
  std::exit(1);
}

Network read_network(const char* path) {
  std::ifstream file(path);
  Network network;
  if (!(file >> network.multipliers >> network.image_bytes)) stop(std::string(path) + " can't be read");
  network.bytes = network.image_bytes;
  for (Result r; file >> r.channels >> r.rows >> r.columns >> r.pixel_bytes >> r.useful >> r.name;) {
    r.offset = network.bytes;
    network.bytes += r.size();
    network.results.push_back(r);
  }
  return network;
}

std::vector<std::uint8_t> read_vectors(const std::string& path, const Network& network) {
  std::ifstream file(path);
  std::vector<std::uint8_t> bytes;
  for (int byte; file >> std::hex >> byte;) bytes.push_back(static_cast<std::uint8_t>(byte));
  if (bytes.size() != network.bytes)
    stop(path + " has " + std::to_string(bytes.size()) + " bytes, wanted " + std::to_string(network.bytes));
  return bytes;
}

// Byte `lane` of a port, whatever type Verilator gives it.
template <typename Port>
int byte_of(const Port& port, unsigned lane) {
  if constexpr (std::is_integral_v<Port>)
    return static_cast<int>((static_cast<std::uint64_t>(port) >> (8 * lane)) & 255);
  else
    return static_cast<int>((port[lane / 4] >> (8 * (lane % 4))) & 255);
}

class Bench {
 public:
  Bench(Network& network, std::vector<std::string> paths, bool stall)
      : network_(network), paths_(std::move(paths)), stall_(stall) {
    for (const std::string& path : paths_) vectors_.push_back(read_vectors(path, network));
  }

  // The host sends the next image as soon as it is taken.
  void run() {
    const Result& last = network_.results.back();
    std::size_t sending = 0, sent = 0, received = 0;
    reset();
    for (unsigned long long idle = 0; image_ < vectors_.size(); ++idle, ++cycles_) {
      top_.input_valid = sending < vectors_.size() && !waits();
      top_.input_data = sending < vectors_.size() ? vectors_[sending][sent] : 0;
      top_.output_ready = !waits();
      top_.clock = 0;
      top_.eval();
      if (top_.input_valid && top_.input_ready) {
        idle = 0;
        if (++sent == network_.image_bytes) sent = 0, ++sending;
      }
      if (observe()) idle = 0;
      if (top_.output_valid && top_.output_ready) {
        const int wanted = vectors_[image_][last.offset + received];
        if (top_.output_data != wanted)
          fail("output " + std::to_string(received) + " is " + std::to_string(top_.output_data) + ", wanted " +
               std::to_string(wanted));
        if (++received == last.size()) received = 0, finish_image();
        idle = 0;
      }
      top_.clock = 1;
      top_.eval();
      if (idle > 10'000'000) fail("nothing happens any more");
    }
  }

  void report() {
    std::cout << "PASS: " << network_.results.size() << " tensors and the result of " << image_
              << (image_ == 1 ? " image, " : " images, ") << compared_ << " bytes compared\n\n";
    std::printf("%-32s %12s %12s %8s\n", "step", "products", "cycles", "useful");
    unsigned long long useful = 0, cycles = 0;
    for (const Result& r : network_.results) {
      std::printf("%-32s %12llu %12llu", r.name.c_str(), r.useful, r.cycles / image_);
      if (r.useful > 0) std::printf(" %7.1f%%", percent(r.useful, r.cycles / image_));
      std::printf("\n");
      useful += r.useful;
      cycles += r.cycles / image_;
    }
    std::printf("%-32s %12llu %12llu %7.1f%%\n", "all steps", useful, cycles, percent(useful, cycles));
    if (image_ < 2) return;
    const unsigned long long each = (last_end_ - first_end_) / (image_ - 1);
    std::printf("%-32s %12s %12llu %7.1f%%\n", "from image to image", "", each, percent(useful, each));
  }

 private:
  double percent(unsigned long long useful, unsigned long long cycles) const {
    return 100.0 * static_cast<double>(useful) / (static_cast<double>(cycles) * network_.multipliers);
  }

  bool waits() {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return stall_ && (random_ >> 62) == 0;
  }

  void reset() {
    top_.reset = 1;
    for (int edge = 0; edge < 8; ++edge) {
      top_.clock = edge & 1;
      top_.eval();
    }
    top_.reset = 0;
  }

  [[noreturn]] void fail(const std::string& message) const { stop(paths_[image_] + ": " + message); }

  void finish_image() {
    for (Result& result : network_.results) {
      if (result.seen != result.size())
        fail(result.name + ": " + std::to_string(result.seen) + " of " + std::to_string(result.size()) +
             " bytes were written");
      compared_ += result.seen;
      result.seen = 0;
    }
    compared_ += network_.results.back().size();
    if (image_++ == 0) first_end_ = cycles_;
    last_end_ = cycles_;
  }

  // Whether a result was written.
  bool observe() {
    Result& result = network_.results[top_.observed_step];
    if (top_.observed_running) ++result.cycles;
    if (!top_.observed_valid) return false;
    for (unsigned lane = 0; lane < OCTET_LANES; ++lane) {
      if (((top_.observed_lanes >> lane) & 1) == 0) continue;
      const std::size_t at = static_cast<std::size_t>(top_.observed_word) * OCTET_LANES + lane;
      const std::size_t pixel = at / result.pixel_bytes, channel = at % result.pixel_bytes;
      if (channel >= result.channels) continue;  // padding to whole groups
      const std::size_t element = pixel * result.channels + channel;
      if (element >= result.size()) fail(result.name + ": a byte behind its end is written");
      const int got = byte_of(top_.observed_data, lane), wanted = vectors_[image_][result.offset + element];
      if (got != wanted)
        fail(result.name + " [channel " + std::to_string(channel) + ", row " + std::to_string(pixel / result.columns) +
             ", column " + std::to_string(pixel % result.columns) + "] is " + std::to_string(got) + ", wanted " +
             std::to_string(wanted));
      ++result.seen;
    }
    return true;
  }

  Network& network_;
  std::vector<std::string> paths_;
  std::vector<std::vector<std::uint8_t>> vectors_;
  bool stall_;
  Voctet_network top_;
  std::uint64_t random_ = 1;
  unsigned long long image_ = 0, cycles_ = 0, compared_ = 0, first_end_ = 0, last_end_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Network network = read_network("tensors.txt");
  const bool stall = argc > 1 && std::strcmp(argv[1], "--stall") == 0;
  Bench bench(network, std::vector<std::string>(argv + (stall ? 2 : 1), argv + argc), stall);
  bench.run();
  bench.report();
}
