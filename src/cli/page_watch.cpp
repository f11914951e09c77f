#include "cli/page_watch.h"

#include <algorithm>
#include <ctime>

#include "cli/process_memory.h"

namespace tenure::cli {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kLeastShared = 16 << 20;  // of anonymous memory, when the process was first seen
constexpr size_t kMostMoments = 64;
constexpr milliseconds kShortest{25};
// Between two looks, times the processor time of one. A worker that lives for a second copies most of what it will: at
// first it is looked at more often.
constexpr double kFirstRest = 8, kRest = 20;

}  // namespace

int PageWatch::pause(const LedgerSpooler& ledgers) const {
  if (ledgers.processes().size() < 2) return -1;
  auto left = std::chrono::ceil<milliseconds>(next_ - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

void PageWatch::look(const LedgerSpooler& ledgers) {
  if (ledgers.processes().size() < 2 || Clock::now() < next_) return;
  std::clock_t began = std::clock();
  for (const ForkedProcess& process : ledgers.forked()) {
    if (!dull_.contains(process.position)) add(process);
  }
  std::chrono::duration<double> took{static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC};
  double times = sparser_ == 1 ? kFirstRest : kRest;
  auto rest = std::chrono::ceil<milliseconds>(times * took);
  next_ = Clock::now() + sparser_ * std::max(kShortest, rest);
}

void PageWatch::add(const ForkedProcess& process) {
  std::optional<record::PageMoment> pages = page_moment(process.pid);
  if (!pages) return;
  pages->tick = process.tick;
  std::vector<record::PageMoment>& moments = moments_[process.position];
  if (moments.empty() && pages->shared < kLeastShared) {
    dull_.insert(process.position);
    return;
  }
  moments.push_back(*pages);
  if (moments.size() >= kMostMoments) thin_out();
}

void PageWatch::thin_out() {
  sparser_ *= 2;
  for (auto& [position, moments] : moments_) record::drop_every_other(moments);
}

void PageWatch::list_in(std::vector<record::ProcessOutcome>* processes) const {
  for (const auto& [position, moments] : moments_) (*processes)[position].pages = moments;
}

}  // namespace tenure::cli
