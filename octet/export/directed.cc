#include "octet/export/directed.h"

#include <algorithm>
#include <map>
#include <set>

#include "octet/export/line_rows.h"
#include "octet/export/mistakes.h"
#include "octet/export/patch.h"
#include "octet/integer/requantizers.h"
#include "octet/spec/quantized/integer_forms.h"
#include "octet/spec/quantized/qlinear_global_average_pool.h"

namespace octet {
namespace {

using namespace integer;

std::int32_t looked_up_byte(const NumberTable& table, std::int64_t byte) {
  return table[static_cast<std::size_t>(byte & 255)];
}

// The clamps of an epilogue from `first` on.
std::function<std::int32_t(std::int32_t)> clamps_behind(const Epilogue& epilogue, std::size_t first) {
  std::vector<Clamp> clamps;
  for (std::size_t k = first; k < epilogue.size(); ++k) clamps.push_back(std::get<Clamp>(epilogue[k]));
  return [clamps](std::int32_t q) {
    for (const Clamp& clamp : clamps) q = std::clamp(q, clamp.low, clamp.high);
    return q;
  };
}

// What they leave of a range.
IntegerRange clamped_range(IntegerRange range, const Epilogue& epilogue, std::size_t first) {
  const auto behind = clamps_behind(epilogue, first);
  return {behind(static_cast<std::int32_t>(range.min)), behind(static_cast<std::int32_t>(range.max))};
}

// Collects rows, none twice, each with the mistakes that it catches.
template <typename Right>
class RowCollector {
 public:
  RowCollector(const Right& right, std::vector<Mistake> mistakes, DirectedSet& set)
      : right_(right), mistakes_(std::move(mistakes)), set_(set) {
    for (const Mistake& mistake : mistakes_) set_.mistakes.push_back(mistake.name);
  }

  // Returns the mistakes that it catches.
  std::uint64_t add(std::int64_t a, std::int64_t b) {
    DirectedRow row{{a, b}, right_(a, b), 0, std::nullopt};
    for (std::size_t k = 0; k < mistakes_.size(); ++k)
      if (mistakes_[k].result(a, b) != row.q) row.catches |= std::uint64_t{1} << k;
    if (taken_.insert({a, b}).second) set_.rows.push_back(row);
    return row.catches;
  }

  // Adds the pairs on which a mistake shows that `caught` lacks; one for each mistake.
  template <typename Pairs>
  void add_uncaught(std::uint64_t caught, const Pairs& pairs) {
    for (const auto& [a, b] : pairs) {
      const std::int32_t q = right_(a, b);
      for (std::size_t k = 0; k < mistakes_.size(); ++k)
        if ((caught >> k & 1) == 0 && mistakes_[k].result(a, b) != q) {
          caught |= add(a, b);
          break;
        }
    }
  }

