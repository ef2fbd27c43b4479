#include "octet/system/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as the machine holds them");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = kLongestNpyHeader - 12;  // without magic, version and length
constexpr std::size_t kMaxRank = 64;                        // NumPy's own
constexpr std::size_t kHeaderAlignment = 64;

struct StoredType {
  std::string_view descr;  // without the byte order
  DType dtype;
};
constexpr std::array<StoredType, 15> kStoredTypes = {{
    {"b1", DType::kBool},
    {"i1", DType::kInt8},
    {"u1", DType::kUint8},
    {"i2", DType::kInt16},
    {"u2", DType::kUint16},
    {"i4", DType::kInt32},
    {"u4", DType::kUint32},
    {"i8", DType::kInt64},
    {"u8", DType::kUint64},
    {"f2", DType::kFloat16},
    {"f4", DType::kFloat},
    {"f8", DType::kDouble},
    {"c8", DType::kComplex64},
    {"c16", DType::kComplex128},
    {"V2", DType::kBFloat16},
}};

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// The header is a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        header.descr = element_type();
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        fail(ErrorCode::kFormat, "the .npy header has an unexpected entry '{}'", key);
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) broken();
    if (!descr || !order || !shape)
      fail(ErrorCode::kFormat, "the .npy header lacks 'descr', 'fortran_order' or 'shape'");
    return header;
  }

 private:
  [[noreturn]] static void broken() { fail(ErrorCode::kFormat, "the .npy header is not a dict of Python literals"); }

  void skip_space() {
    const std::size_t at = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(at, rest_.size()));
  }
  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) broken();
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) broken();
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string element_type() {
    skip_space();
    if (rest_.starts_with('[')) fail(ErrorCode::kUnsupported, "the array has fields; arrays of plain numbers are read");
    return quoted();
  }
  bool boolean() {
    if (take_word("True")) return true;
    if (!take_word("False")) broken();
    return false;
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    while (!take(')')) {
      skip_space();
      std::int64_t dim = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error == std::errc::result_out_of_range)
        fail(ErrorCode::kLimit, "a dimension in the .npy header does not fit 63 bits");
      if (error != std::errc()) broken();
      if (dim < 0) fail(ErrorCode::kFormat, "the .npy header has the dimension {}", dim);
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take('L');  // Python 2 wrote longs so
      shape.push_back(dim);
      if (shape.size() > kMaxRank) fail(ErrorCode::kFormat, "the .npy header has more than {} dimensions", kMaxRank);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
};

std::uint32_t little_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

// The header's text and where the elements begin.
std::pair<std::string_view, std::size_t> split(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic))
    fail(ErrorCode::kFormat, "this is not an .npy file: it does not begin with \\x93NUMPY");
  if (file.size() < 10) fail(ErrorCode::kFormat, "the .npy file ends inside its header");
  const int version = std::to_integer<int>(file[6]);
  if (version < 1 || version > 3) fail(ErrorCode::kUnsupported, ".npy version {} is not known; 1 to 3 are", version);
  const std::size_t begin = version == 1 ? 10 : 12;
  if (file.size() < begin) fail(ErrorCode::kFormat, "the .npy file ends inside its header");
  const std::size_t length = little_endian(file.subspan(8, begin - 8));
  if (length > file.size() - begin)
    fail(ErrorCode::kFormat, "the .npy header says it has {} bytes, the file has {} after it", length,
         file.size() - begin);
  if (length > kMaxHeader)
    fail(ErrorCode::kLimit, "the .npy header has {} bytes, at most {} are read", length, kMaxHeader);
  return {text.substr(begin, length), begin + length};
}

// Where the element bytes are and how they are laid out.
struct Elements {
  std::span<const std::byte> bytes;
  const Header& header;
  bool big_endian;
};

// Reverses the bytes of every `width` of them.
void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
  for (std::size_t i = 0; i < bytes.size(); i += width) std::reverse(&bytes[i], &bytes[i] + width);
}

