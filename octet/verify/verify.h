// verify.h: a program against another implementation of the same network, tensor by tensor.
//
// Every tensor is compared twice. End to end: both sides start from the network's inputs. Step by step: Octet computes
// each step from the judge's own tensors, so that one difference does not become a thousand.
//
// Integers are compared exactly. Where the judge says that it computed an integer tensor in float, an element may be
// off by one near a tie (near_tie.h); those are counted apart. Floating-point tensors are held to float_tolerance.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "octet/engine/reference_engine.h"
#include "octet/verify/judge.h"

namespace octet {

struct TensorVerdict {
  std::string tensor;
  std::size_t step = 0;     // that makes it
  std::string computed_by;  // the judge's operator, if it says
  bool is_float = false;
  std::int64_t elements = 0, differing = 0, near_ties = 0;  // near ties are not among the differing
  double largest = 0;                                       // |a - b|; of integers, in LSB
  double tolerance = 0;                                     // of floats
  std::string wrong;                                        // another type or shape: not compared. Else empty

  bool equal() const { return differing == 0 && wrong.empty(); }
};

// One element that differs on the judge's own inputs.
struct Witness {
  std::size_t step = 0;
  std::string tensor;
  Shape index;
  Tensor ours, theirs;  // one element each
  NamedTensors inputs;  // what the step reads
};

struct Verification {
  std::string other = "the judge";               // whose tensors Octet's are compared with
  std::vector<TensorVerdict> end_to_end, steps;  // in the program's order
  std::vector<Witness> witnesses;                // the first of each step, in the program's order
  std::vector<std::string> missing;              // outputs of the network that the judge did not give, or got wrong
  std::set<std::string> rounded_before;          // tensors that a near tie or a float rounding leads to
  std::int64_t samples = 0, batches = 0;
  std::string runtime;
  std::map<std::string, std::int64_t> operators;

  // Every step gives the judge's result from the judge's tensors, and what differs from end to end follows from near
  // ties or from float results that the two round differently.
  bool agrees() const;
  // Nothing differs: not an integer, and no float by more than its tolerance.
  bool identical() const;
};

class Verifier {
 public:
  explicit Verifier(const ReferenceEngine& engine) : engine_(engine) {}

  // One batch. Throws kUsage when the judge gave no tensor that the program has.
  void add(const NamedTensors& inputs, const JudgeAnswer& theirs);
  // Two dumps in place of a run: `golden` against `mine`, and each step on mine's own tensors, as far as mine has what
  // it reads.
  void add_dumps(const NamedTensors& golden, const NamedTensors& mine);
  const Verification& result() const { return result_; }

 private:
  void compare_values(const NamedTensors& ours, const JudgeAnswer& theirs);
  void check_steps(NamedTensors known, const JudgeAnswer& theirs);
  // `values` holds what the step reads; `alone` says that the judge read the same.
  void compare(std::vector<TensorVerdict>& verdicts, std::size_t step, const std::string& tensor, const Tensor& ours,
               const JudgeAnswer& theirs, const NamedTensors& values, bool alone);

  const ReferenceEngine& engine_;
  Verification result_;
};

// The model with every value of the program that it computes among its outputs, dequantized ones left out: that would
// keep a runtime from fusing.
Model with_values_exposed(Model model, const Program& program);

}  // namespace octet
