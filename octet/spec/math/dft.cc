// dft.cc: the meaning of DFT.
//
//   y[k] = Sum_n x[n] * exp(-2 pi i k n / N) along axis;        inverse: with exp(2 pi i k n / N), divided by N
//
// The last axis of x holds real numbers, length 1, or real and imaginary parts, length 2, as y's does. N is dft_length,
// or the length of the axis; x is cut off there, or followed by zeros. onesided keeps the first floor(N / 2) + 1
// results; together with inverse it takes x for those, and y is the real signal, N = 2 * (length - 1) unless given. The
// axis is an attribute, 1 unless said, and from opset 20 on an input, -2 unless given. In float64 (fourier.h), rounded
// once.
//
//   dft_c1  x is floating point, [..., 1 or 2], of rank 2 or more; a onesided y is of real x, its inverse of complex x.
//   dft_c2  dft_length is one positive int32 or int64, up to 2^24; without it the axis is not empty.
//   dft_c3  axis is one int64 within [-rank, rank - 1], and not the last.
#include <complex>

#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/fourier.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kAxisInput = 20;
constexpr std::int64_t kLongestTransform = std::int64_t{1} << 24;

struct DftForm {
  bool inverse, onesided;

  explicit DftForm(const Attributes& attributes)
      : inverse(attributes.get_int("inverse", 0) != 0), onesided(attributes.get_int("onesided", 0) != 0) {}
  bool to_real() const { return inverse && onesided; }
  Dim length(const Dim& axis) const { return to_real() ? (axis - 1) * 2 : axis; }
  Dim results(const Dim& n) const { return onesided && !inverse ? floor_divide(n, 2) + 1 : n; }
};

std::size_t dft_axis(std::int64_t axis, std::size_t rank) {
  const std::size_t index = normalize_axis(axis, rank, "dft_c3");
  if (index + 1 == rank) fail_constraint("dft_c3", "axis is the last of {}, wanted another", rank);
  return index;
}

// Nothing while the axis is not known.
std::optional<std::size_t> dft_axis(const Inference& i, std::size_t rank) {
  if (i.opset() < kAxisInput) return dft_axis(i.attributes().get_int("axis", 1), rank);
  if (!i.has(2)) return dft_axis(-2, rank);
  const auto axis = known_integers(i, 2);
  if (axis && axis->size() != 1) fail_constraint("dft_c3", "{} axes are given, wanted 1", axis->size());
  return axis ? std::optional(dft_axis(axis->front(), rank)) : std::nullopt;
}

// N: dft_length, or what the axis says.
Dim dft_length(const Inference& i, const DftForm& form, const Dim& axis) {
  Dim length = form.length(axis);
  if (i.has(1)) {
    const auto given = known_integers(i, 1);
    if (given && given->size() != 1) fail_constraint("dft_c2", "{} lengths are given, wanted 1", given->size());
    length = given ? Dim(given->front()) : Dim();
  }
  if (length.known() && (length.value() < 1 || length.value() > kLongestTransform))
    fail_constraint("dft_c2", "the transform has {} elements, wanted 1 to {}", length.value(), kLongestTransform);
  return length;
}

void infer_dft(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "dft_c1");
  if (i.has(1)) require_index_type(i, 1, "dft_c2");
  if (i.has(2) && i.dtype(2) != DType::kInt64) fail_constraint("dft_c3", "axis is {}, wanted int64", name(i.dtype(2)));
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const DftForm form(i.attributes());
  SymbolicShape y = i.shape(0);
  const Dim parts = y.empty() ? Dim() : y.back();
  if (y.size() < 2 || (parts.known() && !parts.is(1) && !parts.is(2)))
    fail_constraint("dft_c1", "x is {}, wanted [...,1] or [...,2]", to_string(y));
  if (form.onesided && parts.is(form.inverse ? 1 : 2))
    fail_constraint("dft_c1", "x is {} and onesided is 1: wanted {} numbers", to_string(y),
                    form.inverse ? "complex" : "real");
  y.back() = form.to_real() ? 1 : 2;
  if (const auto axis = dft_axis(i, y.size()))
    y[*axis] = form.results(dft_length(i, form, y[*axis]));
  else
    for (std::size_t k = 0; k + 1 < y.size(); ++k) y[k] = Dim();
  i.set_output(0, i.dtype(0), std::move(y));
}

