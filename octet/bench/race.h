// race.h: contenders timed by turns, so that whatever else the machine does hits all of them alike.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "octet/base/progress.h"
#include "octet/bench/contender.h"

namespace octet {

struct RaceOptions {
  double seconds = 1;  // of timed runs that each contender gets, if one run is not longer
  Progress progress;   // in rounds
};

// The nanoseconds of each run of each contender, at least three. Contenders run in short turns, one after the other and
// round after round; who has had more than its share of time sits a round out. Before a turn there is a pause, in which
// threads that still wait for work in a loop fall asleep; its first run fills the caches and does not count, unless it
// takes a whole turn.
std::vector<std::vector<double>> race(std::span<Contender* const> contenders, const RaceOptions& options);

}  // namespace octet
