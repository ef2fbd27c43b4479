// run_cases: runs many small models in one process, for the differential tests.
//
// Standard input holds the cases, one after another: the length and the bytes of an arithmetic's name, then the length
// and the bytes of a model whose inputs are all initializers. Standard output gets, for each case, 1 and the number of
// outputs, then for each output its element type, rank, dimensions, length in bytes and bytes; or 0, then the length and
// the bytes of an error message. Numbers are 64-bit, little endian. Elements lie as in memory: one to a byte where they
// are narrower.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "octet/base/error.h"
#include "octet/engine/reference_engine.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"

namespace {

bool read_number(std::uint64_t& number) { return std::fread(&number, sizeof(number), 1, stdin) == 1; }

bool read_bytes(std::string& bytes) {
  std::uint64_t size;
  if (!read_number(size)) return false;
  bytes.resize(size);
  return std::fread(bytes.data(), 1, size, stdin) == size;
}

void write_number(std::uint64_t number) { std::fwrite(&number, sizeof(number), 1, stdout); }

void write_bytes(std::span<const std::byte> bytes) {
  write_number(bytes.size());
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

void run(const std::string& arithmetic, const std::string& bytes) {
  const octet::Model model = octet::parse_model(std::as_bytes(std::span(bytes)));
  const octet::ReferenceEngine engine(octet::lower(model, octet::Policy::kAsWritten),
                                      {.arithmetic = octet::arithmetic_named(arithmetic), .threads = 1});
  const octet::NamedTensors outputs = engine.run({});
  write_number(1);
  write_number(model.graph.outputs.size());
  for (const octet::Value& value : model.graph.outputs) {
    const octet::Tensor& tensor = outputs.at(value.name);
    write_number(static_cast<std::uint64_t>(tensor.dtype()));
    write_number(tensor.shape().size());
    for (const std::int64_t dim : tensor.shape()) write_number(static_cast<std::uint64_t>(dim));
    write_bytes(tensor.bytes());
  }
}

}  // namespace

int main() {
  std::string arithmetic, model;
  while (read_bytes(arithmetic) && read_bytes(model)) {
    try {
      run(arithmetic, model);
    } catch (const octet::Error& error) {
      const std::string message = error.what();
      write_number(0);
      write_bytes(std::as_bytes(std::span(message)));
    }
  }
  return std::ferror(stdin) || std::fflush(stdout) != 0 ? 2 : 0;
}
