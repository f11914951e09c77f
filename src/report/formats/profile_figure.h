// report/formats/profile_figure.h: which figure of a site a profile shows, and how its frames are named.
// World: offline. Pure functions.
#pragma once
#include <optional>
#include <string>

#include "analyze/run/stack_profile.h"

namespace tenure::report {

enum class Figure { at_peak, live, total };
inline constexpr Figure kFigures[] = {Figure::at_peak, Figure::live, Figure::total};

// `peak`, `live`, `total`
const char* name_of(Figure figure);
std::optional<Figure> figure_named(const std::string& name);

analyze::MemoryFigures figures_of(const analyze::StackSample& sample, Figure figure);

// The function; where it has no name, the file.
std::string frame_name(const analyze::ReadableFrame& frame);

}  // namespace tenure::report
