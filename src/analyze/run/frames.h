// analyze/run/frames.h: stacks as a person reads them: functions, files, lines, and which of them are the user's own.
// World: offline. Keeps what it resolved; one per ledger.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ledger/reader.h"
#include "record/symbols.h"

namespace tenure::analyze {

struct ReadableFrame {
  StackId node;      // several inlined native functions share one
  std::string file;  // empty: unknown
  int line = 0;
  std::string function;
  bool is_python = false;
  bool is_user = false;  // neither the interpreter's nor a library's
  bool is_system =
      false;  // native code of the system: libc, libstdc++, their headers, Tenure's own
  bool is_lineless = false;  // native code of the user's own, built without debug information
};

class Frames {
 public:
  // `symbols`: shared by the ledgers of one run, since its processes load the same libraries. Must live longer.
  Frames(const ledger::Reader& ledger, record::Symbols& symbols)
      : ledger_(ledger), symbols_(symbols) {}

  // Innermost first.
  const std::vector<ReadableFrame>& of(StackId stack);

  // The frames of one node of a stack, innermost first. Libraries of native code are told by their file alone: no symbols of
  // them are read.
  std::vector<ReadableFrame> told_at(StackId node);

  // The innermost frame of the user's own code; the innermost with a line if none is, or of the library that called the heap;
  // nullptr for an empty stack.
  const ReadableFrame* user_frame(StackId stack);

  // The same without the last resort: nullptr where no frame outside of libraries has a line. Reads no symbols of libraries.
  const ReadableFrame* frame_with_line(StackId stack);

  // Whether Tenure's own code in the interpreter made it: an adapter keeps notes, which are Python's objects. What a
  // framework makes for the program may begin below an adapter too: its threads are lent the stack of who waits for them.
  bool is_of_adapters(const ledger::Site& site) const;

  // Whether an import runs in it: modules are loaded once.
  bool is_importing(StackId stack) const { return import_depth(stack) > 0; }

  // Of the import's innermost frame; 0: none runs. What comes round further in does so while one module is loaded.
  uint32_t import_depth(StackId stack) const;

  // Whether it was called by libc's exit(): a static destructor, an exit handler. Reads the symbols of libc.
  bool is_below_exit(StackId stack);

  // Whether a loaded object is the user's own: not of the system, not the interpreter, not of an installed package.
  bool is_user_module(uint32_t module) const;

  // The same of a native program, and neither that nor the object is what the system brings along and the user only starts.
  bool is_brought_by_user(uint32_t module) const;

  // Whether it is the user's own or the interpreter with its own extensions: what they ask for, the program asked for.
  bool is_of_program(uint32_t module) const;

  // Whether a loaded object is the C or C++ runtime: what a program asks it for takes a block or two.
  bool is_runtime(uint32_t module) const;

  const ledger::Reader& ledger() const { return ledger_; }
  record::Address address_of(const ledger::Frame& frame, uint64_t offset) const;
  record::Symbols& symbols() { return symbols_; }

 private:
  bool looks_like_users(uint32_t module) const;
  void find_imports() const;
  std::optional<ReadableFrame> find_frame_with_line(StackId stack);
  void add(StackId node, std::vector<ReadableFrame>& out);
  void add_python(StackId node, const ledger::Frame& frame, std::vector<ReadableFrame>& out) const;
  void add_native(StackId node, const ledger::Frame& frame, std::vector<ReadableFrame>& out);
  std::vector<ReadableFrame> native_frames(const ledger::Frame& frame);

  const ledger::Reader& ledger_;
  record::Symbols& symbols_;
  std::unordered_map<uint32_t, std::vector<ReadableFrame>> known_;
  std::unordered_map<uint32_t, std::vector<ReadableFrame>>
      native_;  // by FrameId: symbol lookup is slow
  std::unordered_map<uint32_t, std::optional<ReadableFrame>> with_line_;
  mutable std::unordered_map<uint32_t, bool> user_modules_;
  mutable std::vector<uint32_t> import_depths_;  // by stack; empty until one is asked for
};

}  // namespace tenure::analyze