// out[i] = in[position of i in column-major order], for every row-major index i.
template <typename Copy>
void for_each_column_major(const Shape& shape, std::int64_t count, const Copy& copy) {
  std::vector<std::int64_t> strides(shape.size()), index(shape.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  std::int64_t from = 0;
  for (std::int64_t to = 0; to < count; ++to) {
    copy(static_cast<std::size_t>(to), static_cast<std::size_t>(from));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

void check_size(const Elements& e, std::size_t width) {
  const std::int64_t count = element_count(e.header.shape);
  std::size_t wanted;
  if (__builtin_mul_overflow(static_cast<std::size_t>(count), width, &wanted) || wanted != e.bytes.size())
    fail(ErrorCode::kFormat, "the .npy header says {} elements of {} bytes, {} bytes follow", count, width,
         e.bytes.size());
}

Tensor read_numbers(const Elements& e, DType dtype, const FileBytes& file) {
  check_size(e, size_of(dtype));
  Tensor tensor(dtype, e.header.shape, e.bytes, file.memory);
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  if (e.big_endian) swap_bytes(tensor.mutable_bytes(), size_of(dtype) / (complex ? 2 : 1));
  if (dtype == DType::kBool &&
      std::any_of(e.bytes.begin(), e.bytes.end(), [](std::byte b) { return b > std::byte{1}; }))
    for (std::byte& b : tensor.mutable_bytes()) b = std::byte{b != std::byte{0}};
  if (!e.header.fortran_order || tensor.rank() < 2) return tensor;

  Tensor turned = Tensor::uninitialized(dtype, e.header.shape);
  const std::size_t width = size_of(dtype);
  std::byte* to = turned.mutable_bytes().data();
  const std::byte* from = tensor.bytes().data();
  for_each_column_major(tensor.shape(), tensor.size(),
                        [&](std::size_t i, std::size_t j) { std::memcpy(to + i * width, from + j * width, width); });
  return turned;
}

// `width` bytes a string: ASCII, or UTF-32 code points. NumPy pads with zeros.
Tensor read_strings(const Elements& e, std::size_t width, bool utf32) {
  check_size(e, width);
  const auto decode = [&](std::size_t index) {
    const std::span<const std::byte> bytes = e.bytes.subspan(index * width, width);
    std::string text;
    if (!utf32) {
      text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
      for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::array<std::byte, 4> unit;
        std::copy_n(&bytes[i], 4, unit.begin());
        if (e.big_endian) std::reverse(unit.begin(), unit.end());
        append_utf8(text, little_endian(unit));
      }
    }
    text.erase(text.find_last_not_of('\0') + 1);
    return text;
  };
  Tensor tensor(DType::kString, e.header.shape);
  std::vector<std::string>& strings = tensor.mutable_strings();
  if (e.header.fortran_order)
    for_each_column_major(tensor.shape(), tensor.size(), [&](std::size_t i, std::size_t j) { strings[i] = decode(j); });
  else
    for (std::size_t i = 0; i < strings.size(); ++i) strings[i] = decode(i);
  return tensor;
}

// "U8" gives 8; throws for a width that is missing, zero or absurd.
std::size_t string_width(std::string_view kind) {
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(kind.data() + 1, kind.data() + kind.size(), width);
  if (error != std::errc() || end != kind.data() + kind.size() || width == 0 || width > (std::size_t{1} << 32))
    fail(ErrorCode::kFormat, "the .npy header has the element type '{}'", kind);
  return width;
}

// How elements are stored: `width` bytes each where they are strings.
struct StoredElement {
  DType dtype = DType::kUndefined;
  bool big_endian = false;
  std::size_t width = 0;
  bool utf32 = false;
};

StoredElement stored_type(const Header& header) {
  std::string_view kind = header.descr;
  StoredElement element;
  if (!kind.empty() && std::string_view("<>|=").find(kind.front()) != std::string_view::npos) {
    element.big_endian = kind.front() == '>';
    kind.remove_prefix(1);
  }
  for (const StoredType& type : kStoredTypes)
    if (type.descr == kind) element.dtype = type.dtype;
  if (element.dtype != DType::kUndefined) return element;
  if (kind.starts_with('U') || kind.starts_with('S')) {
    element.dtype = DType::kString;
    element.utf32 = kind.starts_with('U');
    element.width = string_width(kind) * (element.utf32 ? 4 : 1);
    return element;
  }
  if (kind.starts_with('O'))
    fail(ErrorCode::kUnsupported, "the array holds pickled Python objects, which are never read");
  if (kind == "V1")
    fail(ErrorCode::kUnsupported,
         "the array holds untyped bytes ('{}'); save 4-bit integers as int8 or uint8, float8 as its bits in uint8",
         header.descr);
  fail(ErrorCode::kUnsupported, "the element type '{}' has no counterpart", header.descr);
}

std::string dict_of(std::string_view descr, const Shape& shape) {
  std::string dims;
  for (const std::int64_t dim : shape) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
  if (shape.size() == 1) dims += ",";
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
}

// Padded so that the elements begin at a 64-byte boundary. Version 1 has two bytes for the length, version 2 has four.
std::string header_of(std::string_view descr, const Shape& shape) {
  const std::string dict = dict_of(descr, shape);
  const auto padding = [&](std::size_t prefix) {
    return kHeaderAlignment - 1 - (prefix + dict.size()) % kHeaderAlignment;
  };
  const bool small = dict.size() + 10 + kHeaderAlignment <= 65535;
  const std::size_t prefix = small ? 10 : 12;
  const std::size_t length = dict.size() + padding(prefix) + 1;
  std::string header(kMagic);
  header += small ? '\1' : '\2';
  header += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i) header += static_cast<char>(length >> (8 * i) & 0xff);
  return header + dict + std::string(padding(prefix), ' ') + '\n';
}

NpyParts string_parts(const Tensor& tensor) {
  std::vector<std::u32string> rows;
  std::size_t width = 1;
  for (const std::string& text : tensor.strings()) {
    rows.push_back(decode_utf8(text));
    width = std::max(width, rows.back().size());
  }
  Tensor units(DType::kUint32, {tensor.size(), static_cast<std::int64_t>(width)});
  const std::span<std::uint32_t> out = units.mutable_as<std::uint32_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), &out[i * width]);
  return {header_of(fmt::format("<U{}", width), tensor.shape()), units};
}

}  // namespace

