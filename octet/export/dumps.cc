#include "octet/export/dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "octet/base/fail.h"
#include "octet/export/support/first_names.h"
#include "octet/export/tensor_names.h"
#include "octet/system/npz.h"
#include "octet/system/read_file.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

bool is_raw(const fs::path& file) { return file.extension() == ".bin" || file.extension() == ".raw"; }
bool is_hex(const fs::path& file) { return file.extension() == ".hex" || file.extension() == ".mem"; }
bool is_dump(const fs::path& file) {
  return is_raw(file) || is_hex(file) || file.extension() == ".npy" || file.extension() == ".npz";
}

std::string wanted_text(const DumpedTensor& wanted, const DumpStyle& style) {
  return fmt::format("{} {} {}, {} bytes ({})", wanted.name, name(wanted.type), to_string(wanted.shape),
                     static_cast<std::size_t>(element_count(wanted.shape)) * size_of(wanted.type), name(style.layout));
}

// Without comments: // to the end of the line, /* to */.
std::string without_comments(std::string_view text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//"))
      i = std::min(text.find('\n', i), text.size());
    else if (rest.starts_with("/*"))
      i = text.find("*/", i + 2) == std::string_view::npos ? text.size() : text.find("*/", i + 2) + 2;
    else
      kept += text[i++];
  }
  return kept;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : without_comments(text) + " ")
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (c != '_') word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  return words;
}

std::uint64_t address_of(const std::string& word) {
  std::uint64_t address = 0;
  for (const char c : word.substr(1)) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0 || address >> 59 != 0)
      fail(ErrorCode::kFormat, "{} is no address", word);
    address = address * 16 + static_cast<std::uint64_t>(std::stoi(std::string(1, c), nullptr, 16));
  }
  return address;
}

// Bytes in the order of a file, as the tensor.
Tensor of_bytes(std::string_view bytes, const DumpedTensor& wanted, const DumpStyle& style) {
  Tensor stored(wanted.type, stored_shape(style.layout, wanted.shape));
  std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), stored.byte_size(), stored.mutable_bytes().begin());
  return from_stored(style.layout, stored, wanted.shape);
}

void require_size(std::size_t found, const DumpedTensor& wanted, const DumpStyle& style) {
  const std::size_t bytes = static_cast<std::size_t>(element_count(wanted.shape)) * size_of(wanted.type);
  if (found != bytes) fail(ErrorCode::kUsage, "it has {} bytes, wanted {}", found, wanted_text(wanted, style));
}

Tensor of_array(const Tensor& array, const DumpedTensor& wanted, const DumpStyle& style) {
  const Shape stored = stored_shape(style.layout, wanted.shape);
  if (array.shape() != stored && array.shape() != Shape{element_count(stored)})
    fail(ErrorCode::kUsage, "it is {}{}, wanted {}, stored as {}", name(array.dtype()), to_string(array.shape()),
         wanted_text(wanted, style), to_string(stored));
  Tensor elements = array.reshaped(stored);
  if (array.dtype() != wanted.type) {
    const bool integers = is_integer(array.dtype()) && (is_integer(wanted.type) || wanted.type == DType::kBool);
    if (!integers) fail(ErrorCode::kUsage, "it is {}, wanted {}", name(array.dtype()), wanted_text(wanted, style));
    elements = convert(elements, wanted.type);
    if (!convert(elements, array.dtype()).identical(array.reshaped(stored)))
      fail(ErrorCode::kUsage, "it is {}, whose elements do not all fit {}", name(array.dtype()),
           wanted_text(wanted, style));
  }
  return from_stored(style.layout, elements, wanted.shape);
}

// The number of an input, as folders are named: without leading zeros.
std::optional<std::size_t> input_number(std::string_view name) {
  constexpr std::size_t kMostDigits = 9;
  const bool digits = !name.empty() && name.size() <= kMostDigits &&
                      std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  return std::stoul(std::string(name));
}

