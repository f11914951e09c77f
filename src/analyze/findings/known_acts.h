// analyze/findings/known_acts.h: ways in which memory is kept that people know an act against: close the figure, remove the
// handle. The table and its sentences are made from report/texts/acts.json.
// World: offline. Constant data. In a pattern * stands for anything and | separates alternatives; empty: not asked for.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/vocabulary.h"

namespace tenure::analyze {

enum class ActGrowth : uint8_t {
  any,
  one_block,     // one block that is made bigger again and again
  bounded,       // it has a limit, and more than fits into memory goes in
  partly_freed,  // others that were made there were freed
  never_freed,   // not even when the program ended
};

struct KnownAct {
  std::string_view code;  // of its sentence
  std::span<const Kind> kinds;
  std::span<const std::string_view> path;  // links that follow each other: OWNER.NAME:TYPE
  std::string_view below;                  // a link from what they hang from on down
  std::string_view point;                  // the link to what they hang from
  std::string_view items;                  // the type of what that has
  std::string_view library;                // that asked for the block: the name of its file
  std::string_view made;                   // a native function on the stack
  ActGrowth growth = ActGrowth::any;
  bool is_own_class = false;  // a class has its own instances in an attribute of its own
  bool is_piled = false;  // the last link of the path leads to what they hang from, or lies below
};

// The first that fits is told.
std::span<const KnownAct> known_acts();

}  // namespace tenure::analyze
