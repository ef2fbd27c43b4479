// dumps.h: tensors as C programs, simulations of hardware and NumPy wrote them, read back.
//
//   .npy          of the tensor's type, or other integers that fit it; shaped as stored, or flat
//   .npz          arrays by name; what stands in front of the last '/' is a folder
//   .bin .raw     the bytes of the elements, little-endian
//   .hex .mem     what $readmemh reads and $writememh writes: words, elements from the lowest bits on; comments and
//                 addresses (@1f) that go on where they are
//
// The program says types and shapes, the caller the layout. A file is the tensor's whose name, or identifier in an
// export (tensor_names.h), it has, without its ending.
//
// Tensors of several inputs stand in folders 0, 1, ..., as export writes them: tensors/0/NAME, or 0/NAME.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/export/layout.h"
#include "octet/program/program.h"

namespace octet {

struct DumpStyle {
  Layout layout = Layout::kChw;
  int word = 0;  // bytes of a word of hex; 0: as many as its digits say
};

// What a dump must be.
struct DumpedTensor {
  std::string name;
  DType type = DType::kUndefined;
  Shape shape;
};

struct HexWords {
  std::string bytes;     // from the lowest of each word on
  std::size_t word = 0;  // bytes of one
};
// `word`: the bytes of one, or 0. Throws kFormat, naming the word, for what is no hexadecimal
// number, also for x and z, and for words of several lengths.
HexWords parse_hex_words(std::string_view text, int word);

// The elements in row-major order. Throws kUsage or kFormat, naming the tensor, its shape and bytes, and what was found.
Tensor read_dump(const std::filesystem::path& file, const DumpedTensor& wanted, const DumpStyle& style);

// What was dumped for one input of the network.
struct InputDumps {
  std::map<std::string, Tensor> tensors;     // by name
  std::map<std::string, std::string> files;  // by the name of the tensor: where it was found
};

struct Dumps {
  std::map<std::size_t, InputDumps> inputs;  // by the number of the input; 0 where the files have none
  std::vector<std::string> unmatched;        // files and arrays that are no tensor of the program
  bool has_words = false;                    // some of the files are of words of hex
};

// Reads files, archives and folders of them (and the folder tensors/ in such, as exports have it). Throws kUsage when a
// tensor is there twice for an input, or some have the number of an input and others none; kIo when a path is not
// there.
Dumps read_dumps(const Program& program, const std::vector<std::string>& paths, const DumpStyle& style);

// Throws kUsage where nothing that was read is a tensor of the program, and where the style gives the bytes of a word and no file
// has words.
void require_used(const Dumps& dumps, const DumpStyle& style);

// The tensors of a program whose type and shape are known before the run: its inputs, and what its steps make.
std::vector<DumpedTensor> dumped_tensors(const Program& program);

}  // namespace octet
