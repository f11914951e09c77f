// record/symbols.h: names, lines and loops of native code as the analysis asks for them: answered from the record, or, while
// a run ends, from the files of this machine and remembered for the record.
// World: offline. One owner; not thread-safe. Answers stay where they are: references hold as long as the Symbols.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "symbolize/native_loops.h"
#include "symbolize/symbolizer.h"

namespace tenure::record {

using symbolize::Address;
using symbolize::NativeLoop;
using symbolize::SourceFrame;

// Every answer that a run gave, as the file `symbols` has it.
struct SymbolAnswers {
  using Key = std::tuple<std::string, std::string, uint64_t>;  // module, build id, offset
  std::map<Key, std::vector<SourceFrame>> frames;
  std::map<Key, std::vector<NativeLoop>> loops;
  std::vector<std::string> problems;
};

class Symbols {
 public:
  // Only what is stored: no file of this machine is looked at. A place that was never asked for is named by its module and
  // offset.
  explicit Symbols(SymbolAnswers stored = {}) : answers_(std::move(stored)) {}
  // For a run that ends here, or one that nobody saw end: reads the modules where they lie.
  static std::shared_ptr<Symbols> from_modules();

  // See Symbolizer::frames and function_name.
  const std::vector<SourceFrame>& frames(const Address& call_site);
  std::string function_name(const Address& address);
  // See symbolize::loops_of.
  const std::vector<NativeLoop>& loops_around(const Address& any_pc_in_function);

  // Sentences worth telling, each once: module missing, build id differs, no lines.
  const std::vector<std::string>& problems() const { return answers_.problems; }
  const SymbolAnswers& answers() const { return answers_; }

 private:
  SymbolAnswers answers_;
  std::unique_ptr<symbolize::Symbolizer> symbolizer_;  // null: only what is stored
};

}  // namespace tenure::record
