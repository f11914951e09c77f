// base/nearest_name.h: what somebody meant who mistyped a name.
// World: offline. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tenure {

// Letters that have to be put in, left out, changed or swapped with their neighbour to come from one to the other.
size_t edit_distance(std::string_view from, std::string_view to);

// The name that is near enough to be meant: up to a third of its letters differ. Empty: there is none.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

// "; did you mean `observe`?", or nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names);

}  // namespace tenure