 private:
  const Right& right_;
  std::vector<Mistake> mistakes_;
  DirectedSet& set_;
  std::set<std::pair<std::int64_t, std::int64_t>> taken_;
};

// ---- sums

// Both sides of every change of a channel's result.
std::vector<std::pair<std::int64_t, std::int64_t>> edges_of(const RequantizedChannels& layer, std::int64_t channel) {
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  const Staircase stairs = monotone_steps(one_or(layer.reach, channel), one_or(layer.channels, channel));
  for (std::size_t step = 1; step < stairs.steps.size(); ++step)
    edges.insert(edges.end(), {{channel, stairs.steps[step].first - 1}, {channel, stairs.steps[step].first}});
  return edges;
}

DirectedSet requantize_rows(const std::string& step, const RequantizedChannels& layer, DType y_type) {
  DirectedSet set{.step = step, .kind = "requantize", .operands = {"channel", "acc"}, .q_type = y_type};
  RowCollector rows(layer, mistakes_of(layer), set);
  const auto channels = static_cast<std::int64_t>(std::max(layer.channels.size(), layer.reach.size()));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    std::uint64_t caught = 0;
    for (const std::int64_t acc : line_rows(one_or(layer.channels, channel), one_or(layer.reach, channel), layer.range))
      caught |= rows.add(channel, acc);
    rows.add_uncaught(caught, edges_of(layer, channel));
  }
  return set;
}

// Per-channel weights: acc = start + Sum x * w, in 32 bits.
void add_patches(DirectedSet& set, const std::vector<std::vector<std::int32_t>>& weights,
                 const std::vector<std::int64_t>& starts, DType x_type) {
  constexpr std::int64_t kWrap = std::int64_t{1} << 32;
  const IntegerRange range = integer_range(x_type);
  std::size_t count = 0;
  set.patch_type = x_type;
  for (DirectedRow& row : set.rows) {
    const std::int64_t channel = row.operands[0], sum = row.operands[1] - one_or(starts, channel);
    for (const std::int64_t other : {std::int64_t{0}, kWrap, -kWrap}) {
      const auto patch = patch_for(one_or(weights, channel), range, sum + other);
      if (!patch) continue;
      set.patches.insert(set.patches.end(), patch->begin(), patch->end());
      row.patch = count++;
      break;
    }
  }
}

// `products`, the shape of what is summed for one accumulator.
DirectedSet sum_rows(const std::string& step, const work::Sum& sum, const work::Requantize& rule, const Sum& numbers,
                     const Epilogue& epilogue, DType w_type, const Shape& products, DType y_type) {
  const bool known = !sum.weights.empty();
  const auto& requantize = std::get<Requantize>(epilogue.front());
  RequantizedChannels layer{
      .channels = requantize.channels,
      .reach = known ? accumulator_reach(sum)
                     : std::vector<Interval>{accumulator_reach(sum, w_type, element_count(products))},
      .starts = {numbers.starts.begin(), numbers.starts.end()},
      .multipliers = rule.multipliers,
      .zero_point = rule.y.zero_point,
      .type = rule.type,
      .behind = clamps_behind(epilogue, 1)};
  layer.range = clamped_range(integer_range(rule.type), epilogue, 1);
  layer.clamped = epilogue.size() > 1;
  DirectedSet set = requantize_rows(step, layer, y_type);
  if (!known) return set;
  std::vector<std::vector<std::int32_t>> weights;
  for (std::int64_t channel = 0; channel < sum.channels; ++channel) {
    std::vector<std::int32_t>& row = weights.emplace_back();
    for (std::int64_t k = 0; k < sum.products; ++k)
      row.push_back(static_cast<std::int32_t>(sum.weights.int_at(channel * sum.products + k)) -
                    one_or(sum.w_zero_points, channel));
  }
  set.patch_shape = products;
  add_patches(set, weights, layer.starts, sum.x_type);
  return set;
}

// ---- two bytes

// For an addition: the pairs that every slice needs.
std::set<std::pair<std::int64_t, std::int64_t>> plane_corners(const PairedBytes& layer, const IntegerRange& range) {
  using Place = std::pair<std::int64_t, std::int64_t>;
  const IntegerRange bytes = layer.range;
  const auto place_of = [&](std::int64_t a, std::int64_t b) {
    return static_cast<std::size_t>((a - bytes.min) * 256 + (b - bytes.min));
  };
  std::vector<std::int32_t> values(65536);
  std::vector<bool> is_plain(values.size(), true);
  for (std::int64_t a = bytes.min; a <= bytes.max; ++a)
    for (std::int64_t b = bytes.min; b <= bytes.max; ++b) values[place_of(a, b)] = layer(a, b);
  for (const PairException& exception : std::get<IntegerAddition>(layer.pair).exceptions)
    for (std::int64_t b = exception.first; b <= exception.last; ++b) is_plain[place_of(exception.a, b)] = false;
  // Each slice is a line of pairs with the same number, ordered by position.
  using Slices = std::map<std::int64_t, std::vector<LinePoint>>;
  const auto corners = [&](auto slice_of) {
    Slices slices;
    for (std::int64_t a = bytes.min; a <= bytes.max; ++a)
      for (std::int64_t b = bytes.min; b <= bytes.max; ++b)
        if (is_plain[place_of(a, b)]) {
          const auto [number, at] = slice_of(a, b);
          slices[number].push_back({at, values[place_of(a, b)]});
        }
    std::set<Place> found;
    for (const auto& [number, points] : slices)
      for (const LinePoint& corner : line_corners(points, range)) found.insert({number, corner.at});
    return found;
  };
  const std::set<Place> rows = corners([](auto a, auto b) { return Place{a, b}; });
  const std::set<Place> columns = corners([](auto a, auto b) { return Place{b, a}; });
  const std::set<Place> rising = corners([](auto a, auto b) { return Place{a - b, a}; });
  const std::set<Place> falling = corners([](auto a, auto b) { return Place{a + b, a}; });
  std::set<Place> common;
  for (const auto& [a, b] : rows)
    if (columns.contains({b, a}) && rising.contains({a - b, a}) && falling.contains({a + b, a})) common.insert({a, b});
  return common;
}

std::vector<std::pair<std::int64_t, std::int64_t>> every_pair(const IntegerRange& bytes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t a = bytes.min; a <= bytes.max; ++a)
    for (std::int64_t b = bytes.min; b <= bytes.max; ++b) pairs.emplace_back(a, b);
  return pairs;
}

void add_sum_pairs(const PairedBytes& layer, const IntegerAddition& addition, const IntegerRange& range,
                   std::set<std::pair<std::int64_t, std::int64_t>>& places) {
  places.merge(plane_corners(layer, range));
  for (const PairException& exception : addition.exceptions)
    for (const std::int64_t b : {exception.first - 1, exception.first, exception.last, exception.last + 1})
      if (b >= layer.range.min && b <= layer.range.max) places.insert({exception.a, b});
}

