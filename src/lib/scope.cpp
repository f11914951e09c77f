#include "tenure/scope.h"

#include <utility>

#include "lib/scope_node.h"

namespace tenure {

using detail::ScopeNode;

const char* to_text(ScopeKind kind) noexcept {
  switch (kind) {
    case ScopeKind::session:
      return "session";
    case ScopeKind::graph:
      return "graph";
    case ScopeKind::request:
      return "request";
    case ScopeKind::step:
      return "step";
  }
  return "";
}

Scope::Scope(ScopeKind kind, std::string_view name, ScopeOptions options, SourceLine where)
    : node_(ScopeNode::make(nullptr, kind, name, options, where)) {}
Scope::Scope(std::shared_ptr<ScopeNode> node) noexcept : node_(std::move(node)) {}
Scope::Scope(Scope&& other) noexcept = default;

Scope& Scope::operator=(Scope&& other) noexcept {
  std::shared_ptr<ScopeNode> before = std::exchange(node_, std::move(other.node_));
  if (before && before != node_)
    before->close_in_destructor(
        lib::mark_code(__builtin_return_address(0), before->options.has_full_stacks));
  return *this;
}

Scope::~Scope() {
  if (node_)
    node_->close_in_destructor(
        lib::mark_code(__builtin_return_address(0), node_->options.has_full_stacks));
}

Scope Scope::open(ScopeKind kind, std::string_view name, ScopeOptions options, SourceLine where) & {
  return Scope(
      ScopeNode::make(ScopeNode::of(*this, where).shared_from_this(), kind, name, options, where));
}

LeakReport Scope::close(SourceLine where) {
  if (!node_) return {"a scope that was moved from", false, 0, {}};
  return node_->close(lib::mark_line(where, node_->options.has_full_stacks));
}

bool Scope::is_open() const noexcept { return node_ && node_->is_open(); }
ScopeKind Scope::kind() const noexcept { return node_->kind; }
const std::string& Scope::name() const noexcept { return node_->name; }
std::string Scope::path() const { return node_->path(); }
std::size_t Scope::live_bytes() const { return node_->live_bytes(); }
std::size_t Scope::peak_bytes() const { return node_->peak_bytes(); }
std::size_t Scope::live_buffers() const { return node_->live_buffers(); }
History Scope::history() const { return node_->history(); }
LeakReport Scope::survivors() const { return node_->survivors(); }

}  // namespace tenure
