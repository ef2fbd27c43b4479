// Bytes become an array (.npy), an archive of arrays (.npz), or an octet::Error. What was read can be written, and what
// was written is read as the same array; an array is what its header says.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "octet/base/error.h"
#include "octet/base/memory.h"
#include "octet/base/memory_budget.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"

namespace octet {
namespace {

constexpr std::int64_t kBudget = std::int64_t{64} << 20;

FileBytes file_of(std::span<const std::byte> first, std::span<const std::byte> second = {}) {
  const std::shared_ptr<std::byte> memory = allocate_bytes(first.size() + second.size());
  if (!first.empty()) std::memcpy(memory.get(), first.data(), first.size());
  if (!second.empty()) std::memcpy(memory.get() + first.size(), second.data(), second.size());
  return {{memory.get(), first.size() + second.size()}, memory};
}

void check_array(const Tensor& tensor, const NpyHeader& header) {
  if (tensor.dtype() != header.dtype || tensor.shape() != header.shape) std::abort();
  if (tensor.dtype() == DType::kString) return;  // what is not Unicode is not kept
  const NpyParts parts = npy_parts(tensor);
  const Tensor again = parse_npy(file_of(std::as_bytes(std::span(parts.header)), parts.elements.bytes()));
  if (!again.identical(tensor.dtype() == DType::kBFloat16 ? convert(tensor, DType::kFloat) : tensor)) std::abort();
}

}  // namespace
}  // namespace octet

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octet;
  const MemoryBudget budget(kBudget);
  const FileBytes file = file_of(std::as_bytes(std::span(data, size)));
  try {
    const Tensor tensor = parse_npy(file);
    check_array(tensor, parse_npy_header(file.bytes));
  } catch (const Error&) {
  }
  try {
    const NpzReader archive(file, "fuzz.npz");
    for (const std::string& name : archive.names()) {
      const NpyHeader header = archive.header(name);
      check_array(archive.read(name), header);
    }
  } catch (const Error&) {
  }
  return 0;
}
