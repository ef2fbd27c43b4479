// contender.h: something that runs a network, and is timed.
#pragma once

#include <string>
#include <vector>

#include "octet/engine/engine.h"

namespace octet {

class Contender {
 public:
  virtual ~Contender() = default;

  // What it is told once and says of itself.
  struct Facts {
    std::string name;      // for tables: "ONNX Runtime, exact"
    std::string runtime;   // "ONNX Runtime 1.31.1"
    std::string settings;  // that bear on speed
    double load = 0;       // nanoseconds from the file until it could run
    double first_run = 0;  // nanoseconds
  };
  const Facts& facts() const { return facts_; }
  // The outputs of the first run.
  const NamedTensors& outputs() const { return outputs_; }

  // Runs it so many times; nanoseconds of each.
  virtual std::vector<double> run(int times) = 0;

 protected:
  Facts facts_;
  NamedTensors outputs_;
};

}  // namespace octet
