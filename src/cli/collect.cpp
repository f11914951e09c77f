// cli/collect.cpp: `tenure collect SRC... DEST`: the records of many hosts, gathered from where these left them.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "cli/record_copy.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "record/layout.h"
#include "record/placement.h"
#include "record/read.h"
#include "report/formats/fleet_rows.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 8;        // folders below a source
constexpr double kSkewTold = 2;  // seconds: a storage may round its times to these
constexpr char kUnknownHost[] = "unknown-host";

struct Found {
  fs::path path;
  record::RunOutcome outcome;
  record::Placement placement;
  std::string id;
};

bool has_part_of_a_record(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name == record::kRunFile || name.starts_with(record::kLedgerStart)) return true;
  }
  return false;
}

// A name that a host gave itself is no path.
std::string as_file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    name += is_plain || (c == '.' && !name.empty()) ? c : '_';
  }
  return name.empty() ? kUnknownHost : name;
}

class Collection {
 public:
  explicit Collection(std::string destination) : destination_(std::move(destination)) {}

  bool lock();
  void search(const fs::path& source);
  void copy_all();
  int tell() const;

 private:
  void add(const fs::path& folder);
  void copy(const Found& found);
  void check(const fs::path& copied);
  void note_clock(const Found& found);
  void trouble(const std::string& sentence) {
    say_line(sentence);
    ++troubles_;
  }

  fs::path destination_;
  std::map<std::string, Found> found_;   // by their ids
  std::map<std::string, double> ahead_;  // of the storage's clock, by hosts, in seconds
  size_t copied_ = 0, updated_ = 0, known_ = 0, duplicates_ = 0, running_ = 0, troubles_ = 0;
  int lock_ = -1;
};

// Two that write to one destination would take each other's half copies for their own.
bool Collection::lock() {
  std::error_code failure;
  fs::create_directories(destination_, failure);
  lock_ = open(destination_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0 || access(destination_.c_str(), W_OK | X_OK) != 0) {
    say_line(fmt::format("cannot write into {}", destination_.string()));
    return false;
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return true;
  say_line(fmt::format("another `tenure collect` writes into {}", destination_.string()));
  return false;
}

void Collection::add(const fs::path& folder) {
  Result<record::RunOutcome> outcome = outcome_in(folder);
  if (!outcome) return trouble(outcome.error().message + "; it is left out");
  Found found{folder, std::move(*outcome), record::read_placement(folder.string()), ""};
  found.id = report::record_id(found.outcome, found.placement);
  note_clock(found);
  const auto [known, is_new] = found_.try_emplace(found.id, found);
  if (is_new) return;
  ++duplicates_;
  if (is_further(found.outcome, known->second.outcome)) known->second = std::move(found);
}

// Its last words were written when its own clock said so: a storage that says "earlier" has another clock. A copy is only ever
// later, so a clock that is behind looks like one.
void Collection::note_clock(const Found& found) {
  struct stat info{};
  if (!found.outcome.has_ended || stat((found.path / record::kRunFile).c_str(), &info) != 0) return;
  const double ended = static_cast<double>(found.outcome.started_ns) / 1e9 + found.outcome.seconds;
  const double written =
      static_cast<double>(info.st_mtim.tv_sec) + static_cast<double>(info.st_mtim.tv_nsec) / 1e9;
  double& ahead = ahead_[found.placement.host];
  ahead = std::max(ahead, ended - written);
}

void Collection::search(const fs::path& source) {
  std::error_code failure, unknown;
  if (!fs::is_directory(source, failure))
    return trouble(fmt::format("{} is no folder", source.string()));
  if (has_part_of_a_record(source)) return add(source);
  const size_t before = found_.size() + duplicates_ + troubles_;
  fs::recursive_directory_iterator at(source, fs::directory_options::skip_permission_denied,
                                      failure);
  for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
    if (!fs::is_directory(at->symlink_status(unknown))) continue;
    const bool is_ours = fs::equivalent(at->path(), destination_, unknown);
    const bool is_hidden = at->path().filename().string().starts_with('.');
    const bool is_record = !is_ours && !is_hidden && has_part_of_a_record(at->path());
    if (is_record) add(at->path());
    if (is_record || is_ours || is_hidden || at.depth() >= kDepth) at.disable_recursion_pending();
  }
  if (failure) return trouble(fmt::format("{}: {}", source.string(), failure.message()));
  if (found_.size() + duplicates_ + troubles_ == before)
    trouble(fmt::format("{} has no record in it", source.string()));
}

// What of it cannot be read any more: told, and kept.
void Collection::check(const fs::path& copied) {
  const Result<record::Record> record = record::read_record(copied.string());
  if (!record) return trouble(record.error().message);
  if (!record->unreadable.empty())
    trouble(fmt::format("{} is not whole: {}", copied.string(), record->unreadable.front()));
}

void Collection::copy(const Found& found) {
  std::string name = found.path.filename().string();
  if (name.ends_with(".tenure")) name.resize(name.size() - 7);
  const fs::path target = destination_ / as_file_name(found.placement.host) /
                          fmt::format("{}-{}.tenure", as_file_name(name), found.id);
  Result<RecordCopy> copy = copy_record(found.path, target);
  if (!copy) return trouble(copy.error().message + "; the same command goes on from there");
  running_ += found.outcome.has_ended ? 0 : 1;
  if (copy->result == CopyResult::already_there || copy->result == CopyResult::older_than_there) {
    ++known_;
    return;
  }
  ++(copy->result == CopyResult::updated ? updated_ : copied_);
  if (copy->has_changed)
    trouble(
        fmt::format("{} changed while it was copied; collect it again when its program has "
                    "ended",
                    found.path.string()));
  else
    check(target);
}

void Collection::copy_all() {
  for (const auto& [id, found] : found_) copy(found);
}

int Collection::tell() const {
  for (const auto& [host, seconds] : ahead_) {
    if (seconds > kSkewTold)
      say_line(
          fmt::format("the clock of {} is {:.0f} s or more ahead of the storage's; its times "
                      "are told as it told them",
                      host.empty() ? kUnknownHost : host, std::floor(seconds)));
  }
  fmt::print("{}: {} copied, {} brought up to date, {} there already",
             found_.size() == 1 ? "1 record" : fmt::format("{} records", found_.size()), copied_,
             updated_, known_);
  if (duplicates_ > 0) fmt::print("; {} found twice", duplicates_);
  if (running_ > 0) fmt::print("; {} without an end", running_);
  fmt::print("\n");
  return std::fflush(stdout) == 0 && troubles_ == 0 && !found_.empty() ? 0 : 2;
}

}  // namespace

int collect(const CollectOptions& options) {
  if (options.folders.size() < 2) {
    say_line("collect needs where the records are, and where they go: collect SRC... DEST");
    return 2;
  }
  Collection collection(options.folders.back());
  if (!collection.lock()) return 2;
  for (size_t i = 0; i + 1 < options.folders.size(); ++i) collection.search(options.folders[i]);
  collection.copy_all();
  return collection.tell();
}

}  // namespace tenure::cli
