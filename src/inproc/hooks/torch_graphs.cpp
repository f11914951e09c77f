// inproc/hooks/torch_graphs.cpp: two functions of libtorch that Tenure stands in front of: one numbers each new node of a
// gradient graph, the other runs a node's backward. A torch without them never calls these.
// World: inside. Any thread. What is behind them may throw: nothing here is noexcept, and nothing needs to be undone.
#include <atomic>
#include <cstdint>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/os/elf_symbols.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))
// at::sequence_number::get_and_increment()
#define NUMBER_NODE "_ZN2at15sequence_number17get_and_incrementEv"
// torch::autograd::Engine::evaluate_function(std::shared_ptr<GraphTask>&, Node*, InputBuffer&, std::shared_ptr<ReadyQueue> const&)
#define RUN_NODE                                                                           \
  "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4Nod" \
  "eERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE"

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

EXPORTED uint64_t tenure_number_node() asm(NUMBER_NODE);
EXPORTED uint64_t tenure_number_node() {
  uint64_t number = behind(g_number_node, NUMBER_NODE)();
  accounting().node_made(number);
  return number;
}

EXPORTED void tenure_run_node(void* engine, void* task, const void* node, void* inputs,
                              void* queue) asm(RUN_NODE);
EXPORTED void tenure_run_node(void* engine, void* task, const void* node, void* inputs,
                              void* queue) {
  RunningNode before = g_thread.nodes.running;
  g_thread.nodes.running = accounting().nodes().entered(node);
  behind(g_run_node, RUN_NODE)(engine, task, node, inputs, queue);
  g_thread.nodes.running = before;  // not after an error: then the adapter does it
}
