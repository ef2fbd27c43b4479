#include "octet/bench/race.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace octet {
namespace {

constexpr std::chrono::milliseconds kPause(3);
constexpr double kTurn = 40e6;  // nanoseconds
constexpr std::size_t kFewest = 3;

}  // namespace

std::vector<std::vector<double>> race(std::span<Contender* const> contenders, const RaceOptions& options) {
  const auto rounds =
      std::max<std::size_t>(kFewest, static_cast<std::size_t>(std::ceil(options.seconds * 1e9 / kTurn)));
  const double turn = options.seconds * 1e9 / static_cast<double>(rounds);
  std::vector<std::vector<double>> times(contenders.size());
  std::vector<double> spent(contenders.size(), 0);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const bool too_few = times[c].size() + rounds - round <= kFewest;
      if (spent[c] > turn * static_cast<double>(round) && !too_few) continue;
      std::this_thread::sleep_for(kPause);
      std::vector<double> timed = contenders[c]->run(1);
      if (const double one = timed.front(), wanted = turn * static_cast<double>(round + 1) - spent[c]; one < turn)
        timed = contenders[c]->run(static_cast<int>(std::clamp(std::round(wanted / one), 1.0, 1e6)));
      spent[c] += std::accumulate(timed.begin(), timed.end(), 0.0);
      times[c].insert(times[c].end(), timed.begin(), timed.end());
    }
    if (options.progress) options.progress(round + 1, rounds);
  }
  return times;
}

}  // namespace octet
