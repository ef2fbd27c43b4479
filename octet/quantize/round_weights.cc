#include "octet/quantize/round_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>

#include "octet/base/fail.h"
#include "octet/base/parallel.h"
#include "octet/graph/new_names.h"
#include "octet/program/lower.h"
#include "octet/quantize/places.h"
#include "octet/quantize/weight_channels.h"

namespace octet {
namespace {

constexpr std::int64_t kPlacesOfASample = 32, kPlaces = 16384;
constexpr std::int64_t kMostProducts = 2304;                // of which G has 42 MB
constexpr std::size_t kMostNumbers = std::size_t{1} << 27;  // of all G that are summed in one run: 1 GiB
constexpr int kMostPasses = 50;

// G, for each group of a layer.
struct Gram {
  std::int64_t products, groups, places = 0;
  std::vector<double> sums;

  explicit Gram(const LayerShape& shape)
      : products(shape.products),
        groups(shape.groups),
        sums(static_cast<std::size_t>(shape.groups * shape.products * shape.products), 0) {}

  std::span<double> of(std::int64_t group) {
    const auto size = static_cast<std::size_t>(products * products);
    return std::span(sums).subspan(static_cast<std::size_t>(group) * size, size);
  }

  // Rows in order, independent of which thread computes which element.
  void add(const std::vector<float>& rows, const Parallel& parallel) {
    const std::int64_t width = products * groups;
    const std::int64_t count = std::min(static_cast<std::int64_t>(rows.size()) / width, kPlaces - places);
    parallel.for_each_block(width, 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = 0; r < count; ++r)
        for (std::int64_t i = begin; i < end; ++i) {
          const float* row = rows.data() + r * width + i / products * products;
          const auto x = static_cast<double>(row[i % products]);
          if (x == 0) continue;
          double* sum = sums.data() + i * products;
          for (std::int64_t j = 0; j < products; ++j) sum[j] += x * static_cast<double>(row[j]);
        }
    });
    places += count;
  }

  // Adds the places that have not been seen; returns what each diagonal element got.
  double regularize(std::int64_t group) {
    const std::span<double> g = of(group);
    double trace = 0;
    for (std::int64_t i = 0; i < products; ++i) trace += g[static_cast<std::size_t>(i * (products + 1))];
    const double more = trace / static_cast<double>(places);
    for (std::int64_t i = 0; i < products; ++i) g[static_cast<std::size_t>(i * (products + 1))] += more;
    return more;
  }
};

struct Energies {
  double signal = 0, before = 0, after = 0;
  std::size_t changed = 0;
};

// One output channel: its weights, its integers, and what they may become.
class Channel {
 public:
  // `unseen` stands on the diagonal of `gram` beside what was seen.
  Channel(std::span<const double> weights, float scale, std::int32_t zero_point, std::span<const double> gram,
          double unseen)
      : weights_(weights), scale_(static_cast<double>(scale)), zero_point_(zero_point), gram_(gram), unseen_(unseen) {}

  // `integers` from the nearest on, inside [low, high]; those in `fixed` stay.
  Energies descend(std::vector<std::int64_t>& integers, const std::vector<bool>& fixed, std::int64_t low,
                   std::int64_t high) {
    const std::size_t count = weights_.size();
    difference_.resize(count);
    for (std::size_t k = 0; k < count; ++k) difference_[k] = real(integers[k]) - weights_[k];
    gradient_.assign(count, 0);
    for (std::size_t k = 0; k < count; ++k)
      if (difference_[k] != 0) move(k, difference_[k]);
    Energies found{.signal = energy(weights_), .before = energy(difference_)};
    const std::vector<std::int64_t> nearest = integers;
    bool changed = true;
    for (int pass = 0; changed && pass < kMostPasses; ++pass) {
      changed = false;
      for (std::size_t k = 0; k < count; ++k) {
        if (fixed[k]) continue;
        const std::int64_t other = other_integer(k, integers[k]);
        if (other < low || other > high) continue;
        const double step = real(other) - real(integers[k]);
        if (!(2 * step * gradient_[k] + step * step * gram_[k * (count + 1)] < 0)) continue;
        integers[k] = other;
        difference_[k] = real(other) - weights_[k];
        move(k, step);
        changed = true;
      }
    }
    found.after = energy(difference_);
    for (std::size_t k = 0; k < count; ++k) found.changed += integers[k] != nearest[k] ? 1 : 0;
    return found;
  }

 private:
  double real(std::int64_t integer) const { return scale_ * static_cast<double>(integer - zero_point_); }

  // On the other side of the weight.
  std::int64_t other_integer(std::size_t k, std::int64_t integer) const {
    return real(integer) > weights_[k] ? integer - 1 : integer + 1;
  }

