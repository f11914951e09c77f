#include "session.h"

#include <stdexcept>

#include "fifo_queue.h"

namespace minigraph {

using Kind = Graph::Node::Kind;

Tensor Session::run(Output wanted, const std::vector<Feed>& feeds, SourceLine where) {
  Scope step = scope_.open(tenure::ScopeKind::step, "run", {}, where);
  Run run{*wanted.graph, step, where, {}};
  for (const Feed& feed : feeds) {
    const Extents& shape = wanted.graph->node(feed.placeholder.node).shape;
    run.values.emplace(feed.placeholder.node, Tensor(step, "feed", feed.values, shape, where));
  }
  Tensor result = value_of(run, wanted.node);
  return result.is_of(step) ? result.moved_to(scope_, where)
                            : result;  // a constant stays the graph's
}

std::vector<float> Session::fetch(Output wanted, const std::vector<Feed>& feeds, SourceLine where) {
  return run(wanted, feeds, where).values(where);
}

Tensor Session::value_of(Run& run, std::size_t node) {
  if (auto known = run.values.find(node); known != run.values.end()) return known->second;
  Tensor value = result_of(run, run.graph.node(node));
  run.values.emplace(node, value);
  return value;
}

Tensor Session::result_of(Run& run, const Graph::Node& node) {
  switch (node.kind) {
    case Kind::constant:
      return *node.value;
    case Kind::placeholder:
      throw std::invalid_argument("a placeholder was not fed");
    case Kind::conditional: {
      bool is_taken = value_of(run, node.inputs[0]).values()[0] != 0;
      return value_of(run, node.inputs[is_taken ? 1 : 2]);
    }
    case Kind::loop:
      return repeat(run, node);
    case Kind::dequeue:
      return node.queue->dequeue(queue_limit_).moved_to(run.step, run.where);
    case Kind::op:
      break;
  }
  std::vector<Tensor> inputs;
  for (std::size_t input : node.inputs) inputs.push_back(value_of(run, input));
  return compute(node.op, inputs, run.step, node.made_at);
}

// Each round forgets what the last one computed, so a loop needs the memory of one round only.
Tensor Session::repeat(Run& run, const Graph::Node& node) {
  Tensor state = value_of(run, node.inputs[0]);
  while (true) {
    Run round{run.graph, run.step, run.where, run.values};
    round.values.insert_or_assign(node.loop->state, state);
    if (value_of(round, node.loop->condition).values()[0] == 0) return state;
    state = value_of(round, node.loop->body);
  }
}

}  // namespace minigraph
