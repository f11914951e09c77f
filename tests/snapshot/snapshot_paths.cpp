// tests/snapshot/snapshot_paths.cpp: prints a snapshot for tests: one JSON object per line. First the header, then each
// buffer with the words along a shortest way to it.
// usage: snapshot_paths FILE
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "ledger/snapshot_reader.h"

namespace {

using nlohmann::json;
using tenure::ledger::NodeKind;
using tenure::ledger::Snapshot;

constexpr uint32_t kNone = ~0u;

struct Way {
  uint32_t from = kNone;
  uint32_t label = 0;
};

std::vector<Way> shortest_ways(const Snapshot& snapshot) {
  std::vector<Way> ways(snapshot.nodes().size());
  std::vector<uint32_t> queue{0};
  ways[0].from = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    auto targets = snapshot.targets(queue[i]);
    auto labels = snapshot.labels(queue[i]);
    for (size_t e = 0; e < targets.size(); ++e) {
      if (ways[targets[e]].from != kNone) continue;
      ways[targets[e]] = {queue[i], labels[e]};
      queue.push_back(targets[e]);
    }
  }
  return ways;
}

const char* kind_word(NodeKind kind) {
  switch (kind) {
    case NodeKind::module_root:
      return "module ";
    case NodeKind::frame_root:
      return "frame ";
    case NodeKind::native_root:
      return "native";
    case NodeKind::garbage_root:
      return "garbage";
    default:
      return "";
  }
}

json node_words(const Snapshot& snapshot, uint32_t node, uint32_t label) {
  const auto& n = snapshot.nodes()[node];
  json words{{"label", snapshot.string(label)},
             {"word", kind_word(snapshot.kind(node)) + std::string(snapshot.word(node))},
             {"type", snapshot.type_name(node)},
             {"flags", n.flags}};
  if (n.length) words["length"] = n.length;
  if (n.bound) words["bound"] = n.bound;
  if (n.excess) words["excess"] = n.excess;
  return words;
}

json way_to(const Snapshot& snapshot, const std::vector<Way>& ways, uint32_t node) {
  json steps = json::array();
  if (ways[node].from == kNone) return nullptr;
  for (; node != 0; node = ways[node].from)
    steps.insert(steps.begin(), node_words(snapshot, node, ways[node].label));
  return steps;
}

void print(const json& j) {
  fmt::print("{}\n", j.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  auto snapshot = Snapshot::open(arguments[1]);
  if (!snapshot) {
    fmt::print(stderr, "{}\n", snapshot.error().message);
    return 1;
  }
  const auto& h = snapshot->header();
  print({{"pid", h.pid},
         {"reason", h.reason},
         {"pause_ns", h.pause_ns},
         {"objects", h.objects},
         {"nodes", snapshot->nodes().size()},
         {"types", snapshot->types().size()},
         {"live_bytes", h.live_bytes}});
  std::vector<Way> ways = shortest_ways(*snapshot);
  for (const auto& buffer : snapshot->buffers()) {
    print({{"bytes", buffer.bytes},
           {"site", buffer.site.value},
           {"ordinal", buffer.ordinal},
           {"way", way_to(*snapshot, ways, buffer.node)}});
  }
}
