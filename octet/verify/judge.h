// judge.h: another implementation of the same network: a program that reads a model and inputs and writes tensors.
//
//   COMMAND... MODEL.onnx INPUTS.npz OUTPUTS.npz
//
// docs/judge.md is the protocol.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "octet/engine/reference_engine.h"

namespace octet {

struct Judge {
  std::string name;  // for messages
  std::vector<std::string> command;
  std::filesystem::path model;
  std::chrono::seconds limit{600};  // for one batch of inputs
};

struct JudgeAnswer {
  NamedTensors tensors;
  // What the judge says of how it worked, if it does.
  std::string runtime;                            // "ONNX Runtime 1.31.1"
  std::map<std::string, std::string> made_by;     // by tensor, the operator that computed it
  std::map<std::string, std::int64_t> operators;  // in the graph it executed
};

// Throws kIo, with the end of what it said, when it can't be run, fails, is killed, takes too long, writes no tensors
// or something that is none.
JudgeAnswer ask(const Judge& judge, const NamedTensors& inputs);

// What a judge wrote: the tensors of OUTPUTS.npz, and OUTPUTS.npz.json if it is there. Throws kFormat or kIo.
JudgeAnswer read_answer(const std::filesystem::path& outputs);

struct OnnxRuntimeOptions {
  std::string python = "python3";    // one that has the packages onnx and onnxruntime
  bool fuse = true;                  // optimization level extended; else off
  bool precision = true;             // the option that makes u8 x s8 exact on x86 without VNNI
  std::filesystem::path save_graph;  // where to write the graph that was executed; nowhere when empty
  std::chrono::seconds limit{600};
};

// ONNX Runtime through its Python package. The adapter is written to `folder`, which must outlive the judge.
Judge onnxruntime_judge(std::filesystem::path model, const std::filesystem::path& folder,
                        const OnnxRuntimeOptions& options);

}  // namespace octet
