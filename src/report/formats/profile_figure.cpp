#include "report/formats/profile_figure.h"

#include "report/text.h"

namespace tenure::report {

const char* name_of(Figure figure) {
  if (figure == Figure::at_peak) return "peak";
  return figure == Figure::live ? "live" : "total";
}

std::optional<Figure> figure_named(const std::string& name) {
  for (Figure figure : kFigures) {
    if (name == name_of(figure)) return figure;
  }
  return std::nullopt;
}

analyze::MemoryFigures figures_of(const analyze::StackSample& sample, Figure figure) {
  if (figure == Figure::at_peak) return sample.at_peak;
  return figure == Figure::live ? sample.live : sample.total;
}

std::string frame_name(const analyze::ReadableFrame& frame) {
  const std::string name = printable(frame.function.empty() ? frame.file : frame.function);
  return name.empty() ? "unknown" : name;
}

}  // namespace tenure::report
