#include "octet/system/npz.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/system/npy.h"

namespace octet {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::uint64_t kDeflateRatio = 1032;  // deflate's best: 258 bytes from two bits

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* p) const {
    static_cast<void>(Free(p));
  }
};
using Zip = std::unique_ptr<zip_t, Freed<zip_discard>>;
using ZipSource = std::unique_ptr<zip_source_t, Freed<zip_source_free>>;
using ZipMember = std::unique_ptr<zip_file_t, Freed<zip_fclose>>;

struct ZipError {
  zip_error_t value;
  ZipError() { zip_error_init(&value); }
  ~ZipError() { zip_error_fini(&value); }
  std::string text() { return zip_error_strerror(&value); }
};

struct Entry {
  std::string name;
  zip_uint64_t index;
  std::uint64_t size, stored_size;
};

Zip open_archive(const FileBytes& file) {
  if (file.bytes.empty()) fail(ErrorCode::kFormat, "this is not an .npz archive: the file is empty");
  ZipError error;
  ZipSource source(zip_source_buffer_create(file.bytes.data(), file.bytes.size(), 0, &error.value));
  if (!source) fail(ErrorCode::kLimit, "{}", error.text());
  Zip zip(zip_open_from_source(source.get(), ZIP_RDONLY, &error.value));
  if (!zip) fail(ErrorCode::kFormat, "this is not an .npz archive: {}", error.text());
  source.release();  // the archive's now
  return zip;
}

Entry describe(zip_t* zip, zip_uint64_t index, std::uint64_t archive_size) {
  zip_stat_t stat;
  if (zip_stat_index(zip, index, ZIP_FL_ENC_RAW, &stat) != 0) fail(ErrorCode::kFormat, "{}", zip_strerror(zip));
  constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((stat.valid & kNeeded) != kNeeded) fail(ErrorCode::kFormat, "member {} has no name or no size", index);
  const bool stored = stat.comp_method == ZIP_CM_STORE;
  if (!stored && stat.comp_method != ZIP_CM_DEFLATE)
    fail(ErrorCode::kUnsupported, "member {} is compressed with method {}; stored and deflated members are read",
         stat.name, stat.comp_method);
  if (stat.comp_size > archive_size)
    fail(ErrorCode::kFormat, "member {} claims {} bytes of an archive of {}", stat.name, stat.comp_size, archive_size);
  if (stored ? stat.size != stat.comp_size : stat.size > (stat.comp_size + 1) * kDeflateRatio)
    fail(ErrorCode::kFormat, "member {} claims {} bytes, stored in {}: no compression does that", stat.name, stat.size,
         stat.comp_size);
  return {stat.name, index, stat.size, stat.comp_size};
}

ZipMember open_member(zip_t* zip, const Entry& entry) {
  ZipMember member(zip_fopen_index(zip, entry.index, 0));
  if (!member) fail(ErrorCode::kFormat, "{}", zip_strerror(zip));
  return member;
}

// Reads until `bytes` are full or the member ends, and says how many there were.
std::size_t read_some(zip_file_t* member, std::span<std::byte> bytes) {
  std::size_t size = 0;
  while (size < bytes.size()) {
    const zip_int64_t got = zip_fread(member, bytes.data() + size, bytes.size() - size);
    if (got < 0) fail(ErrorCode::kFormat, "{}", zip_file_strerror(member));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

// As many as a header may have.
std::vector<std::byte> first_bytes(zip_t* zip, const Entry& entry) {
  const ZipMember member = open_member(zip, entry);
  std::vector<std::byte> bytes(std::min<std::uint64_t>(entry.size, kLongestNpyHeader));
  bytes.resize(read_some(member.get(), bytes));
  return bytes;
}

// Size and checksum hold: libzip checks the latter when the end is reached.
FileBytes extract(zip_t* zip, const Entry& entry) {
  const ZipMember member = open_member(zip, entry);
  const auto memory =
      std::make_shared<Tensor>(Tensor::uninitialized(DType::kUint8, {static_cast<std::int64_t>(entry.size)}));
  const std::span<std::byte> bytes = memory->mutable_bytes();
  if (const std::size_t size = read_some(member.get(), bytes); size < bytes.size())
    fail(ErrorCode::kFormat, "there are {} of the {} bytes it claims", size, entry.size);
  std::array<std::byte, 1> beyond;
  if (read_some(member.get(), beyond) > 0)
    fail(ErrorCode::kFormat, "there are more than the {} bytes it claims", entry.size);
  return {bytes, memory};
}

}  // namespace

struct NpzReader::Archive {
  std::string path;
  FileBytes file;  // outlives zip, which reads from it
  Zip zip;
  std::vector<Entry> entries;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> numbers;  // by name
};

NpzReader::NpzReader(const std::filesystem::path& path, std::uint64_t max_bytes)
    : NpzReader(read_file(path), path.string(), max_bytes) {}

NpzReader::NpzReader(FileBytes file, std::string path, std::uint64_t max_bytes) {
  auto archive = std::make_unique<Archive>();
  archive->path = std::move(path);
  archive->file = std::move(file);
  const std::uint64_t archive_size = archive->file.bytes.size();
  try {
    archive->zip = open_archive(archive->file);
    const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive->zip.get(), 0));
    std::uint64_t stored = 0, total = 0;
    for (zip_uint64_t i = 0; i < count; ++i) {
      Entry entry = describe(archive->zip.get(), i, archive_size);
      if (!entry.name.ends_with(kSuffix)) continue;
      stored += entry.stored_size;
      total += std::min(entry.size, max_bytes + 1);
      if (stored > archive_size)
        fail(ErrorCode::kFormat, "members overlap: they claim more bytes than the archive has");
      if (total > max_bytes) fail(ErrorCode::kLimit, "the arrays take more than {} bytes", max_bytes);
      std::string name = entry.name.substr(0, entry.name.size() - kSuffix.size());
      if (!archive->numbers.emplace(name, archive->names.size()).second)
        fail(ErrorCode::kFormat, "there are two members named {}", entry.name);
      archive->names.push_back(std::move(name));
      archive->entries.push_back(std::move(entry));
    }
  } catch (const Error& error) {
    throw error.at(archive->path);
  }
  archive_ = std::move(archive);
}

