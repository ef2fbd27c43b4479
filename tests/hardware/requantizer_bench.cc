// requantizer_bench.cc: octet_requantizer under Verilator beside the float32 rule, on accumulators of every channel.
//
//   requantizer_bench channels.txt edges | every
//
// A line of channels.txt: how many 32-bit words the record has, the words, hexadecimal, the lowest first; the multiplier as the
// bits of a float; least and greatest accumulator; start; zero point; least and greatest output; where exceptions begin. `edges`
// takes the accumulators around every step of the output, around every exception, and the ends; `every` all of them.
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "Voctet_requantizer.h"

namespace {

constexpr int kLatency = 7;

struct Channel {
  std::vector<std::uint32_t> record;
  std::int64_t least = 0, greatest = 0, start = 0, zero_point = 0, low = 0, high = 0;
  float multiplier = 0;
  std::vector<std::int64_t> exceptions;  // first accumulators

  // saturate(round(f32(acc) * multiplier) + zero point), ties to even
  int wanted(std::int64_t acc) const {
    float t = static_cast<float>(acc) * multiplier;
    t = std::clamp(t, static_cast<float>(low - zero_point), static_cast<float>(high - zero_point));
    return static_cast<int>(std::nearbyintf(t)) + static_cast<int>(zero_point);
  }

  void steps_between(std::int64_t a, std::int64_t b, std::set<std::int64_t>& found) const {
    if (wanted(a) == wanted(b)) return;
    if (b - a == 1) {
      found.insert(b);
      return;
    }
    const std::int64_t middle = a + (b - a) / 2;
    steps_between(a, middle, found);
    steps_between(middle, b, found);
  }

  std::set<std::int64_t> edges() const {
    std::set<std::int64_t> steps{least, greatest}, around;
    steps_between(least, greatest, steps);
    steps.insert(exceptions.begin(), exceptions.end());
    for (const std::int64_t step : steps)
      for (std::int64_t acc = step - 2; acc <= step + 2; ++acc)
        if (acc >= least && acc <= greatest) around.insert(acc);
    return around;
  }
};

template <typename Port>
void set_record(Port& port, const std::vector<std::uint32_t>& words) {
  for (std::size_t w = 0; w < words.size(); ++w) port[w] = words[w];
}

class Bench {
 public:
  void check(int number, const Channel& channel, bool every) {
    number_ = number;
    channel_ = &channel;
    set_record(unit_.record, channel.record);
    unit_.low = static_cast<std::uint32_t>(channel.low) & 511;
    unit_.high = static_cast<std::uint32_t>(channel.high) & 511;
    if (every)
      for (std::int64_t acc = channel.least; acc <= channel.greatest; ++acc) clock(acc);
    else
      for (const std::int64_t acc : channel.edges()) clock(acc);
    for (int cycle = 0; cycle < kLatency; ++cycle) clock(channel.greatest);
    waiting_ = 0;
  }

  unsigned long long compared() const { return compared_; }

 private:
  static constexpr std::uint32_t kSumMask = (std::uint64_t{1} << OCTET_ACC_BITS) - 1;

  void clock(std::int64_t acc) {
    unit_.sum = static_cast<std::uint32_t>(acc - channel_->start) & kSumMask;
    pipe_[at_] = acc;
    at_ = (at_ + 1) % kLatency;
    unit_.clock = 0;
    unit_.eval();
    unit_.clock = 1;
    unit_.eval();
    if (++waiting_ < kLatency) return;
    const std::int64_t then = pipe_[at_];
    const int wanted = channel_->wanted(then) & 255;
    ++compared_;
    if (unit_.q == wanted) return;
    std::printf("FAIL: channel %d, accumulator %lld: %d, wanted %d\n", number_, static_cast<long long>(then), unit_.q,
                wanted);
    std::exit(1);
  }

  Voctet_requantizer unit_;
  const Channel* channel_ = nullptr;
  int number_ = 0, waiting_ = 0, at_ = 0;
  std::int64_t pipe_[kLatency] = {};
  unsigned long long compared_ = 0;
};

std::vector<Channel> read_channels(const char* path) {
  std::ifstream file(path);
  std::vector<Channel> channels;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Channel channel;
    std::size_t count = 0;
    words >> count >> std::hex;
    channel.record.resize(count);
    for (std::uint32_t& word : channel.record) words >> word;
    std::uint32_t bits = 0;
    words >> bits >> std::dec;
    channel.multiplier = std::bit_cast<float>(bits);
    words >> channel.least >> channel.greatest >> channel.start >> channel.zero_point >> channel.low >> channel.high;
    for (std::int64_t first = 0; words >> first;) channel.exceptions.push_back(first);
    channels.push_back(channel);
  }
  return channels;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Bench bench;
  int number = 0;
  for (const Channel& channel : read_channels(argv[1]))
    bench.check(number++, channel, std::strcmp(argv[2], "every") == 0);
  std::printf("PASS: %d channels, %llu accumulators compared\n", number, bench.compared());
}
