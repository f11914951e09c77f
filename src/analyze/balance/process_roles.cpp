#include "analyze/balance/process_roles.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tenure::analyze {
namespace {

using Processes = std::vector<ProcessFigures>;

const ProcessFigures* parent_of(const Processes& processes, const ProcessFigures& process) {
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const auto& other) {
    return other.pid == process.parent_pid && &other != &process;
  });
  return found == processes.end() ? nullptr : &*found;
}

// multiprocessing gives each worker the number of its pipe.
std::string without_digits(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    for (char letter : argument) {
      if (letter < '0' || letter > '9') text += letter;
    }
    text += '\n';
  }
  return text;
}

bool is_started_by_multiprocessing(const ProcessFigures& process) {
  return std::any_of(process.arguments.begin(), process.arguments.end(),
                     [](const std::string& text) {
                       return text.find("multiprocessing") != std::string::npos &&
                              text.find("spawn_main") != std::string::npos;
                     });
}

// A child that was forked, and started no other program: it has the words of its parent.
bool may_be_worker(const Processes& processes, const ProcessFigures& process) {
  if (is_started_by_multiprocessing(process)) return true;
  const ProcessFigures* parent = parent_of(processes, process);
  return parent && parent->arguments == process.arguments;
}

// The environment of a rank goes on to its children: the topmost is the rank.
void leave_topmost_ranks(Processes& processes) {
  std::vector<bool> is_inherited;
  for (const ProcessFigures& process : processes) {
    const ProcessFigures* parent = parent_of(processes, process);
    is_inherited.push_back(process.role.part == ProcessPart::rank && parent &&
                           parent->role == process.role);
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    if (is_inherited[i]) processes[i].role = {};
  }
}

}  // namespace

void find_roles(Processes& processes, int main_pid) {
  leave_topmost_ranks(processes);
  std::map<std::pair<int, std::string>, std::vector<ProcessFigures*>> groups;
  for (ProcessFigures& process : processes) {
    if (process.role.part == ProcessPart::rank) continue;
    if (process.pid == main_pid)
      process.role = {ProcessPart::main};
    else if (may_be_worker(processes, process))
      groups[{process.parent_pid, without_digits(process.arguments)}].push_back(&process);
  }
  for (auto& [_, group] : groups) {
    if (group.size() < 2) continue;
    // A ledger begins with the first blocks, which may come in another order than the forks.
    std::sort(group.begin(), group.end(), [](auto* a, auto* b) { return a->pid < b->pid; });
    const auto count = static_cast<uint32_t>(group.size());
    for (uint32_t i = 0; i < count; ++i) group[i]->role = {ProcessPart::worker, i + 1, count};
  }
}

}  // namespace tenure::analyze
