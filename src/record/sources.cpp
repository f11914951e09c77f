#include "record/sources.h"

#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenure::record {
namespace {

constexpr uint64_t kLargestFile = 4 << 20;  // generated ones are not what a person reads

std::string trimmed(const std::string& text) {
  size_t first = text.find_first_not_of(" \t\r\f"), last = text.find_last_not_of(" \t\r\f");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string digest_of(const std::string& text) {
  XXH128_hash_t digest = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(trimmed(line));
  return lines;
}

// Nothing: not a regular file of a size that people write. A pipe would wait for ever.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status{};
  bool is_source = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                   static_cast<uint64_t>(status.st_size) <= kLargestFile;
  return is_source ? std::optional(status) : std::nullopt;
}

uint64_t nanoseconds(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

std::shared_ptr<Sources> Sources::from_files(const RunOutcome& outcome) {
  auto sources = std::make_shared<Sources>();
  sources->answers_.has_text = outcome.settings.keeps_source;
  sources->reads_files_ = true;
  sources->directory_ = outcome.directory;
  sources->started_ns_ = outcome.started_ns;
  return sources;
}

const Sources::Text& Sources::text_of(const std::string& name) {
  auto [entry, is_new] = texts_.try_emplace(name);
  Text& text = entry->second;
  if (!is_new || name.empty() || name[0] == '<') return text;
  const std::string path = (std::filesystem::path(directory_) / name).string();
  std::optional<struct stat> status = status_of(path);
  if (!status) return text;
  std::ifstream in(path, std::ios::binary);
  if (!in) return text;
  std::ostringstream all;
  all << in.rdbuf();
  bool has_changed = started_ns_ > 0 && nanoseconds(status->st_mtim) > started_ns_;
  text.file.state = has_changed ? SourceState::changed : SourceState::read;
  text.file.digest = digest_of(all.str());
  text.file.bytes = all.str().size();
  if (!has_changed) text.lines = lines_of(all.str());
  return text;
}

const SourceFile& Sources::file(const std::string& name) {
  auto [entry, is_new] = answers_.files.try_emplace(name);
  if (is_new && reads_files_) entry->second = text_of(name).file;
  return entry->second;
}

const std::string& Sources::line(const std::string& name, int number) {
  static const std::string kNone;
  if (number < 1 || !answers_.has_text) return kNone;
  auto [entry, is_new] = answers_.lines.try_emplace({name, number});
  if (!is_new || !reads_files_) return entry->second;
  file(name);
  const std::vector<std::string>& lines = text_of(name).lines;
  if (static_cast<size_t>(number) <= lines.size())
    entry->second = lines[static_cast<size_t>(number) - 1];
  return entry->second;
}

}  // namespace tenure::record
