#include "octet/spec/convolution_shape.h"

#include "octet/spec/check.h"

namespace octet {
std::optional<std::vector<std::int64_t>> kernel_size(const Attributes& attributes,
                                                     const std::optional<SymbolicShape>& w, std::size_t rank,
                                                     std::string_view label) {
  SymbolicShape kernel(rank);
  if (w) kernel.assign(w->begin() + 2, w->end());
  if (attributes.has("kernel_shape")) {
    const std::vector<std::int64_t> said = attributes.get_ints("kernel_shape");
    bool fits = said.size() == rank;
    for (std::size_t i = 0; fits && i < rank; ++i) fits = !surely_different(kernel[i], said[i]);
    if (!fits) fail_constraint(label, "kernel_shape is {}, the weights' kernel {}", to_string(said), to_string(kernel));
    return said;
  }
  return concrete(kernel);
}

ConvolutionShape resolve_convolution(const Attributes& attributes, const std::optional<SymbolicShape>& x,
                                     const std::optional<SymbolicShape>& w, const ConvolutionLabels& labels) {
  ConvolutionShape shape;
  shape.group = attributes.get_int("group", 1);
  if (shape.group < 1) fail_constraint(labels.dimensions, "group is {}, wanted 1 or more", shape.group);
  if (x && x->size() < 3)
    fail_constraint(labels.dimensions, "the input is {}, wanted 3 dimensions or more", to_string(*x));
  if (w && w->size() < 3)
    fail_constraint(labels.dimensions, "the weights are {}, wanted 3 dimensions or more", to_string(*w));
  if (x && w && x->size() != w->size())
    fail_constraint(labels.dimensions, "the weights are {}, the input {}: wanted equal ranks", to_string(*w),
                    to_string(*x));
  if (w) {
    const Dim outputs = (*w)[0];
    if (outputs.known() && outputs.value() % shape.group != 0)
      fail_constraint(labels.dimensions, "{} output channels in {} groups", outputs.value(), shape.group);
    const Dim channels = (*w)[1] * shape.group;
    if (x && surely_different((*x)[1], channels))
      fail_constraint(labels.dimensions, "the weights have {} input channels in {} groups, the input has {}",
                      to_string((*w)[1]), shape.group, to_string((*x)[1]));
  }
  if (!x && !w) return shape;

  const std::size_t rank = (x ? *x : *w).size() - 2;
  const auto kernel = kernel_size(attributes, w, rank, labels.window);
  SymbolicShape spatial(rank);
  if (x) spatial.assign(x->begin() + 2, x->end());
  SymbolicShape output = {x ? (*x)[0] : Dim(), w ? (*w)[0] : Dim()};
  if (kernel) {
    shape.window = resolve_window(attributes, spatial, *kernel, false, labels.window);
    output.insert(output.end(), shape.window->output.begin(), shape.window->output.end());
  } else {
    output.resize(rank + 2);
  }
  shape.output = std::move(output);
  return shape;
}

}  // namespace octet
