#include "tenure/resource.h"

#include <string>

#include "lib/scope_node.h"

namespace tenure {

using detail::ScopeNode;

ScopeResource::ScopeResource(Scope& scope, std::string_view name, SourceLine where)
    : node_(ScopeNode::of(scope, where).shared_from_this()),
      account_(&node_->open_account(std::string(name), where)),
      made_at_(where) {}

// An allocation has no line of its own, so errors name the line of the resource.
void* ScopeResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  node_->charge(*account_, bytes, made_at_);
  try {
    return node_->options.memory->allocate(bytes, alignment);
  } catch (...) {
    node_->uncharge(*account_, bytes);
    throw;
  }
}

void ScopeResource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  node_->options.memory->deallocate(p, bytes, alignment);
  node_->uncharge(*account_, bytes);
}

std::size_t ScopeResource::live_bytes() const {
  ScopeNode::Lock lock = node_->locked();
  return account_->bytes;
}
std::size_t ScopeResource::live_blocks() const {
  ScopeNode::Lock lock = node_->locked();
  return account_->blocks;
}

}  // namespace tenure
