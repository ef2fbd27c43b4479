// octet.h: the public tour. One include for everything a program needs to load a network, look at it and run it:
//
//   #include "octet/octet.h"
//
//   const octet::Model model = octet::load_model("resnet8.onnx");
//
//   for (const auto& [name, fact] : octet::infer(model))                       // types and shapes of every value
//     if (fact.shape) std::cout << name << " " << octet::to_string(*fact.shape) << "\n";
//
//   const octet::Program program = octet::lower(model, octet::Policy::kExact);  // the integer program
//   const auto engine = octet::make_engine("fast", program);                    // ONNX Runtime's arithmetic, every core
//   const octet::NamedTensors outputs = engine->run({{"image", octet::Tensor(octet::DType::kUint8, {1, 3, 32, 32})}});
//
// What a command does is one function: run_model, explain_model, draw, quantize_model, verify_model, compile_model,
// export_c, evaluate, measure_loss, tune, measure_settings. Options go in as a struct, and what was found comes out as
// one. Nothing is printed.
//
// octet/public_headers.txt lists every header that is installed: these, and those that they include.
//
// Whatever goes wrong is an octet::Error that says what was found, what was wanted, and where.
#pragma once

#include "octet/analyze/bounds.h"              // bounds: how wide registers must be
#include "octet/analyze/bounds_csv.h"          // bounds_csv: the constants in integers, channel by channel
#include "octet/analyze/bounds_report.h"       // bounds_text, bounds_json, bounds_picture
#include "octet/analyze/catalog.h"             // operators_text, version_text, and their JSON
#include "octet/analyze/explain.h"             // explain_element: how one element came about
#include "octet/analyze/explain_model.h"       // explain_model: the same of a run of a model
#include "octet/analyze/explanation.h"         // explanation_text, explanation_markdown, explanation_json
#include "octet/analyze/kernels_text.h"        // kernels_text: what an engine computes each step with
#include "octet/analyze/prove_bounds.h"        // prove_bounds: the bounds of a whole program, beside what samples reach
#include "octet/analyze/run_model.h"           // run_model, run_text, run_json
#include "octet/base/error.h"                  // Error
#include "octet/base/memory_budget.h"          // MemoryBudget: how much tensors may take
#include "octet/base/tensor.h"                 // Tensor, DType, Shape
#include "octet/base/trip_limit.h"             // TripLimit: how many trips a Loop may make
#include "octet/bench/bench.h"                 // measure, measure_settings: speed beside other runtimes
#include "octet/bench/bench_report.h"          // bench_text, bench_json, bench_picture
#include "octet/data/model_inputs.h"           // read_inputs, add_random_inputs, random_batches
#include "octet/data/preprocessing.h"          // Preprocessing: how samples become inputs, as a model records it
#include "octet/data/samples.h"                // SampleStream: inputs and labels from files, in batches
#include "octet/draw/dot_text.h"               // dot_text
#include "octet/draw/draw.h"                   // draw: a network as pictures, laid out
#include "octet/draw/draw_report.h"            // draw_text, draw_json
#include "octet/draw/excerpt.h"                // excerpt, excerpt_around
#include "octet/draw/render.h"                 // render: SVG and PNG
#include "octet/draw/residual_blocks.h"        // residual_blocks
#include "octet/draw/views.h"                  // full_view, folded_view, pattern_view, program_view
#include "octet/engine/bound_run.h"            // BoundRun: inputs and outputs in memory of the caller
#include "octet/engine/engine.h"               // Engine, engines, make_engine, EngineOptions, RunOptions, NamedTensors
#include "octet/engine/reference_engine.h"     // ReferenceEngine
#include "octet/evaluate/evaluate.h"           // evaluate: how often a classifier is right
#include "octet/evaluate/evaluation.h"         // Evaluation, evaluation_text, evaluation_json
#include "octet/evaluate/loss.h"               // measure_loss: what a network loses beside another, tensor by tensor
#include "octet/evaluate/loss_report.h"        // loss_text, loss_json, loss_picture
#include "octet/evaluate/sample_batches.h"     // sample_batches: samples as inputs in batches
#include "octet/evaluate/try_preprocessing.h"  // try_preprocessings: which common preprocessing a float model fits
#include "octet/export/compile_model.h"        // compile_model: a network as a shared library
#include "octet/export/compile_report.h"       // compile_text, compile_json
#include "octet/export/compiled_network.h"     // CompiledNetwork, compiled_engine: such a library as an engine
#include "octet/export/dump_comparison.h"      // compare_dumps: a program beside what C and hardware dumped
#include "octet/export/dump_report.h"          // dumps_text, dumps_json
#include "octet/export/export_c.h"             // export_c: a program as C99
#include "octet/export/export_report.h"        // exports_json: what was exported
#include "octet/export/prepare_export.h"       // prepare_export: a model ready to be exported
#include "octet/export/vectors.h"              // export_vectors: golden vectors
#include "octet/export/verilog.h"              // hardware_program, verilog
#include "octet/graph/default_dimensions.h"    // with_batch_of_one, with_symbols_as_one
#include "octet/graph/expand_functions.h"      // expand_functions
#include "octet/graph/infer.h"                 // infer, with_inferred_types, bind_dimensions
#include "octet/graph/model.h"                 // Model, Graph, Node, Value, Initializer
#include "octet/graph/model_hash.h"            // model_hash
#include "octet/graph/validate.h"              // validate
#include "octet/inspect/inspect.h"             // inspect: what is in a model
#include "octet/inspect/read_report.h"         // report_from_json
#include "octet/inspect/report_json.h"         // report_json
#include "octet/inspect/report_text.h"         // report_text
#include "octet/integer/integer_program.h"     // integer_program: a network in integers alone, as hardware computes it
#include "octet/integer/interpret.h"           // interpret: what that means, in plain loops
#include "octet/onnx/model_file.h"             // load_model, save_model
#include "octet/program/group_epilogues.h"     // group_epilogues: a sum and what follows it as one step
#include "octet/program/known_values.h"        // with_known_values: what shapes and constants tell, beforehand
#include "octet/program/lower.h"               // lower, to_model, Policy
#include "octet/program/memory_plan.h"         // plan_memory: where its values stand while it runs
#include "octet/program/prepare.h"             // prepare: a program made ready to be run or exported
#include "octet/program/program.h"             // Program, Step
#include "octet/program/quantized_share.h"     // quantized_share: how much of it is integer
#include "octet/program/resolve.h"             // specialized: the program for other sizes
#include "octet/quantize/inspect_nodes.h"      // inspect_nodes: all about some nodes, with observed ranges
#include "octet/quantize/quantize_model.h"     // quantize_model: a float network to an 8-bit network
#include "octet/quantize/quantize_report.h"    // quantize_text, quantize_json
#include "octet/quantize/write_rules.h"        // rules_text: what was decided per node, as a file of rules
#include "octet/simulate/damage_report.h"      // damage_text, damage_json, damage_picture
#include "octet/simulate/hardware.h"           // Hardware, on_hardware: a program as a chip computes it
#include "octet/simulate/hardware_axes.h"      // HardwareOptions, axes_of, settings_of: hardware as text says it
#include "octet/simulate/hardware_variants.h"  // pitfall_variants, simulate_hardware: what goes wrong, row by row
#include "octet/simulate/simulate.h"           // simulate: what that does to the results
#include "octet/simulate/sweep.h"              // sweep: accuracy over widths, multipliers, converters
#include "octet/spec/arithmetic.h"             // Arithmetic: how quantized operators round, saturate and accumulate
#include "octet/spec/registry.h"               // operators
#include "octet/system/npz.h"                  // load_npz, save_npz
#include "octet/tune/sensitivity.h"            // measure_sensitivity: which layers 8 bits hurt
#include "octet/tune/sensitivity_report.h"  // find_sensitivity, sensitivity_text, sensitivity_json, sensitivity_picture
#include "octet/tune/trials.h"              // make_trials: the float model that ways of quantizing are held to
#include "octet/tune/tune.h"                // tune: the cheapest way to quantize that is good enough
#include "octet/tune/tune_report.h"         // tune_text, tune_json
#include "octet/tune/tune_state.h"          // tune_from_state: a search that goes on where it was interrupted
#include "octet/verify/compare_archives.h"  // compare_archives: two .npz archives, array by array
#include "octet/verify/compare_report.h"    // archives_text, archives_json, comparison_json
#include "octet/verify/compare_runs.h"      // compare_runs: two dumps of a program, step by step
#include "octet/verify/conformance.h"       // answers_of, judge_answers: an implementation against the suite
#include "octet/verify/conformance_report.h"  // suite_text, conformance_text, conformance_json
#include "octet/verify/verification_text.h"   // verification_text
#include "octet/verify/verify.h"              // Verifier: against another implementation
#include "octet/verify/verify_model.h"        // verify_model: every tensor against ONNX Runtime or another judge
#include "octet/verify/verify_report.h"       // verify_text, verify_json
#include "octet/version.h"                    // kVersion
