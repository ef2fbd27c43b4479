// attribute.h: attributes that hold values, out of and into the format's messages.
#pragma once

#include <optional>
#include <string>

#include "octet/spec/attributes.h"

namespace octet {

namespace format {
class AttributeProto;
}
class ExternalData;

// One of the format's AttributeType: what the message says or, where it says nothing, as in files of the first IR
// versions, what it holds.
int attribute_type(const format::AttributeProto& message);

// Takes the value out of `message`, except for its name; nothing when it is of a kind that AttributeValue does not
// have. Names and documentation of tensors survive among the attribute's unknown fields.
std::optional<Attribute> read_attribute(format::AttributeProto& message, ExternalData& external);

void write_attribute(const std::string& name, const Attribute& attribute, format::AttributeProto& message);

}  // namespace octet
