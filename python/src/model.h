// model.h: models that Python holds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "octet/export/compiled_network.h"
#include "octet/graph/model.h"
#include "octet/program/program.h"
#include "python/src/python.h"
#include "python/src/work.h"

namespace octet::python {

// A model as it was read, or made by a call.
struct PythonModel {
  std::shared_ptr<const Model> model;
  std::string name;                                           // its file; "model" where it has none
  std::uint64_t bytes = 0;                                    // of the file
  std::shared_ptr<const CompiledNetwork> compiled = nullptr;  // where the file is one that octet compile made
  bool in_file = true;

  // With these sizes for symbolic dimensions, and with declared shapes corrected where they contradict the graph.
  Model prepared(const std::map<std::string, std::int64_t>& sizes,
                 const std::function<void(const std::string&)>& warn) const;
};

using SharedModel = std::shared_ptr<PythonModel>;
SharedModel make_model(Model model, std::string name);

void bind_model(nb::module_& m);

}  // namespace octet::python