NpzReader::~NpzReader() = default;

const std::vector<std::string>& NpzReader::names() const { return archive_->names; }

template <typename Read>
auto NpzReader::read_member(std::string_view name, Read&& read) const {
  const auto number = archive_->numbers.find(std::string(name));
  if (number == archive_->numbers.end()) fail(ErrorCode::kUsage, "{} has no array named {}", archive_->path, name);
  const Entry& entry = archive_->entries[number->second];
  try {
    return read(archive_->zip.get(), entry);
  } catch (const Error& error) {
    throw error.at(archive_->path + ", member " + entry.name);
  }
}

NpyHeader NpzReader::header(std::string_view name) const {
  return read_member(name, [](zip_t* zip, const Entry& entry) { return parse_npy_header(first_bytes(zip, entry)); });
}

Tensor NpzReader::read(std::string_view name) const {
  return read_member(name, [](zip_t* zip, const Entry& entry) { return parse_npy(extract(zip, entry)); });
}

std::map<std::string, Tensor> load_npz(const std::filesystem::path& path) {
  const NpzReader reader(path);
  std::map<std::string, Tensor> tensors;
  for (const std::string& name : reader.names()) tensors.emplace(name, reader.read(name));
  return tensors;
}

namespace {

void add_member(zip_t* zip, const std::string& name, const NpyParts& parts) {
  constexpr std::size_t kLongestName = 65535 - kSuffix.size();  // the format counts them in 16 bits
  if (name.size() > kLongestName)
    fail(ErrorCode::kUnsupported, "the name of an array has {} bytes, an archive holds {}", name.size(), kLongestName);
  if (name.find('\0') != std::string::npos) fail(ErrorCode::kUnsupported, "the name of an array holds a NUL");
  // libzip only reads them, though it wants them mutable.
  const auto fragment = [](const void* data, std::size_t size) {
    return zip_buffer_fragment_t{static_cast<zip_uint8_t*>(const_cast<void*>(data)), size};
  };
  const std::array fragments = {fragment(parts.header.data(), parts.header.size()),
                                fragment(parts.elements.bytes().data(), parts.elements.byte_size())};
  const zip_uint64_t used = parts.elements.byte_size() == 0 ? 1 : 2;
  ZipSource source(zip_source_buffer_fragment(zip, fragments.data(), used, 0));
  const zip_int64_t index =
      source ? zip_file_add(zip, (name + std::string(kSuffix)).c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) fail(ErrorCode::kUnsupported, "array {} can't be stored: {}", name, zip_strerror(zip));
  source.release();                                            // the archive's now
  constexpr zip_uint16_t kNoTime = 0, kFirstDay = 1 << 5 | 1;  // 1980-01-01, where the format's calendar begins
  const auto member = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(zip, member, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(zip, member, kNoTime, kFirstDay, 0) != 0)
    fail(ErrorCode::kUnsupported, "array {} can't be stored: {}", name, zip_strerror(zip));
}

// Takes the bytes of an archive, piece by piece.
using Sink = std::function<void(std::span<const std::byte>)>;

void copy_archive(zip_source_t* archive, const Sink& take) {
  std::array<std::byte, 65536> chunk;
  if (zip_source_open(archive) != 0) fail(ErrorCode::kLimit, "{}", zip_error_strerror(zip_source_error(archive)));
  for (;;) {
    const zip_int64_t got = zip_source_read(archive, chunk.data(), chunk.size());
    if (got < 0) fail(ErrorCode::kLimit, "{}", zip_error_strerror(zip_source_error(archive)));
    if (got == 0) break;
    take(std::span<const std::byte>(chunk.data(), static_cast<std::size_t>(got)));
  }
  zip_source_close(archive);
}

void write_archive(const std::map<std::string, Tensor>& tensors, const Sink& take) {
  if (tensors.empty())  // libzip would rather write no archive at all
    return take(std::as_bytes(std::span("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22)));
  ZipError error;
  const ZipSource archive(zip_source_buffer_create(nullptr, 0, 0, &error.value));
  if (!archive) fail(ErrorCode::kLimit, "{}", error.text());
  Zip zip(zip_open_from_source(archive.get(), ZIP_CREATE | ZIP_TRUNCATE, &error.value));
  if (!zip) fail(ErrorCode::kLimit, "{}", error.text());
  zip_source_keep(archive.get());  // both hold it

  std::vector<NpyParts> parts;  // read when the archive is closed
  parts.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    parts.push_back(npy_parts(tensor));
    add_member(zip.get(), name, parts.back());
  }
  if (zip_close(zip.get()) != 0) fail(ErrorCode::kLimit, "{}", zip_strerror(zip.get()));
  zip.release();
  copy_archive(archive.get(), take);
}

}  // namespace

std::string npz_bytes(const std::map<std::string, Tensor>& tensors) {
  std::string bytes;
  write_archive(tensors, [&](std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return bytes;
}

void save_npz(const std::map<std::string, Tensor>& tensors, const std::filesystem::path& path) {
  AtomicFile file(path);
  write_archive(tensors, [&](std::span<const std::byte> piece) { file.write(piece); });
  file.commit();
}

}  // namespace octet
