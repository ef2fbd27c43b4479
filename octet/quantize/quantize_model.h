// quantize_model.h: a float network to an 8-bit network, from the model as it was loaded to the model to save.
//
//   1. The opset is raised where the model's has no QuantizeLinear (dynamic: no DynamicQuantizeLinear), and the graph is simplified.
//   2. Static quantization equalizes channels, where that is asked for, and observes ranges or reads them from a file.
//   3. It repairs weights and biases, plans, and writes QDQ or operator format. Dynamic quantization needs no samples.
//   4. The result is lowered: the report says what the integer program computes of each node.
//
// Nothing is written to files: the caller saves what it wants of the result.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/graph/model.h"
#include "octet/program/quantized_share.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/dynamic.h"
#include "octet/quantize/options.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/ranges_file.h"
#include "octet/quantize/repair.h"
#include "octet/quantize/sample_runs.h"
#include "octet/quantize/selection.h"

namespace octet {

struct QuantizeOptions {
  std::optional<DynamicOptions> dynamic;  // else static, as the next four fields say
  StaticOptions options;
  Calibration calibration = Calibration::kMinMax;
  double percentile = CalibrationOptions().percentile;  // of Calibration::kPercentile
  Repairs repairs;

  Selection selection = Selection();  // which nodes; default: all
  SampleRuns runs;               // calibration samples; without `samples` there are none, and ranges come from the file
  std::filesystem::path ranges;  // a file that save_ranges() wrote, read when there are no samples
  bool observe_all = false;      // observe every tensor, so that the ranges serve other options too

  std::string name = "the model";  // what errors call it
  bool allow_quantized = false;    // quantize what is float in a model that is quantized already

  // Called as soon as the result is known, before stages that can fail or take long. May be empty.
  std::function<void(const Model&)> on_simplified;
  std::function<void(const RangesFile&)> on_ranges;
  Progress calibrating;
  RepairProgress repairing;
};

struct QuantizeResult {
  Model model;
  Model simplified;                      // the float model that was quantized: raised, folded, equalized
  std::vector<NodeVerdict> report;       // one entry per node of `simplified`
  std::vector<std::string> warnings;     // one line each
  std::string how;                       // the options that decided, in one line
  std::optional<RangesFile> ranges;      // of static quantization
  std::optional<QuantizedShare> share;   // absent where the result has no program
  std::string no_program;                // why it has none
  std::vector<EqualizedPair> equalized;  // what the repairs changed
  std::vector<RoundedWeights> rounded;
  std::vector<CorrectedBias> corrected;
};

// Throws kUsage when the model is quantized already, when static quantization has neither samples nor ranges, when the options
// contradict each other, and when nothing can be quantized.
QuantizeResult quantize_model(Model model, const QuantizeOptions& options);

// The float model as static quantization takes it: of an opset that has QuantizeLinear, and simplified. Throws kUsage, naming
// `name`, when the model is quantized already.
Model simplified_model(Model model, const std::string& name = "the model");

}  // namespace octet