// "tensors/1/relu", "1/relu": the 1.
std::optional<std::size_t> input_number_in(std::string_view member) {
  constexpr std::string_view kFolder = "tensors/";
  if (member.starts_with(kFolder)) member.remove_prefix(kFolder.size());
  const std::size_t slash = member.find('/');
  return slash == std::string_view::npos ? std::nullopt : input_number(member.substr(0, slash));
}

class DumpReader {
 public:
  DumpReader(const Program& program, const DumpStyle& style) : style_(style), wanted_(dumped_tensors(program)) {
    const TensorNames names(program);
    for (const DumpedTensor& tensor : wanted_) by_name_[tensor.name] = &tensor;
    for (const DumpedTensor& tensor : wanted_) by_name_.emplace(names.identifiers.at(tensor.name), &tensor);
  }

  void read(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) fail(ErrorCode::kIo, "{}: there is no such file or folder", path.string());
    if (!fs::is_directory(path, error)) return read_one(path, std::nullopt);
    bool any = false;
    for (const fs::path& folder : {path, path / "tensors"}) {
      any = read_folder(folder, std::nullopt) || any;
      for (const auto& [number, numbered] : numbered_folders(folder)) any = read_folder(numbered, number) || any;
    }
    if (!any)
      fail(ErrorCode::kUsage, "{} has no dumps: files that end in .npy, .npz, .bin, .raw, .hex or .mem", path.string());
  }

  Dumps take() { return std::move(dumps_); }

 private:
  // In the order of their numbers.
  static std::map<std::size_t, fs::path> numbered_folders(const fs::path& folder) {
    std::map<std::size_t, fs::path> folders;
    std::error_code error;
    if (fs::is_directory(folder, error))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (const auto number = input_number(entry.path().filename().string()); number && entry.is_directory(error))
          folders.emplace(*number, entry.path());
    return folders;
  }

  // Whether there are dumps in it.
  bool read_folder(const fs::path& folder, std::optional<std::size_t> input) {
    std::vector<fs::path> files;
    std::error_code error;
    if (fs::is_directory(folder, error))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file(error) && is_dump(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) read_one(file, input);
    return !files.empty();
  }

  const DumpedTensor* find(const std::string& name) const {
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? nullptr : known->second;
  }

  void read_one(const fs::path& file, std::optional<std::size_t> input) {
    if (file.extension() == ".npz") return read_archive(file, input);
    if (!is_dump(file))
      fail(ErrorCode::kUsage, "{} ends in none of .npy, .npz, .bin, .raw, .hex and .mem", file.string());
    dumps_.has_words = dumps_.has_words || is_hex(file);
    if (const DumpedTensor* tensor = find(file.stem().string()))
      add(*tensor, input, file.string(), read_dump(file, *tensor, style_));
    else
      dumps_.unmatched.push_back(file.string());
  }

  void read_archive(const fs::path& file, std::optional<std::size_t> input) {
    const NpzReader archive(file);
    for (const std::string& member : archive.names()) {
      if (member.starts_with("constants/") || member.starts_with("directed/")) continue;  // of an export
      const DumpedTensor* tensor = find(member);
      const std::optional<std::size_t> number = tensor || input ? input : input_number_in(member);
      if (!tensor) tensor = find(member.substr(member.rfind('/') + 1));
      const std::string where = file.string() + ", array " + member;
      if (!tensor) {
        dumps_.unmatched.push_back(where);
        continue;
      }
      try {
        add(*tensor, number, where, of_array(archive.read(member), *tensor, style_));
      } catch (const Error& error) {
        throw error.at(where);
      }
    }
  }

  void add(const DumpedTensor& tensor, std::optional<std::size_t> input, const std::string& where, Tensor elements) {
    std::optional<std::string>& first = input ? numbered_ : plain_;
    if (!first) first = where;
    if (numbered_ && plain_)
      fail(ErrorCode::kUsage, "{} is of one of several inputs, and {} does not say of which", *numbered_, *plain_);
    InputDumps& dumps = dumps_.inputs[input.value_or(0)];
    if (!dumps.tensors.emplace(tensor.name, std::move(elements)).second)
      fail(ErrorCode::kUsage, "{} is there twice: {} and {}", tensor.name, dumps.files.at(tensor.name), where);
    dumps.files.emplace(tensor.name, where);
  }

  const DumpStyle style_;
  const std::vector<DumpedTensor> wanted_;
  std::map<std::string, const DumpedTensor*> by_name_;  // names first, then identifiers
  std::optional<std::string> numbered_, plain_;         // the first dump with the number of an input, and without
  Dumps dumps_;
};

}  // namespace

