#include "octet/export/identifiers.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace octet {
namespace {

constexpr std::size_t kLongest = 48, kLongestComment = 100;

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Reserved in C, C++, Verilog, SystemVerilog, <stdint.h>, <stddef.h> and <stdbool.h>, in lower case.
constexpr auto kReserved =
    std::to_array<std::string_view>({"alias",       "alignas",      "alignof",     "always",      "and",
                                     "asm",         "assert",       "assign",      "assume",      "auto",
                                     "automatic",   "begin",        "bind",        "bins",        "bit",
                                     "bitand",      "bitor",        "bool",        "break",       "buf",
                                     "bufif0",      "bufif1",       "byte",        "case",        "casex",
                                     "casez",       "catch",        "cell",        "char",        "chandle",
                                     "checker",     "class",        "clocking",    "cmos",        "compl",
                                     "concept",     "config",       "const",       "consteval",   "constexpr",
                                     "constinit",   "constraint",   "context",     "continue",    "cover",
                                     "covergroup",  "cross",        "deassign",    "decltype",    "default",
                                     "defparam",    "delete",       "design",      "disable",     "dist",
                                     "do",          "double",       "edge",        "else",        "end",
                                     "endcase",     "endclass",     "endfunction", "endgenerate", "endmodule",
                                     "endpackage",  "endprimitive", "endspecify",  "endtable",    "endtask",
                                     "enum",        "event",        "expect",      "explicit",    "export",
                                     "extends",     "extern",       "false",       "final",       "first_match",
                                     "float",       "for",          "force",       "foreach",     "forever",
                                     "fork",        "friend",       "function",    "generate",    "genvar",
                                     "global",      "goto",         "highz0",      "highz1",      "if",
                                     "iff",         "ifnone",       "import",      "incdir",      "include",
                                     "initial",     "inline",       "inout",       "input",       "inside",
                                     "instance",    "int",          "integer",     "interface",   "intersect",
                                     "join",        "large",        "let",         "liblist",     "library",
                                     "local",       "localparam",   "logic",       "long",        "longint",
                                     "macromodule", "main",         "matches",     "medium",      "modport",
                                     "module",      "mutable",      "namespace",   "nand",        "negedge",
                                     "new",         "nmos",         "noexcept",    "nor",         "noshowcancelled",
                                     "not",         "notif0",       "notif1",      "null",        "nullptr",
                                     "operator",    "or",           "output",      "package",     "packed",
                                     "parameter",   "pmos",         "posedge",     "primitive",   "priority",
                                     "private",     "program",      "property",    "protected",   "public",
                                     "pull0",       "pull1",        "pulldown",    "pullup",      "pure",
                                     "rand",        "randc",        "randcase",    "rcmos",       "real",
                                     "realtime",    "ref",          "reg",         "register",    "release",
                                     "repeat",      "requires",     "restrict",    "return",      "rnmos",
                                     "rpmos",       "rtran",        "rtranif0",    "rtranif1",    "scalared",
                                     "sequence",    "short",        "shortint",    "shortreal",   "showcancelled",
                                     "signed",      "sizeof",       "small",       "solve",       "specify",
                                     "specparam",   "static",       "string",      "strong0",     "strong1",
                                     "struct",      "super",        "supply0",     "supply1",     "switch",
                                     "table",       "tagged",       "task",        "template",    "this",
                                     "throw",       "time",         "tran",        "tranif0",     "tranif1",
                                     "tri",         "tri0",         "tri1",        "triand",      "trior",
                                     "trireg",      "true",         "try",         "type",        "typedef",
                                     "typeid",      "typename",     "typeof",      "union",       "unique",
                                     "unsigned",    "use",          "using",       "var",         "vectored",
                                     "virtual",     "void",         "volatile",    "wait",        "wand",
                                     "weak0",       "weak1",        "while",       "wire",        "with",
                                     "within",      "wor",          "xnor",        "xor"});

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// As much of a name as an identifier may have.
std::string identifier_of(std::string_view name) {
  std::string base;
  for (const char c : name) {
    if (is_plain(c))
      base += c;
    else if (!base.empty() && base.back() != '_')
      base += '_';  // never two in a row, which C++ and mangled names reserve
    if (base.size() == kLongest) break;
  }
  while (base.ends_with('_')) base.pop_back();
  if (base.empty() || (base.front() >= '0' && base.front() <= '9')) base = std::string("t") + base;
  if (std::ranges::binary_search(kReserved, lower_case(base)) || base.ends_with("_t")) base += "_";
  return base;
}

}  // namespace

bool Identifiers::keep(const std::string& name) {
  return identifier_of(name) == name && taken_.insert(lower_case(name)).second;
}

std::string Identifiers::make(std::string_view name) {
  const std::string base = identifier_of(name);
  std::string identifier = base;
  for (int number = 2; !taken_.insert(lower_case(identifier)).second; ++number) {
    std::string end = base.ends_with('_') ? "" : "_";
    end += std::to_string(number);
    identifier.assign(base, 0, kLongest - end.size());
    identifier += end;
  }
  return identifier;
}

std::string comment_text(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, kLongestComment)) {
    char shown = c >= ' ' && c <= '~' && c != '\\' ? c : '?';
    if (!text.empty() &&
        ((text.back() == '*' && shown == '/') || (text.back() == '/' && (shown == '*' || shown == '/'))))
      shown = '|';
    if (text.ends_with("?") && shown == '?') shown = '.';
    text += shown;
  }
  return name.size() > kLongestComment ? text + "..." : text;
}

}  // namespace octet
