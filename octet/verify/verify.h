// verify.h: a program against another implementation of the same network, tensor by tensor.
//
// Every tensor is compared twice. End to end: both sides start from the network's inputs. Step by step: Octet computes
// each step from the judge's own tensors, so that one difference does not become a thousand.
//
// Integers are compared exactly. Where the judge says that it computed an integer tensor in float, an element may be
// off by one near a tie (near_tie.h); those are counted apart. Floating-point tensors are held to float_tolerance.h, or to
// the last bit where the judge promises that.
//
// Where a tensor differs and is, as a whole, what saturating pairs of products of uint8 and int8 give
// (pair_products.h), its differing elements are counted once more as such.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "octet/engine/engine.h"
#include "octet/verify/difference.h"
#include "octet/verify/judge.h"
#include "octet/verify/near_tie.h"
#include "octet/verify/runtime_rewrite.h"
#include "octet/verify/step_groups.h"

namespace octet {

struct TensorVerdict {
  std::string tensor;
  std::size_t step = 0;     // that makes it
  std::string computed_by;  // the judge's operator, if it says
  bool is_float = false;
  std::int64_t elements = 0, differing = 0, near_ties = 0;  // near ties are not among the differing
  std::int64_t saturated = 0;                               // of the differing: what saturating pairs give
  double largest = 0;    // |a - b|, of those that differ if any do; of integers, in LSB
  double tolerance = 0;  // of that very element, a float; 0 where all are the same to the last bit
  std::string wrong;     // another type or shape: not compared. Else empty

  bool equal() const { return differing == 0 && wrong.empty(); }
};

// One element that differs on the judge's own inputs.
struct Witness {
  std::size_t step = 0;
  std::string tensor;
  Shape index;
  Tensor ours, theirs;      // one element each
  bool saturated = false;   // theirs is what saturating pairs give
  std::string note;         // the cause, if known
  std::string explanation;  // how Octet computes the element; first witness only
};

// Fills in the note of a witness, and of the first one the explanation. `inputs` are the tensors that its step reads: they are
// freed after the call, so that many witnesses take no memory.
using DescribeWitness = std::function<void(Witness& witness, const NamedTensors& inputs, bool first)>;

struct Verification {
  std::string other = "the judge";               // whose tensors Octet's are compared with
  std::vector<TensorVerdict> end_to_end, steps;  // in the program's order
  std::vector<Witness> witnesses;                // the first of each tensor, in the program's order
  std::vector<std::string> missing;              // outputs of the network that the judge did not give, or got wrong
  std::set<std::string> rounded_before;          // tensors that a near tie or a float rounding leads to
  std::int64_t batches = 0, runs = 0;            // runs of the judge
  std::string runtime;
  std::map<std::string, std::int64_t> operators;  // executed; of several runs of a batch, by all together
  std::vector<LeftOut> left_out;                  // rewrites of the runtime's own that the judge was told to leave out

  // Every step gives the judge's result from the judge's tensors, and what differs from end to end follows from near
  // ties or from float results that the two round differently.
  bool agrees() const;
  // Nothing differs: not an integer, and no float by more than its tolerance.
  bool identical() const;
  // It would agree if the other side had not saturated pairs of products.
  bool differs_by_saturation() const;
};

// How floats are compared.
enum class Floats { kWithinTolerance, kToTheBit };

class Verifier {
 public:
  explicit Verifier(const Engine& engine, Floats floats = Floats::kWithinTolerance, DescribeWitness describe = {});

  // One batch. Throws kUsage when the judge gave no tensor that the program has.
  void add(const NamedTensors& inputs, const JudgeAnswer& theirs);
  // One batch in groups of steps: the judge is asked for each group's tensors when its turn comes, and no more than one
  // answer is held. Progress counts the steps.
  void add(const NamedTensors& inputs, std::span<const StepGroup> groups,
           const std::function<JudgeAnswer(const StepGroup&)>& ask, const Progress& progress = {});
  // Two dumps in place of a run: `golden` against `mine`, and each step on mine's own tensors, as far as mine has what
  // it reads.
  void add_dumps(const NamedTensors& golden, const NamedTensors& mine);
  // From now on the judge leaves out a rewrite of its own.
  void leave_out(const LeftOut& rewrite) { result_.left_out.push_back(rewrite); }
  const Verification& result() const { return result_; }

 private:
  struct Walk;
  using Places = std::unordered_map<std::string, std::size_t>;  // of verdicts, by tensor
  struct Verdicts {
    std::vector<TensorVerdict>& list;
    Places& places;
  };

  void compare_group(Walk& walk, const StepGroup& group, const JudgeAnswer& theirs, const Progress& progress);
  void compare_end_to_end(Walk& walk, std::size_t step, const JudgeAnswer& theirs);
  void check_step(Walk& walk, std::size_t step, const JudgeAnswer& theirs);
  void finish(const Walk& walk, const JudgeAnswer& theirs);
  // `values` holds what the step reads; `alone` says that the judge read the same.
  void compare(Verdicts verdicts, std::size_t step, const std::string& tensor, const Tensor& ours,
               const JudgeAnswer& theirs, const NamedTensors& values, bool alone);
  void add_witness(Witness witness, const NamedTensors& inputs);
  // What the step gives where pairs of products saturate; nothing for steps without such sums.
  std::optional<Tensor> saturated_result(std::size_t step, const std::string& tensor, const NamedTensors& values);

  // A step whose integers the judge does not have, and what it read.
  struct Hidden {
    std::size_t step;
    NamedTensors read;
    std::shared_ptr<const Hidden> source;  // of all it read, if that is hidden too
  };
  using HiddenPointer = std::shared_ptr<const Hidden>;
  HiddenPointer hidden_source(const NamedTensors& values) const;
  // What a step's integers are before they are rounded; behind moves of hidden ones, what those are.
  std::optional<FloatResult> real_numbers(std::size_t step, const NamedTensors& values,
                                          const HiddenPointer& source) const;

  Difference difference_of(const Tensor& ours, const Tensor& theirs, std::span<const double> tolerances) const;

  const Engine& engine_;
  Floats floats_;
  DescribeWitness describe_;
  std::map<std::string, HiddenPointer> hidden_;     // by the integers, until their last reader
  std::shared_ptr<const Engine> saturating_;        // the same program; made when needed
  std::map<std::string, std::size_t> last_reader_;  // by value, the last step that reads it
  Verification result_;
  Places end_to_end_, steps_;  // in the result
};

}  // namespace octet
