#include "cli/record_folder.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cli/program.h"
#include "record/layout.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly =
    0700;  // a record has names and lines of the program, and its command line

Error cannot_make(const std::string& path, const std::string& why) {
  return {fmt::format("cannot make the record {}: {}; choose another with -o", path, why), 2};
}

bool is_part_of_a_record(const std::string& name) {
  constexpr std::string_view kParts[] = {record::kLedgerStart, record::kSnapshotStart,
                                         record::kRunFile,     record::kSymbolsFile,
                                         record::kSourcesFile, record::kFindingsFile};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return name.starts_with(part); });
}

void remove_older_record(const std::string& path) {
  std::error_code failure;
  for (fs::directory_iterator at(path, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code ignored;
    if (is_part_of_a_record(at->path().filename().string())) fs::remove(at->path(), ignored);
  }
}

Result<RecordFolder> make_at(const std::string& path) {
  std::error_code failure;
  bool is_new = fs::create_directories(path, failure);
  if (failure) return cannot_make(path, failure.message());
  if (access(path.c_str(), W_OK | X_OK) != 0) return cannot_make(path, std::strerror(errno));
  if (is_new)
    chmod(path.c_str(), kOwnerOnly);
  else
    remove_older_record(path);
  return RecordFolder{path, "", is_new};
}

Result<RecordFolder> make_temporary(const std::string& wanted, const std::string& why) {
  std::error_code failure;
  std::string path = (fs::temp_directory_path(failure) / "tenure-XXXXXX").string();
  if (failure || !mkdtemp(path.data())) return cannot_make(wanted, why);
  std::string notice =
      fmt::format("cannot make {} here ({}); the record went to {}", wanted, why, path);
  return RecordFolder{path, notice, true};
}

}  // namespace

Result<RecordFolder> make_record_folder(const std::string& wanted,
                                        const std::vector<std::string>& program) {
  if (!wanted.empty()) return make_at(wanted);
  for (int number = 1;; ++number) {
    std::string name = record_name(program, number);
    if (mkdir(name.c_str(), kOwnerOnly) == 0) return RecordFolder{name, "", true};
    if (errno != EEXIST) return make_temporary(name, std::strerror(errno));
  }
}

void remove_record_folder(const RecordFolder& folder) {
  if (!folder.is_new) return;
  remove_older_record(folder.path);
  std::error_code ignored;
  fs::remove(folder.path, ignored);
}

}  // namespace tenure::cli
