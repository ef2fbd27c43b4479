#include "octet/onnx/support/external_writer.h"

#include <array>

namespace octet {

std::int64_t ExternalWriter::append(std::span<const std::byte> bytes) {
  static constexpr std::array<std::byte, 4096> kPadding{};
  if (!file_) file_.emplace(path_);
  if (const std::size_t beyond = size_ % kPadding.size(); beyond != 0) {
    file_->write(std::span(kPadding).subspan(beyond));
    size_ += kPadding.size() - beyond;
  }
  const std::size_t offset = size_;
  file_->write(bytes);
  size_ += bytes.size();
  return static_cast<std::int64_t>(offset);
}

void ExternalWriter::commit() {
  if (file_) file_->commit();
}

}  // namespace octet