  void move(std::size_t k, double step) {
    const std::size_t count = weights_.size();
    for (std::size_t j = 0; j < count; ++j) gradient_[j] += step * gram_[k * count + j];
  }

  // At the places that were seen.
  double energy(std::span<const double> d) const {
    double sum = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      double row = -unseen_ * d[i];
      for (std::size_t j = 0; j < d.size(); ++j) row += gram_[i * d.size() + j] * d[j];
      sum += d[i] * row;
    }
    return sum;
  }

  std::span<const double> weights_;
  double scale_;
  std::int32_t zero_point_;
  std::span<const double> gram_;
  double unseen_;
  std::vector<double> difference_, gradient_;
};

class WeightRounder {
 public:
  WeightRounder(Model model, const Ranges& ranges, const StaticOptions& options, const Selection& selection,
                const SampleRuns& runs, const Progress& progress)
      : given_(model),
        model_(std::move(model)),
        names_(model_.graph),
        decided_(plan(model_, ranges, options, selection)),
        runs_(runs),
        progress_(progress),
        parallel_(runs.threads) {}

  Rounded run() {
    find_layers();
    for (std::size_t first = 0; first < layers_.size();) {
      std::map<std::string, std::vector<std::size_t>> readers;  // layers by what they read
      std::map<std::size_t, Gram> grams;
      std::size_t numbers = 0;
      for (; first < layers_.size(); ++first) {
        Gram gram(layer_shape(node(layers_[first]), weights(layers_[first])));
        numbers += gram.sums.size();
        if (!grams.empty() && numbers > kMostNumbers) break;
        readers[node(layers_[first]).inputs[0]].push_back(layers_[first]);
        grams.emplace(layers_[first], std::move(gram));
      }
      see_places(readers, grams);
      for (auto& [layer, gram] : grams) {
        round(layer, gram);
        if (progress_) progress_(++done_, layers_.size());
      }
    }
    return {std::move(model_), std::move(report_)};
  }

 private:
  const Node& node(std::size_t i) const { return model_.graph.nodes[i]; }
  const Tensor& weights(std::size_t i) const { return find_initializer(model_.graph, node(i).inputs[1])->tensor; }

  const PlannedNode* planned(const std::string& name) const {
    const auto& nodes = decided_.model.graph.nodes;
    const auto found = std::ranges::find(nodes, name, &Node::name);
    return found == nodes.end() ? nullptr : &decided_.nodes[static_cast<std::size_t>(found - nodes.begin())];
  }

  void find_layers() {
    for (std::size_t i = 0; i < model_.graph.nodes.size(); ++i) {
      const PlannedNode* const plan = planned(node(i).name);
      if (!plan || !plan->weights) continue;
      const std::string left = obstacle(i);
      report_.push_back({.node = node(i).name, .left = left});
      if (left.empty()) layers_.push_back(i);
    }
  }

  std::string obstacle(std::size_t i) const {
    if (std::ranges::count(model_.graph.nodes, node(i).name, &Node::name) > 1) return "another node has its name";
    if (!is_plain_layer(node(i)) || !output_channels(node(i), weights(i)) || !input_channels(node(i), weights(i)))
      return "not a plain Conv, Gemm or MatMul";
    const LayerShape shape = layer_shape(node(i), weights(i));
    if (shape.products > kMostProducts)
      return fmt::format("{} products to an output; up to {} are looked at", shape.products, kMostProducts);
    if (static_cast<std::size_t>(shape.groups * shape.products * shape.products) > kMostNumbers)
      return fmt::format("{} groups of {} products to an output; too many to look at", shape.groups, shape.products);
    return {};
  }

  void see_places(const std::map<std::string, std::vector<std::size_t>>& readers, std::map<std::size_t, Gram>& grams) {
    const auto engine = make_engine(runs_.engine, lower(given_, Policy::kAsWritten), {.threads = runs_.threads});
    const auto see = [&](const std::string& name, const Tensor& value) {
      const auto found = readers.find(name);
      if (found == readers.end()) return;
      for (const std::size_t layer : found->second) {
        Gram& gram = grams.at(layer);
        if (gram.places < kPlaces) gram.add(places_of(node(layer), weights(layer), value, kPlacesOfASample), parallel_);
      }
    };
    const std::unique_ptr<SampleStream> samples = runs_.samples(given_);
    const auto wanting = [&] {
      return std::ranges::any_of(grams, [](const auto& gram) { return gram.second.places < kPlaces; });
    };
    while (wanting()) {
      const std::optional<Batch> batch = samples->next(runs_.batch);
      if (!batch) break;
      for (const auto& [name, value] : batch->inputs) see(name, value);
      engine->run(batch->inputs, {.observe = see});
    }
  }

