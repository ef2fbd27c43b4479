#include "octet/evaluate/try_preprocessing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "octet/base/fail.h"
#include "octet/evaluate/evaluate.h"
#include "octet/graph/lookup.h"
#include "octet/program/lower.h"
#include "octet/spec/operators.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"

namespace octet {
namespace {

const std::vector<TriedPreprocessing>& common_forms() {
  static const std::vector<TriedPreprocessing> forms = {
      {.options = "--pixels unit", .pixels = {.divisor = 255, .mean = {}, .deviation = {}}},
      {.options = "--mean 0.485,0.456,0.406 --deviation 0.229,0.224,0.225",
       .pixels = {.divisor = 255, .mean = {0.485F, 0.456F, 0.406F}, .deviation = {0.229F, 0.224F, 0.225F}}},
      {.options = "--mean 0.5 --deviation 0.5", .pixels = {.divisor = 255, .mean = {0.5F}, .deviation = {0.5F}}},
      {.options = "--pixels byte", .pixels = {.divisor = 1, .mean = {}, .deviation = {}}},
      {.options = "--pixels byte --mean 127 --deviation 128",
       .pixels = {.divisor = 1, .mean = {127}, .deviation = {128}}},
      {.options = "--pixels byte --mean 103.939,116.779,123.68 --channel-order bgr",
       .pixels = {.divisor = 1, .mean = {103.939F, 116.779F, 123.68F}, .deviation = {}},
       .bgr = true}};
  return forms;
}

// The stored mean and variance of a BatchNormalization.
struct StoredNorm {
  Tensor mean, variance;
  double epsilon = 1e-5;
};

// By the value that they read.
std::map<std::string, StoredNorm> norms_of(const Model& model) {
  std::map<std::string, const Tensor*> constants;
  for (const Initializer& initializer : model.graph.initializers) constants[initializer.name] = &initializer.tensor;
  std::map<std::string, StoredNorm> norms;
  for (const Node& node : model.graph.nodes) {
    if (!is(node, ops::kBatchNormalization) || node.inputs.size() < 5) continue;
    const auto mean = constants.find(node.inputs[3]), variance = constants.find(node.inputs[4]);
    if (mean == constants.end() || variance == constants.end()) continue;
    norms[node.inputs[0]] = {convert(*mean->second, DType::kFloat), convert(*variance->second, DType::kFloat),
                             static_cast<double>(node.attributes.get_float("epsilon", 1e-5F))};
  }
  return norms;
}

// The sum of squares and the number of elements.
struct Squares {
  double sum = 0;
  std::int64_t count = 0;

  void add(const Tensor& x, const StoredNorm& norm) {
    const std::int64_t channels = norm.mean.size();
    if (x.rank() < 2 || x.shape()[1] != channels || x.dtype() != DType::kFloat) return;
    const std::int64_t inner = element_count(std::span(x.shape()).subspan(2));
    const auto values = x.as<float>();
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const std::int64_t channel = i / inner % channels;
      const double from_mean = static_cast<double>(values[static_cast<std::size_t>(i)]) - norm.mean.number_at(channel);
      sum += from_mean * from_mean / (norm.variance.number_at(channel) + norm.epsilon);
    }
    count += x.size();
  }
};

bool is_image_input(const Model& model) {
  const std::vector<const Value*> inputs = required_inputs(model.graph);
  return inputs.size() == 1 && inputs[0]->type.dtype == DType::kFloat && is_image_shaped(*inputs[0]);
}

// How far the spread is from 1, in octaves.
double implausibility(const TriedPreprocessing& tried) {
  return tried.spread && *tried.spread > 0 ? std::abs(std::log2(*tried.spread)) : 0;
}

}  // namespace

PreprocessingHint try_preprocessings(const Model& model, const TryPreprocessingOptions& options) {
  if (!is_image_input(model))
    fail(ErrorCode::kUsage, "the model's input is none of images in float32: there is nothing to try");
  const std::map<std::string, StoredNorm> norms = norms_of(model);
  const auto engine = make_engine(options.engine, lower(model, Policy::kAsWritten), {.threads = options.threads});
  const std::string output = engine->program().values[engine->program().outputs.at(0)].name;
  PreprocessingHint hint{.samples = 0, .labelled = true, .tried = {}};
  for (TriedPreprocessing form : common_forms()) {
    Score score;
    Squares squares;
    const auto samples = options.open(form.pixels, form.bgr);
    if (!samples) continue;
    while (const std::optional<Batch> batch = samples->next(options.batch)) {
      const auto observe = [&](const std::string& name, const Tensor& value) {
        if (const auto norm = norms.find(name); norm != norms.end()) squares.add(value, norm->second);
      };
      const Tensor scores = engine->run(batch->inputs, {.observe = observe}).at(output);
      hint.labelled = hint.labelled && !batch->labels.empty() && label_misfit(scores, *batch, score.samples()).empty();
      if (hint.labelled) add_scores(score, scores, *batch);
      if (hint.tried.empty()) hint.samples += batch->samples;
    }
    if (!samples->preprocessing())
      fail(ErrorCode::kUsage, "these samples are no images or bytes: they are inputs already");
    form.right = score.top1();
    if (squares.count > 0) form.spread = squares.sum / static_cast<double>(squares.count);
    hint.tried.push_back(std::move(form));
    if (options.progress) options.progress(hint.tried.size(), common_forms().size());
  }
  if (!hint.labelled && norms.empty())
    fail(ErrorCode::kUsage,
         "nothing tells which preprocessing is right: the samples have no labels for this model, and it has no "
         "BatchNormalization");
  std::ranges::stable_sort(hint.tried, [&](const TriedPreprocessing& a, const TriedPreprocessing& b) {
    if (hint.labelled && a.right != b.right) return a.right > b.right;
    return implausibility(a) < implausibility(b);
  });
  return hint;
}

std::string hint_text(const PreprocessingHint& hint, std::size_t width) {
  Table table({{"preprocessing", Table::Fit::kWrap, false, 30},
               {"right", Table::Fit::kWhole, true},
               {"normalized", Table::Fit::kWhole, true}});
  for (const TriedPreprocessing& tried : hint.tried)
    table.add({tried.options, hint.labelled ? fmt::format("{} of {}", tried.right, hint.samples) : "",
               tried.spread ? fmt::format("{:.3g}", *tried.spread) : ""});
  std::string text = table.text(width);
  text += fmt::format("\n{} tried; the first fits best", counted(hint.samples, "sample"));
  if (hint.tried.front().spread)
    text += "; normalized is the mean square of what BatchNormalization makes: 1 where it was trained";
  return text + "\n";
}

}  // namespace octet