using Signal = std::vector<std::complex<double>>;

// The conjugates that a onesided spectrum leaves out. The ends of a real signal's spectrum are real.
void complete_spectrum(Signal& signal) {
  const std::size_t n = signal.size();
  signal[0] = signal[0].real();
  if (n % 2 == 0) signal[n / 2] = signal[n / 2].real();
  for (std::size_t k = n / 2 + 1; k < n; ++k) signal[k] = std::conj(signal[n - k]);
}

template <typename T>
void dft_as(Call& call, std::size_t axis, std::int64_t length) {
  const DftForm form(call.attributes());
  const Shape &x = call.input(0).shape(), &y = call.output_shape(0);
  const std::span<const std::int64_t> from_shape(x.data(), x.size() - 1), to_shape(y.data(), y.size() - 1);
  const Lanes from(from_shape, axis), to(to_shape, axis);
  const Fourier fourier(static_cast<std::size_t>(length), form.inverse);
  const std::int64_t parts = x.back(), results = y.back();
  const double factor = form.inverse ? 1 / static_cast<double>(length) : 1;
  const std::int64_t given = std::min(from.length, form.to_real() ? length / 2 + 1 : length);
  const T* in = call.input(0).as<T>().data();
  T* out = call.output(0).mutable_as<T>().data();
  call.parallel().for_each_block(to.count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t lane = begin; lane < end; ++lane) {
      Signal signal(static_cast<std::size_t>(length));
      for (std::int64_t k = 0; k < given; ++k) {
        const T* element = in + (from.start(lane) + k * from.step) * parts;
        signal[static_cast<std::size_t>(k)] = {static_cast<double>(element[0]),
                                               parts == 2 ? static_cast<double>(element[1]) : 0.0};
      }
      if (form.to_real()) complete_spectrum(signal);
      fourier.transform(signal);
      for (std::int64_t k = 0; k < to.length; ++k) {
        T* element = out + (to.start(lane) + k * to.step) * results;
        element[0] = static_cast<T>(signal[static_cast<std::size_t>(k)].real() * factor);
        if (results == 2) element[1] = static_cast<T>(signal[static_cast<std::size_t>(k)].imag() * factor);
      }
    }
  });
}

void compute_dft(Call& call) {
  const Shape& x = call.input(0).shape();
  const std::int64_t given = call.opset() < kAxisInput ? call.attributes().get_int("axis", 1)
                             : call.has(2)             ? call.input(2).int_at(0)
                                                       : -2;
  const std::size_t axis = dft_axis(given, x.size());
  const std::int64_t length =
      call.has(1) ? call.input(1).int_at(0) : DftForm(call.attributes()).length(x[axis]).value();
  visit_float(call.output_dtype(0), [&]<typename T>() { dft_as<T>(call, axis, length); });
}

}  // namespace

const Operator ops::kDFT = {
    .name = "DFT",
    .versions = {17, 20},
    .formula = "y[k] = Sum_n x[n] * exp(-2 pi i k n / N) along axis",
    .constraints = {{"dft_c1",
                     "x is floating point, [..., 1 or 2], of rank 2 or more; a onesided y is of real x, its inverse of "
                     "complex x"},
                    {"dft_c2",
                     "dft_length is one positive int32 or int64, up to 2^24; without it the axis is not empty"},
                    {"dft_c3", "axis is one int64 within [-rank, rank - 1], and not the last"}},
    .infer = infer_dft,
    .compute = compute_dft,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
