// loss.cc: octet loss
#include "octet/evaluate/loss.h"

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/evaluate/loss_report.h"
#include "octet/system/atomic_file.h"
#include "octet/text/utf8.h"

namespace octet::cli {
namespace {

struct LossArguments {
  std::string reference, model, plot, json, engine = kDefaultEngine;
  std::vector<std::string> map;
  SamplesOptions samples;
  std::int64_t top = 0;
  std::optional<double> min_sqnr, threshold;
  std::string boxes, scores, box_form = "corners";
  double overlap = DetectionOptions().overlap;
  std::optional<std::uint64_t> background;
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

// Whether every output is good enough; says which is not.
bool is_enough(const Loss& loss, double least) {
  const std::vector<const TensorLoss*> noisy = outputs_below(loss, least);
  for (const TensorLoss* output : noisy)
    print_error(fmt::format("output {} has {} dB; --min-sqnr wants {}", printable(output->name),
                            decibels(output->total.sqnr()), least));
  return noisy.empty();
}

std::optional<DetectionOptions> detections_of(const LossArguments& o) {
  if (o.boxes.empty()) return std::nullopt;
  DetectionOptions options{
      .boxes = o.boxes, .scores = o.scores, .centers = o.box_form == "centers", .overlap = o.overlap};
  if (o.threshold) options.score = *o.threshold;
  if (o.background) options.background = static_cast<std::int64_t>(*o.background);
  return options;
}

int run_loss(LossArguments o) {
  check_outputs({{"reference", o.reference}, {"model", o.model}, {"--data", o.samples.data}},
                {{"--plot", o.plot}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data; labels are not needed");
  const std::map<std::string, std::string> map = mapped_names(o.map);
  engine_named(o.engine);
  const Model reference = load_model_named(o.reference), model = load_model_named(o.model);
  o.samples.use_record_of({&model, &reference}, {shown_name(o.model), shown_name(o.reference)});
  const auto first = of_model(o.reference, true, [&] { return o.samples.open(reference); });
  const auto second = of_model(o.model, true, [&] { return o.samples.open(model); });
  const Loss loss = measure_loss(reference, model, *first, *second,
                                 {.first = shown_name(o.reference),
                                  .second = shown_name(o.model),
                                  .map = map,
                                  .threshold = o.threshold,
                                  .detections = detections_of(o),
                                  .batch = o.samples.batch,
                                  .engine = o.engine,
                                  .threads = o.threads,
                                  .progress = progress_line("comparing")});
  for (const std::string& warning : warnings_of(loss)) print_error("warning: " + warning);
  if (!o.plot.empty()) write_file(o.plot, loss_picture(loss));
  if (o.json.empty())
    print(loss_text(loss, {.top = o.top, .weights = o.weights, .width = terminal_width()}));
  else
    write_json(loss_json(loss, {.reference = o.reference, .model = o.model, .engine = o.engine}), o.json);
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
  line.option("--threshold", o->threshold, "Count elements of outputs that are at least this in one model alone",
              "NUMBER");
  const Argument scores =
      line.option("--scores", o->scores, "Output with the scores of boxes: [N,K] or [N,K,C]", "OUTPUT");
  const Argument boxes =
      line.option("--boxes", o->boxes, "Output with boxes, [N,K,4]: match the detections of both models", "OUTPUT")
          .needs(scores);
  line.option("--box-form", o->box_form, "Left, top, right, bottom, or centre and size", "FORM")
      .one_of({"corners", "centers"})
      .shows_default()
      .needs(boxes);
  line.option("--overlap", o->overlap, "Intersection over union from which on two boxes match", "SHARE")
      .shows_default()
      .needs(boxes);
  line.option("--background", o->background, "Class that is no detection", "CLASS").needs(boxes);
  line.option("--top", o->top, "Show so many tensors, the worst; 0 is all", "N").not_negative();
  line.flag("--weights", o->weights, "Show the weights too");
  line.option("--plot", o->plot, "Draw what each tensor adds, worst first (.svg)", "FILE").ends_in({".svg"});
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  add_json_option(line, o->json);
  line.example(
      "  octet loss model.onnx int8.onnx --data photos.npz --top 10\n"
      "  octet loss model.onnx int8.onnx --data photos.npz --min-sqnr 20");
  return {line,
          [o, line] {
            refuse_unused(line, {{!o->json.empty(), {"--top", "--weights"}, "--json has it all"}});
            return run_loss(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
