#include "octet/graph/function_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "octet/base/fail.h"

namespace octet {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '+';
}

class Parser {
 public:
  Parser(std::string_view text, const Node& call) : rest_(text), call_(call) { next(); }

  Function function() {
    Function function;
    function.name = word();
    if (accept("<")) {
      do {
        const std::string name = word();
        expect(":");
        const std::string type = word();
        if (accept("="))
          function.defaults[name].value = literal(type);
        else
          function.attributes.push_back(name);
      } while (accept(","));
      expect(">");
    }
    function.inputs = names();
    expect("=>");
    function.outputs = names();
    expect("{");
    while (!accept("}")) {
      const bool wanted = condition(function);
      Node next_node = node();
      if (wanted) function.nodes.push_back(std::move(next_node));
    }
    if (!token_.empty()) wrong("the end");
    return function;
  }

 private:
  bool condition(const Function& function) {
    if (token_ != "when" && token_ != "unless") return true;
    const bool when = word() == "when";
    const bool given = gives(function, word());
    expect(":");
    return given == when;
  }

  bool gives(const Function& function, const std::string& name) const {
    const auto otherwise = function.defaults.find(name);
    const AttributeValue* value = call_.attributes.find(name);
    if (!value && otherwise != function.defaults.end()) value = &otherwise->second.value;
    if (value) {
      const auto* number = std::get_if<std::int64_t>(value);
      return !number || *number != 0;
    }
    const auto& inputs = function.inputs;
    const auto i = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), name) - inputs.begin());
    return i < std::min(inputs.size(), call_.inputs.size()) && !call_.inputs[i].empty();
  }

  Node node() {
    Node node;
    do node.outputs.push_back(word());
    while (accept(","));
    expect("=");
    node.op_type = word();
    if (accept("<")) {
      do {
        const std::string name = word();
        expect(":");
        const std::string type = word();
        expect("=");
        if (accept("@"))
          node.references[name].of = word();
        else
          node.attributes.set(name, literal(type));
      } while (accept(","));
      expect(">");
    }
    node.inputs = names();
    return node;
  }

  std::vector<std::string> names() {
    std::vector<std::string> list;
    expect("(");
    while (!accept(")")) {
      if (!list.empty()) expect(",");
      list.push_back(accept("\"\"") ? std::string() : word());
    }
    return list;
  }

  AttributeValue literal(std::string_view type) {
    if (type == "int") return number<std::int64_t>();
    if (type == "float") return number<float>();
    if (type == "string") return word();
    if (type == "ints") return numbers<std::int64_t>();
    if (type == "floats") return numbers<float>();
    wrong("int, float, string, ints or floats");
  }

  template <typename T>
  std::vector<T> numbers() {
    std::vector<T> list;
    expect("[");
    while (!accept("]")) {
      if (!list.empty()) expect(",");
      list.push_back(number<T>());
    }
    return list;
  }

  template <typename T>
  T number() {
    T value{};
    const char* const end = token_.data() + token_.size();
    if (std::from_chars(token_.data(), end, value).ptr != end || token_.empty()) wrong("a number");
    next();
    return value;
  }

  std::string word() {
    if (token_.empty() || !is_word(token_[0])) wrong("a name");
    const std::string text(token_);
    next();
    return text;
  }

  bool accept(std::string_view wanted) {
    if (token_ != wanted) return false;
    next();
    return true;
  }

  void expect(std::string_view wanted) {
    if (!accept(wanted)) wrong(wanted);
  }

  [[noreturn]] void wrong(std::string_view wanted) const {
    fail(ErrorCode::kFormat, "found '{}' where a function's text wants {}", token_, wanted);
  }

  void next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    if (length == 0 && !rest_.empty()) length = rest_.starts_with("=>") || rest_.starts_with("\"\"") ? 2 : 1;
    token_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  std::string_view rest_, token_;
  const Node& call_;
};

}  // namespace

Function parse_function(std::string_view text, const Node& call) { return Parser(text, call).function(); }

}  // namespace octet
