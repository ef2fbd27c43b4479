// loss_report.h: what a network loses, as text, JSON and a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "octet/evaluate/loss.h"

namespace octet {

// What a tensor adds where that was measured, else its whole noise; in dB.
double damage(const TensorLoss& tensor);
// Worst first; the order of the network among equals.
std::vector<const TensorLoss*> by_damage(const Loss& loss);
// The outputs with less signal to noise than `least` dB.
std::vector<const TensorLoss*> outputs_below(const Loss& loss, double least);

// What a user should know before the figures count, a line each.
std::vector<std::string> warnings_of(const Loss& loss);

struct LossStyle {
  std::int64_t top = 0;     // so many inner tensors, the worst; 0: all
  bool weights = false;     // with the weights
  std::size_t width = 120;  // of tables, in columns
};
std::string loss_text(const Loss& loss, const LossStyle& style = {});

// What JSON calls them.
struct LossSource {
  std::string reference, model, engine;
};
// docs/schemas/loss.schema.json
std::string loss_json(const Loss& loss, const LossSource& source);

// What each tensor adds, worst first, as SVG.
std::string loss_picture(const Loss& loss);

}  // namespace octet
