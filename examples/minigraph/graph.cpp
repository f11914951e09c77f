#include "graph.h"

#include <stdexcept>

namespace minigraph {

using Kind = Graph::Node::Kind;

Output Graph::add(Node node) {
  nodes_.push_back(std::move(node));
  return {this, nodes_.size() - 1};
}

std::size_t Graph::own(Output output) const {
  if (output.graph != this) throw std::invalid_argument("an op of another graph");
  return output.node;
}

Output Graph::constant(const std::vector<float>& values, const Extents& shape, SourceLine where) {
  Node node{Kind::constant,
            Op::add,
            {},
            shape,
            where,
            Tensor(scope_, "constant", values, shape, where),
            {},
            nullptr};
  return add(std::move(node));
}

Output Graph::placeholder(const Extents& shape, SourceLine where) {
  return add({Kind::placeholder, Op::add, {}, shape, where, {}, {}, nullptr});
}

Output Graph::op(Op op, const std::vector<Output>& inputs, SourceLine where) {
  Node node{Kind::op, op, {}, {}, where, {}, {}, nullptr};
  std::vector<Extents> shapes;
  for (Output input : inputs) {
    node.inputs.push_back(own(input));
    shapes.push_back(nodes_[input.node].shape);
  }
  node.shape = result_shape(op, shapes);
  return add(std::move(node));
}

Output Graph::conditional(Output predicate, Output then, Output otherwise, SourceLine where) {
  std::vector<std::size_t> inputs = {own(predicate), own(then), own(otherwise)};
  return add({Kind::conditional,
              Op::add,
              std::move(inputs),
              nodes_[then.node].shape,
              where,
              {},
              {},
              nullptr});
}

Output Graph::loop(Output initial, const Build& condition, const Build& body, SourceLine where) {
  Extents shape = nodes_[own(initial)].shape;
  Output state = placeholder(shape, where);
  Loop loop{state.node, own(condition(state)), own(body(state))};
  return add({Kind::loop, Op::add, {initial.node}, shape, where, {}, loop, nullptr});
}

Output Graph::dequeue(FifoQueue& queue, const Extents& shape, SourceLine where) {
  return add({Kind::dequeue, Op::add, {}, shape, where, {}, {}, &queue});
}

Graph& default_graph() {
  static Graph graph("default");
  return graph;
}

}  // namespace minigraph
