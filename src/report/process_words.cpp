#include "report/process_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using analyze::ProcessFigures;
using analyze::ProcessPart;

constexpr size_t kMostNumbers = 6;  // are listed; of more only their count is told

struct Group {  // of one kind, told together
  ProcessPart part;
  std::string name;  // of the program, where that is all that is known
  int parent_pid;
  uint32_t count;  // of all such processes, also those that are not told
  std::vector<std::string> numbers, pids;
};

std::string name_of(const ProcessFigures& process) {
  analyze::ProgramInfo program;
  program.arguments = process.arguments;
  return program_name(program);
}

// Workers of several parents are told apart; ranks are of one job.
Group group_of(const ProcessFigures& process) {
  const ProcessPart part = process.role.part;
  return {part,
          part == ProcessPart::other ? name_of(process) : "",
          part == ProcessPart::worker ? process.parent_pid : 0,
          process.role.count,
          {},
          {}};
}

bool is_same(const Group& a, const Group& b) {
  return a.part == b.part && a.name == b.name && a.parent_pid == b.parent_pid && a.count == b.count;
}

std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string plural(const Group& group, const std::string& word) {
  return group.pids.size() > 1 ? word + (word.ends_with('s') ? "es" : "s") : word;
}

std::string pids_of(const Group& group) {
  if (group.pids.size() > kMostNumbers) return "";
  return fmt::format(" ({} {})", plural(group, "process"), listed(group.pids));
}

// "worker 2 of 4", "both workers", "all 4 ranks", "9 of 12 workers".
std::string numbered(const Group& group, const std::string& word) {
  const size_t told = group.pids.size();
  if (told == group.count)
    return told == 2 ? fmt::format("both {}s", word) : fmt::format("all {} {}s", told, word);
  if (told > kMostNumbers) return fmt::format("{} of {} {}s", told, group.count, word);
  return fmt::format("{} {} of {}", plural(group, word), listed(group.numbers), group.count);
}

std::string words_of(const Group& group) {
  switch (group.part) {
    case ProcessPart::main:
      return "the main process" + fmt::format(" ({})", listed(group.pids));
    case ProcessPart::worker:
      return numbered(group, "worker") + pids_of(group);
    case ProcessPart::rank:
      return numbered(group, "rank") + pids_of(group);
    case ProcessPart::other:
      break;
  }
  const size_t told = group.pids.size();
  return told > kMostNumbers ? fmt::format("{} processes of {}", told, group.name)
                             : group.name + pids_of(group);
}

}  // namespace

std::string role_words(const analyze::ProcessRole& role) {
  switch (role.part) {
    case ProcessPart::main:
      return "main";
    case ProcessPart::worker:
      return fmt::format("worker {} of {}", role.number, role.count);
    case ProcessPart::rank:
      return fmt::format("rank {} of {}", role.number, role.count);
    case ProcessPart::other:
      break;
  }
  return "";
}

std::string process_words(const std::vector<ProcessFigures>& processes,
                          const std::vector<int>& pids) {
  if (processes.size() < 2) return "";
  std::vector<ProcessFigures> told;
  std::copy_if(processes.begin(), processes.end(), std::back_inserter(told), [&](const auto& p) {
    return std::find(pids.begin(), pids.end(), p.pid) != pids.end();
  });
  std::stable_sort(told.begin(), told.end(),
                   [](const auto& a, const auto& b) { return a.pid < b.pid; });
  std::vector<Group> groups;
  for (const ProcessFigures& process : told) {
    Group group = group_of(process);
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& other) { return is_same(other, group); });
    if (known == groups.end()) known = groups.insert(groups.end(), group);
    known->numbers.push_back(std::to_string(process.role.number));
    known->pids.push_back(std::to_string(process.pid));
  }
  std::vector<std::string> words;
  for (const Group& group : groups) words.push_back(words_of(group));
  return listed(words);
}

}  // namespace tenure::report
