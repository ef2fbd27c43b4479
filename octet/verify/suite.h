// suite.h: a conformance suite: rows of operands and results for external implementations of the quantized operators.
//
// A folder with a manifest (docs/schemas/suite.schema.json) and tables of rows. Each operation has one table; a row is one
// question, its answer, and the mistakes that give another answer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace octet {

// A column of a table: what its cells are.
struct SuiteColumn {
  enum class Type { kText, kInteger, kFloat32 };  // a float32 is the eight hexadecimal digits of its bits

  std::string name;
  Type type = Type::kInteger;
  bool list = false;  // blanks between its elements
};

struct SuiteMistake {
  std::string name, meaning;
};

struct SuiteRow {
  std::size_t line = 0;              // in the table
  std::string question;              // as a program is asked: the operation's name and the operands
  std::vector<std::string> wanted;   // the words of the answer
  std::vector<std::size_t> catches;  // the mistakes that give another one, by their place in the operation's list
};

struct SuiteOperation {
  std::string name, what, file;
  std::vector<std::string> operators;  // of ONNX that it is part of
  std::vector<SuiteColumn> operands, results;
  std::vector<SuiteMistake> mistakes;
  std::vector<SuiteRow> rows;
};

struct SuiteFile {
  std::string name, contents;
};

struct Suite {
  std::string version;
  std::vector<SuiteOperation> operations;
  std::vector<SuiteFile> files;  // the manifest, then what it names
};

// The suite that travels inside the library: docs/quantization/vectors.
Suite built_in_suite();

// The one in a folder. Throws kIo and kFormat; a file that is not the one that the manifest names by size and hash is
// refused.
Suite load_suite(const std::filesystem::path& folder);

// The suite with these operations alone. Throws kUsage, with the nearest names, where there is none of that name.
Suite chosen(Suite suite, const std::vector<std::string>& operations);

// "quantize x scale zero_point -> q": the form of an operation's questions and answers.
std::string form_of(const SuiteOperation& operation);

}  // namespace octet
