#include "octet/export/array_files.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "octet/base/fail.h"
#include "octet/export/identifiers.h"
#include "octet/system/npz.h"

namespace octet {
namespace {

struct FormatName {
  ArrayFormat format;
  std::string_view name, ending;
};
constexpr std::array kFormats = {FormatName{ArrayFormat::kNpz, "npz", ""}, FormatName{ArrayFormat::kNpy, "npy", ".npy"},
                                 FormatName{ArrayFormat::kHex, "hex", ".hex"}, FormatName{ArrayFormat::kC, "c", ".h"},
                                 FormatName{ArrayFormat::kRaw, "raw", ".bin"}};

const FormatName& entry_of(ArrayFormat format) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const FormatName& known) { return known.format == format; });
}

Tensor stored(const FileArray& array, const ArrayStyle& style) {
  return array.has_layout ? to_stored(style.layout, array.elements) : array.elements;
}

// "int8 [1,16,32,32], stored as [1,32,32,16] (hwc)"
std::string type_text(const FileArray& array, const ArrayStyle& style) {
  const Shape& shape = array.elements.shape();
  std::string text = fmt::format("{} {}", name(array.elements.dtype()), to_string(shape));
  if (array.has_layout && shape.size() > 2)
    text += fmt::format(", stored as {} ({})", to_string(stored_shape(style.layout, shape)), name(style.layout));
  return text;
}

std::string_view bytes_text(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.byte_size()};
}

std::string hex_text(const FileArray& array, const ArrayStyle& style) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const Tensor elements = stored(array, style);
  const std::string_view bytes = bytes_text(elements);
  const auto word = static_cast<std::size_t>(word_bytes(array, style));
  std::string text =
      fmt::format("// {}: {}\n// words: {}, bytes of a word: {}; the first element in the lowest bits, little-endian\n",
                  comment_text(array.name), type_text(array, style), (bytes.size() + word - 1) / word, word);
  for (std::size_t first = 0; first < bytes.size(); first += word) {
    for (std::size_t k = word; k-- > 0;) {
      const auto byte = static_cast<unsigned char>(first + k < bytes.size() ? bytes[first + k] : 0);
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    text += '\n';
  }
  return text;
}

std::string identifier_of(const FileArray& array) {
  std::string identifier = array.place;
  for (char& c : identifier)
    if (c == '/') c = '_';
  return identifier;
}

// C has no literal for the least number of a type: -9223372036854775808 is minus a number that does not fit.
std::string c_literal(std::int64_t value, bool wide) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  return wide ? fmt::format("INT64_C({})", value) : fmt::format("{}", value);
}

std::string c_header(const FileArray& array, const ArrayStyle& style) {
  const Tensor elements = stored(array, style);
  const std::string identifier = identifier_of(array);
  std::string guard = "OCTET_VECTORS_" + identifier + "_H";
  for (char& c : guard)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const DType type = elements.dtype() == DType::kBool ? DType::kUint8 : elements.dtype();
  std::string text = fmt::format(
      "/* {}: {} */\n#ifndef {}\n#define {}\n\n#include <stdint.h>\n\n"
      "static const {}_t {}[{}] = {{",
      comment_text(array.name), type_text(array, style), guard, guard, name(type), identifier,
      std::max<std::int64_t>(elements.size(), 1));  // C has no empty arrays
  std::size_t column = 120;
  for (std::int64_t k = 0; k < elements.size(); ++k) {
    std::string number = c_literal(elements.int_at(k), size_of(type) == 8);
    if (column + number.size() + 2 > 118) {
      text += "\n   ";
      column = 3;
    }
    column += number.size() + 2;
    text += " " + number + (k + 1 < elements.size() ? "," : "");
  }
  if (elements.size() == 0) text += "0";
  return text + "\n};\n\n#endif\n";
}

ExportedFile whole_header(const std::vector<FileArray>& arrays) {
  std::string text = "/* Every array. */\n#ifndef OCTET_VECTORS_H\n#define OCTET_VECTORS_H\n\n";
  for (const FileArray& array : arrays) text += fmt::format("#include \"{}\"\n", file_of(array, ArrayFormat::kC));
  return {"vectors.h", text + "\n#endif\n"};
}

ExportedFile archive_of(const std::vector<FileArray>& arrays, const ArrayStyle& style) {
  std::map<std::string, Tensor> members;
  for (const FileArray& array : arrays) members.emplace(array.place, stored(array, style));
  return {file_of({}, ArrayFormat::kNpz), npz_bytes(members)};
}

std::string npy_bytes(const Tensor& tensor) {
  const NpyParts parts = npy_parts(tensor);
  return parts.header + std::string(bytes_text(parts.elements));
}

}  // namespace

std::string_view name(ArrayFormat format) { return entry_of(format).name; }

ArrayFormat array_format_named(std::string_view wanted) {
  std::string known;
  for (const FormatName& entry : kFormats) {
    if (entry.name == wanted) return entry.format;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  fail(ErrorCode::kUsage, "there is no format {}; the formats are {}", wanted, known);
}

int word_bytes(const FileArray& array, const ArrayStyle& style) {
  const int element = static_cast<int>(size_of(array.elements.dtype()));
  if (style.word <= element) return element;
  if (style.word % element != 0)
    fail(ErrorCode::kUsage, "words of {} bytes do not hold whole elements of {}, which are {}", style.word, array.name,
         name(array.elements.dtype()));
  return style.word;
}

std::string file_of(const FileArray& array, ArrayFormat format) {
  return format == ArrayFormat::kNpz ? "vectors.npz" : array.place + std::string(entry_of(format).ending);
}

ExportedFiles array_files(const std::vector<FileArray>& arrays, const ArrayStyle& style) {
  if (style.format == ArrayFormat::kNpz) return {archive_of(arrays, style)};
  ExportedFiles files;
  for (const FileArray& array : arrays) {
    std::string contents;
    switch (style.format) {
      case ArrayFormat::kNpz: break;
      case ArrayFormat::kNpy: contents = npy_bytes(stored(array, style)); break;
      case ArrayFormat::kHex: contents = hex_text(array, style); break;
      case ArrayFormat::kC: contents = c_header(array, style); break;
      case ArrayFormat::kRaw: contents = bytes_text(stored(array, style)); break;
    }
    files.push_back({file_of(array, style.format), std::move(contents)});
  }
  if (style.format == ArrayFormat::kC) files.push_back(whole_header(arrays));
  return files;
}

}  // namespace octet
