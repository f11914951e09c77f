// minigraph/graph.h: ops written down, to be run later by a session. A graph owns its constants until it is closed.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops.h"

namespace minigraph {

class FifoQueue;
class Graph;

// What an op of a graph gives. Holds nothing alive.
struct Output {
  Graph* graph = nullptr;
  std::size_t node = 0;
};

class Graph {
 public:
  explicit Graph(std::string_view name, SourceLine where = SourceLine::current())
      : scope_(tenure::ScopeKind::graph, name, {}, where) {}

  Output constant(const std::vector<float>& values, const Extents& shape,
                  SourceLine where = SourceLine::current());
  Output placeholder(const Extents& shape, SourceLine where = SourceLine::current());
  Output op(Op op, const std::vector<Output>& inputs, SourceLine where = SourceLine::current());
  // Only the branch that is taken is computed.
  Output conditional(Output predicate, Output then, Output otherwise,
                     SourceLine where = SourceLine::current());
  // Repeats `body` on a state while `condition` of it is not 0. Both are built once.
  using Build = std::function<Output(Output state)>;
  Output loop(Output initial, const Build& condition, const Build& body,
              SourceLine where = SourceLine::current());
  // The next element of a queue, which must live as long as the graph.
  Output dequeue(FifoQueue& queue, const Extents& shape, SourceLine where = SourceLine::current());

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] Scope& scope() noexcept { return scope_; }
  tenure::LeakReport close(SourceLine where = SourceLine::current()) { return scope_.close(where); }

  struct Loop {
    std::size_t state, condition, body;
  };
  struct Node {
    enum class Kind { constant, placeholder, op, conditional, loop, dequeue } kind = Kind::op;
    Op op = Op::add;
    std::vector<std::size_t> inputs;
    Extents shape;
    SourceLine made_at;
    std::optional<Tensor> value;  // of a constant
    std::optional<Loop> loop;
    FifoQueue* queue = nullptr;
  };
  [[nodiscard]] const Node& node(std::size_t index) const { return nodes_.at(index); }

 private:
  Output add(Node node);
  [[nodiscard]] std::size_t own(Output output) const;  // throws when it is of another graph

  Scope scope_;
  std::vector<Node> nodes_;
};

// The graph of programs that name none, as in old TensorFlow. It is closed when the program ends.
[[nodiscard]] Graph& default_graph();

}  // namespace minigraph