HexWords parse_hex_words(std::string_view text, int word) {
  HexWords words;
  std::size_t number = 0, digits = static_cast<std::size_t>(word) * 2;
  for (const std::string& found : words_of(text)) {
    if (found.front() == '@') {
      if (address_of(found) != number)
        fail(ErrorCode::kFormat, "{} does not go on behind word {}: words are missing or stand twice", found, number);
      continue;
    }
    if (found.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      fail(ErrorCode::kFormat, "word {} is {}, which is no hexadecimal number{}", number, found,
           found.find_first_of("xXzZ") != std::string::npos ? ": nothing has driven it" : "");
    if (digits == 0) digits = (found.size() + 1) / 2 * 2;
    if (found.size() > digits || found.size() + 1 < digits)
      fail(ErrorCode::kFormat, "word {} has {} digits, wanted {}", number, found.size(), digits);
    const std::string whole = std::string(digits - found.size(), '0') + found;
    for (std::size_t at = digits; at > 0; at -= 2)
      words.bytes += static_cast<char>(std::stoi(whole.substr(at - 2, 2), nullptr, 16));
    ++number;
  }
  words.word = digits / 2;
  return words;
}

Tensor read_dump(const fs::path& file, const DumpedTensor& wanted, const DumpStyle& style) {
  try {
    if (file.extension() == ".npy") return of_array(load_npy(file), wanted, style);
    const FileBytes contents = read_file(file);
    const std::string_view text(reinterpret_cast<const char*>(contents.bytes.data()), contents.bytes.size());
    if (!is_hex(file)) {
      require_size(text.size(), wanted, style);
      return of_bytes(text, wanted, style);
    }
    HexWords hex = parse_hex_words(text, style.word);
    const std::size_t size = static_cast<std::size_t>(element_count(wanted.shape)) * size_of(wanted.type);
    if (hex.bytes.size() > size && hex.bytes.size() - size < hex.word) hex.bytes.resize(size);  // the last is filled up
    require_size(hex.bytes.size(), wanted, style);
    return of_bytes(hex.bytes, wanted, style);
  } catch (const Error& error) {
    throw error.at(file.string());
  }
}

std::vector<DumpedTensor> dumped_tensors(const Program& program) {
  std::vector<DumpedTensor> tensors;
  const auto add = [&](ValueId id) {
    const ProgramValue& value = program.values[id];
    if (!value.shape || value.dtype == DType::kUndefined || value.dtype == DType::kString) return;
    if (std::optional<Shape> shape = concrete(*value.shape)) tensors.push_back({value.name, value.dtype, *shape});
  };
  for (const ProgramInput& input : program.inputs) add(input.value);
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) add(output);
  return tensors;
}

Dumps read_dumps(const Program& program, const std::vector<std::string>& paths, const DumpStyle& style) {
  DumpReader reader(program, style);
  for (const std::string& path : paths) reader.read(path);
  return reader.take();
}

void require_used(const Dumps& dumps, const DumpStyle& style) {
  if (dumps.inputs.empty())
    fail(ErrorCode::kUsage, "none of these is a tensor of the program: {}", first_names(dumps.unmatched));
  if (style.word > 0 && !dumps.has_words)
    fail(ErrorCode::kUsage, "--word is not used: none of these files is of words, .hex or .mem");
}

}  // namespace octet
