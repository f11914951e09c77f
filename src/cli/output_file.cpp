#include "cli/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "report/text.h"

namespace tenure::cli {
namespace {

constexpr uint64_t kLongestTail = 16 << 10;  // bytes that the last rows are looked for in

struct Tail {
  std::string text;
  uint64_t begins = 0;  // in the file
};

Tail tail_of(const std::string& file) {
  Tail tail;
  std::ifstream in(file, std::ios::binary);
  in.seekg(0, std::ios::end);
  const std::streamoff bytes = in.tellg();
  if (bytes <= 0) return tail;
  tail.begins =
      static_cast<uint64_t>(bytes) > kLongestTail ? static_cast<uint64_t>(bytes) - kLongestTail : 0;
  in.seekg(static_cast<std::streamoff>(tail.begins));
  tail.text.resize(static_cast<size_t>(bytes) - static_cast<size_t>(tail.begins));
  in.read(tail.text.data(), static_cast<std::streamsize>(tail.text.size()));
  tail.text.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return tail;
}

// Where the last `most` rows of the text begin; a row that is not complete yet is one.
size_t start_in(const std::string& text, size_t most) {
  size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;
  for (size_t rows = 0; rows < most; ++rows) {
    const size_t before = at > 0 ? text.rfind('\n', at - 1) : std::string::npos;
    if (before == std::string::npos) return 0;
    at = before;
  }
  return at + 1;
}

// ESC [ ... letter: colours and the like.
std::string without_sequences(const std::string& row) {
  std::string plain;
  for (size_t at = 0; at < row.size(); ++at) {
    if (row[at] != '\x1b') {
      plain += row[at];
      continue;
    }
    if (at + 1 < row.size() && row[at + 1] == '[') {
      ++at;
      while (at + 1 < row.size() && (row[at + 1] < '@' || row[at + 1] > '~')) ++at;
    }
    ++at;
  }
  return plain;
}

// Of a progress bar, what it shows now.
std::string shown(std::string row) {
  while (!row.empty() && row.back() == '\r') row.pop_back();
  const size_t again = row.rfind('\r');
  if (again != std::string::npos) row.erase(0, again + 1);
  return report::printable(report::valid_utf8(without_sequences(row)));
}

}  // namespace

std::vector<std::string> last_rows(const std::string& file, size_t most) {
  const std::string text = tail_of(file).text;
  std::vector<std::string> rows;
  for (size_t at = start_in(text, most); at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    rows.push_back(shown(text.substr(at, end - at)));
    at = end + 1;
  }
  return rows;
}

uint64_t start_of_last_rows(const std::string& file, size_t most) {
  const Tail tail = tail_of(file);
  return tail.begins + start_in(tail.text, most);
}

uint64_t copy_from(const std::string& file, uint64_t from) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  char piece[4096];
  while (in.read(piece, sizeof piece) || in.gcount() > 0) {
    for (std::streamsize done = 0; done < in.gcount();) {
      const ssize_t n = write(STDOUT_FILENO, piece + done, static_cast<size_t>(in.gcount() - done));
      if (n < 0 && errno != EINTR) return from;  // the terminal is gone
      if (n > 0) done += n;
    }
    from += static_cast<uint64_t>(in.gcount());
  }
  return from;
}

}  // namespace tenure::cli