// A product's requantizer sees some accumulators alone: of each the first pair that gives it.
void add_product_pairs(const PairedBytes& layer, const Multiplication& product, const IntegerRange& range,
                       std::set<std::pair<std::int64_t, std::int64_t>>& places) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> pairs;
  for (const auto& [a, b] : every_pair(layer.range))
    pairs.try_emplace((a - product.a_zero_point) * (b - product.b_zero_point), a, b);
  const IntegerRequantizer& r = product.requantize;
  const auto is_plain = [&](std::int64_t acc) {
    return std::ranges::none_of(r.exceptions, [&](const auto& e) { return e.first <= acc && acc <= e.last; });
  };
  std::vector<LinePoint> points;
  for (const auto& [acc, pair] : pairs)
    if (is_plain(acc))
      points.push_back({acc, layer(pair.first, pair.second)});
    else
      places.insert(pair);
  for (const LinePoint& corner : line_corners(points, range)) places.insert(pairs.at(corner.at));
  for (const RequantizerException& exception : r.exceptions)
    for (const std::int64_t acc : {exception.first - 1, exception.last + 1})
      if (const auto pair = pairs.find(acc); pair != pairs.end()) places.insert(pair->second);
}

DirectedSet pair_rows(const std::string& step, const work::Pairwise& rule, const Pairwise& task, DType type) {
  PairedBytes layer{.pair = task.pair,
                    .a = rule.a_meaning,
                    .b = rule.b_meaning,
                    .y = rule.y_meaning,
                    .range = integer_range(type),
                    .swapped = rule.swapped,
                    .behind = clamps_behind(task.epilogue, 0)};
  const IntegerRange range = clamped_range(layer.range, task.epilogue, 0);
  const IntegerRange bytes = layer.range;
  std::set<std::pair<std::int64_t, std::int64_t>> places = {
      {bytes.min, bytes.min}, {bytes.min, bytes.max}, {bytes.max, bytes.min}, {bytes.max, bytes.max}};
  if (const auto* addition = std::get_if<IntegerAddition>(&task.pair))
    add_sum_pairs(layer, *addition, range, places);
  else
    add_product_pairs(layer, std::get<Multiplication>(task.pair), range, places);
  DirectedSet set{.step = step, .kind = "pair", .operands = {"a", "b"}, .q_type = type};
  RowCollector rows(layer, mistakes_of(layer), set);
  std::uint64_t caught = 0;
  for (const auto& [a, b] : places) caught |= rows.add(a, b);
  rows.add_uncaught(caught, every_pair(bytes));
  return set;
}

// ---- tables and windows

DirectedSet table_rows(const std::string& step, const std::vector<NumberTable>& tables, DType x_type, DType y_type) {
  DirectedSet set{.step = step, .kind = "table", .operands = {"table", "x"}, .q_type = y_type};
  const auto right = [&](std::int64_t table, std::int64_t x) {
    return looked_up_byte(tables[static_cast<std::size_t>(table)], x);
  };
  std::vector<Mistake> mistakes = {
      {"address-offset", [&](std::int64_t table, std::int64_t x) { return right(table, x + 128); }}};
  if (tables.size() > 1)
    mistakes.push_back({"other-channel", [&](std::int64_t table, std::int64_t x) {
                          return right((table + 1) % static_cast<std::int64_t>(tables.size()), x);
                        }});
  RowCollector rows(right, std::move(mistakes), set);
  const IntegerRange bytes = x_type == DType::kInt8 ? IntegerRange{-128, 127} : IntegerRange{0, 255};
  for (std::size_t table = 0; table < tables.size(); ++table)
    for (std::int64_t x = bytes.min; x <= bytes.max; ++x) rows.add(static_cast<std::int64_t>(table), x);
  return set;
}

