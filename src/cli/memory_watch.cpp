#include "cli/memory_watch.h"

#include <algorithm>
#include <ctime>

#include "cli/process_memory.h"

namespace tenure::cli {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMostMoments = 96;
constexpr milliseconds kShortest{40};
constexpr double kRest = 50;  // between two looks, times the processor time of one

// Mappings are looked at when so much more is resident than is counted, at least so many bytes and by such a factor.
constexpr uint64_t kLeastGrown = 16 << 20;
constexpr double kGrownBy = 1.5;
constexpr size_t kMostMappings = 8;
constexpr uint64_t kLeastResident = 4 << 20;

uint64_t uncounted_in(const record::MemoryMoment& m) {
  uint64_t counted = m.live + m.small + m.own;
  return m.anonymous > counted ? m.anonymous - counted : 0;
}

bool has_grown_since(uint64_t before, uint64_t now) {
  return now >= before + kLeastGrown &&
         static_cast<double>(now) >= kGrownBy * static_cast<double>(before);
}

}  // namespace

int MemoryWatch::pause() const {
  auto left = std::chrono::ceil<milliseconds>(next_ - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

void MemoryWatch::look(const LedgerSpooler& ledgers) {
  if (Clock::now() < next_) return;
  std::clock_t began = std::clock();
  for (const LivingProcess& process : ledgers.living()) add(process);
  std::chrono::duration<double> took{static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC};
  auto rest = std::chrono::ceil<milliseconds>(kRest * took);
  next_ = Clock::now() + std::max(sparser_ * kShortest, rest);
}

void MemoryWatch::add(const LivingProcess& process) {
  const uint64_t anonymous = anonymous_memory(process.pid);
  if (anonymous == 0) return;
  Watched& watched = watched_[process.position];
  record::MemoryMoment moment = process.counted;
  moment.cpu_ns = processor_ns(process.pid);
  moment.anonymous = anonymous;
  watched.moments.push_back(moment);
  watched.sites.look(moment.tick, process.ledger);
  const uint64_t uncounted = uncounted_in(moment);
  if (has_grown_since(watched.uncounted, uncounted)) {
    watched.uncounted = uncounted;
    look_at_mappings(process.pid, watched);
  }
  if (watched.moments.size() >= kMostMoments) thin_out();
}

// A mapping that was not there at a look had nothing resident then.
void MemoryWatch::look_at_mappings(int pid, Watched& watched) {
  for (record::MappingHistory& now : large_mappings(pid, kLeastResident)) {
    auto known = std::find_if(watched.mappings.begin(), watched.mappings.end(),
                              [&](const auto& other) { return other.start == now.start; });
    if (known == watched.mappings.end()) {
      now.resident.insert(now.resident.begin(), watched.mapping_looks, 0);
      watched.mappings.push_back(std::move(now));
    } else {
      known->resident.resize(watched.mapping_looks);
      known->resident.push_back(now.resident.front());
      known->bytes = now.bytes;
    }
  }
  ++watched.mapping_looks;
  for (auto& mapping : watched.mappings) mapping.resident.resize(watched.mapping_looks);
  std::stable_sort(
      watched.mappings.begin(), watched.mappings.end(),
      [](const auto& a, const auto& b) { return a.resident.back() > b.resident.back(); });
  if (watched.mappings.size() > kMostMappings) watched.mappings.resize(kMostMappings);
}

void MemoryWatch::thin_out() {
  sparser_ *= 2;
  for (auto& [position, watched] : watched_) {
    record::drop_every_other(watched.moments);
    watched.sites.drop_every_other();
  }
}

void MemoryWatch::list_in(std::vector<record::ProcessOutcome>* processes) const {
  for (const auto& [position, watched] : watched_) {
    (*processes)[position].memory = watched.moments;
    (*processes)[position].mappings = watched.mappings;
  }
}

std::vector<record::ProcessLooks> MemoryWatch::looks() const {
  std::vector<record::ProcessLooks> looks;
  for (const auto& [position, watched] : watched_) looks.push_back(watched.sites.told(position));
  return looks;
}

}  // namespace tenure::cli
