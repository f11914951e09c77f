// symbolize/loop_lines.cpp: see the header.
#include "symbolize/loop_lines.h"

#include <algorithm>

#include "base/source_path.h"

namespace tenure::symbolize {
namespace {

struct LineSpan {
  int first = 0, last = 0;  // 0: none
  void add(int line) {
    if (line == 0) return;
    first = first == 0 ? line : std::min(first, line);
    last = std::max(last, line);
  }
};

// How many calls from the outside inwards two addresses share, at most `limit`.
size_t shared_depth(const std::vector<SourceFrame>& a, const std::vector<SourceFrame>& b,
                    size_t limit) {
  size_t depth = 0;
  while (depth < limit && depth + 1 < b.size() && a[depth].line == b[depth].line &&
         a[depth + 1].function == b[depth + 1].function) {
    ++depth;
  }
  return depth;
}

}  // namespace

LoopLines::LoopLines(Module& module, uint64_t address_in_function,
                     const std::vector<BasicBlock>& blocks)
    : module_(module),
      blocks_(blocks),
      declared_(module.declaration_at(address_in_function).value_or(DeclaredAt{})) {}

const LoopLines::Chain& LoopLines::chain_at(uint64_t address) {
  const auto [place, is_new] = chains_.try_emplace(address);
  if (is_new) {
    place->second = module_.frames(address);
    std::reverse(place->second.begin(), place->second.end());
  }
  return place->second;
}

// Headers of other libraries are not known by their path: what stands in another file than a function of the user's is theirs.
bool LoopLines::is_library_code(const SourceFrame& frame) const {
  return is_system_path(frame.file) ||
         (frame.file != declared_.file && !is_system_path(declared_.file));
}

LoopLines::Scope LoopLines::scope_of(const BlockLoop& loop) {
  Scope scope = {chain_at(blocks_[loop.blocks.front()].code.start), 0};
  if (scope.chain.empty()) return scope;
  scope.depth = scope.chain.size() - 1;
  for (const size_t number : loop.blocks) {
    if (!blocks_[number].ends_in_branch) continue;
    scope.depth = shared_depth(scope.chain, chain_at(blocks_[number].last), scope.depth);
  }
  while (scope.depth > 0 && is_library_code(scope.chain[scope.depth])) --scope.depth;
  return scope;
}

// 0 for code from elsewhere, and for the line with the function's name, which compilers give to code that has no other.
int LoopLines::line_in(const Scope& scope, uint64_t address) {
  const Chain& chain = chain_at(address);
  if (chain.size() <= scope.depth || shared_depth(scope.chain, chain, scope.depth) != scope.depth)
    return 0;
  const SourceFrame& frame = chain[scope.depth];
  const bool is_own = frame.file == scope.chain[scope.depth].file &&
                      (scope.depth > 0 || frame.line > declared_.line);
  return is_own ? frame.line : 0;
}

// Begins the next iteration: branches to the header, or back to the first instruction of a loop whose test stands last.
bool LoopLines::closes(const BlockLoop& loop, const BasicBlock& block) const {
  return block.ends_in_branch &&
         std::any_of(block.successors.begin(), block.successors.end(), [&](size_t target) {
           return target == loop.header || target == loop.blocks.front();
         });
}

LoopPlace LoopLines::place_of(const BlockLoop& loop) {
  if (declared_.line == 0) return {};
  const Scope scope = scope_of(loop);
  if (scope.chain.empty()) return {};
  LineSpan closing, all;
  for (const size_t number : loop.blocks) {
    const BasicBlock& block = blocks_[number];
    const int last = line_in(scope, block.last);
    all.add(line_in(scope, block.code.start));
    all.add(last);
    if (closes(loop, block)) closing.add(last);
  }
  const int start = line_in(scope, blocks_[loop.blocks.front()].code.start);
  // The body's lines come after `for` and `while`: the smaller of test and start. In `do ... while` the test is the last
  // line and the body comes first: the test.
  const bool is_tested_last = closing.first != 0 && closing.first == all.last && start == all.first;
  int line = all.first;
  if (start != 0) line = start;
  if (closing.first != 0)
    line = is_tested_last || start == 0 ? closing.first : std::min(closing.first, start);
  if (line == 0) line = declared_.line;  // all of the function on one line
  return {scope.chain[scope.depth].function, scope.chain[scope.depth].file, line,
          scope.depth == 0 ? declared_.line : 0};
}

}  // namespace tenure::symbolize
