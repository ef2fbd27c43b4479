// compiled_c.h: exported C through the machine's C compiler, for tests.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "octet/engine/reference_engine.h"
#include "octet/export/c_library.h"
#include "octet/export/c_test_program.h"
#include "octet/export/compiled_network.h"
#include "tests/support/models.h"

namespace octet {

constexpr const char* kStrictFlags = "-std=c99 -Wall -Wextra -Wconversion -pedantic -Werror";

// A folder that goes with its owner.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "octet_c_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct CommandResult {
  int code = 0;
  std::string said;
};

inline CommandResult run_command(const std::string& command) {
  CommandResult result;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) result.said.append(block.data(), got);
  const int status = ::pclose(pipe);
  result.code = status == -1 ? -1 : (status >> 8) & 255;
  return result;
}

// What the reference engine computes, and the inputs.
inline NamedTensors all_values(const Program& program, const NamedTensors& inputs) {
  NamedTensors values = ReferenceEngine(program).run(inputs, {.keep_all = true});
  values.insert(inputs.begin(), inputs.end());
  return values;
}

// What the test program says of these vectors: "PASS: ..." at the end.
inline CommandResult run_exported(const Program& program, const CSource& source,
                                  const std::vector<NamedTensors>& inputs, const std::string& compiler,
                                  const std::string& flags) {
  const TestFolder folder;
  write_files(folder.path(), {source.source, source.header, c_test_program(program, source)});
  std::string folders;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const std::string name = fmt::format("vectors{}", k);
    write_files(folder.path(), c_vectors(program, source, all_values(program, inputs[k]), name));
    folders += " " + name;
  }
  std::string upper = source.name;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  return run_command(fmt::format("cd {} && {} {} -D{}_TRACE {}.c {}_test.c -o t && ./t{}", folder.path().string(),
                                 compiler, flags, upper, source.name, source.name, folders));
}

// The program as a shared library that is loaded.
inline std::unique_ptr<const Engine> compiled(const Program& program, const std::string& flags = "-O1") {
  const TestFolder folder;
  const CSource source = c_source(program, {.name = "net"});
  write_files(folder.path(), {source.source, source.header, c_library(program, source), {"model.onnx", "none"}});
  const CommandResult made =
      run_command(fmt::format("cd {} && cc -std=gnu99 -w {} -fPIC -shared -fvisibility=hidden -DNET_TRACE "
                              "-DOCTET_MODEL_FILE='\"model.onnx\"' net.c net_library.c -o net.so",
                              folder.path().string(), flags));
  if (made.code != 0) {
    ADD_FAILURE() << made.said;
    return nullptr;
  }
  return compiled_engine(std::make_shared<const CompiledNetwork>(folder.path() / "net.so"), program);
}

}  // namespace octet
