// node_details.h: all there is to know of one node: its neighbours, and the numbers in its constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "octet/graph/model.h"
#include "octet/inspect/report.h"

namespace octet {

// A node that makes what the node reads, or reads what it makes.
struct NeighbourReport {
  std::string node, op_type;
  std::string value;  // between the two
};

// The elements of a stored constant that the node computes with; integers as they are stored.
struct ConstantReport {
  std::string name;
  double least = 0, greatest = 0, mean = 0, deviation = 0;
  std::int64_t zeros = 0;
  std::array<std::int64_t, 16> histogram{};  // equal parts of [least, greatest], the end in the last
};

struct NodeDetails {
  std::size_t node = 0;                                   // in the report
  std::vector<NeighbourReport> before, after;             // in the order of the node's inputs and outputs
  std::vector<ConstantReport> constants;                  // finite numbers alone, at least one
  std::map<std::string, std::pair<float, float>> ranges;  // of its inputs and outputs, where they were observed: the
                                                          // caller's to fill in
};

// The details of a node of the model that `report` describes.
NodeDetails node_details(const Model& model, const ModelReport& report, std::size_t node);

std::string node_details_text(const ModelReport& report, const NodeDetails& details, std::size_t width);
// One node after the other, an empty line between them.
std::string node_details_text(const ModelReport& report, const std::vector<NodeDetails>& details, std::size_t width);

}  // namespace octet
