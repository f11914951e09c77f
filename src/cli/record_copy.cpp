#include "cli/record_copy.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "record/layout.h"
#include "record/run_json.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 3;  // of a record that changes meanwhile
constexpr size_t kPiece = 1 << 20;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }
  int give_up() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error cannot(const char* what, const fs::path& path, int failure) {
  return {fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(failure)), 2};
}

std::optional<std::string> text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

Result<bool> copy_bytes(int from, int to, const fs::path& source, const fs::path& target) {
  static std::array<char, kPiece> piece;
  for (;;) {
    const ssize_t n = read(from, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("read", source, errno);
    if (n == 0) return true;
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = write(to, piece.data() + done, static_cast<size_t>(n - done));
      if (written < 0 && errno != EINTR) return cannot("write", target, errno);
      done += std::max<ssize_t>(written, 0);
    }
  }
}

// A whole file has the time of its source: so it is known that it need not be copied again.
Result<bool> copy_whole_file(const fs::path& source, const fs::path& target) {
  File from(open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info{}, there{};
  if (from.fd() < 0 || fstat(from.fd(), &info) != 0) return cannot("read", source, errno);
  if (!S_ISREG(info.st_mode)) return cannot("read", source, EINVAL);
  if (lstat(target.c_str(), &there) == 0 && is_same(info, there)) return true;
  const fs::path part = target.string() + ".part";
  unlink(part.c_str());
  File to(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (to.fd() < 0) return cannot("write", part, errno);
  Result<bool> copied = copy_bytes(from.fd(), to.fd(), source, part);
  if (!copied) return copied;
  const timespec times[] = {info.st_mtim, info.st_mtim};
  if (futimens(to.fd(), times) != 0 || close(to.give_up()) != 0 ||
      rename(part.c_str(), target.c_str()) != 0)
    return cannot("write", target, errno);
  return true;
}

// Without what a writer has not finished yet.
Result<std::set<std::string>> files_of(const fs::path& record) {
  std::error_code failure;
  std::set<std::string> names;
  for (fs::directory_iterator at(record, failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    const bool is_file = fs::is_regular_file(at->symlink_status(unknown));
    if (is_file && !name.starts_with(".") && !name.ends_with(".new")) names.insert(name);
  }
  if (failure) return cannot("read", record, failure.value());
  return names;
}

// A file that its writer has removed meanwhile is no failure: the next look at run.json tells.
Result<bool> copy_files(const fs::path& source, const fs::path& partial) {
  Result<std::set<std::string>> names = files_of(source);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    Result<bool> copied = copy_whole_file(source / name, partial / name);
    std::error_code unknown;
    if (!copied && fs::exists(source / name, unknown)) return copied;
  }
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(partial, failure)) {
    std::error_code ignored;
    if (!names->contains(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  }
  return true;
}

Result<bool> put_in_place(const fs::path& partial, const fs::path& target) {
  const fs::path older = target.parent_path() / ("." + target.filename().string() + ".old");
  std::error_code ignored, failure;
  fs::remove_all(older, ignored);
  fs::rename(target, older, ignored);
  fs::rename(partial, target, failure);
  if (failure) return cannot("write", target, failure.value());
  fs::remove_all(older, ignored);
  return true;
}

bool has_same_files(const fs::path& source, const fs::path& target) {
  Result<std::set<std::string>> names = files_of(source), there = files_of(target);
  if (!names || !there || *names != *there) return false;
  for (const std::string& name : *names) {
    struct stat a{}, b{};
    if (lstat((source / name).c_str(), &a) != 0 || lstat((target / name).c_str(), &b) != 0 ||
        !is_same(a, b))
      return false;
  }
  return true;
}

}  // namespace

Result<record::RunOutcome> outcome_in(const fs::path& record) {
  const std::optional<std::string> text = text_of(record / record::kRunFile);
  if (!text) return Error{fmt::format("{} has no run.json that can be read", record.string()), 2};
  Result<std::optional<record::RunOutcome>> outcome =
      record::parse_run_json(*text, record.string());
  if (!outcome) return outcome.error();
  if (!*outcome)
    return Error{fmt::format("{}/{} is damaged", record.string(), record::kRunFile), 2};
  return std::move(**outcome);
}

bool is_further(const record::RunOutcome& one, const record::RunOutcome& other) {
  if (one.has_ended != other.has_ended) return one.has_ended;
  return one.seconds > other.seconds;
}

Result<RecordCopy> copy_record(const fs::path& source, const fs::path& target) {
  RecordCopy copy;
  const Result<record::RunOutcome> there = outcome_in(target);
  if (there) {
    if (has_same_files(source, target)) return RecordCopy{CopyResult::already_there, false};
    const Result<record::RunOutcome> here = outcome_in(source);
    if (here && is_further(*there, *here)) return RecordCopy{CopyResult::older_than_there, false};
    copy.result = CopyResult::updated;
  }
  const fs::path partial = target.parent_path() / ("." + target.filename().string() + ".partial");
  std::error_code failure;
  fs::create_directories(partial, failure);
  if (failure) return cannot("write", partial, failure.value());
  fs::permissions(partial, fs::perms::owner_all, failure);
  for (int i = 0; i < kTries; ++i) {
    if (Result<bool> copied = copy_files(source, partial); !copied) return copied.error();
    copy.has_changed = text_of(source / record::kRunFile) != text_of(partial / record::kRunFile);
    if (!copy.has_changed) break;
  }
  if (Result<bool> placed = put_in_place(partial, target); !placed) return placed.error();
  return copy;
}

}  // namespace tenure::cli
