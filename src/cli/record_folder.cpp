#include "cli/record_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cli/program.h"
#include "record/layout.h"
#include "record/placement.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly =
    0700;  // a record has names and lines of the program, and its command line

Error cannot_make(const std::string& path, const std::string& why) {
  return {fmt::format("cannot make the record {}: {}; choose another with -o", path, why), 2};
}

bool is_part_of_a_record(const std::string& name) {
  constexpr std::string_view kParts[] = {
      record::kLedgerStart, record::kSnapshotStart, record::kRunFile,  record::kSymbolsFile,
      record::kSourcesFile, record::kFindingsFile,  record::kPageFile, record::kLooksFile,
      record::kOutputFile,  record::kPlacementFile};
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

// The folder, locked; -1: another run writes to it, or it is no folder.
int lock_folder(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

bool is_at(int fd, const std::string& path) {
  struct stat open_one{}, named{};
  return fstat(fd, &open_one) == 0 && stat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

bool is_a_record(const std::string& path) {
  std::error_code failure;
  return fs::exists(path + "/" + record::kRunFile, failure);
}

// What lies at `path` becomes the older one. False: it is no record, or is being written.
bool put_aside(const std::string& path) {
  const std::string older = path + ".old";
  int fd = is_a_record(path) ? lock_folder(path) : -1;
  if (fd < 0) return false;
  std::error_code failure;
  if (is_a_record(older)) remove_older_record(older);
  fs::remove(older, failure);  // only if nothing else is in it
  bool is_aside = is_at(fd, path) && rename(path.c_str(), older.c_str()) == 0;
  close(fd);
  return is_aside;
}

}  // namespace

Result<RecordFolder> make_record_folder(const std::string& wanted,
                                        const std::vector<std::string>& program) {
  if (!wanted.empty()) return make_at(wanted);
  for (int number = 1;;) {
    std::string name = record_name(program, number);
    if (mkdir(name.c_str(), kOwnerOnly) == 0) {
      int lock = lock_folder(name);
      if (lock < 0 || is_at(lock, name)) return RecordFolder{name, "", true, lock};
      close(lock);  // put aside by another run in this very moment
    } else if (errno != EEXIST) {
      return make_temporary(name, std::strerror(errno));
    } else if (!put_aside(name)) {
      ++number;
    }
  }
}

void remove_record_folder(const RecordFolder& folder) {
  if (!folder.is_new) return;
  remove_older_record(folder.path);
  std::error_code ignored;
  fs::remove(folder.path, ignored);
}

}  // namespace tenure::cli