// Window `tap` has the greatest number at this tap and the least elsewhere; then one with the least alone, one with the
// greatest alone.
DirectedSet window_rows(const std::string& step, const Maximum& task, DType type) {
  DirectedSet set{.step = step, .kind = "maximum", .operands = {"window", ""}, .q_type = type};
  for (const Axis& axis : task.axes) set.patch_shape.push_back(axis.kernel);
  const std::int64_t taps = element_count(set.patch_shape);
  const IntegerRange range = integer_range(type);
  const auto least = static_cast<std::int32_t>(range.min), greatest = static_cast<std::int32_t>(range.max);
  const auto behind = clamps_behind(task.epilogue, 0);
  const auto pixel = [&](std::int64_t window, std::int64_t tap) {
    return window == tap || window == taps + 1 ? greatest : least;
  };
  const auto largest = [&](std::int64_t window, std::int64_t from, std::int64_t to, std::int32_t start) {
    for (std::int64_t tap = from; tap < to; ++tap) start = std::max(start, pixel(window, tap));
    return behind(start);
  };
  const auto right = [&](std::int64_t window, std::int64_t) { return largest(window, 0, taps, least); };
  RowCollector rows(
      right,
      {{"begins-at-zero", [&](std::int64_t w, std::int64_t) { return largest(w, 0, taps, std::max(least, 0)); }},
       {"first-tap-left-out", [&](std::int64_t w, std::int64_t) { return largest(w, 1, taps, least); }},
       {"last-tap-left-out", [&](std::int64_t w, std::int64_t) { return largest(w, 0, taps - 1, least); }}},
      set);
  set.patch_type = type;
  for (std::int64_t window = 0; window < taps + 2; ++window) {
    rows.add(window, 0);
    set.rows.back().patch = static_cast<std::size_t>(window);
    for (std::int64_t tap = 0; tap < taps; ++tap) set.patches.push_back(pixel(window, tap));
  }
  return set;
}

// ---- the kinds of steps

class DirectedMaker {
 public:
  DirectedMaker(const Step& step, const IntegerProgram& program, const IntegerStep& integer_step,
                std::vector<DirectedSet>& found)
      : step_(step), program_(program), name_(integer_step.name), found_(found) {}

  void operator()(const Convolution& task) {
    Shape products = {task.group_inputs};
    for (const Axis& axis : task.axes) products.push_back(axis.kernel);
    add_sum(std::get<work::Convolution>(step_.work), task, products);
  }
  void operator()(const MatrixProduct& task) {
    add_sum(std::get<work::MatrixProduct>(step_.work), task, {task.products});
  }
  void operator()(const Average& task) {
    const auto& rule = std::get<work::Pool>(step_.work);
    const IntegerRange range = integer_range(type(task.x));
    const auto& requantize = std::get<Requantize>(task.epilogue.front());
    RequantizedChannels layer{
        .channels = requantize.channels,
        .reach = {average_reach(rule.x_meaning, task.pixels, range)},
        .starts = {task.start},
        .multipliers = {average_multiplier(rule.x_meaning.scale, rule.y_meaning.scale, task.pixels)},
        .zero_point = rule.y_meaning.zero_point,
        .type = type(task.x),
        .behind = clamps_behind(task.epilogue, 1)};
    layer.range = clamped_range(range, task.epilogue, 1);
    layer.clamped = task.epilogue.size() > 1;
    DirectedSet set = requantize_rows(name_, layer, type(task.y));
    set.patch_shape = {task.pixels};
    add_patches(set, {std::vector<std::int32_t>(static_cast<std::size_t>(task.pixels), 1)}, layer.starts, type(task.x));
    found_.push_back(std::move(set));
  }
  void operator()(const Pairwise& task) {
    found_.push_back(pair_rows(name_, std::get<work::Pairwise>(step_.work), task, type(task.a)));
  }
  void operator()(const Maximum& task) { found_.push_back(window_rows(name_, task, type(task.x))); }
  void operator()(const Concatenation& task) {
    std::vector<NumberTable> tables;
    for (const Concatenation::Part& part : task.parts) tables.push_back(part.table);
    found_.push_back(table_rows(name_, tables, type(task.parts.front().x), type(task.y)));
  }
  void operator()(const Selection& task) {
    found_.push_back(table_rows(name_, {task.a.table, task.b.table}, type(task.a.x), type(task.y)));
  }
  void operator()(const integer::Table& task) {
    found_.push_back(table_rows(name_, {task.table}, type(task.x), type(task.y)));
  }
  void operator()(const ChannelTables& task) {
    found_.push_back(table_rows(name_, task.tables, type(task.x), type(task.y)));
  }
  void operator()(const Move&) {}  // computes nothing

 private:
  DType type(TensorId tensor) const { return program_.tensors[tensor].type; }

  template <typename RuleOfSum, typename TaskOfSum>
  void add_sum(const RuleOfSum& rule, const TaskOfSum& task, const Shape& products) {
    if (task.epilogue.empty()) return;  // the accumulators themselves
    found_.push_back(sum_rows(name_, rule.sum, std::get<work::Requantize>(rule.epilogue.front()), task.sum,
                              task.epilogue, type(task.w), products, type(task.y)));
  }

  const Step& step_;
  const IntegerProgram& program_;
  const std::string& name_;
  std::vector<DirectedSet>& found_;
};

}  // namespace

std::vector<DirectedSet> directed_vectors(const Step& step, const IntegerProgram& program,
                                          const IntegerStep& integer_step) {
  std::vector<DirectedSet> found;
  DirectedMaker maker(step, program, integer_step, found);
  std::visit(maker, integer_step.task);
  return found;
}

}  // namespace octet
