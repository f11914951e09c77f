// inproc/snapshot/code_section.h: the code objects of the user's own files, as raw as they lie in memory: what the program's
// code does with names is read from them later, in src/bytecode.
// World: inside, in the snapshot's child. Pure reads; no heap.
#pragma once
#include "inproc/snapshot/heap_api.h"
#include "inproc/snapshot/text_table.h"
#include "inproc/stacks/python_frames.h"

namespace tenure::inproc {

class CodeSection {
 public:
  CodeSection(const HeapApi& api, const PythonReader& reader, TextTable& texts) noexcept
      : api_(api), reader_(reader), texts_(texts) {}

  // The main module and running frames with all code inside of them, then what the walk met of files, and last of what
  // was typed: libraries compile thousands of functions under the names that shells give to code.
  void fill(const HeapGraph& heap, Object main_module) noexcept;

  const Column<ledger::SnapshotCode>& codes() const noexcept { return codes_; }
  const Column<uint32_t>& words() const noexcept { return words_; }
  const Column<uint8_t>& bytes() const noexcept { return bytes_; }
  // Codes of files that found no room.
  uint32_t lost() const noexcept { return lost_; }

 private:
  static constexpr size_t kMostCodes = 4096;
  static constexpr size_t kMostBytes = 1 << 20;  // of words, bytes and the texts they need

  enum class Origin : uint32_t { library, file, typed };

  void note(Object code) noexcept;
  void note_function(Object function) noexcept;
  void note_inner() noexcept;
  void note_heap(const HeapGraph& heap, Origin wanted) noexcept;
  Origin origin_of(Object code) noexcept;
  bool is_full() const noexcept;
  void write(Object code) noexcept;
  void write_name(Object code, ledger::SnapshotCode* out) noexcept;
  void write_bytes(Object code, ledger::SnapshotCode* out) noexcept;
  void write_names(Object code, ledger::SnapshotCode* out) noexcept;
  void write_variables(Object code, ledger::SnapshotCode* out) noexcept;
  void write_variables_of(Object names, uint32_t kind, ledger::SnapshotCode* out) noexcept;
  void write_constants(Object code, ledger::SnapshotCode* out) noexcept;
  void write_constant(Object constant) noexcept;
  bool add_texts(Object tuple, ShortText* out) const noexcept;
  bool is_short_text(Object o) const noexcept;
  uint32_t text_of(Object str) noexcept;

  const HeapApi& api_;
  const PythonReader& reader_;
  TextTable& texts_;
  Column<Object> found_;  // those of the user's own files, each once
  AddressMap numbers_;    // code -> its place in found_, which is its number in the file
  size_t expanded_ = 0;   // of found_: their constants were looked through
  AddressMap origins_;    // str of a file name -> Origin
  AddressMap qualified_;  // code -> its place in qualified_names_
  Column<Object>
      qualified_names_;  // strs, of functions: before 3.11 a code knows its bare name only
  Column<ledger::SnapshotCode> codes_;
  Column<uint32_t> words_;
  Column<uint8_t> bytes_;
  size_t text_bytes_before_ = 0;
  uint32_t lost_ = 0;
};

}  // namespace tenure::inproc
