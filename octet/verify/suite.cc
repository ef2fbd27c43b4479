#include "octet/verify/suite.h"

#include <algorithm>
#include <map>

#include "octet/base/fail.h"
#include "octet/base/sha256.h"
#include "octet/system/read_file.h"
#include "octet/text/closest_names.h"
#include "octet/text/json.h"
#include "octet/verify/suite_files.h"

namespace octet {
namespace {

constexpr std::string_view kManifest = "manifest.json";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of one file

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

SuiteColumn column_of(const Json& json) {
  static const std::map<std::string, SuiteColumn::Type> kTypes = {{"text", SuiteColumn::Type::kText},
                                                                  {"integer", SuiteColumn::Type::kInteger},
                                                                  {"float32", SuiteColumn::Type::kFloat32}};
  const std::string type = json.at("type").get<std::string>();
  const auto known = kTypes.find(type);
  if (known == kTypes.end()) fail(ErrorCode::kFormat, "there is no type \"{}\"", type);
  return {json.at("column").get<std::string>(), known->second, json.at("list").get<bool>()};
}

SuiteOperation operation_of(const Json& json) {
  SuiteOperation operation{.name = json.at("name").get<std::string>(),
                           .what = json.at("what").get<std::string>(),
                           .file = json.at("file").get<std::string>(),
                           .operators = json.at("operators").get<std::vector<std::string>>()};
  for (const Json& column : json.at("operands")) operation.operands.push_back(column_of(column));
  for (const Json& column : json.at("results")) operation.results.push_back(column_of(column));
  for (const Json& mistake : json.at("mistakes"))
    operation.mistakes.push_back({mistake.at("name").get<std::string>(), mistake.at("meaning").get<std::string>()});
  return operation;
}

// One line of a table, by the columns of its first one.
class TableRow {
 public:
  TableRow(const SuiteOperation& operation, const std::vector<std::string>& columns, std::size_t line,
           std::string_view text)
      : operation_(operation), columns_(columns), cells_(split(text, ',')), line_(line) {
    if (cells_.size() != columns_.size())
      fail(ErrorCode::kFormat, "{}:{}: {} cells, wanted {}", operation.file, line, cells_.size(), columns_.size());
  }

  SuiteRow row() const {
    SuiteRow found{.line = line_, .question = operation_.name};
    for (const SuiteColumn& column : operation_.operands) {
      const std::vector<std::string> words = words_of(cell(column.name));
      if (column.list) found.question += fmt::format(" {}", words.size());
      for (const std::string& word : words) found.question += " " + word;
      if (!column.list && words.empty()) found.question += " -";
    }
    for (const SuiteColumn& column : operation_.results)
      for (std::string& word : words_of(cell(column.name))) found.wanted.push_back(std::move(word));
    for (const std::string& name : words_of(cell("catches"))) {
      const auto known = std::ranges::find(operation_.mistakes, name, &SuiteMistake::name);
      if (known == operation_.mistakes.end())
        fail(ErrorCode::kFormat, "{}:{}: the manifest has no mistake {}", operation_.file, line_, name);
      found.catches.push_back(static_cast<std::size_t>(known - operation_.mistakes.begin()));
    }
    return found;
  }

 private:
  const std::string& cell(const std::string& name) const {
    const auto column = std::ranges::find(columns_, name);
    if (column == columns_.end()) fail(ErrorCode::kFormat, "{} has no column {}", operation_.file, name);
    return cells_[static_cast<std::size_t>(column - columns_.begin())];
  }

  const SuiteOperation& operation_;
  const std::vector<std::string>& columns_;
  std::vector<std::string> cells_;
  std::size_t line_;
};

void read_rows(SuiteOperation& operation, std::string_view text, std::size_t count) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() != count + 1)
    fail(ErrorCode::kFormat, "{} has {} lines, wanted a title and {} rows", operation.file, lines.size(), count);
  const std::vector<std::string> columns = split(lines.front(), ',');
  for (std::size_t i = 1; i < lines.size(); ++i)
    operation.rows.push_back(TableRow(operation, columns, i + 1, lines[i]).row());
}

