// symbolize/native_loops.cpp: see the header.
#include "symbolize/native_loops.h"

#include <elf.h>

#include <algorithm>

#include "symbolize/control_flow.h"
#include "symbolize/disassembly.h"
#include "symbolize/module.h"

namespace tenure::symbolize {
namespace {

std::vector<AddressRange> joined_code(const BlockLoop& loop, const std::vector<BasicBlock>& blocks) {
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

// Lines of the function's own text: what was inlined counts as the line of the call, and text from elsewhere as none.
class OwnLines {
 public:
  OwnLines(Module& module, const DeclaredAt& declared) : module_(module), declared_(declared) {}

  // 0 if the instruction has none.
  int line_at(uint64_t address) const {
    const std::vector<SourceFrame> frames = module_.frames(address);
    if (frames.empty() || frames.back().file != declared_.file || frames.back().line < declared_.line) return 0;
    return frames.back().line;
  }

 private:
  Module& module_;
  const DeclaredAt& declared_;
};

struct LineSpan {
  int first = 0, last = 0;  // 0: none
  void add(int line) {
    if (line == 0) return;
    first = first == 0 ? line : std::min(first, line);
    last = std::max(last, line);
  }
};

// Branches that begin the next iteration: to the header, or back to the first instruction of a loop whose test stands last.
LineSpan lines_of_closing_branches(const BlockLoop& loop, const std::vector<BasicBlock>& blocks, const OwnLines& lines) {
  LineSpan span;
  const size_t first = loop.blocks.front();
  for (const size_t number : loop.blocks) {
    const BasicBlock& block = blocks[number];
    if (!block.ends_in_branch) continue;
    const auto leads_to = [&](size_t target) {
      return std::find(block.successors.begin(), block.successors.end(), target) != block.successors.end();
    };
    if (leads_to(loop.header) || (number >= first && leads_to(first))) span.add(lines.line_at(block.last));
  }
  return span;
}

LineSpan lines_of_blocks(const BlockLoop& loop, const std::vector<BasicBlock>& blocks, const OwnLines& lines) {
  constexpr uint64_t kStep = 4;  // shorter than what one line compiles to, and cheaper than every instruction
  LineSpan span;
  for (const size_t number : loop.blocks) {
    for (uint64_t at = blocks[number].code.start; at < blocks[number].code.end; at += kStep) span.add(lines.line_at(at));
    span.add(lines.line_at(blocks[number].last));
  }
  return span;
}

// The test of a `for` or `while` belongs to its line, wherever the compiler puts it, and the body's lines come after it: the
// smallest line is the answer. In `do ... while` the test is the last line and the body comes first: then the test.
int line_of(const BlockLoop& loop, const std::vector<BasicBlock>& blocks, const OwnLines& lines) {
  const LineSpan closing = lines_of_closing_branches(loop, blocks, lines);
  const LineSpan all = lines_of_blocks(loop, blocks, lines);
  const int start = lines.line_at(blocks[loop.blocks.front()].code.start);
  if (closing.first == 0) return start != 0 ? start : all.first;
  const bool is_tested_last = closing.first == all.last && start == all.first;
  if (is_tested_last || start == 0) return closing.first;
  return std::min(closing.first, start);
}

}  // namespace

bool NativeLoop::contains(uint64_t offset) const {
  return std::any_of(code.begin(), code.end(), [&](const AddressRange& range) { return range.contains(offset); });
}

std::vector<NativeLoop> loops_of(Symbolizer& symbolizer, const Address& any_pc_in_function) {
  Module* module = symbolizer.module_of(any_pc_in_function);
  if (module == nullptr || module->file().machine() != EM_X86_64) return {};
  const uint64_t address = any_pc_in_function.offset;
  const auto range = module->function_at(address);
  if (!range) return {};
  const std::vector<BasicBlock> blocks = blocks_of(module->file().bytes(*range), range->start);
  const auto declared = module->declaration_at(address);
  std::vector<NativeLoop> loops;
  for (const BlockLoop& loop : find_loops(blocks)) {
    NativeLoop named;
    named.code = joined_code(loop, blocks);
    named.start = named.code.front().start;
    named.end = named.code.back().end;
    named.depth = loop.depth;
    named.function = symbolizer.function_name(any_pc_in_function);
    if (declared) named.line = line_of(loop, blocks, OwnLines(*module, *declared));
    if (named.line != 0) named.file = declared->file;
    loops.push_back(std::move(named));
  }
  return loops;
}

}  // namespace tenure::symbolize
