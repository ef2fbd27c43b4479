// take.h: fields that many messages have, moved out of them and cleared (see leftover.h). Absent ones are not touched,
// because that would allocate them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "octet/graph/model.h"

namespace octet {

template <typename Message>
std::string take_name(Message& message) {
  std::string name = message.has_name() ? std::move(*message.mutable_name()) : std::string();
  message.clear_name();
  return name;
}

template <typename Message>
std::string take_doc(Message& message) {
  std::string doc = message.has_doc_string() ? std::move(*message.mutable_doc_string()) : std::string();
  message.clear_doc_string();
  return doc;
}

template <typename Message>
std::string take_overload(Message& message) {
  std::string overload = message.has_overload() ? std::move(*message.mutable_overload()) : std::string();
  message.clear_overload();
  return overload;
}

// The domain of operators, where "ai.onnx" is another way to say "".
template <typename Message>
std::string take_domain(Message& message) {
  std::string domain = message.has_domain() ? std::move(*message.mutable_domain()) : std::string();
  message.clear_domain();
  return domain == "ai.onnx" ? std::string() : domain;
}

template <typename Field>
std::vector<std::string> take_strings(Field* field) {
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(field->size()));
  for (std::string& value : *field) values.push_back(std::move(value));
  field->Clear();
  return values;
}

// Entries that hold more than a key and a value stay in the message.
template <typename Message>
Metadata take_metadata(Message& message) {
  Metadata metadata;
  metadata.reserve(static_cast<std::size_t>(message.metadata_props_size()));
  auto entries = std::move(*message.mutable_metadata_props());
  message.clear_metadata_props();
  for (auto& entry : entries) {
    if (entry.unknown_fields().empty())
      metadata.emplace_back(entry.has_key() ? std::move(*entry.mutable_key()) : std::string(),
                            entry.has_value() ? std::move(*entry.mutable_value()) : std::string());
    else
      *message.add_metadata_props() = std::move(entry);
  }
  return metadata;
}

// Imports that hold more than a domain and a version are taken, and stay as well: the writer finds them by their
// domain.
template <typename Message>
std::vector<std::pair<std::string, std::int64_t>> take_opsets(Message& message) {
  std::vector<std::pair<std::string, std::int64_t>> opsets;
  opsets.reserve(static_cast<std::size_t>(message.opset_import_size()));
  auto imports = std::move(*message.mutable_opset_import());
  message.clear_opset_import();
  for (auto& import : imports) {
    opsets.emplace_back(take_domain(import), import.version());
    if (import.unknown_fields().empty()) continue;
    import.set_domain(opsets.back().first);
    *message.add_opset_import() = std::move(import);
  }
  return opsets;
}

}  // namespace octet
