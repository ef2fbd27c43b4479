// judge.h: another implementation of the same network: a program that reads a model and inputs and writes tensors.
//
//   COMMAND... MODEL.onnx INPUTS.npz OUTPUTS.npz
//
// docs/judge.md is the protocol.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "octet/engine/engine.h"

namespace octet {

struct Judge {
  std::string name;  // for messages
  std::vector<std::string> command;
  std::filesystem::path model;
  std::chrono::seconds limit{600};                    // for one run
  std::uint64_t most_bytes = std::uint64_t{8} << 30;  // that are read of an answer
};

struct JudgeAnswer {
  NamedTensors tensors;
  // What the judge says of how it worked, if it does.
  std::string runtime;                            // "ONNX Runtime 1.31.1"
  std::map<std::string, std::string> made_by;     // by tensor, the operator that computed it
  std::map<std::string, std::int64_t> operators;  // in the graph it executed
};

// Throws kIo, with the end of what it said, when it can't be run, fails, is killed, takes too long, writes no tensors
// or something that is none. When it returns or throws, nothing that the judge started is left.
JudgeAnswer ask(const Judge& judge, const NamedTensors& inputs);

// What a judge wrote: the tensors of OUTPUTS.npz, and OUTPUTS.npz.json if it is there. Nothing but regular files is
// opened. Throws kFormat or kIo, and kLimit beyond `most_bytes` of tensors.
JudgeAnswer read_answer(const std::filesystem::path& outputs, std::uint64_t most_bytes = std::uint64_t{8} << 30);

struct OnnxRuntimeOptions {
  std::string python = "python3";    // one that has the packages onnx and onnxruntime
  bool fuse = true;                  // optimization level extended; else off
  bool precision = true;             // the option that makes u8 x s8 exact on x86 without VNNI
  std::filesystem::path save_graph;  // where to write the graph that was executed; nowhere when empty
  std::chrono::seconds limit{600};
  std::uint64_t most_bytes = std::uint64_t{8} << 30;
};

// ONNX Runtime through its Python package. The adapter is written to `folder`, which must outlive the judge.
Judge onnxruntime_judge(std::filesystem::path model, const std::filesystem::path& folder,
                        const OnnxRuntimeOptions& options);

}  // namespace octet
