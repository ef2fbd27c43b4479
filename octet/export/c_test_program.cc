#include "octet/export/c_test_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "octet/export/identifiers.h"
#include "octet/export/support/c_header.h"

namespace octet {
namespace {

// As a string literal shows it.
std::string c_string(const std::string& name) {
  std::string text = comment_text(name);
  std::replace(text.begin(), text.end(), '"', '\'');
  return "\"" + text + "\"";
}

std::string tensor_row(const Program& program, const CTensor& tensor) {
  const ProgramValue& value = program.values[tensor.value];
  const Shape shape = concrete(*value.shape).value();
  const char kind = value.dtype == DType::kFloat ? 'f' : is_signed_integer(value.dtype) ? 'i' : 'u';
  std::string dims;
  for (const std::int64_t dim : shape) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
  return fmt::format("  {{{}, '{}', {}, {}, {}, {{{}}}}},\n", c_string(value.name), kind, size_of(value.dtype),
                     tensor.channels_last ? 1 : 0, shape.size(), shape.empty() ? "1" : dims);
}

constexpr const char* kProgram = R"(
struct tensor {{
  const char *name;
  char kind; /* float, integer or unsigned */
  int bytes, channels_last, rank;
  long dims[{most_dims}];
}};
static const struct tensor inputs[] = {{
{inputs}}};
static const struct tensor tensors[] = {{
{tensors}}};
enum {{ INPUTS = {input_count}, TENSORS = {tensor_count} }};

static unsigned char *wanted[TENSORS + 1]; /* by tensor; null where the folder has none */
static int seen[TENSORS + 1];              /* by tensor: compared on this folder */
static int differs[TENSORS + 1];           /* by tensor: it differed on this folder */
static long compared_tensors, compared_elements, differing_tensors;{integer_runs}

static long elements_of(const struct tensor *tensor) {{
  long count = 1;
  for (int d = 0; d < tensor->rank; ++d) count *= tensor->dims[d];
  return count;
}}

static void print_element(const struct tensor *tensor, const unsigned char *element) {{
  if (tensor->kind == 'f') {{
    float number;
    memcpy(&number, element, sizeof number);
    printf("%.9g", (double)number);
    return;
  }}
  uint64_t bits = 0;
  for (int b = 0; b < tensor->bytes; ++b) bits |= (uint64_t)element[b] << (8 * b);
  const uint64_t sign = (uint64_t)1 << (8 * tensor->bytes - 1);
  if (tensor->kind == 'i' && (bits & sign))
    printf("-%llu", (unsigned long long)((sign - 1 - (bits & (sign - 1))) + 1));
  else
    printf("%llu", (unsigned long long)bits);
}}

/* Where element k of the row-major order stands in memory. */
static long place_of(const struct tensor *tensor, long k) {{
  if (!tensor->channels_last) return k;
  long pixels = 1;
  for (int d = 2; d < tensor->rank; ++d) pixels *= tensor->dims[d];
  const long channels = tensor->dims[1], pixel = k % pixels, channel = k / pixels % channels;
  return (k / pixels / channels * pixels + pixel) * channels + channel;
}}

static void compare(int number, const void *elements, int row_major) {{
  const struct tensor *tensor = &tensors[number];
  const unsigned char *want = wanted[number];
  if (!want || differs[number]) return;
  const long count = elements_of(tensor);
  for (long k = 0; k < count; ++k) {{
    const unsigned char *got = (const unsigned char *)elements + (row_major ? k : place_of(tensor, k)) * tensor->bytes;
    if (memcmp(got, want + k * tensor->bytes, (size_t)tensor->bytes) == 0) continue;
    differs[number] = 1;
    if (differing_tensors++ > 0) return;
    long index[{most_dims}], rest = k;
    for (int d = tensor->rank; d-- > 0; rest /= tensor->dims[d]) index[d] = rest % tensor->dims[d];
    printf("FAIL: %s[", tensor->name);
    for (int d = 0; d < tensor->rank; ++d) printf("%s%ld", d == 0 ? "" : ",", index[d]);
    printf("]: got ");
    print_element(tensor, got);
    printf(", wanted ");
    print_element(tensor, want + k * tensor->bytes);
    printf("\n");
    return;
  }}
}}

void {name}_trace(int number, const void *elements) {{
  if (!wanted[number]) return;
  seen[number] = 1;
  ++compared_tensors;
  compared_elements += elements_of(&tensors[number]);
  compare(number, elements, 0);
}}

static unsigned char *read_elements(const char *folder, const char *file, const struct tensor *tensor) {{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  const size_t bytes = (size_t)(elements_of(tensor) * tensor->bytes);
  unsigned char *elements = malloc(bytes + 1);
  FILE *from = fopen(path, "rb");
  if (!from) {{
    printf("%s can't be read\n", path);
    exit(2);
  }}
  if (!elements || fread(elements, 1, bytes + 1, from) != bytes) {{
    printf("%s: wanted %lu bytes, the elements of %s\n", path, (unsigned long)bytes, tensor->name);
    exit(2);
  }}
  fclose(from);
  return elements;
}}

int main(int argc, char **argv) {{
  if (argc < 2) {{
    printf("usage: {name}_test FOLDER...   folders with index.txt: lines 'input NUMBER FILE' and 'tensor NUMBER FILE'\n");
    return 2;
  }}
  static {input_types}
  static {output_types}
{integer_arrays}  for (int a = 1; a < argc; ++a) {{
    char path[4096], what[16], file[256];
    unsigned char *given[INPUTS + 1] = {{0}};
    int number;
    snprintf(path, sizeof path, "%s/index.txt", argv[a]);
    FILE *index = fopen(path, "r");
    if (!index) {{
      printf("%s can't be read\n", path);
      return 2;
    }}
    while (fscanf(index, "%15s %d %255s", what, &number, file) == 3) {{
      const int input = strcmp(what, "input") == 0;
      if (number < 0 || number >= (input ? INPUTS : TENSORS)) {{
        printf("%s: there is no %s %d\n", path, what, number);
        return 2;
      }}
      if (input)
        given[number] = read_elements(argv[a], file, &inputs[number]);
      else
        wanted[number] = read_elements(argv[a], file, &tensors[number]);
    }}
    fclose(index);
    for (int k = 0; k < INPUTS; ++k)
      if (!given[k]) {{
        printf("%s: input %d is missing\n", path, k);
        return 2;
      }}
{copies}    {name}_run({arguments});
{results}{integers}    for (int k = 0; k < INPUTS; ++k) free(given[k]);
    for (int k = 0; k < TENSORS; ++k) {{
      if (wanted[k] && !seen[k]) {{
        printf("FAIL: %s was never made\n", tensors[k].name);
        return 1;
      }}
      seen[k] = differs[k] = 0;
      free(wanted[k]);
      wanted[k] = NULL;
    }}
  }}
  if (differing_tensors > 0) {{
    printf("FAIL: %ld of %ld tensors differ\n", differing_tensors, compared_tensors);
    return 1;
  }}
  if (compared_tensors == 0) {{
    printf("FAIL: there was nothing to compare\n");
    return 1;
  }}
  printf("PASS: %ld tensors, %ld elements%s\n", compared_tensors, compared_elements, {integers_passed});
  return 0;
}}
)";

// NAME_run_integers on the wanted tensors of its inputs, its outputs beside those wanted.
struct IntegerPart {
  std::string arrays, code, runs, passed = "\"\"";
};

IntegerPart integer_part(const Program& program, const CSource& source) {
  IntegerPart part;
  if (source.integer_outputs.empty()) return part;
  const auto number_in = [](const std::vector<CTensor>& tensors, const CTensor& port) {
    return std::find_if(tensors.begin(), tensors.end(),
                        [&](const CTensor& tensor) { return tensor.value == port.value; }) -
           tensors.begin();
  };
  std::string there, arguments, comparisons;
  const auto add = [](std::string& list, const std::string& what, const char* between) {
    list += (list.empty() ? "" : between) + what;
  };
  for (const CTensor& input : source.integer_inputs) {
    const auto traced = number_in(source.traced, input);
    const bool made = traced < std::ssize(source.traced);
    const std::string bytes =
        made ? fmt::format("wanted[{}]", traced) : fmt::format("given[{}]", number_in(source.inputs, input));
    add(there, bytes, " && ");
    add(arguments, "(const void *)" + bytes, ", ");
  }
  for (const CTensor& output : source.integer_outputs) {
    const std::string array = "integers_" + output.identifier;
    part.arrays += fmt::format("  static {} {}[{}_{}_ELEMENTS + 1];\n", c_type(program.values[output.value].dtype),
                               array, upper_case(source.name), upper_case(output.identifier));
    add(arguments, array, ", ");
    comparisons += fmt::format("      compare({}, {}, 1);\n", number_in(source.traced, output), array);
  }
  part.runs = "\nstatic int ran_integers;";
  part.code = fmt::format("    if ({}) {{\n      {}_run_integers({});\n      ran_integers = 1;\n{}    }}\n",
                          there.empty() ? "1" : there, source.name, arguments, comparisons);
  part.passed = fmt::format("ran_integers ? \", and {}_run_integers gives the same\" : \"\"", source.name);
  return part;
}

}  // namespace

