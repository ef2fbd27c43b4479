#include "octet/export/support/manifest.h"

#include <algorithm>

#include "octet/base/sha256.h"

namespace octet {
namespace {

std::string_view role_of(const IntegerProgram& program, TensorId tensor) {
  const auto among = [&](const std::vector<TensorId>& ports) {
    return std::ranges::find(ports, tensor) != ports.end();
  };
  return among(program.inputs) ? "input" : among(program.outputs) ? "output" : "inner";
}

Json steps_of_the_host(const Program& program, const std::vector<HostStep>& steps) {
  Json list = Json::array();
  for (const HostStep& host : steps) {
    const Step& step = program.steps[host.step];
    Json operators = Json::array(), reads = Json::array(), makes = Json::array();
    for (const Operation& operation : step.operations) operators.push_back(operation.op->name);
    for (const ValueId value : inputs_of(program, step)) reads.push_back(program.values[value].name);
    for (const ValueId value : outputs_of(program, step)) makes.push_back(program.values[value].name);
    list.push_back({{"name", host.name}, {"operators", operators}, {"reads", reads}, {"makes", makes}});
  }
  return list;
}

}  // namespace

Json array_json(const FileArray& array, const ArrayStyle& style) {
  const Shape& shape = array.elements.shape();
  const Layout layout = array.has_layout ? style.layout : Layout::kChw;
  Json json = {{"file", file_of(array, style.format)}};
  if (style.format == ArrayFormat::kNpz) json["member"] = array.place;
  if (style.format == ArrayFormat::kHex) json["word_bytes"] = word_bytes(array, style);
  json.update({{"type", name(array.elements.dtype())},
               {"shape", shape},
               {"stored_shape", stored_shape(layout, shape)},
               {"stored_axes", stored_axes(layout, shape.size())}});
  return json;
}

Json tensor_json(const IntegerProgram& program, TensorId tensor, const std::string& identifier,
                 const std::vector<FileArray>& arrays, const ArrayStyle& style) {
  const IntegerTensor& facts = program.tensors[tensor];
  Json list = Json::array();
  for (const FileArray& array : arrays) list.push_back(array_json(array, style));
  Json json = {{"name", facts.name},
               {"identifier", identifier},
               {"role", role_of(program, tensor)},
               {"type", name(facts.type)},
               {"shape", facts.shape}};
  if (facts.meaning) {
    json["scale"] = json_number(facts.meaning->scale);
    json["zero_point"] = facts.meaning->zero_point;
  }
  json["arrays"] = list;
  return json;
}

Json host_json(const Program& program, const IntegerProgram& integers) {
  return {{"before", steps_of_the_host(program, integers.before)},
          {"after", steps_of_the_host(program, integers.after)}};
}

Json files_json(const ExportedFiles& files) {
  Json list = Json::array();
  for (const ExportedFile& file : files) {
    Sha256 hash;
    hash.add(file.contents);
    list.push_back({{"file", file.name}, {"bytes", file.contents.size()}, {"sha256", hash.hex()}});
  }
  return list;
}

}  // namespace octet
