// step_clock.h: what each step takes, over several runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace octet {

class StepClock {
 public:
  explicit StepClock(std::size_t steps) : times_(steps) {}

  using Clock = std::chrono::steady_clock;
  static double nanoseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }

  void start() { started_ = Clock::now(); }
  void stop(std::size_t step) { add(step, nanoseconds_since(started_)); }
  void add(std::size_t step, double nanoseconds) { times_[step].push_back(nanoseconds); }
  // Requires that the step ran at least once.
  double median_nanoseconds(std::size_t step) const {
    std::vector<double> times = times_[step];
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

 private:
  Clock::time_point started_;
  std::vector<std::vector<double>> times_;
};

}  // namespace octet
