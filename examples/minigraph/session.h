// minigraph/session.h: runs a graph. Each run is a step: what it makes in between ends with it.
#pragma once
#include <chrono>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "graph.h"

namespace minigraph {

struct Feed {
  Output placeholder;
  std::vector<float> values;
};

class Session {
 public:
  explicit Session(std::string_view name,
                   std::chrono::milliseconds queue_limit = std::chrono::milliseconds::max(),
                   SourceLine where = SourceLine::current())
      : scope_(tenure::ScopeKind::session, name, {}, where), queue_limit_(queue_limit) {}

  // The result belongs to the session and ends with it; a constant belongs to its graph. Throws ClosedScope on a closed
  // session.
  [[nodiscard]] Tensor run(Output wanted, const std::vector<Feed>& feeds = {},
                           SourceLine where = SourceLine::current());
  // The same as values of the caller's own.
  [[nodiscard]] std::vector<float> fetch(Output wanted, const std::vector<Feed>& feeds = {},
                                         SourceLine where = SourceLine::current());

  [[nodiscard]] Scope& scope() noexcept { return scope_; }
  tenure::LeakReport close(SourceLine where = SourceLine::current()) { return scope_.close(where); }

 private:
  // What is known in one run, by node.
  struct Run {
    Graph& graph;
    Scope& step;
    SourceLine where;
    std::map<std::size_t, Tensor> values;
  };
  Tensor value_of(Run& run, std::size_t node);
  Tensor result_of(Run& run, const Graph::Node& node);
  Tensor repeat(Run& run, const Graph::Node& node);

  Scope scope_;
  std::chrono::milliseconds queue_limit_;
};

}  // namespace minigraph