ExportedFile c_test_program(const Program& program, const CSource& source) {
  const std::string upper = upper_case(source.name);
  std::string inputs, tensors, input_types, output_types, copies, arguments, results;
  std::size_t most_dims = 1;
  const auto see = [&](const CTensor& tensor) {
    most_dims = std::max(most_dims, program.values[tensor.value].shape->size());
    return tensor_row(program, tensor);
  };
  for (std::size_t k = 0; k < source.inputs.size(); ++k) {
    const CTensor& input = source.inputs[k];
    inputs += see(input);
    input_types +=
        fmt::format("{} in_{}[{}_{}_ELEMENTS + 1];{}", c_type(program.values[input.value].dtype), input.identifier,
                    upper, upper_case(input.identifier), k + 1 < source.inputs.size() ? "\n  static " : "");
    copies += fmt::format("    memcpy(in_{0}, given[{1}], sizeof in_{0} - sizeof in_{0}[0]);\n", input.identifier, k);
    arguments += fmt::format("{}in_{}", arguments.empty() ? "" : ", ", input.identifier);
  }
  for (std::size_t k = 0; k < source.outputs.size(); ++k) {
    const CTensor& output = source.outputs[k];
    output_types +=
        fmt::format("{} out_{}[{}_{}_ELEMENTS + 1];{}", c_type(program.values[output.value].dtype), output.identifier,
                    upper, upper_case(output.identifier), k + 1 < source.outputs.size() ? "\n  static " : "");
    arguments += fmt::format("{}out_{}", arguments.empty() ? "" : ", ", output.identifier);
    for (std::size_t t = 0; t < source.traced.size(); ++t)
      if (source.traced[t].value == output.value)
        results += fmt::format("    compare({}, out_{}, 1);\n", t, output.identifier);
  }
  for (const CTensor& tensor : source.traced) tensors += see(tensor);
  const std::string head = fmt::format(
      "/* Runs {0}.c on vectors, and compares every tensor. Made by Octet.\n *\n"
      " *   cc -D{1}_TRACE {0}.c {0}_test.c -o {0}_test && ./{0}_test vectors */\n"
      "#ifndef {1}_TRACE\n#error \"compile both files with -D{1}_TRACE: it shows every tensor\"\n#endif\n"
      "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n#include \"{0}.h\"\n\n"
      "void {0}_trace(int number, const void *elements);\n",
      source.name, upper);
  using fmt::arg;
  const IntegerPart integers = integer_part(program, source);
  const std::string empty_row = "  {\"\", 'f', 1, 0, 0, {0}},\n";
  return {source.name + "_test.c",
          head + fmt::format(kProgram, arg("name", source.name), arg("most_dims", most_dims),
                             arg("inputs", inputs.empty() ? empty_row : inputs),
                             arg("tensors", tensors.empty() ? empty_row : tensors),
                             arg("input_count", source.inputs.size()), arg("tensor_count", source.traced.size()),
                             arg("input_types", input_types.empty() ? "int no_input;" : input_types),
                             arg("output_types", output_types.empty() ? "int no_output;" : output_types),
                             arg("copies", copies), arg("arguments", arguments), arg("results", results),
                             arg("integers", integers.code), arg("integer_arrays", integers.arrays),
                             arg("integer_runs", integers.runs), arg("integers_passed", integers.passed))};
}

ExportedFiles c_vectors(const Program& program, const CSource& source, const std::map<std::string, Tensor>& values,
                        const std::string& folder) {
  ExportedFiles files;
  std::string index;
  const auto add = [&](const char* what, std::size_t number, const CTensor& tensor) {
    const auto found = values.find(program.values[tensor.value].name);
    if (found == values.end()) return;
    const std::string file = fmt::format("{}{}.bin", what, number);
    index += fmt::format("{} {} {}\n", what, number, file);
    const std::span<const std::byte> bytes = found->second.bytes();
    files.push_back({folder + "/" + file, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
  };
  for (std::size_t k = 0; k < source.inputs.size(); ++k) add("input", k, source.inputs[k]);
  for (std::size_t k = 0; k < source.traced.size(); ++k) add("tensor", k, source.traced[k]);
  files.push_back({folder + "/index.txt", index});
  return files;
}

}  // namespace octet