// Throws unless it is the file that the manifest names.
void require_same(const Json& named, const std::string& contents) {
  Sha256 hash;
  hash.add(contents);
  const std::string name = named.at("file").get<std::string>();
  const auto bytes = named.at("bytes").get<std::size_t>();
  if (contents.size() != bytes)
    fail(ErrorCode::kFormat, "{} has {} bytes, the manifest says {}", name, contents.size(), bytes);
  const std::string found = hash.hex(), wanted = named.at("sha256").get<std::string>();
  if (found != wanted) fail(ErrorCode::kFormat, "{} has the SHA-256 {}, the manifest says {}", name, found, wanted);
}

// `read` gives a file's contents by its name.
template <typename Read>
Suite suite_of(const Read& read) {
  Suite suite;
  suite.files.push_back({std::string(kManifest), read(std::string(kManifest))});
  try {
    const Json manifest = parse_json(suite.files.front().contents);
    if (const std::string schema = manifest.at("schema").get<std::string>(); schema != "octet.suite/1")
      fail(ErrorCode::kFormat, "its schema is {}, wanted octet.suite/1", schema);
    suite.version = manifest.at("version").get<std::string>();
    for (const Json& named : manifest.at("files")) {
      const std::string name = named.at("file").get<std::string>();
      if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
        fail(ErrorCode::kFormat, "\"{}\" is not the name of a file beside it", name);
      suite.files.push_back({name, read(name)});
      require_same(named, suite.files.back().contents);
    }
    for (const Json& json : manifest.at("operations")) {
      SuiteOperation operation = operation_of(json);
      const auto file = std::ranges::find(suite.files, operation.file, &SuiteFile::name);
      if (file == suite.files.end())
        fail(ErrorCode::kFormat, "{} is not among the files of the manifest", operation.file);
      read_rows(operation, file->contents, json.at("rows").get<std::size_t>());
      suite.operations.push_back(std::move(operation));
    }
  } catch (const Json::exception& error) {
    fail(ErrorCode::kFormat, "{} is not what docs/schemas/suite.schema.json describes: {}", kManifest, error.what());
  }
  return suite;
}

}  // namespace

Suite built_in_suite() {
  return suite_of([](const std::string& name) {
    const auto* const file = std::ranges::find(kSuiteFiles, name, &EmbeddedFile::name);
    if (file == std::end(kSuiteFiles)) fail(ErrorCode::kFormat, "there is no {}", name);
    return std::string(file->text);
  });
}

Suite load_suite(const std::filesystem::path& folder) {
  try {
    return suite_of([&](const std::string& name) {
      const FileBytes file = read_file(folder / name, kMostBytes);
      return std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kFormat) throw;
    fail(ErrorCode::kFormat, "{}: {}", folder.string(), error.message());
  }
}

Suite chosen(Suite suite, const std::vector<std::string>& operations) {
  if (operations.empty()) return suite;
  std::vector<std::string> names;
  for (const SuiteOperation& operation : suite.operations) names.push_back(operation.name);
  for (const std::string& wanted : operations)
    if (std::ranges::find(names, wanted) == names.end())
      fail(ErrorCode::kUsage, "there is no operation {}; nearest: {}", wanted, closest_names(wanted, names));
  std::erase_if(suite.operations, [&](const SuiteOperation& operation) {
    return std::ranges::find(operations, operation.name) == operations.end();
  });
  return suite;
}

std::string form_of(const SuiteOperation& operation) {
  std::string form = operation.name;
  for (const SuiteColumn& column : operation.operands)
    form += column.list ? fmt::format(" count {}...", column.name) : " " + column.name;
  form += " ->";
  for (const SuiteColumn& column : operation.results) form += " " + column.name + (column.list ? "..." : "");
  return form;
}

}  // namespace octet
