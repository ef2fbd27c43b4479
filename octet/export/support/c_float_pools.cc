#include "octet/export/support/c_float_pools.h"

#include "octet/export/support/c_float_stages.h"
#include "octet/export/support/c_nest.h"

namespace octet {
namespace {

// Loops over images and positions, and over the taps of a window inside the image; a row are the channels of a position.
class PoolLoops {
 public:
  PoolLoops(CStep& step, ValueId x, ValueId y, const std::optional<Window>& window, bool channels_last)
      : step_(step),
        x_(step.value(x)),
        y_(step.value(y)),
        window_(window),
        first_(channels_last ? 1 : 2),
        channel_axis_(channels_last ? x_.shape.size() - 1 : 1),
        x_strides_(x_.strides()),
        y_strides_(y_.strides()) {}

  std::int64_t channels() const { return x_.shape[channel_axis_]; }
  std::size_t rank() const { return x_.shape.size() - 2; }
  std::int64_t kernel(std::size_t d) const { return window_ ? window_->kernel[d] : x_.shape[first_ + d]; }

  using Loops = std::vector<CStep::Block>;
  [[nodiscard]] Loops positions() const {
    Loops loops;
    loops.push_back(step_.loop("n", x_.shape[0]));
    for (std::size_t d = 0; d < rank(); ++d) loops.push_back(step_.loop(fmt::format("o{}", d), y_.shape[first_ + d]));
    return loops;
  }
  // Loops over the taps inside the image, with `from` at each.
  [[nodiscard]] Loops taps() const {
    Loops loops;
    std::vector<std::string> terms = {c_times("n", x_strides_[0])};
    for (std::size_t d = 0; d < rank(); ++d) {
      loops.push_back(step_.loop(fmt::format("k{}", d), kernel(d)));
      if (window_)
        step_.line("const ptrdiff_t at{0} = o{0} * {1} + k{0} * {2} - {3};", d, window_->strides[d],
                   window_->dilations[d], window_->pads_begin[d]);
      else
        step_.line("const ptrdiff_t at{0} = o{0} + k{0};", d);
      step_.line("if (at{0} < 0 || at{0} >= {1}) continue;", d, x_.shape[first_ + d]);
      terms.push_back(c_times(fmt::format("at{}", d), x_strides_[first_ + d]));
    }
    step_.line("const {} *const from = x + {};", c_type(x_.type), c_sum(terms));
    return loops;
  }
  std::string x_channel() const { return c_sum({c_times("c", x_strides_[channel_axis_])}); }
  std::string y_at(ValueId id) const {
    const std::vector<std::int64_t> strides = step_.value(id).strides();
    std::vector<std::string> terms = {c_times("n", strides[0])};
    for (std::size_t d = 0; d < rank(); ++d) terms.push_back(c_times(fmt::format("o{}", d), strides[first_ + d]));
    terms.push_back(c_times("i", strides[channel_axis_]));
    return c_sum(terms);
  }

  // The taps in the image or its padding, but not in what rounding up adds behind it.
  void write_padded_count() const {
    step_.line("ptrdiff_t count = 1;");
    for (std::size_t d = 0; d < rank(); ++d) {
      const auto axis = step_.block("");
      step_.line("ptrdiff_t taps = 0;");
      step_.line("for (ptrdiff_t k = 0; k < {}; ++k) taps += o{} * {} - {} + k * {} < {};", kernel(d), d,
                 window_->strides[d], window_->pads_begin[d], window_->dilations[d],
                 x_.shape[first_ + d] + window_->pads_end[d]);
      step_.line("count *= taps;");
    }
  }

 private:
  CStep& step_;
  const CValue &x_, &y_;
  const std::optional<Window>& window_;
  std::size_t first_, channel_axis_;
  std::vector<std::int64_t> x_strides_, y_strides_;
};

// Four sums of every fourth pixel, added in pairs, then the pixels that are left: plane_sum of spec/support/lane_sums.h.
void write_whole_average(CStep& step, const PoolLoops& loops) {
  const std::int64_t channels = loops.channels();
  std::int64_t pixels = 1;
  for (std::size_t d = 0; d < loops.rank(); ++d) pixels *= loops.kernel(d);
  const auto add_lanes = [&](const char* condition) {
    step.line(
        "{0}for (ptrdiff_t c = 0; c < {1}; ++c) acc[c] = (sums[c] + sums[{2} + c]) + (sums[{1} + c] + sums[{3} + c]);",
        condition, channels, 2 * channels, 3 * channels);
  };
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) sums[c] = 0;", 4 * channels);
  step.line("ptrdiff_t count = 0;");
  {
    const auto taps = loops.taps();
    step.line("float *const to = count < {} ? sums + count % 4 * {} : acc;", pixels / 4 * 4, channels);
    if (pixels % 4 != 0) add_lanes(fmt::format("if (count == {}) ", pixels / 4 * 4).c_str());
    step.line("for (ptrdiff_t c = 0; c < {}; ++c) to[c] += from[{}];", channels, loops.x_channel());
    step.line("++count;");
  }
  if (pixels % 4 == 0) add_lanes("");
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] /= (float)count;", channels);
}

