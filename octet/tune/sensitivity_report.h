// sensitivity_report.h: the layers that 8 bits hurt, from samples to text, JSON, a picture and rules that spare the worst.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "octet/quantize/calibrate.h"
#include "octet/tune/sensitivity.h"
#include "octet/tune/trials.h"

namespace octet {

// What becomes of the layers that hurt most.
struct KeptLayers {
  std::optional<int> count;  // so many; else as many as make half of the noise
  bool wide = false;         // 8 bits with 16-bit activations; else float
};

struct FindSensitivityOptions {
  Calibration calibration = Calibration::kMinMax;
  StaticOptions quantization;
  std::optional<KeptLayers> keep;
  Progress calibration_progress;  // in samples
  Progress progress;              // in networks that were measured
};

struct FoundSensitivity {
  Sensitivity measured;
  Calibration calibration = Calibration::kMinMax;
  bool kept_wide = false;               // else float
  std::vector<Layer> kept;              // the worst; empty where none was asked for
  std::vector<NodeDecision> decisions;  // that make them so: rules_text() writes them
};

// Calibrates the model of the trials and measures its layers, with the engine of their runs.
FoundSensitivity find_sensitivity(const Trials& trials, const FindSensitivityOptions& options = {});

// Tables for people, no wider than `width`.
std::string sensitivity_text(const FoundSensitivity& found, const Baseline& baseline, std::size_t width);

// docs/schemas/sensitivity.schema.json; `model` is what the document calls the network.
std::string sensitivity_json(const FoundSensitivity& found, const Trials& trials, const std::string& model);

// Each layer's share of the noise, as SVG.
std::string sensitivity_picture(const FoundSensitivity& found, const Baseline& baseline);

}  // namespace octet
