// stft.cc: the meaning of STFT.
//
//   y[n, f, k] = Sum_t window[t] * x[n, f * frame_step + t] * exp(-2 pi i k t / L)
//
// x is [N, T, 1], real, or [N, T, 2], complex; y is [N, frames, K, 2] with 1 + floor((T - L) / frame_step) frames of L
// = frame_length elements, or as many as window has, which is 1 unless given. K is L, and floor(L / 2) + 1 with
// onesided = 1, the default. In float64 (fourier.h), rounded once.
//
//   stft_c1  x is floating point, [N, T, 1], or [N, T, 2] where onesided is 0; window is of its type.
//   stft_c2  frame_step is one positive int32 or int64; frame_length, one as well, or window are given.
//   stft_c3  window is [L], and L is within [1, T] and up to 2^24.
#include <complex>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/fourier.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr std::int64_t kLongestFrame = std::int64_t{1} << 24;

bool is_onesided(const Attributes& attributes) { return attributes.get_int("onesided", 1) != 0; }

// A number that must be positive; unknown while it is not known.
Dim positive_number(const Inference& i, std::size_t input) {
  require_index_type(i, input, "stft_c2");
  const auto values = known_integers(i, input);
  if (!values) return {};
  if (values->size() != 1 || values->front() < 1)
    fail_constraint("stft_c2", "input {} has {} elements, wanted one positive number", input, values->size());
  return values->front();
}

Dim stft_frame_length(const Inference& i) {
  if (!i.has(2) && !i.has(3)) fail_constraint("stft_c2", "neither window nor frame_length is given");
  const Dim length = i.has(3) ? positive_number(i, 3) : i.has_shape(2) ? i.shape(2)[0] : Dim();
  require_shape(i, 2, {length}, "stft_c3");
  if (length.known() && (length.value() < 1 || length.value() > kLongestFrame))
    fail_constraint("stft_c3", "frames have {} elements, wanted 1 to {}", length.value(), kLongestFrame);
  return length;
}

void infer_stft(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "stft_c1");
  if (i.has(2)) require_same_type(i, 2, 0, "stft_c1");
  require_rank(i, 0, 3, "stft_c1");
  require_rank(i, 2, 1, "stft_c3");
  const Dim step = positive_number(i, 1), length = stft_frame_length(i);
  const bool onesided = is_onesided(i.attributes());
  Dim batch, frames;
  if (i.has_shape(0)) {
    const SymbolicShape& x = i.shape(0);
    if (x[2].known() && !x[2].is(1) && !(x[2].is(2) && !onesided))
      fail_constraint("stft_c1", "x is {} and onesided is {}", to_string(x), onesided ? 1 : 0);
    if (length.known() && x[1].known() && length.value() > x[1].value())
      fail_constraint("stft_c3", "frames have {} elements, wanted 1 to {}", length.value(), to_string(x[1]));
    batch = x[0];
    if (x[1].known() && length.known() && step.known()) frames = floor_divide(x[1] - length, step) + 1;
  }
  i.set_output(0, i.dtype(0), SymbolicShape{batch, frames, onesided ? floor_divide(length, 2) + 1 : length, 2});
}

template <typename T>
void stft_as(Call& call) {
  const Shape &x = call.input(0).shape(), &y = call.output_shape(0);
  const std::int64_t step = call.input(1).int_at(0), parts = x[2];
  const std::int64_t length = call.has(3) ? call.input(3).int_at(0) : call.input(2).size();
  const T *in = call.input(0).as<T>().data(), *window = call.has(2) ? call.input(2).as<T>().data() : nullptr;
  T* out = call.output(0).mutable_as<T>().data();
  const Fourier fourier(static_cast<std::size_t>(length), false);
  call.parallel().for_each_block(y[0] * y[1], 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t frame = begin; frame < end; ++frame) {
      const T* first = in + (frame / y[1] * x[1] + frame % y[1] * step) * parts;
      std::vector<std::complex<double>> signal;
      for (std::int64_t t = 0; t < length; ++t) {
        const double weight = window ? static_cast<double>(window[t]) : 1;
        signal.emplace_back(weight * static_cast<double>(first[t * parts]),
                            parts == 2 ? weight * static_cast<double>(first[t * parts + 1]) : 0.0);
      }
      fourier.transform(signal);
      for (std::int64_t k = 0; k < y[2]; ++k) {
        out[(frame * y[2] + k) * 2] = static_cast<T>(signal[static_cast<std::size_t>(k)].real());
        out[(frame * y[2] + k) * 2 + 1] = static_cast<T>(signal[static_cast<std::size_t>(k)].imag());
      }
    }
  });
}

}  // namespace

const Operator ops::kSTFT = {
    .name = "STFT",
    .versions = {17},
    .formula = "y[n,f,k] = Sum_t window[t] * x[n,f*frame_step+t] * exp(-2 pi i k t / L)",
    .constraints = {{"stft_c1",
                     "x is floating point, [N, T, 1], or [N, T, 2] where onesided is 0; window is of its type"},
                    {"stft_c2",
                     "frame_step is one positive int32 or int64; frame_length, one as well, or window are given"},
                    {"stft_c3", "window is [L], and L is within [1, T] and up to 2^24"}},
    .infer = infer_stft,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { stft_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
