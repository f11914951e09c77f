// analyze/heap/holder.h: who holds memory, as a sentence and as the way there.
// World: offline. Values.
#pragma once
#include <string>
#include <vector>

namespace tenure::analyze {

struct HolderStep {
  std::string name;
  std::string type;
};

struct Holder {
  std::string text;  // a sentence; report/sentences.h makes at most 160 characters of it
  std::vector<HolderStep> path;
  std::string keeper;  // who keeps the holder itself; empty: nobody is known
};

}  // namespace tenure::analyze
