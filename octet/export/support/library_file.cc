#include "octet/export/support/library_file.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "octet/base/fail.h"
#include "octet/export/support/library_interface.h"

namespace octet {
namespace {

constexpr std::string_view kSymbol{"octet_library\0", 14};  // as a string table has it

// The parts of an ELF file of this machine's word size. Every offset and size comes from the file: each is checked.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& file)
      : from_(file, std::ios::binary), size_(std::filesystem::file_size(file)) {
    const bool elf = read(0, head_) && std::memcmp(head_.e_ident, ELFMAG, SELFMAG) == 0 &&
                     head_.e_ident[EI_CLASS] == (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (!elf) fail(ErrorCode::kFormat, "can't be opened as a library: it is no ELF file");
    const bool whole = read_table(head_.e_phoff, head_.e_phnum, head_.e_phentsize, segments_) &&
                       read_table(head_.e_shoff, head_.e_shnum, head_.e_shentsize, sections_) &&
                       std::ranges::all_of(segments_, [&](const auto& s) { return has(s.p_offset, s.p_filesz); });
    if (!whole) fail(ErrorCode::kFormat, "can't be opened as a library: it is cut off");
  }

  // The first number behind the symbol that a loader would find, where it is defined.
  std::optional<std::uint32_t> mark() {
    for (const ElfW(Shdr) & section : sections_)
      if (section.sh_type == SHT_DYNSYM && section.sh_link < sections_.size())
        if (const std::optional<std::uint64_t> place = place_in(section)) {
          std::uint32_t mark = 0;
          if (read(*place, mark)) return mark;
        }
    return std::nullopt;
  }

 private:
  bool has(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

  bool read_bytes(std::uint64_t offset, std::span<char> bytes) {
    if (!has(offset, bytes.size())) return false;
    from_.clear();
    from_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(from_.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  }

  template <typename T>
  bool read(std::uint64_t offset, T& to) {
    return read_bytes(offset, {reinterpret_cast<char*>(&to), sizeof to});
  }

  template <typename T>
  bool read_table(std::uint64_t offset, std::uint64_t count, std::uint64_t entry_size, std::vector<T>& to) {
    if (count > 0 && (entry_size != sizeof(T) || !has(offset, count * sizeof(T)))) return false;
    to.resize(count);
    return count == 0 || read_bytes(offset, {reinterpret_cast<char*>(to.data()), count * sizeof(T)});
  }

  // Where in the file the symbol's object stands.
  std::optional<std::uint64_t> place_in(const ElfW(Shdr) & table) {
    std::vector<ElfW(Sym)> symbols;
    std::vector<char> names;
    const ElfW(Shdr)& strings = sections_[table.sh_link];
    if (!read_table(table.sh_offset, table.sh_size / sizeof(ElfW(Sym)), table.sh_entsize, symbols) ||
        !read_table(strings.sh_offset, strings.sh_size, 1, names))
      return std::nullopt;
    const std::string_view text(names.data(), names.size());
    for (const ElfW(Sym) & symbol : symbols)
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < text.size() &&
          text.substr(symbol.st_name).starts_with(kSymbol))
        return place_of(symbol.st_value);
    return std::nullopt;
  }

  std::optional<std::uint64_t> place_of(std::uint64_t address) const {
    for (const ElfW(Phdr) & segment : segments_)
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
  }

  std::ifstream from_;
  std::uint64_t size_;
  ElfW(Ehdr) head_{};
  std::vector<ElfW(Phdr)> segments_;
  std::vector<ElfW(Shdr)> sections_;
};

}  // namespace

void require_octet_library(const std::filesystem::path& file) try {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail(ErrorCode::kIo, "can't be opened as a library: {}", error.message());
  if (!std::filesystem::is_regular_file(status))
    fail(ErrorCode::kIo, "can't be opened as a library: it is no regular file");
  if (ElfFile(file).mark() != kLibraryMark)
    fail(ErrorCode::kFormat, "is no network that octet compile made: it has no octet_library");
} catch (const Error& error) {
  throw error.at(file.string());
}

}  // namespace octet
