// quantization.h: from a float model to an 8-bit one, as the options of a command line say.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"
#include "cli/samples_options.h"
#include "octet/engine/engine.h"
#include "octet/graph/model.h"
#include "octet/quantize/choice_names.h"
#include "octet/quantize/quantize_model.h"

namespace octet::cli {

// What octet quantize can be asked, and what octet compile can be asked on the way.
struct QuantizationOptions {
  std::string model;
  bool force = false;
  SamplesOptions samples;
  // static
  std::string calibration = choice_name(QuantizeOptions().calibration), ranges, save_ranges;
  std::string format = choice_name(StaticOptions().format);
  std::string activations{name(StaticOptions().activations)}, weights{name(StaticOptions().weights)};
  std::string target;  // empty: none
  double percentile = CalibrationOptions().percentile;
  bool per_tensor = false, per_channel = false, symmetric_activations = false, asymmetric_weights = false,
       reduce_range = false;
  std::string scales = choice_name(StaticOptions().scale_form),
              zero_points = choice_name(StaticOptions().zero_point_form),
              residual = choice_name(StaticOptions().residual_form),
              average_pool = choice_name(StaticOptions().average_pool_form),
              global_average_pool = choice_name(StaticOptions().global_pool_form);
  std::string save_simplified;
  std::string equalize, bias_correction;  // empty: not asked for
  bool optimize_rounding = false;
  // dynamic
  bool dynamic = false;
  std::vector<std::string> dynamic_kinds;
  std::string dynamic_text, nnpa_dynamic, nnpa_op_types;  // as they were given
  // which nodes
  std::vector<std::string> op_types, exclude, wide;
  std::string rules, save_rules, engine = kDefaultEngine;
  int threads = 0;
};

// What quantize_model() returned, and the file that its ranges were read from: empty where they were observed.
struct Outcome : QuantizeResult {
  std::string ranges_file;
};

// All but the model and its output.
void add_quantization_options(CommandLine line, QuantizationOptions& options);
void add_calibration_option(CommandLine line, std::string& calibration);
// Those that say nothing unless something is quantized.
std::vector<std::string> quantization_options();
// After the command line is read: what the options say together. Throws kUsage for those that are not used.
void check_quantization_options(const CommandLine& line, QuantizationOptions& options);

// The methods that repair a static quantization.
Repairs repairs_of(const QuantizationOptions& options);

// The file of ranges that serves when there are no samples: the one that was named, else "<model>_ranges.json" beside
// the model, where that is; else empty.
std::string ranges_file_of(const QuantizationOptions& options);

// Quantizes as the options say, and writes --save-simplified and --save-ranges on the way. Throws octet::Error.
Outcome quantized(const QuantizationOptions& options, Model model);

}  // namespace octet::cli
