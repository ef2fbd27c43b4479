// loss.cc: octet loss
#include "octet/evaluate/loss.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct LossArguments {
  std::string reference, model, plot, json, engine = kDefaultEngine;
  std::vector<std::string> map;
  SamplesOptions samples;
  std::int64_t top = 0;
  std::optional<double> min_sqnr;
  int threads = 0;
  bool weights = false;
};

std::map<std::string, std::string> mapped_names(const std::vector<std::string>& pairs) {
  std::map<std::string, std::string> names;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      fail(ErrorCode::kUsage, "--map {}; wanted two tensors, such as relu1=relu1_quantized", pair);
    if (!names.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      fail(ErrorCode::kUsage, "--map says twice what {} belongs to", pair.substr(0, equals));
  }
  return names;
}

double damage(const TensorLoss& tensor) { return tensor.own.elements() > 0 ? tensor.own.sqnr() : tensor.total.sqnr(); }

// Worst first; the order of the network among equals.
std::vector<const TensorLoss*> by_damage(const Loss& loss) {
  std::vector<const TensorLoss*> tensors;
  for (const TensorLoss& tensor : loss.tensors) tensors.push_back(&tensor);
  std::ranges::stable_sort(tensors, {}, [](const TensorLoss* tensor) { return damage(*tensor); });
  return tensors;
}

Table loss_table(const char* title, bool own) {
  std::vector<Table::Column> columns = {{title, Table::Fit::kShorten, false, 16}};
  if (own) columns.push_back({"own dB", Table::Fit::kWhole, true});
  for (const char* figure : {"total dB", "cosine", "largest", "clipped", "mean error"})
    columns.push_back({figure, Table::Fit::kWhole, true});
  return Table(columns);
}

void add_row(Table& table, const TensorLoss& tensor, bool own) {
  const Noise& total = tensor.total;
  std::vector<std::string> row = {tensor.name};
  if (own) row.push_back(tensor.own.elements() > 0 ? decibels(tensor.own.sqnr()) : "");
  row.insert(row.end(),
             {decibels(total.sqnr()), fmt::format("{:.5f}", total.cosine()), fmt::format("{:.3g}", total.largest()),
              octet::percent(static_cast<double>(total.clipped()) /
                             static_cast<double>(std::max<std::int64_t>(total.elements(), 1))),
              fmt::format("{:+.2g}", total.mean_error())});
  table.add(row);
}

std::string weights_table(const Loss& loss) {
  Table table({{"weights", Table::Fit::kShorten, false, 16},
               {"dB", Table::Fit::kWhole, true},
               {"cosine", Table::Fit::kWhole, true},
               {"largest", Table::Fit::kWhole, true},
               {"mean error", Table::Fit::kWhole, true}});
  std::vector<const WeightLoss*> weights;
  for (const WeightLoss& weight : loss.weights) weights.push_back(&weight);
  std::ranges::stable_sort(weights, {}, [](const WeightLoss* weight) { return weight->noise.sqnr(); });
  for (const WeightLoss* weight : weights)
    table.add({weight->name, decibels(weight->noise.sqnr()), fmt::format("{:.5f}", weight->noise.cosine()),
               fmt::format("{:.3g}", weight->noise.largest()), fmt::format("{:+.2g}", weight->noise.mean_error())});
  return table.empty() ? "" : "\n" + table.text(terminal_width());
}

std::string loss_text(const Loss& loss, const LossArguments& o) {
  const bool own = loss.float_reference;
  Table outputs = loss_table("output", own), tensors = loss_table("tensor", own);
  for (const TensorLoss& tensor : loss.tensors)
    if (tensor.output) add_row(outputs, tensor, own);
  std::int64_t shown = 0, inner = 0;
  for (const TensorLoss* tensor : by_damage(loss)) {
    if (tensor->output) continue;
    ++inner;
    if (o.top > 0 && shown == o.top) continue;
    add_row(tensors, *tensor, own);
    ++shown;
  }
  std::string text = outputs.text(terminal_width());
  if (!tensors.empty()) text += "\n" + tensors.text(terminal_width());
  if (shown < inner) text += fmt::format("and {} with less damage\n", counted(inner - shown, "tensor"));
  if (o.weights) text += weights_table(loss);
  text +=
      fmt::format("\n{} of {} compared on {}, worst first\n", grouped(static_cast<std::int64_t>(loss.tensors.size())),
                  counted(static_cast<std::int64_t>(loss.tensors.size() + loss.unmatched.size()), "tensor"),
                  counted(loss.samples, "sample"));
  if (!own) text += "the reference is quantized itself: what each tensor adds is not measured, only the total\n";
  return text;
}

Json noise_json(const Noise& noise) {
  return {{"elements", noise.elements()},
          {"sqnr", json_number(noise.sqnr())},
          {"cosine", json_number(noise.cosine())},
          {"largest_error", json_number(noise.largest())},
          {"mean_error", json_number(noise.mean_error())},
          {"broken", noise.broken()},
          {"clipped", noise.clipped()}};
}

