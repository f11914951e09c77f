// record/sources.h: the user's source files as a run left them: digests, and the text of the lines that a report shows.
// Answered from the record, or, while a run ends, from the files of this machine and remembered for the record.
// World: offline. One owner; not thread-safe.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/run_outcome.h"

namespace tenure::record {

enum class SourceState {
  read,
  missing,  // no regular file, too large, or not allowed to be read
  changed,  // after the program began: its lines may not be those that ran
};

struct SourceFile {
  SourceState state = SourceState::missing;
  std::string digest;  // XXH3, 128 bits, in hexadecimal; empty where the file is missing
  uint64_t bytes = 0;
};

// What sources.json has.
struct SourceAnswers {
  bool has_text = true;                                      // false: --no-source
  std::map<std::string, SourceFile> files;                   // by the name the stacks have
  std::map<std::pair<std::string, int>, std::string> lines;  // by file and line
};

class Sources {
 public:
  // Only what is stored.
  explicit Sources(SourceAnswers stored = {}) : answers_(std::move(stored)) {}
  // For a run that ends here, or one that nobody saw end: reads the files where they lie.
  static std::shared_ptr<Sources> from_files(const RunOutcome& outcome);

  // Remembers the state of a file.
  const SourceFile& file(const std::string& name);
  // One line without blanks around it; empty where it is not known or not to be told.
  const std::string& line(const std::string& name, int number);

  const SourceAnswers& answers() const { return answers_; }

 private:
  struct Text {
    SourceFile file;
    std::vector<std::string> lines;  // none unless the state is `read`
  };
  const Text& text_of(const std::string& name);

  SourceAnswers answers_;
  bool reads_files_ = false;
  std::string directory_;    // where the program was started: names may be relative to it
  uint64_t started_ns_ = 0;  // since 1970
  std::map<std::string, Text> texts_;
};

}  // namespace tenure::record
