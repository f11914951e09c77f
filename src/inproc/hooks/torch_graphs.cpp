// inproc/hooks/torch_graphs.cpp: two functions of libtorch that Tenure stands in front of: one numbers each new node of a
// gradient graph, the other runs a node's backward. A torch without them never calls these.
// World: inside. Any thread. What is behind them may throw: nothing here is noexcept, and nothing needs to be undone.
#include <atomic>
#include <cstdint>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/accounting/torch_names.h"
#include "inproc/os/elf_symbols.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;

namespace {

using NumberNode = uint64_t (*)();
using RunNode = void (*)(void*, void*, const void*, void*, void*);

// Relaxed: whoever comes first finds the same.
constinit std::atomic<NumberNode> g_number_node{nullptr};
constinit std::atomic<RunNode> g_run_node{nullptr};

template <class Function>
Function behind(std::atomic<Function>& known, const char* name) noexcept {
  Function function = known.load(std::memory_order_relaxed);
  if (__builtin_expect(!function, 0)) {
    function = reinterpret_cast<Function>(find_next_symbol(name));
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace

EXPORTED uint64_t tenure_number_node() asm(TENURE_NUMBER_NODE);
EXPORTED uint64_t tenure_number_node() {
  uint64_t number = behind(g_number_node, TENURE_NUMBER_NODE)();
  accounting().node_made(number);
  return number;
}

EXPORTED void tenure_run_node(void* engine, void* task, const void* node, void* inputs,
                              void* queue) asm(TENURE_RUN_NODE);
EXPORTED void tenure_run_node(void* engine, void* task, const void* node, void* inputs,
                              void* queue) {
  RunningNode before = g_thread.nodes.running;
  g_thread.nodes.running = accounting().nodes().entered(node);
  behind(g_run_node, TENURE_RUN_NODE)(engine, task, node, inputs, queue);
  g_thread.nodes.running = before;  // not after an error: then the adapter does it
}