  void round(std::size_t layer, Gram& gram) {
    RoundedWeights& report = *std::ranges::find(report_, node(layer).name, &RoundedWeights::node);
    const Tensor original = weights(layer);
    report.weights = static_cast<std::size_t>(original.size());
    if (gram.places == 0) {
      report.left = "no sample reached it";
      return;
    }
    const LayerShape shape = layer_shape(node(layer), original);
    const PlannedWeights& stored = *planned(node(layer).name)->weights;
    std::vector<double> unseen;
    for (std::int64_t group = 0; group < shape.groups; ++group) unseen.push_back(gram.regularize(group));
    Tensor rounded = original;
    const auto values = rounded.mutable_as<float>();
    const std::vector<Range> ranges = ranges_of(original, stored.parameters.axis, node(layer).inputs[1]);
    std::vector<Energies> energies(static_cast<std::size_t>(shape.channels));
    parallel_.for_each_block(shape.channels, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t m = begin; m < end; ++m)
        energies[static_cast<std::size_t>(m)] =
            round_channel(shape, m, original, stored, ranges[stored.parameters.axis ? static_cast<std::size_t>(m) : 0],
                          gram.of(shape.group_of(m)), unseen[static_cast<std::size_t>(shape.group_of(m))], values);
    });
    Energies all;
    for (const Energies& one : energies) {
      all.signal += one.signal;
      all.before += one.before;
      all.after += one.after;
      all.changed += one.changed;
    }
    report.changed = all.changed;
    report.before = decibels(all.signal, all.before);
    report.after = decibels(all.signal, all.after);
    if (all.changed > 0) store(model_.graph.nodes[layer], std::move(rounded));
  }

  static double decibels(double signal, double noise) {
    return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
  }

  // Weights that other nodes read too stay theirs.
  void store(Node& reader, Tensor rounded) {
    std::ptrdiff_t uses = 0;
    for (const Node& other : model_.graph.nodes) uses += std::ranges::count(other.inputs, reader.inputs[1]);
    if (uses == 1) {
      std::ranges::find(model_.graph.initializers, reader.inputs[1], &Initializer::name)->tensor = std::move(rounded);
      return;
    }
    reader.inputs[1] = names_.make(reader.name + "_rounded_weights");
    model_.graph.initializers.push_back({.name = reader.inputs[1], .tensor = std::move(rounded)});
  }

  static Energies round_channel(const LayerShape& shape, std::int64_t m, const Tensor& original,
                                const PlannedWeights& stored, const Range& range, std::span<const double> gram,
                                double unseen, std::span<float> result) {
    const std::size_t parameter = stored.parameters.axis ? static_cast<std::size_t>(m) : 0;
    const float scale = stored.parameters.scales[parameter];
    const std::int32_t zero_point = stored.parameters.zero_points[parameter];
    const auto values = original.as<float>();
    std::vector<double> weights;
    std::vector<std::int64_t> integers;
    std::vector<bool> fixed;
    for (std::int64_t k = 0; k < shape.products; ++k) {
      const std::size_t element = shape.element(m, k);
      const float value = values[element];
      weights.push_back(static_cast<double>(value));
      integers.push_back(stored.values.int_at(static_cast<std::int64_t>(element)));
      fixed.push_back(value == range.min || value == range.max);
    }
    const Parameters one{stored.parameters.dtype, {scale}, {zero_point}, std::nullopt};
    const Tensor ends = quantize_constant(Tensor::from<float>({2}, {range.min, range.max}), one);
    const std::vector<std::int64_t> nearest = integers;
    const Energies found =
        Channel(weights, scale, zero_point, gram, unseen).descend(integers, fixed, ends.int_at(0), ends.int_at(1));
    for (std::int64_t k = 0; k < shape.products; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (integers[i] != nearest[i])
        result[shape.element(m, k)] =
            std::clamp(scale * static_cast<float>(integers[i] - zero_point), range.min, range.max);
    }
    return found;
  }

  const Model given_;  // with the weights as they were
  Model model_;
  NewNames names_;
  const Plan decided_;
  const SampleRuns& runs_;
  const Progress& progress_;
  const Parallel parallel_;
  std::vector<std::size_t> layers_;
  std::vector<RoundedWeights> report_;
  std::size_t done_ = 0;
};

}  // namespace

Rounded round_weights(Model simplified, const Ranges& ranges, const StaticOptions& options, const Selection& selection,
                      const SampleRuns& runs, const Progress& progress) {
  return WeightRounder(std::move(simplified), ranges, options, selection, runs, progress).run();
}

}  // namespace octet
