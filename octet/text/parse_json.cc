#include <algorithm>
#include <unordered_set>
#include <vector>

#include "octet/base/fail.h"
#include "octet/text/json.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr std::size_t kShownCharacters = 60;

std::string cut(std::string_view text) {
  std::u32string characters = decode_utf8(text.substr(0, 4 * kShownCharacters + 4));
  std::string result;
  for (std::size_t i = 0; i < std::min(characters.size(), kShownCharacters); ++i)
    append_utf8(result, static_cast<std::uint32_t>(characters[i]));
  return characters.size() > kShownCharacters ? result + "…" : result;
}

bool is_short_and_plain(const Json& list) {
  return list.size() <= 4 &&
         std::none_of(list.begin(), list.end(), [](const Json& item) { return item.is_structured(); });
}

// Builds the document from what the parser meets, which itself needs no stack. Members are appended: looking for each
// name among those before it would take quadratic time.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit DocumentBuilder(Json& document) : document_(document) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!open_.back().names.insert(name).second) fail(ErrorCode::kFormat, "\"{}\" is there twice", cut(name));
    open_.back().name = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token, const Json::exception&) override {
    fail(ErrorCode::kFormat, "not JSON: byte {} can't be read{}", position,
         last_token.empty() ? "" : ", at the end of \"" + cut(last_token) + "\"");
  }

 private:
  struct Open {
    Json value;
    std::string name;                       // of the member that is read
    std::unordered_set<std::string> names;  // so far
  };

  bool open(Json empty) {
    if (open_.size() == kDeepestJson)
      fail(ErrorCode::kFormat, "lists and objects lie in one another more than {} deep", kDeepestJson);
    open_.push_back({std::move(empty), {}, {}});
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (open_.empty()) {
      document_ = std::move(value);
      return true;
    }
    Open& parent = open_.back();
    if (parent.value.is_array())
      parent.value.push_back(std::move(value));
    else
      parent.value.get_ref<Json::object_t&>().Container::emplace_back(std::move(parent.name), std::move(value));
    return true;
  }

  Json& document_;
  std::vector<Open> open_;
};

}  // namespace

Json parse_json(std::string_view text) {
  Json document;
  DocumentBuilder builder(document);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return document;
}

std::string json_excerpt(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return is_short_and_plain(value) ? cut(value.dump()) : "a list";
  if (value.is_string()) return fmt::format("\"{}\"", cut(value.get_ref<const std::string&>()));
  return cut(value.dump());
}

}  // namespace octet
