#include "inproc/stacks/users_part.h"

#include <cstring>

#include "base/source_path.h"

namespace tenure::inproc {
namespace {

using ledger::TableId;

constexpr uint32_t kOutermost = 8;

const ledger::Stack& node_of(const ledger::Writer& ledger, StackId stack) noexcept {
  return *ledger.record<ledger::Stack>(TableId::stacks, stack.value);
}

// Of the stack's innermost frame; empty for native ones.
std::string_view python_file(const ledger::Writer& ledger, StackId stack) noexcept {
  const auto* frame =
      ledger.record<ledger::Frame>(TableId::frames, node_of(ledger, stack).frame.value);
  bool is_python = frame->kind == static_cast<uint32_t>(ledger::FrameKind::python);
  return is_python ? file_of(ledger, frame->owner) : std::string_view{};
}

// The stack from its innermost Python frame in such a file outwards; empty where it has none.
template <class Predicate>
StackId innermost(const ledger::Writer& ledger, StackId stack, Predicate is_wanted) noexcept {
  StackId at = stack;
  while (at && !is_wanted(python_file(ledger, at))) at = node_of(ledger, at).outer;
  return at;
}

}  // namespace

std::string_view file_of(const ledger::Writer& ledger, uint32_t code) noexcept {
  const auto* known = ledger.record<ledger::Code>(TableId::codes, code);
  const auto* text = ledger.record<char>(TableId::strings, known->file.value);
  uint32_t length;
  std::memcpy(&length, text, sizeof length);
  return {text + sizeof length, length};
}

StackId users_part(const ledger::Writer& ledger, StackId stack) noexcept {
  StackId outermost = stack, import{};
  for (StackId at = stack; at; at = node_of(ledger, at).outer) {
    if (is_user_file(python_file(ledger, at))) return import ? import : at;
    if (is_importlib(python_file(ledger, at))) import = at;
    if (node_of(ledger, at).depth >= kOutermost) outermost = at;
  }
  bool is_cut_off = import && node_of(ledger, import).depth > kOutermost;
  return is_cut_off ? import : outermost;
}

bool has_users_frame(const ledger::Writer& ledger, StackId stack) noexcept {
  return static_cast<bool>(innermost(ledger, stack, is_user_file));
}

bool is_importing(const ledger::Writer& ledger, StackId stack) noexcept {
  return static_cast<bool>(innermost(ledger, stack, is_importlib));
}

bool is_loading_library(const ledger::Writer& ledger, StackId stack) noexcept {
  auto is_either = [](std::string_view file) { return is_user_file(file) || is_importlib(file); };
  StackId first = innermost(ledger, stack, is_either);
  return first && is_importlib(python_file(ledger, first));
}

}  // namespace tenure::inproc
