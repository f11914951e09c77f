// Replays recorded traffic through one way to get memory, and prints ns of CPU time an allocation (with its end, and
// one write a page).
// usage: replay TRAFFIC WAY ROUNDS      TRAFFIC: lines "NUMBER BYTES", 0 bytes: that block ends. Blocks left over end
// last.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "tenure/buffer.h"
#include "tenure/resource.h"
#include "tenure/warm_memory.h"

namespace {

struct Event {
  std::size_t block, bytes;
};

std::vector<Event> read(const char* file) {
  std::vector<Event> events;
  std::ifstream in(file);
  for (Event e{}; in >> e.block >> e.bytes;) events.push_back(e);
  return events;
}

// Of this thread, in the program and in the system: other programs on the machine do not count.
double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void touch(char* p, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4096) const_cast<volatile char*>(p)[at] = 1;
}

std::size_t blocks_of(const std::vector<Event>& events) {
  std::size_t blocks = 0;
  for (const Event& e : events) blocks = std::max(blocks, e.block + 1);
  return blocks;
}

// Slot: what holds one block. make(slot, bytes) gives its address; end(slot) ends it, also when it is empty.
template <class Slot, class Make, class End>
double replay(const std::vector<Event>& events, int rounds, const Make& make, const End& end) {
  std::vector<Slot> slots(blocks_of(events));
  std::size_t allocations = 0;
  double began = cpu_ns();
  for (int round = 0; round < rounds; ++round) {
    for (const Event& e : events) {
      if (e.bytes == 0) {
        end(slots[e.block]);
        continue;
      }
      touch(make(slots[e.block], e.bytes), e.bytes);
      ++allocations;
    }
    for (Slot& slot : slots) end(slot);
  }
  return (cpu_ns() - began) / static_cast<double>(allocations);
}

double by_malloc(const std::vector<Event>& events, int rounds) {
  return replay<char*>(
      events, rounds,
      [](char*& p, std::size_t n) { return p = static_cast<char*>(std::malloc(n)); },
      [](char*& p) {
        std::free(p);
        p = nullptr;
      });
}

struct Block {
  char* p = nullptr;
  std::size_t bytes = 0;
};

double by_resource(const std::vector<Event>& events, int rounds,
                   std::pmr::memory_resource& memory) {
  return replay<Block>(
      events, rounds,
      [&](Block& block, std::size_t n) {
        block = {static_cast<char*>(memory.allocate(n, 64)), n};
        return block.p;
      },
      [&](Block& block) {
        if (block.p) memory.deallocate(block.p, block.bytes, 64);
        block = {};
      });
}

double by_buffer(const std::vector<Event>& events, int rounds, std::pmr::memory_resource* memory) {
  tenure::Scope scope(tenure::ScopeKind::session, "bench", {.memory = memory});
  return replay<std::optional<tenure::Buffer<char>>>(
      events, rounds,
      [&](auto& slot, std::size_t n) { return slot.emplace(scope, "block", n).data(); },
      [](auto& slot) { slot.reset(); });
}

std::pmr::pool_options all_sizes() { return {0, std::size_t{1} << 26}; }

}  // namespace

int main(int, char** argv) {
  std::vector<Event> events = read(argv[1]);
  int rounds = std::atoi(argv[3]);
  std::map<std::string, std::function<double()>> ways;
  ways["malloc"] = [&] { return by_malloc(events, rounds); };
  ways["pool"] = [&] {
    std::pmr::synchronized_pool_resource pool(all_sizes());
    return by_resource(events, rounds, pool);
  };
  ways["unsynchronized_pool"] = [&] {
    std::pmr::unsynchronized_pool_resource pool(all_sizes());
    return by_resource(events, rounds, pool);
  };
  ways["aligned_new"] = [&] {
    return by_resource(events, rounds, *std::pmr::new_delete_resource());
  };
  ways["buffer"] = [&] { return by_buffer(events, rounds, nullptr); };
  ways["buffer_over_pool"] = [&] {
    std::pmr::synchronized_pool_resource pool(all_sizes());
    return by_buffer(events, rounds, &pool);
  };
  ways["buffer_over_warm_memory"] = [&] {
    tenure::WarmMemory warm;
    return by_buffer(events, rounds, &warm);
  };
  ways["scope_resource"] = [&] {
    tenure::Scope scope(tenure::ScopeKind::session, "bench");
    tenure::ScopeResource resource(scope, "bench");
    return by_resource(events, rounds, resource);
  };
  std::printf("%f\n", ways.at(argv[2])());
}
