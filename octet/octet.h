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
// Whatever goes wrong is an octet::Error that says what was found, what was wanted, and where.
#pragma once

#include "octet/analyze/bounds.h"           // bounds: how wide registers must be
#include "octet/analyze/explain.h"          // explain_element: how one element came about
#include "octet/analyze/explanation.h"      // explanation_text, explanation_markdown, explanation_json
#include "octet/base/error.h"               // Error
#include "octet/base/memory_budget.h"       // MemoryBudget: how much tensors may take
#include "octet/base/npz.h"                 // load_npz, save_npz
#include "octet/base/tensor.h"              // Tensor, DType, Shape
#include "octet/draw/dot_text.h"            // dot_text
#include "octet/draw/excerpt.h"             // excerpt, excerpt_around
#include "octet/draw/render.h"              // render: SVG and PNG
#include "octet/draw/residual_blocks.h"     // residual_blocks
#include "octet/draw/views.h"               // full_view, folded_view, pattern_view, program_view
#include "octet/engine/bound_run.h"         // BoundRun: inputs and outputs in memory of the caller
#include "octet/engine/engine.h"            // Engine, engines, make_engine, EngineOptions, RunOptions, NamedTensors
#include "octet/engine/reference_engine.h"  // ReferenceEngine
#include "octet/graph/expand_functions.h"   // expand_functions
#include "octet/graph/infer.h"              // infer, with_inferred_types, bind_dimensions
#include "octet/graph/model.h"              // Model, Graph, Node, Value, Initializer
#include "octet/graph/model_hash.h"         // model_hash
#include "octet/graph/validate.h"           // validate
#include "octet/inspect/inspect.h"          // inspect: what is in a model
#include "octet/inspect/read_report.h"      // report_from_json
#include "octet/inspect/report_json.h"      // report_json
#include "octet/inspect/report_text.h"      // report_text
#include "octet/integer/integer_program.h"  // integer_program: a network in integers alone, as hardware computes it
#include "octet/integer/interpret.h"        // interpret: what that means, in plain loops
#include "octet/onnx/model_file.h"          // load_model, save_model
#include "octet/program/group_epilogues.h"  // group_epilogues: a sum and what follows it as one step
#include "octet/program/known_values.h"     // with_known_values: what shapes and constants tell, beforehand
#include "octet/program/lower.h"            // lower, to_model, Policy
#include "octet/program/memory_plan.h"      // plan_memory: where its values stand while it runs
#include "octet/program/program.h"          // Program, Step
#include "octet/program/quantized_share.h"  // quantized_share: how much of it is integer
#include "octet/program/resolve.h"          // specialized: the program for other sizes
#include "octet/simulate/hardware.h"        // Hardware, on_hardware: a program as a chip computes it
#include "octet/simulate/simulate.h"        // simulate: what that does to the results
#include "octet/spec/arithmetic.h"          // Arithmetic: how quantized operators round, saturate and accumulate
#include "octet/spec/registry.h"            // operators
#include "octet/verify/verify.h"            // Verifier: against another implementation
#include "octet/version.h"                  // kVersion
