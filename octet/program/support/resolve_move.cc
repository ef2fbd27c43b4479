// resolve_move.cc: where the elements of a result come from.
//
// Transpose and Concat have formulas. Otherwise the operator itself is asked: its kernel runs on numbers in the place of elements, each source's elements counted one
// after the other from 1 on, and 0 as the fill. That the numbers arrive unchanged is proven by a second run on other
// numbers: an operator that does more than move elements gives something else.
#include <algorithm>

#include "octet/base/error.h"
#include "octet/program/support/resolving.h"
#include "octet/spec/axes.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// Elements of what is moved and where to; larger ones run by their operation.
constexpr std::int64_t kMostMoved = std::int64_t{1} << 22;
constexpr std::size_t kMostBoxes = 64;

// A one-to-one map of int32 that keeps neither order nor distance, and 0 as 0.
std::int64_t relabelled(std::int64_t number) {
  auto bits = static_cast<std::uint32_t>(number);
  bits *= 0x9e3779b1U;
  bits ^= bits >> 15;
  bits *= 0x85ebca77U;
  return static_cast<std::int64_t>(bits);
}

class MoveResolver {
 public:
  MoveResolver(const Program& program, const std::vector<Tensor>& known, MoveBudget& budget, const Operation& operation)
      : program_(program), known_(known), budget_(budget), operation_(operation) {}

  Resolution resolve(bool every) {
    const char* const other = every ? "it changes elements" : "it computes in float";
    if (!input_number(*operation_.op, Role::kMoved)) return opaque(other);
    if (operation_.outputs.size() != 1) return opaque("it has several results");
    work::Move work;
    work.y = output_id(operation_, Role::kY);
    const std::optional<Shape> y = shape_at(program_, work.y);
    if (!y) return opaque("a shape is not known before the run");
    std::int64_t elements = element_count(*y);
    for (std::size_t n = 0; input_id(operation_, Role::kMoved, n) != kNoValue; ++n) {
      work.sources.push_back(input_id(operation_, Role::kMoved, n));
      const std::optional<Shape> shape = shape_at(program_, work.sources.back());
      if (!shape) return opaque("a shape is not known before the run");
      shapes_.push_back(*shape);
      elements += element_count(*shape);
      if (operation_.op->repeated == 0) break;
    }
    if (operation_.op->renames) {
      work.only_renames = true;
      work.boxes = {{.source = 0, .begin = Shape(y->size(), 0), .shape = *y, .strides = strides_of(*y)}};
      return {std::move(work), {}, {}};
    }
    if (!every) return opaque(other);
    if (std::optional<std::vector<work::MoveBox>> boxes = boxes_by_formula(*y)) {
      work.boxes = std::move(*boxes);
      work.fill = Tensor(program_.values[work.y].dtype, {});
      work.only_renames = is_renaming(work.boxes, *y);
      return {std::move(work), {}, {}};
    }
    if (elements > kMostMoved || elements > budget_.followed) return opaque("too many elements to follow each");
    budget_.followed -= elements;
    const DType type = program_.values[work.y].dtype;
    work.fill = Tensor(type, {});
    if (const Tensor* fill = find_constant(program_, operation_, Role::kFill)) work.fill = *fill;
    if (find_input(program_, operation_, Role::kFill) && !find_constant(program_, operation_, Role::kFill))
      return opaque("what fills the gaps is computed at run time");
    std::string why = follow(work.indices, *y);
    if (!why.empty()) return opaque(std::move(why));
    into_boxes(work, *y);
    const auto kept = static_cast<std::int64_t>(work.indices.size());
    if (kept > budget_.kept) return opaque("too many elements to follow each");
    budget_.kept -= kept;
    return {std::move(work), {}, {}};
  }

 private:
  static Resolution opaque(std::string why) { return {std::monostate(), std::move(why), {}}; }

