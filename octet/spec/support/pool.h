// pool.h: the windows that MaxPool and AveragePool slide over an image.
//
// Taps of a window that fall outside the image are left out, so that a kernel of any size costs at most the image.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/shape.h"
#include "octet/spec/operator.h"
#include "octet/spec/window.h"

namespace octet {

// x is [N, C, D1, ...]: throws kConstraint with `label` when it is not, kernel_shape is missing, or the window does not
// fit. The shape of the output, as far as it is known.
std::optional<SymbolicShape> infer_pool(const Inference& i, std::string_view label);

// The window of a call whose shapes have passed infer_pool.
Window pool_window(const Call& call);

// Makes the padding of SAME_UPPER and SAME_LOWER that of ONNX Runtime's own pools: half of what the windows lack, rounded
// toward zero, and negative where strides are wider than the kernel: windows then start inside the image.
void pad_as_onnxruntime(Window& window, const Attributes& attributes, const SymbolicShape& image);

class PoolWindows {
 public:
  // `image` are the spatial dimensions. The window's output must be known.
  PoolWindows(const Window& window, Shape image);

  std::int64_t count() const { return count_; }
  std::int64_t image_size() const { return image_size_; }

  // The elements of one window that are inside the image, in row-major order.
  struct Taps {
    std::vector<std::int64_t> offsets;
    double with_padding;   // their number if those in the padding counted as well, which may be past any int64
    std::int64_t columns;  // how many of them lie side by side along the last axis
  };

  // Calls f(first, taps) for runs of consecutive windows, the first of which is window `first`, until every window was
  // seen: in blocks that may run in parallel.
  void for_each_run(const Parallel& parallel,
                    const std::function<void(std::int64_t first, const std::vector<Taps>& taps)>& f) const;

 private:
  void look_up(std::int64_t window, Taps& taps) const;

  Window window_;
  Shape image_, output_;
  std::vector<std::int64_t> strides_;
  std::int64_t count_, image_size_;
};

}  // namespace octet
