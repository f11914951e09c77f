#include "record/symbols.h"

#include <fmt/core.h>

namespace tenure::record {
namespace {

SymbolAnswers::Key key_of(const Address& address) {
  return {address.module, address.build_id_hex, address.offset};
}

// `libfoo.so+0x1234`
std::vector<SourceFrame> unresolved(const Address& address) {
  std::string_view path = address.module;
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.empty()) return {};
  SourceFrame frame;
  frame.function = fmt::format("{}+{:#x}", name, address.offset);
  return {frame};
}

}  // namespace

std::shared_ptr<Symbols> Symbols::from_modules() {
  auto symbols = std::make_shared<Symbols>();
  symbols->symbolizer_ = std::make_unique<symbolize::Symbolizer>();
  return symbols;
}

const std::vector<SourceFrame>& Symbols::frames(const Address& call_site) {
  auto [entry, is_new] = answers_.frames.try_emplace(key_of(call_site));
  if (!is_new) return entry->second;
  entry->second = symbolizer_ ? symbolizer_->frames(call_site) : unresolved(call_site);
  if (symbolizer_) answers_.problems = symbolizer_->problems();
  return entry->second;
}

std::string Symbols::function_name(const Address& address) {
  const std::vector<SourceFrame>& found = frames(address);
  return found.empty() ? std::string() : found.back().function;
}

const std::vector<NativeLoop>& Symbols::loops_around(const Address& any_pc_in_function) {
  auto [entry, is_new] = answers_.loops.try_emplace(key_of(any_pc_in_function));
  if (!is_new || !symbolizer_) return entry->second;
  entry->second = symbolize::loops_of(*symbolizer_, any_pc_in_function);
  answers_.problems = symbolizer_->problems();
  return entry->second;
}

}  // namespace tenure::record
