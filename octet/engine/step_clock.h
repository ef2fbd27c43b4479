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

  void start() { started_ = Clock::now(); }
  void stop(std::size_t step) {
    times_[step].push_back(std::chrono::duration<double, std::nano>(Clock::now() - started_).count());
  }
  // Of a step that ran at least once.
  double median_nanoseconds(std::size_t step) const {
    std::vector<double> times = times_[step];
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_;
  std::vector<std::vector<double>> times_;
};

}  // namespace octet
