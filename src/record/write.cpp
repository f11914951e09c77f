#include "record/write.h"

#include <filesystem>
#include <string_view>

#include "ledger/image.h"
#include "ledger/record_file.h"
#include "record/layout.h"
#include "record/run_json.h"
#include "record/sources_json.h"
#include "record/symbols_json.h"

namespace tenure::record {
namespace {

Result<bool> write_text(const std::string& directory, const char* name, const std::string& text) {
  const std::string_view pieces[] = {text};
  return ledger::write_record_file((std::filesystem::path(directory) / name).string(), pieces);
}

}  // namespace

Result<bool> write_run(const std::string& directory, const RunOutcome& outcome) {
  return write_text(directory, kRunFile, run_json(outcome));
}

Result<bool> write_symbols(const std::string& directory, const SymbolAnswers& answers) {
  const std::string text = symbols_json(answers);
  return ledger::write_image((std::filesystem::path(directory) / kSymbolsFile).string(),
                             {text.begin(), text.end()}, kSymbolsImage);
}

Result<bool> write_sources(const std::string& directory, const SourceAnswers& answers) {
  return write_text(directory, kSourcesFile, sources_json(answers));
}

}  // namespace tenure::record