Json loss_facts(const Loss& loss, const LossArguments& o) {
  Json tensors = Json::array(), weights = Json::array();
  for (const TensorLoss& tensor : loss.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"counterpart", tensor.counterpart},
                       {"matched_by", tensor.how},
                       {"node", tensor.node},
                       {"op_type", tensor.op_type},
                       {"output", tensor.output},
                       {"total", noise_json(tensor.total)},
                       {"own", tensor.own.elements() > 0 ? noise_json(tensor.own) : Json()}});
  for (const WeightLoss& weight : loss.weights)
    weights.push_back({{"name", weight.name}, {"noise", noise_json(weight.noise)}});
  return {{"schema", "octet.loss/1"}, {"octet", kVersion},  {"reference", o.reference},
          {"model", o.model},         {"engine", o.engine}, {"samples", loss.samples},
          {"tensors", tensors},       {"weights", weights}, {"unmatched", loss.unmatched}};
}

// A bar is as long as the noise: its root mean square as a share of the signal's.
std::string loss_picture(const Loss& loss) {
  RowChart chart{fmt::format("Noise {}, {}", loss.float_reference ? "that each tensor adds" : "of each tensor in total",
                             counted(loss.samples, "sample")),
                 "% of the signal",
                 {}};
  for (const TensorLoss* tensor : by_damage(loss)) {
    const double share = 100 * std::pow(10, -damage(*tensor) / 20);
    chart.rows.push_back({tensor->name, std::isfinite(share) ? std::optional(share) : std::nullopt,
                          fmt::format("{}, total {} dB", decibels(damage(*tensor)), decibels(tensor->total.sqnr()))});
  }
  return chart.svg();
}

// Whether every output is good enough; says which is not.
bool is_enough(const Loss& loss, double least) {
  bool enough = true;
  for (const TensorLoss& tensor : loss.tensors)
    if (tensor.output && !(tensor.total.sqnr() >= least)) {
      print_error(fmt::format("output {} has {} dB; --min-sqnr wants {}", printable(tensor.name),
                              decibels(tensor.total.sqnr()), least));
      enough = false;
    }
  return enough;
}

int run_loss(const LossArguments& o) {
  check_outputs({{"reference", o.reference}, {"model", o.model}, {"--data", o.samples.data}},
                {{"--plot", o.plot}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data; labels are not needed");
  const std::map<std::string, std::string> map = mapped_names(o.map);
  engine_named(o.engine);
  const Model reference = load_model_named(o.reference), model = load_model_named(o.model);
  const auto first = of_model(o.reference, true, [&] { return o.samples.open(reference); });
  const auto second = of_model(o.model, true, [&] { return o.samples.open(model); });
  const Loss loss = measure_loss(reference, model, *first, *second,
                                 {.first = shown_name(o.reference),
                                  .second = shown_name(o.model),
                                  .map = map,
                                  .batch = o.samples.batch,
                                  .engine = o.engine,
                                  .threads = o.threads,
                                  .progress = progress_line("comparing")});
  if (!o.plot.empty()) write_file(o.plot, loss_picture(loss));
  if (o.json.empty())
    print(loss_text(loss, o));
  else
    write_json(json_text(loss_facts(loss, o)), o.json);
  return o.min_sqnr && !is_enough(loss, *o.min_sqnr) ? kDiffers : kFine;
}

}  // namespace

Command loss_command(Parser& parser) {
  CommandLine line =
      parser.command("loss", "Measure what a model loses beside another, tensor by tensor, without labels");
  auto o = std::make_shared<LossArguments>();
  line.option("reference", o->reference, "What is right: an .onnx file, mostly the float model").required();
  line.option("model", o->model, "What is in question: an .onnx file, mostly the quantized one").required();
  add_samples_options(line, o->samples);
  line.option("--map", o->map, "Tensors that belong together, where names and structure do not say it", "A=B")
      .once_each();
  line.option("--min-sqnr", o->min_sqnr, "Exit code 1 when an output has less signal to noise than this", "DB");
  line.option("--top", o->top, "Show so many tensors, the worst; 0 is all", "N").not_negative();
  line.flag("--weights", o->weights, "Show the weights too");
  line.option("--plot", o->plot, "Draw what each tensor adds, worst first (.svg)", "FILE").ends_in({".svg"});
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  add_json_option(line, o->json);
  line.example(
      "  octet loss model.onnx int8.onnx --data photos.npz --top 10\n"
      "  octet loss model.onnx int8.onnx --data photos.npz --min-sqnr 20");
  return {line, [o, line] {
            refuse_unused(line, {{!o->json.empty(), {"--top", "--weights"}, "--json has it all"}});
            return run_loss(*o);
          }};
}

}  // namespace octet::cli
