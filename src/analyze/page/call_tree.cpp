#include "analyze/page/call_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/page/rules.h"
#include "base/source_path.h"
#include "ledger/live_memory.h"

namespace tenure::analyze {
namespace {

struct Weight {
  uint64_t peak = 0, live = 0, total = 0;
};

Weight weight_of(const ledger::Reader& ledger, const ledger::Site& site) {
  return {ledger.at_peak(site).bytes, site.live_bytes, site.total_bytes};
}

bool is_shown(const ledger::Site& site) {
  const auto kind = static_cast<ledger::BlockKind>(site.kind);
  return site.births > 0 && (ledger::counts_as_live(kind) || kind == ledger::BlockKind::small_heap);
}

std::vector<const ledger::Site*> largest_sites(const ledger::Reader& ledger) {
  std::vector<const ledger::Site*> sites;
  for (const ledger::Site& site : ledger.sites()) {
    if (is_shown(site)) sites.push_back(&site);
  }
  std::stable_sort(sites.begin(), sites.end(), [&](const auto* a, const auto* b) {
    const Weight x = weight_of(ledger, *a), y = weight_of(ledger, *b);
    return std::max(x.peak, x.live) > std::max(y.peak, y.live);
  });
  return sites;
}

class Tree {
 public:
  Tree() { calls_.emplace_back(); }

  void add(const std::vector<ReadableFrame>& innermost_first, const Weight& weight) {
    uint32_t at = 0;
    add_to(at, weight);
    size_t depth = 0;
    for (auto frame = innermost_first.rbegin(); frame != innermost_first.rend(); ++frame) {
      if (++depth > kPageDepth) break;
      at = child(at, *frame);
      add_to(at, weight);
    }
  }

  // The largest calls; a call is never larger than its caller, so no parent is lost.
  std::vector<PageCall> take(size_t most) {
    std::vector<uint32_t> order(calls_.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](uint32_t a, uint32_t b) { return size_of(a) > size_of(b); });
    if (order.size() > most) order.resize(most);
    std::sort(order.begin(), order.end());  // parents first again
    std::vector<uint32_t> place(calls_.size(), 0);
    std::vector<PageCall> kept;
    for (uint32_t i : order) {
      place[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(std::move(calls_[i]));
      kept.back().parent = place[kept.back().parent];
    }
    return kept;
  }

 private:
  using Key = std::tuple<uint32_t, std::string, std::string, int>;

  uint64_t size_of(uint32_t i) const {
    return std::max(calls_[i].peak_bytes, calls_[i].live_bytes);
  }

  void add_to(uint32_t at, const Weight& weight) {
    calls_[at].peak_bytes += weight.peak;
    calls_[at].live_bytes += weight.live;
    calls_[at].total_bytes += weight.total;
  }

  uint32_t child(uint32_t parent, const ReadableFrame& frame) {
    const Key key{parent, frame.function, frame.file, frame.line};
    auto [known, is_new] = children_.try_emplace(key, static_cast<uint32_t>(calls_.size()));
    if (is_new)
      calls_.push_back({parent, frame.function, frame.file, frame.line, frame.is_user, 0, 0, 0});
    return known->second;
  }

  std::vector<PageCall> calls_;
  std::map<Key, uint32_t> children_;
};

// Calls inside of one library are one: without symbols they all have its name. How Python imports a module is no news.
std::vector<ReadableFrame> told_frames(Frames& frames, StackId stack) {
  std::vector<ReadableFrame> told;
  for (StackId node : frames.ledger().nodes(stack)) {
    for (ReadableFrame& frame : frames.told_at(node)) {
      const bool is_again = !told.empty() && frame.function.empty() &&
                            told.back().function.empty() && told.back().file == frame.file;
      if (!is_again && !is_importlib(frame.file)) told.push_back(std::move(frame));
    }
  }
  return told;
}

}  // namespace

std::vector<PageCall> call_tree(Frames& frames, size_t most, size_t named) {
  Tree tree;
  size_t added = 0;
  for (const ledger::Site* site : largest_sites(frames.ledger())) {
    const bool is_named = added++ < named;
    const Weight weight = weight_of(frames.ledger(), *site);
    tree.add(is_named ? told_frames(frames, site->stack) : std::vector<ReadableFrame>{}, weight);
  }
  return tree.take(most);
}

}  // namespace tenure::analyze
