// c_step.h: one step of a program as a function of C: what it is given, its constants, its lines.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "octet/export/support/c_helpers.h"
#include "octet/export/support/c_values.h"

namespace octet {

// A literal of C.
std::string c_number(std::int64_t number);
std::string c_float(float number);

// What an array of numbers is called, and its definition.
template <typename T>
std::string c_elements(std::span<const T> numbers);

class CStep {
 public:
  CStep(const Program& program, const CValues& values, CHelpers& helpers, std::string name)
      : program_(program), values_(values), helpers_(helpers), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const CValue& value(ValueId id) const { return values_[id]; }
  const Program& program() const { return program_; }

  // A line of the comment above the function.
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    comment_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // The name under which the function sees a value.
  std::string reads(ValueId id, const std::string& as);
  std::string writes(ValueId id, const std::string& as);

  // A parameter that is no value of the program: the caller passes it himself.
  void parameter(const std::string& declared) { parameters_.push_back(declared); }

  // Constants of the step, and the names that they get.
  template <typename T>
  std::string constant(const std::string& what, const std::string& type, const std::vector<T>& numbers) {
    define(what, type, numbers.size(), c_elements(std::span<const T>(numbers)));
    return name_ + "_" + what;
  }
  // The same for an array of structs: each row in braces.
  std::string rows(const std::string& what, const std::string& type, const std::vector<std::string>& rows);

  // Memory for the time of the step.
  std::string scratch(const std::string& type, const std::string& what, std::int64_t count, int bytes);
  std::int64_t scratch_bytes() const { return scratch_; }

  const std::string& use(const std::string& helper) { return helpers_.use(helper); }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    put(fmt::format(format, std::forward<Args>(args)...));
  }
  // What is open as long as the object lives: the braces of C follow those of the code that writes them. Blocks that live
  // equally long may end in any order. The step must outlive them. Empty: none.
  class Block {
   public:
    Block() = default;
    explicit Block(CStep& step) : step_(&step) {}
    Block(Block&& other) noexcept : step_(std::exchange(other.step_, nullptr)) {}
    Block& operator=(Block&&) = delete;
    ~Block() {
      if (step_) step_->close();
    }

   private:
    CStep* step_ = nullptr;
  };
  // The line and "{" behind it, until the end of a scope.
  template <typename... Args>
  [[nodiscard]] Block block(fmt::format_string<Args...> format, Args&&... args) {
    put(fmt::format(format, std::forward<Args>(args)...) + " {");
    ++depth_;
    return Block(*this);
  }
  // for (ptrdiff_t NAME = 0; NAME < count; NAME += by)
  [[nodiscard]] Block loop(const std::string& name, std::int64_t count, std::int64_t by = 1);

  // The function with its constants and comment; and how it is called.
  std::string text() const;
  struct Argument {
    ValueId value;
    bool written;
  };
  const std::vector<Argument>& arguments() const { return arguments_; }

 private:
  void put(const std::string& line);
  void close();
  void define(const std::string& what, const std::string& type, std::size_t count, const std::string& elements);
  std::string pass(ValueId id, const std::string& as, bool written);

  const Program& program_;
  const CValues& values_;
  CHelpers& helpers_;
  std::string name_, constants_, body_;
  std::vector<std::string> comment_, parameters_;
  std::vector<Argument> arguments_;
  std::vector<std::string> names_;  // of the arguments
  std::int64_t scratch_ = 0;
  int depth_ = 1;
};

}  // namespace octet