DType numpy_type(DType dtype) {
  switch (dtype) {
    case DType::kBFloat16: return DType::kFloat;
    case DType::kInt4:
    case DType::kInt2: return DType::kInt8;
    case DType::kUint4:
    case DType::kUint2: return DType::kUint8;
    default: return is_minifloat(dtype) ? DType::kUint8 : dtype;
  }
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes) {
  Header header = HeaderParser(split(bytes).first).parse();
  return {stored_type(header).dtype, std::move(header.shape)};
}

Tensor parse_npy(const FileBytes& file) {
  const auto [text, begin] = split(file.bytes);
  const Header header = HeaderParser(text).parse();
  const StoredElement type = stored_type(header);
  const Elements elements{file.bytes.subspan(begin), header, type.big_endian};
  return type.dtype == DType::kString ? read_strings(elements, type.width, type.utf32)
                                      : read_numbers(elements, type.dtype, file);
}

Tensor load_npy(const std::filesystem::path& path) {
  const FileBytes file = read_file(path);
  try {
    return parse_npy(file);
  } catch (const Error& error) {
    throw error.at(path.string());
  }
}

NpyParts npy_parts(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return string_parts(tensor);
  const DType dtype = numpy_type(tensor.dtype());
  const auto type =
      std::find_if(kStoredTypes.begin(), kStoredTypes.end(), [&](const StoredType& t) { return t.dtype == dtype; });
  if (type == kStoredTypes.end())
    fail(ErrorCode::kUnsupported, "{} tensors can't be stored as .npy", name(tensor.dtype()));
  const Tensor elements = tensor.dtype() == DType::kBFloat16 ? convert(tensor, dtype) : tensor.retyped(dtype);
  return {header_of(fmt::format("{}{}", size_of(dtype) == 1 ? '|' : '<', type->descr), tensor.shape()), elements};
}

void save_npy(const Tensor& tensor, const std::filesystem::path& path) {
  const NpyParts parts = npy_parts(tensor);
  AtomicFile file(path);
  file.write(parts.header);
  file.write(parts.elements.bytes());
  file.commit();
}

}  // namespace octet
