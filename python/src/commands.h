// commands.h: what a command does, for Python. Each file of commands/ adds its own to the table in commands.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "octet/engine/engine.h"
#include "octet/export/vectors.h"
#include "octet/program/lower.h"
#include "python/src/model.h"
#include "python/src/options.h"
#include "python/src/program.h"
#include "python/src/report.h"
#include "python/src/samples.h"
#include "python/src/work.h"

namespace octet::python {

// A call of a command: its options, its models, and where its work is done.
class Call {
 public:
  Call(Options options, Work work) : options(std::move(options)), work(std::move(work)) {}

  const Options options;
  const Work work;

  // A model that the option holds, as Python's side of the package made it.
  SharedModel source(const char* option = "model") const;
  // The same with its dimensions bound, as the option `dim` says where there is one.
  std::shared_ptr<const Model> model(const char* option = "model", bool has_dims = true) const;

  Policy policy() const { return policy_named(options.text("policy")); }
  int threads() const { return static_cast<int>(options.integer("threads", 0, 1024)); }
  // The name of an engine that there is; empty where none is given.
  std::string engine() const;
  Samples samples(const char* seed = "seed") const { return {options, work, seed}; }

  template <typename F>
  auto run(F f) const {
    return work.run(std::move(f));
  }
};

// What runs the program of a model: an engine, or the model's file itself where it is compiled.
std::unique_ptr<const Engine> engine_of(const PythonModel& model, const std::string& engine, Program program,
                                        const EngineOptions& options);

// $OCTET_PYTHON where `given` is empty, as the command has it.
std::string python_named(const std::string& given);

// The text of a file that is written whole or not at all; nothing is written where the option names none.
void write_text(const Options& options, const char* option, const std::function<std::string()>& text);

// The inputs of several runs: the option input is one of them or a list; random makes one up.
std::vector<VectorInput> vector_inputs(const Call& call, const std::shared_ptr<const Model>& model);

Report inspect_report(const Call& call);
Report lower_report(const Call& call);
Report run_report(const Call& call);
Report quantize_report(const Call& call);
Report evaluate_report(const Call& call);
Report loss_report(const Call& call);
Report sensitivity_report(const Call& call);
Report tune_report(const Call& call);
Report explain_report(const Call& call);
Report verify_report(const Call& call);
Report compare_report(const Call& call);
Report conformance_report(const Call& call);
Report bounds_report(const Call& call);
Report simulate_report(const Call& call);
Report sweep_report(const Call& call);
Report draw_report(const Call& call);
Report bench_report(const Call& call);
Report export_report(const Call& call);
Report compile_report(const Call& call);
Report ops_report(const Call& call);
Report version_report(const Call& call);

void bind_commands(nb::module_& m);

}  // namespace octet::python
