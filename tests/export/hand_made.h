// hand_made.h: integer programs put together step by step, for what no network in models/ has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "octet/integer/integer_program.h"

namespace octet {

class HandMade {
 public:
  TensorId add(std::string name, Shape shape, DType type = DType::kInt8) {
    IntegerTensor& tensor = program_.tensors.emplace_back();
    tensor.name = std::move(name);
    tensor.type = type;
    tensor.shape = std::move(shape);
    return program_.tensors.size() - 1;
  }
  TensorId add(std::string name, Tensor constant) {
    const TensorId id = add(std::move(name), constant.shape(), constant.dtype());
    program_.tensors[id].constant = std::move(constant);
    return id;
  }
  HandMade& step(std::string name, integer::Task task) {
    program_.steps.push_back({std::move(name), std::move(task)});
    return *this;
  }
  IntegerProgram program(std::vector<TensorId> inputs = {0}) const {
    IntegerProgram program = program_;
    program.inputs = std::move(inputs);
    if (!program.steps.empty())
      program.outputs = {std::visit([](const auto& task) { return task.y; }, program.steps.back().task)};
    return program;
  }

 private:
  IntegerProgram program_;
};

// q = saturate(acc), to int8.
inline integer::Requantize as_it_is() { return {{IntegerRequantizer{.m = 1}}}; }

// y[0] = requantize(start + Sum x[k] * w[k]) of x [1, K].
inline integer::MatrixProduct dense(TensorId x, TensorId w, TensorId y, std::int64_t products,
                                    integer::Epilogue epilogue, std::int32_t start = 0) {
  return {.x = x,
          .w = w,
          .y = y,
          .products = products,
          .x_row = products,
          .x_product = 1,
          .w_column = products,
          .w_product = 1,
          .matrices = {{0, 0}},
          .sum = {{start}, {0}, 0},
          .epilogue = std::move(epilogue)};
}

// The mean of the pixels of x [1, C, ...], without a division.
inline integer::Average average(TensorId x, TensorId y, std::int64_t channels, std::int64_t pixels) {
  return {.x = x,
          .y = y,
          .channels = channels,
          .pixels = pixels,
          .channel_stride = pixels,
          .pixel_stride = 1,
          .epilogue = {as_it_is()}};
}

inline integer::Pairwise addition(TensorId a, TensorId b, TensorId y, IntegerAddition plane = {.ma = 1, .mb = 1}) {
  return {.a = a, .b = b, .y = y, .a_strides = {}, .b_strides = {}, .pair = std::move(plane), .epilogue = {}};
}

}  // namespace octet
