#include "inproc/stacks/users_part.h"

#include <cstring>
#include <string_view>

#include "base/source_path.h"

namespace tenure::inproc {
namespace {

using ledger::CodeOrigin;
using ledger::TableId;

constexpr uint32_t kOutermost = 8;

const ledger::Stack& node_of(const ledger::Writer& ledger, StackId stack) noexcept {
  return *ledger.record<ledger::Stack>(TableId::stacks, stack.value);
}

CodeOrigin origin_of(const ledger::Writer& ledger, uint32_t code) noexcept {
  return static_cast<CodeOrigin>(ledger.record<ledger::Code>(TableId::codes, code)->origin);
}

// Of the stack's innermost frame; unknown for native ones.
CodeOrigin origin_at(const ledger::Writer& ledger, StackId stack) noexcept {
  const auto* frame =
      ledger.record<ledger::Frame>(TableId::frames, node_of(ledger, stack).frame.value);
  bool is_python = frame->kind == static_cast<uint32_t>(ledger::FrameKind::python);
  return is_python ? origin_of(ledger, frame->owner) : CodeOrigin::unknown;
}

// The stack from its innermost Python frame of such an origin outwards; empty where it has none.
template <class Predicate>
StackId innermost(const ledger::Writer& ledger, StackId stack, Predicate is_wanted) noexcept {
  StackId at = stack;
  while (at && !is_wanted(origin_at(ledger, at))) at = node_of(ledger, at).outer;
  return at;
}

bool is_users(CodeOrigin origin) noexcept { return origin == CodeOrigin::users; }
bool is_machinery(CodeOrigin origin) noexcept { return origin == CodeOrigin::import_machinery; }

}  // namespace

CodeOrigin origin_of_file(const ledger::Writer& ledger, StringId file) noexcept {
  const auto* text = ledger.record<char>(TableId::strings, file.value);
  uint32_t length;
  std::memcpy(&length, text, sizeof length);
  const std::string_view name{text + sizeof length, length};
  if (is_user_file(name)) return CodeOrigin::users;
  return is_importlib(name) ? CodeOrigin::import_machinery : CodeOrigin::library;
}

bool is_users_code(const ledger::Writer& ledger, uint32_t code) noexcept {
  return is_users(origin_of(ledger, code));
}

StackId users_part(const ledger::Writer& ledger, StackId stack) noexcept {
  StackId outermost = stack, import{};
  for (StackId at = stack; at; at = node_of(ledger, at).outer) {
    const CodeOrigin origin = origin_at(ledger, at);
    if (is_users(origin)) return import ? import : at;
    if (is_machinery(origin)) import = at;
    if (node_of(ledger, at).depth >= kOutermost) outermost = at;
  }
  bool is_cut_off = import && node_of(ledger, import).depth > kOutermost;
  return is_cut_off ? import : outermost;
}

bool has_users_frame(const ledger::Writer& ledger, StackId stack) noexcept {
  return static_cast<bool>(innermost(ledger, stack, is_users));
}

bool is_importing(const ledger::Writer& ledger, StackId stack) noexcept {
  return static_cast<bool>(innermost(ledger, stack, is_machinery));
}

bool is_loading_library(const ledger::Writer& ledger, StackId stack) noexcept {
  auto is_either = [](CodeOrigin origin) { return is_users(origin) || is_machinery(origin); };
  StackId first = innermost(ledger, stack, is_either);
  return first && is_machinery(origin_at(ledger, first));
}

}  // namespace tenure::inproc