  // The strides that a box of one source has, as into_boxes() gives them: 0 along axes of length 1.
  static std::vector<std::int64_t> box_strides(const Shape& shape, std::vector<std::int64_t> strides) {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == 1) strides[d] = 0;
    return strides;
  }

  // Closed forms for common operators, so that elements need not be traced one by one.
  std::optional<std::vector<work::MoveBox>> boxes_by_formula(const Shape& y) const {
    if (element_count(y) == 0 || shapes_.size() > kMostBoxes) return std::nullopt;
    if (is(operation_.op, ops::kTranspose)) return transposed_boxes(y);
    if (is(operation_.op, ops::kConcat)) return concatenated_boxes(y);
    return std::nullopt;
  }

  std::optional<std::vector<work::MoveBox>> transposed_boxes(const Shape& y) const {
    const Shape& x = shapes_[0];
    if (x.size() != y.size()) return std::nullopt;
    std::vector<std::size_t> order(y.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
    if (operation_.attributes.has("perm"))
      order = normalize_axes(operation_.attributes.get_ints("perm"), y.size(), "transpose_c1");
    if (order.size() != y.size()) return std::nullopt;
    const std::vector<std::int64_t> source = strides_of(x);
    std::vector<std::int64_t> strides(y.size());
    for (std::size_t d = 0; d < y.size(); ++d) {
      if (x[order[d]] != y[d]) return std::nullopt;  // the file declares another shape
      strides[d] = source[order[d]];
    }
    return std::vector<work::MoveBox>{
        {.source = 0, .begin = Shape(y.size(), 0), .shape = y, .strides = box_strides(y, std::move(strides))}};
  }

  std::optional<std::vector<work::MoveBox>> concatenated_boxes(const Shape& y) const {
    const std::size_t axis = normalize_axis(operation_.attributes.get_int("axis", 1), y.size(), "concat_c2");
    std::vector<work::MoveBox> boxes;
    Shape begin(y.size(), 0), rest = y;
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      const Shape& shape = shapes_[k];
      if (shape.size() != y.size()) return std::nullopt;
      rest[axis] = shape[axis];
      if (shape != rest) return std::nullopt;  // the file declares another shape
      if (element_count(shape) > 0)
        boxes.push_back(
            {.source = k, .begin = begin, .shape = shape, .strides = box_strides(shape, strides_of(shape))});
      begin[axis] += shape[axis];
    }
    if (begin[axis] != y[axis]) return std::nullopt;
    return boxes;
  }

  // What the operator makes of the numbers of elements; nothing where it takes none, or reads what is computed at run
  // time.
  std::optional<std::vector<std::int64_t>> run(std::int64_t (*label)(std::int64_t)) const {
    static const Arithmetic arithmetic;
    static const Parallel parallel(1);
    std::vector<Tensor> arguments;
    std::size_t source = 0;
    std::int64_t next = 1;
    for (std::size_t i = 0; i < operation_.inputs.size(); ++i) {
      const ValueId input = operation_.inputs[i];
      if (input == kNoValue) {
        arguments.emplace_back();
      } else if (source < shapes_.size() && i == *input_number(*operation_.op, Role::kMoved, source)) {
        Tensor numbers = Tensor::uninitialized(DType::kInt64, shapes_[source++]);
        for (std::int64_t& number : numbers.mutable_as<std::int64_t>()) number = label(next++);
        arguments.push_back(std::move(numbers));
      } else if (i == input_number(*operation_.op, Role::kFill)) {
        arguments.push_back(Tensor(DType::kInt64, {}));
      } else if (!known_[input].empty()) {
        arguments.push_back(known_[input]);
      } else {
        return std::nullopt;
      }
    }
    try {
      return execute(*operation_.op, operation_.opset, operation_.attributes, arguments, 1, {arithmetic, parallel})[0]
          .to_ints();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  std::string follow(std::vector<std::int64_t>& indices, const Shape& y) const {
    const auto first = run([](std::int64_t number) { return number; }), second = run(relabelled);
    if (!first || !second) return "where elements go depends on what is computed at run time";
    const bool moves = static_cast<std::int64_t>(first->size()) == element_count(y) &&
                       std::equal(first->begin(), first->end(), second->begin(), second->end(),
                                  [](std::int64_t a, std::int64_t b) { return relabelled(a) == b; });
    if (!moves) return "it changes elements";
    indices = *first;
    return "";
  }

  // ---- boxes of y that come from equally spaced elements

  // The number of the first element of each source.
  std::vector<std::int64_t> firsts() const {
    std::vector<std::int64_t> result;
    std::int64_t next = 1;
    for (const Shape& shape : shapes_) {
      result.push_back(next);
      next += element_count(shape);
    }
    return result;
  }

  void into_boxes(work::Move& work, const Shape& y) const {
    std::vector<work::MoveBox> boxes, pending = {{.begin = Shape(y.size(), 0), .shape = y}};
    if (work.indices.empty()) pending.clear();
    const std::vector<std::int64_t> starts = firsts();
    while (!pending.empty()) {
      work::MoveBox box = std::move(pending.back());
      pending.pop_back();
      const std::optional<std::size_t> broken = describe_box(box, work.indices, y, starts);
      if (!broken) {
        boxes.push_back(std::move(box));
      } else {
        auto [front, back] = split(box, *broken, work.indices, y, starts);
        pending.push_back(std::move(back));
        pending.push_back(std::move(front));
      }
      if (boxes.size() + pending.size() > kMostBoxes) return;
    }
    work.indices.clear();
    work.boxes = std::move(boxes);
    work.only_renames = is_renaming(work.boxes, y);
    if (element_count(y) == 0 && work.sources.size() == 1) work.only_renames = element_count(shapes_[0]) == 0;
  }

  // Whether the boxes are all elements of one source in its order.
  bool is_renaming(const std::vector<work::MoveBox>& boxes, const Shape& y) const {
    if (shapes_.size() != 1 || boxes.size() != 1 || !boxes[0].source || boxes[0].offset != 0) return false;
    if (element_count(shapes_[0]) != element_count(y)) return false;
    const std::vector<std::int64_t> plain = strides_of(y);
    for (std::size_t d = 0; d < y.size(); ++d)
      if (y[d] != 1 && boxes[0].strides[d] != plain[d]) return false;
    return true;
  }

  static std::optional<std::size_t> source_of(std::int64_t number, const std::vector<std::int64_t>& starts) {
    if (number == 0) return std::nullopt;
    return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), number) - starts.begin()) - 1;
  }

  static std::int64_t place(const Shape& begin, const std::vector<std::int64_t>& strides) {
    std::int64_t result = 0;
    for (std::size_t d = 0; d < begin.size(); ++d) result += begin[d] * strides[d];
    return result;
  }

  // Gives the box its source, offset and strides. Returns the axis along which they do not hold, if there is one: the
  // first at which the elements next to the box's first corner already differ, or else the outermost longer than 1.
  static std::optional<std::size_t> describe_box(work::MoveBox& box, const std::vector<std::int64_t>& numbers,
                                                 const Shape& y, const std::vector<std::int64_t>& starts) {
    const std::vector<std::int64_t> strides = strides_of(y);
    const std::int64_t corner = place(box.begin, strides);
    const auto number = [&](std::int64_t at) { return numbers[static_cast<std::size_t>(at)]; };
    box.source = source_of(number(corner), starts);
    box.strides.assign(y.size(), 0);
    box.offset = box.source ? number(corner) - starts[*box.source] : 0;
    for (std::size_t d = 0; d < y.size(); ++d) {
      if (box.shape[d] == 1) continue;
      if (source_of(number(corner + strides[d]), starts) != box.source) return d;
      if (box.source) box.strides[d] = number(corner + strides[d]) - number(corner);
    }
    for (std::size_t d = 0; d < y.size(); ++d)
      for (std::int64_t i = 2; i < box.shape[d]; ++i)
        if (!holds(box, d, i, number(corner + i * strides[d]), starts)) return d;
    Shape index(y.size(), 0);
    for (std::int64_t k = element_count(box.shape); k-- > 0;) {
      std::int64_t at = corner, expected = 0;
      for (std::size_t d = 0; d < y.size(); ++d) {
        at += index[d] * strides[d];
        expected += index[d] * box.strides[d];
      }
      const bool right = box.source ? source_of(number(at), starts) == box.source &&
                                          number(at) == starts[*box.source] + box.offset + expected
                                    : number(at) == 0;
      if (!right)
        return static_cast<std::size_t>(
            std::find_if(box.shape.begin(), box.shape.end(), [](std::int64_t dim) { return dim > 1; }) -
            box.shape.begin());
      for (std::size_t d = y.size(); d-- > 0;) {
        if (++index[d] < box.shape[d]) break;
        index[d] = 0;
      }
    }
    return std::nullopt;
  }

  // Whether the element `i` steps along axis d from the corner is what the strides say.
  static bool holds(const work::MoveBox& box, std::size_t d, std::int64_t i, std::int64_t number,
                    const std::vector<std::int64_t>& starts) {
    if (source_of(number, starts) != box.source) return false;
    return !box.source || number == starts[*box.source] + box.offset + i * box.strides[d];
  }

  // Where the box's edge along `axis` first breaks; in the middle when the edge itself is right.
  static std::pair<work::MoveBox, work::MoveBox> split(const work::MoveBox& box, std::size_t axis,
                                                       const std::vector<std::int64_t>& numbers, const Shape& y,
                                                       const std::vector<std::int64_t>& starts) {
    const std::vector<std::int64_t> strides = strides_of(y);
    const std::int64_t corner = place(box.begin, strides);
    std::int64_t length = 1;
    while (length < box.shape[axis] &&
           holds(box, axis, length, numbers[static_cast<std::size_t>(corner + length * strides[axis])], starts))
      ++length;
    if (length == box.shape[axis]) length = std::max<std::int64_t>(1, length / 2);
    work::MoveBox front = box, back = box;
    front.shape[axis] = length;
    back.begin[axis] += length;
    back.shape[axis] -= length;
    return {std::move(front), std::move(back)};
  }

  const Program& program_;
  const std::vector<Tensor>& known_;
  MoveBudget& budget_;
  const Operation& operation_;
  std::vector<Shape> shapes_;
};

}  // namespace

Resolution resolve_move(const Program& program, const std::vector<Tensor>& known, MoveBudget& budget,
                        const Operation& operation, bool every) {
  return MoveResolver(program, known, budget, operation).resolve(every);
}

}  // namespace octet
