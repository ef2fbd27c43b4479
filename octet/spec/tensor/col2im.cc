// col2im.cc: the meaning of Col2Im.
//
//   y[n, c, i...] = Sum x[n, c * K + k, l] over the elements k of a block and the blocks l that put k at i
//
// x holds blocks of K = block_shape elements, cut from an image of image_shape by strides, dilations and pads as a
// convolution's windows are. The sum runs over k, in the type of x; integers wrap.
//
//   col2im_c1  x is a number, [N, C * K, L].
//   col2im_c2  image_shape and block_shape are int64, one positive number per spatial axis; strides, dilations
//              (positive) and pads have an entry per axis, pads two.
//   col2im_c3  L is the number of blocks that fit the padded image.
#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/wrapping.h"
#include "octet/spec/window.h"

namespace octet {
namespace {

using Lengths = std::vector<std::int64_t>;

// The blocks as a convolution's windows over the image.
Window block_window(const Attributes& attributes, const Lengths& image, const Lengths& block) {
  for (const Lengths* lengths : {&image, &block})
    if (std::ranges::any_of(*lengths, [](std::int64_t length) { return length < 1; }))
      fail_constraint("col2im_c2", "a length is {}, wanted positive numbers", std::ranges::min(*lengths));
  if (image.size() != block.size() || image.empty())
    fail_constraint("col2im_c2", "image_shape has {} axes, block_shape {}", image.size(), block.size());
  return resolve_window(attributes, symbolic(image), block, false, "col2im_c2");
}

Dim product_of(const SymbolicShape& dims) {
  Dim product = 1;
  for (const Dim& dim : dims) product = product * dim;
  return product;
}

void infer_col2im(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "col2im_c1");
  require_rank(i, 0, 3, "col2im_c1");
  for (std::size_t index : {1U, 2U})
    if (i.dtype(index) != DType::kInt64)
      fail_constraint("col2im_c2", "input {} is {}, wanted int64", index, name(i.dtype(index)));
  const auto image = known_integers(i, 1), block = known_integers(i, 2);
  if (!image || !block) return i.set_output(0, i.dtype(0), std::nullopt);
  const Window window = block_window(i.attributes(), *image, *block);
  const std::int64_t elements = element_count(*block);
  SymbolicShape y(2);
  if (i.has_shape(0)) {
    const SymbolicShape& x = i.shape(0);
    if (x[1].known() && x[1].value() % elements != 0)
      fail_constraint("col2im_c1", "{} rows are not blocks of {}", x[1].value(), elements);
    if (surely_different(x[2], product_of(window.output)))
      fail_constraint("col2im_c3", "x has {} blocks, {} fit the image", to_string(x[2]),
                      to_string(product_of(window.output)));
    y = {x[0], floor_divide(x[1], elements)};
  }
  for (const std::int64_t length : *image) y.emplace_back(length);
  i.set_output(0, i.dtype(0), std::move(y));
}

// Where element `k` of block `l` stands in the image; -1 in the padding.
std::int64_t place_in_image(const Window& window, const Lengths& image, std::int64_t k, std::int64_t l) {
  std::int64_t place = 0, stride = 1;
  for (std::size_t axis = image.size(); axis-- > 0;) {
    const std::int64_t blocks = window.output[axis].value();
    const std::int64_t at =
        l % blocks * window.strides[axis] - window.pads_begin[axis] + k % window.kernel[axis] * window.dilations[axis];
    if (at < 0 || at >= image[axis]) return -1;
    place += at * stride;
    stride *= image[axis];
    l /= blocks;
    k /= window.kernel[axis];
  }
  return place;
}

void compute_col2im(Call& call) {
  const Lengths image = call.input(1).to_ints(), block = call.input(2).to_ints();
  const Window window = block_window(call.attributes(), image, block);
  const Shape &x = call.input(0).shape(), &y = call.output_shape(0);
  const std::int64_t elements = element_count(block), size = element_count(image);
  visit_numeric(call.output_dtype(0), [&]<typename T>() {
    const T* from = call.input(0).as<T>().data();
    T* images = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(y[0] * y[1], 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t plane = begin; plane < end; ++plane) {
        T* to = images + plane * size;
        std::fill_n(to, size, T(0));
        for (std::int64_t k = 0; k < elements; ++k)
          for (std::int64_t l = 0; l < x[2]; ++l) {
            const std::int64_t place = place_in_image(window, image, k, l);
            if (place >= 0) to[place] = wrapping_add(to[place], from[(plane * elements + k) * x[2] + l]);
          }
      }
    });
  });
}

}  // namespace

const Operator ops::kCol2Im = {
    .name = "Col2Im",
    .versions = {18},
    .formula = "y[n,c,i] = Sum x[n,c*K+k,l] over the elements k of the blocks l that stand at i",
    .constraints = {{"col2im_c1", "x is a number, [N, C * K, L]"},
                    {"col2im_c2",
                     "image_shape and block_shape are int64, one positive number per spatial axis; strides, dilations "
                     "(positive) and pads have an entry per axis, pads two"},
                    {"col2im_c3", "L is the number of blocks that fit the padded image"}},
    .infer = infer_col2im,
    .compute = compute_col2im,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
