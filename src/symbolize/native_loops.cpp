// symbolize/native_loops.cpp: see the header.
#include "symbolize/native_loops.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "symbolize/control_flow.h"
#include "symbolize/disassembly.h"
#include "symbolize/loop_lines.h"
#include "symbolize/module.h"
#include "symbolize/source_text.h"

namespace tenure::symbolize {
namespace {

std::vector<AddressRange> joined_code(const BlockLoop& loop,
                                      const std::vector<BasicBlock>& blocks) {
  std::vector<AddressRange> code;
  for (const size_t number : loop.blocks) {
    const AddressRange& block = blocks[number].code;
    if (!code.empty() && code.back().end == block.start) {
      code.back().end = block.end;
    } else {
      code.push_back(block);
    }
  }
  return code;
}

bool is_inside(const NativeLoop& inner, const NativeLoop& outer) {
  return inner.depth > outer.depth && outer.contains(inner.start);
}

// Where the text is at hand the line moves to the keyword; an outer loop cannot stand on the line of an inner one.
void move_to_keyword(const SourceText& text, const LoopPlace& place,
                     std::vector<NativeLoop>& inner_loops, NativeLoop* loop) {
  const bool is_taken = std::any_of(
      inner_loops.begin(), inner_loops.end(),
      [&](const NativeLoop& inner) { return inner.line == loop->line && is_inside(inner, *loop); });
  if (!is_taken && text.has_loop_keyword(loop->line)) return;
  const int keyword = text.enclosing_loop(loop->line, place.first_line);
  if (keyword != 0) loop->line = keyword;
}

NativeLoop unnamed(const BlockLoop& loop, const std::vector<BasicBlock>& blocks) {
  NativeLoop result;
  result.code = joined_code(loop, blocks);
  result.start = result.code.front().start;
  result.end = result.code.back().end;
  result.depth = loop.depth;
  return result;
}

// One source file serves all loops of a function, since they are only named by lines of its own file.
std::vector<NativeLoop> named_loops(Module& module, uint64_t address,
                                    const std::vector<BasicBlock>& blocks) {
  const std::vector<BlockLoop> found = find_loops(blocks);
  LoopLines lines(module, address, blocks);
  std::optional<SourceText> text;
  std::vector<NativeLoop> loops;  // inner ones first
  for (auto loop = found.rbegin(); loop != found.rend(); ++loop) {
    const LoopPlace place = lines.place_of(*loop);
    NativeLoop named = unnamed(*loop, blocks);
    named.function = place.function;
    named.file = place.file;
    named.line = place.line;
    if (place.line != 0 && loop == found.rbegin())
      text = SourceText::read_unchanged(place.file, module.path());
    if (place.line != 0 && text) move_to_keyword(*text, place, loops, &named);
    loops.push_back(std::move(named));
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

}  // namespace

bool NativeLoop::contains(uint64_t offset) const {
  return std::any_of(code.begin(), code.end(),
                     [&](const AddressRange& range) { return range.contains(offset); });
}

std::vector<NativeLoop> loops_of(Symbolizer& symbolizer, const Address& any_pc_in_function) {
  Module* module = symbolizer.module_of(any_pc_in_function);
  if (module == nullptr || module->file().machine() != EM_X86_64) return {};
  const uint64_t address = any_pc_in_function.offset;
  const auto range = module->function_at(address);
  if (!range) return {};
  std::vector<NativeLoop> loops =
      named_loops(*module, address, blocks_of(module->file().bytes(*range), range->start));
  const std::string function = symbolizer.function_name(any_pc_in_function);
  for (NativeLoop& loop : loops) {
    if (loop.function.empty()) loop.function = function;
  }
  return loops;
}

}  // namespace tenure::symbolize
