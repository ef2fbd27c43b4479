// accelerator.h: an integer program on the accelerator of hardware/: what its memories hold, and its parameters.
//
// Tensors lie in memory pixel after pixel, the channels of a pixel together, in words of `lanes` bytes. What an array of
// multipliers computes is padded to whole groups of `columns` channels. A convolution, a dense layer and a global average are
// all sums of products on that array: the average's weights are 1. hardware/octet_window.v has the order of the products.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/integer/integer_program.h"

namespace octet {

// How N multipliers are arranged.
struct ArrayShape {
  int lanes = 1, columns = 1;  // input channels and output channels at a time; powers of two
  int levels = 0;              // lanes = 2 ** levels
  int requantizers = 1;        // sums that become bytes in a cycle
};
// Throws kUsage unless the number is a power of two from 1 to 256.
ArrayShape array_shape(int multipliers);

// Where a tensor lies.
struct PlacedTensor {
  std::int64_t channels = 1, pixels = 1;
  std::int64_t pixel_words = 1;  // from a pixel to the next
  int bank = 0;                  // 0, 1, or 2 for the image
  std::int64_t base = 0;         // its first word
};

// The constants of an output channel: q = saturate(((start + sum) * m + addend) >> shift), but on exceptions.
struct ChannelConstants {
  std::int64_t start = 0;
  IntegerRequantizer requantizer;
  Interval reach;  // of start + sum; the constants do not matter elsewhere
};

struct AcceleratorStep {
  std::string name;
  TensorId y = 0, a = 0, b = 0;  // b of additions alone
  bool is_signed = false, same_taps = false, frees_image = false;
  std::int32_t padding = 0, low = 0, high = 0;
  // As hardware/octet_window.v names them.
  std::int64_t input_rows = 1, input_columns = 1, output_rows = 1, output_columns = 1, groups = 1;
  std::int64_t kernel_rows = 1, kernel_columns = 1, words = 1, group_words = 0;
  std::int64_t stride_rows = 1, stride_columns = 1, pad_rows = 0, pad_columns = 0;
  std::int64_t first_weights = 0, first_channel = 0;  // in words
  std::int64_t useful = 0;                            // products that the program asks for
  std::vector<ChannelConstants> channels;             // padded to whole groups; none of an addition
  std::optional<IntegerAddition> addition;
};

struct Accelerator {
  ArrayShape shape;
  TensorId image = 0, result = 0;
  std::vector<TensorId> place_of;     // of each tensor of the program: the one whose memory it is, itself but for moves
  std::vector<PlacedTensor> tensors;  // of each tensor of the program that has memory of its own
  std::vector<AcceleratorStep> steps;
  std::vector<std::vector<std::int16_t>> weights;  // words: of column after column, the lanes
  std::int64_t image_words = 0;
  std::int64_t bank_words[2] = {1, 1};
};

// A line for each step that the accelerator does not have, with the reason; empty where it has all of them.
std::string accelerator_refusals(const IntegerProgram& program, int multipliers);

// Throws kUnsupported with these lines, and where the network has not one input and one output.
Accelerator accelerator(const IntegerProgram& program, int multipliers);

}  // namespace octet