void write_window_average(CStep& step, const PoolLoops& loops, bool with_padding) {
  const std::int64_t channels = loops.channels();
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = 0;", channels);
  if (with_padding)
    loops.write_padded_count();
  else
    step.line("ptrdiff_t count = 0;");
  {
    const auto taps = loops.taps();
    if (!with_padding) step.line("++count;");
    step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] += from[{}];", channels, loops.x_channel());
  }
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] /= (float)count;", channels);
}

void write_maximum(CStep& step, const PoolLoops& loops) {
  const std::int64_t channels = loops.channels();
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = -FLT_MAX;", channels);
  step.line("bool seen = false;");
  const auto taps = loops.taps();
  step.line("for (ptrdiff_t c = 0; c < {0}; ++c) acc[c] = !seen || from[{1}] > acc[c] ? from[{1}] : acc[c];", channels,
            loops.x_channel());
  step.line("seen = true;");
}

}  // namespace

void write_real(CStep& step, const work::FloatPool& work) {
  step.say("  r[o, c] = {} over the window of x[c, o * stride + tap * dilation - pad]", work.maximum ? "max" : "mean");
  say_float_stages(step, work.epilogue);
  step.reads(work.x, "x");
  step.writes(work.y, "y");
  const PoolLoops loops(step, work.x, work.y, work.window, false);
  const bool in_lanes = !work.maximum && !work.window;
  if (in_lanes) step.scratch("float", "sums", 4 * loops.channels(), 4);
  step.scratch("float", "acc", loops.channels(), 4);
  const auto positions = loops.positions();
  if (work.maximum)
    write_maximum(step, loops);
  else if (in_lanes)
    write_whole_average(step, loops);
  else
    write_window_average(step, loops, work.count_include_pad);
  write_float_stages(step, work.epilogue, 0,
                     {"acc", std::to_string(loops.channels()), "i", [&](ValueId id) { return loops.y_at(id); }},
                     work.y);
}

void write_real(CStep& step, const work::Pool& work) {
  step.say("  y[o, c] = saturate(round_ties_even(mean over the window of (x - {}) * {} / {} + {}))",
           work.x_meaning.zero_point, c_float(work.x_meaning.scale), c_float(work.y_meaning.scale),
           work.y_meaning.zero_point);
  step.reads(work.x, "x");
  const std::string y = step.writes(work.y, "y");
  const PoolLoops loops(step, work.x, work.y, work.window, work.channels_last);
  const std::int64_t channels = loops.channels();
  step.scratch("float", "acc", channels, 4);
  const auto positions = loops.positions();
  step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] = 0;", channels);
  step.line("ptrdiff_t count = {};", work.count_include_pad ? element_count(work.window->kernel) : 0);
  {
    const auto taps = loops.taps();
    if (!work.count_include_pad) step.line("++count;");
    step.line("for (ptrdiff_t c = 0; c < {}; ++c) acc[c] += (float)(from[{}] - {}) * {};", channels, loops.x_channel(),
              c_number(work.x_meaning.zero_point), c_float(work.x_meaning.scale));
  }
  const DType type = step.value(work.y).type;
  const IntegerRange range = integer_range(type);
  const auto row = step.loop("i", channels);
  step.line("const float t = acc[i] / (float)count / {} + {};", c_float(work.y_meaning.scale),
            c_float(static_cast<float>(work.y_meaning.zero_point)));
  step.line("int32_t q = {}(t, {}, {});", step.use("round_saturating"), range.min, range.max);
  for (const work::Stage& stage : work.epilogue) {
    const auto& clamp = std::get<work::Clamp>(stage);
    step.line("q = q < {0} ? {0} : q > {1} ? {1} : q;", clamp.low, clamp.high);
  }
  step.line("{}[{}] = ({})q;", y, loops.y_at(work.y), c_type(type));
}

}  // namespace octet
