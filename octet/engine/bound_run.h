// bound_run.h: a program that reads and writes memory of the caller, run after run.
//
//   octet::BoundRun run(*engine, {{"image", octet::buffer_of(image)}}, {{"class", octet::buffer_of(logits)}});
//   while (next(image)) {
//     run();
//     show(logits);
//   }
//
// With the fast engine nothing is allocated after the first run, where all steps have kernels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octet/engine/engine.h"

namespace octet {

using NamedBuffers = std::map<std::string, Buffer>;

// The tensor's elements, while it lives, is not assigned to and is not copied.
Buffer buffer_of(Tensor& tensor);

// Not thread-safe; an engine may have any number of bound runs.
class BoundRun {
 public:
  // The engine and the memory outlive it. Inputs are checked as in Engine::run, and are never written. An output may be left
  // out; none may lie in the memory of another or of an input. Throws kUsage for what can't be bound.
  BoundRun(const Engine& engine, const NamedBuffers& inputs, const NamedBuffers& outputs);

  // Reads what the inputs hold now, and writes the outputs; without keep_all and observe. Throws kUsage where an output is
  // not of the type and shape of its memory. After any error the outputs are not to be used; it may be run again.
  void operator()(const RunOptions& options = {});

 private:
  const Engine& engine_;
  std::vector<Tensor> inputs_, values_;  // by ValueId
  std::vector<Buffer> bound_;            // by ValueId
};

}  // namespace octet
