#include "bytecode/snapshot_codes.h"

#include <fmt/core.h>

namespace tenure::bytecode {
namespace {

using ledger::CodeConstant;
using ledger::Snapshot;
using ledger::SnapshotCode;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Constant constant_of(const Snapshot& snapshot, uint32_t kind, uint32_t value) {
  Constant constant;
  switch (static_cast<CodeConstant>(kind)) {
    case CodeConstant::none:
      constant.kind = Constant::Kind::none;
      break;
    case CodeConstant::number:
      constant.kind = Constant::Kind::number;
      break;
    case CodeConstant::text:
      constant.kind = Constant::Kind::text;
      constant.text = snapshot.string(value);
      break;
    case CodeConstant::texts:
      constant.kind = Constant::Kind::texts;
      constant.texts = split_lines(snapshot.string(value));
      break;
    case CodeConstant::code:
      constant.kind = Constant::Kind::code;
      if (value < snapshot.codes().size())
        constant.text = snapshot.string(snapshot.codes()[value].name);
      break;
    case CodeConstant::other:
      break;
  }
  return constant;
}

Code code_of(const Snapshot& snapshot, const SnapshotCode& from) {
  Code code;
  code.version = static_cast<int>(snapshot.header().python);
  code.file = snapshot.string(from.file);
  code.name = snapshot.string(from.name);
  code.first_line = from.first_line;
  code.flags = from.co_flags;
  code.arguments = from.arguments;
  code.keyword_only_arguments = from.keyword_only_arguments;
  code.instructions = snapshot.instructions_of(from);
  code.lines = snapshot.lines_of(from);
  auto words = snapshot.words_of(from);
  size_t at = 0;
  for (uint32_t i = 0; i < from.names; ++i) code.names.push_back(snapshot.string(words[at++]));
  for (uint32_t i = 0; i < from.variables; ++i, at += 2) {
    uint32_t kind = words[at + 1];
    code.variables.push_back(
        {snapshot.string(words[at]), (kind & ledger::kCodeVariableIsLocal) != 0,
         (kind & ledger::kCodeVariableIsCell) != 0, (kind & ledger::kCodeVariableIsFree) != 0});
  }
  for (uint32_t i = 0; i < from.constants; ++i, at += 2)
    code.constants.push_back(constant_of(snapshot, words[at], words[at + 1]));
  return code;
}

// Before 3.11 a code object knows its bare name only. That of a function that was there says more; what is inside of it is
// called after it.
class QualifiedNames {
 public:
  QualifiedNames(const Snapshot& snapshot, std::vector<Code>& codes)
      : snapshot_(snapshot), codes_(codes), is_done_(codes.size()) {}

  void give() {
    for (uint32_t i = 0; i < codes_.size(); ++i) {
      bool is_known = snapshot_.codes()[i].flags & ledger::kCodeNameIsQualified;
      if (is_known || codes_[i].name == "<module>") settle(i);
    }
    for (size_t next = 0; next < settled_.size(); ++next) name_inner(settled_[next]);
  }

 private:
  void settle(uint32_t i) {
    is_done_[i] = true;
    settled_.push_back(i);
  }
  void name_inner(uint32_t outer) {
    const SnapshotCode& code = snapshot_.codes()[outer];
    auto words = snapshot_.words_of(code);
    for (size_t at = code.names + 2 * size_t{code.variables}; at + 1 < words.size(); at += 2) {
      uint32_t inner = words[at + 1];
      bool is_code = words[at] == static_cast<uint32_t>(CodeConstant::code);
      if (!is_code || inner >= codes_.size() || is_done_[inner]) continue;
      const Code& around = codes_[outer];
      if (around.name.size() > kLongestName) continue;
      if (around.name != "<module>")
        codes_[inner].name = fmt::format(
            "{}.{}{}", around.name, around.is_function() ? "<locals>." : "", codes_[inner].name);
      settle(inner);
    }
  }

  static constexpr size_t kLongestName = 4096;
  const Snapshot& snapshot_;
  std::vector<Code>& codes_;
  std::vector<bool> is_done_;
  std::vector<uint32_t> settled_;
};

}  // namespace

std::vector<Code> codes_of(const Snapshot& snapshot) {
  std::vector<Code> codes;
  codes.reserve(snapshot.codes().size());
  for (const SnapshotCode& code : snapshot.codes()) codes.push_back(code_of(snapshot, code));
  QualifiedNames(snapshot, codes).give();
  return codes;
}

}  // namespace tenure::bytecode
