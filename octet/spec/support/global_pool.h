// global_pool.h: one number for each plane of an image.
#pragma once

#include <span>
#include <string_view>

#include "octet/base/visit.h"
#include "octet/spec/operator.h"

namespace octet {

// x is [N, C, ...], y is [N, C, 1, ...]. Throws kConstraint with `type_label` unless x is floating point, and with
// `shape_label` unless it has two dimensions or more, none of the spatial ones 0.
void infer_global_pool(Inference& i, std::string_view type_label, std::string_view shape_label);

// y of a plane is f(its elements).
template <typename F>
void pool_planes(Call& call, F f) {
  visit_float(call.output_dtype(0), [&]<typename T>() {
    const Tensor& input = call.input(0);
    const auto planes = static_cast<std::int64_t>(input.shape()[0] * input.shape()[1]);
    const std::size_t size = planes == 0 ? 0 : static_cast<std::size_t>(input.size() / planes);
    const std::span<T> y = call.output(0).mutable_as<T>();
    call.parallel().for_each_block(planes, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto plane = static_cast<std::size_t>(begin); plane < static_cast<std::size_t>(end); ++plane)
        y[plane] = f(input.as<T>().subspan(plane * size, size));
    });
  });
}

}  // namespace octet
