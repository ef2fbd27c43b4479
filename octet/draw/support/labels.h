// labels.h: what is written into the nodes of a picture and along its wires.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "octet/draw/picture.h"
#include "octet/inspect/report.h"

namespace octet {

NodeKind kind_of_operator(std::string_view op_type);
// Add and its quantized forms.
bool is_addition(std::string_view op_type);

// "Conv 3×3, stride 2, group 16": an operator and the sizes of its window.
std::string operator_title(std::string_view op_type, const Attributes& attributes);

// Behind the title of a sum of products whose inputs are quantized as the network runs, in the same node.
inline constexpr std::string_view kDynamic = ", dynamic 8 bits";
// "Conv 3×3, dynamic 8 bits" for ConvInteger.
std::string dynamic_title(std::string_view op_type, const Attributes& attributes);

// "s 0.0235, z -128"; its badge "16 scales".
PictureLine quantization_line(const QuantizationReport& quantization);
std::string badge_of(const QuantizationReport& quantization);

// An input or an output of the network.
PictureNode border_node(const ValueReport& value);

// The file's name without its folder, and what the picture shows of it.
std::string picture_title(const std::string& path, std::string_view what);

// What s and z in a picture mean.
inline constexpr std::string_view kScaleRemark = "s scale, z zero point: real value = s · (stored − z)";

}  // namespace octet
