#include "report/holders.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/bytes.h"
#include "report/paint.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

constexpr int kBytesWidth = 10, kBlocksWidth = 8;
constexpr size_t kIdWidth = 8;
constexpr int kSmallestText = 40;

std::string figures(const std::string& bytes, const std::string& blocks,
                    const std::string& id = "") {
  return "  " + right_aligned(bytes, kBytesWidth) + "  " + right_aligned(blocks, kBlocksWidth) +
         "  " + id + std::string(id.size() < kIdWidth ? kIdWidth - id.size() : 0, ' ') + "  ";
}

std::string rest_line(uint64_t bytes, const std::string& words) {
  return bytes ? figures(human_bytes(bytes), "") + words + "\n" : "";
}

}  // namespace

std::string holders_table(const std::optional<analyze::HolderSummary>& summary,
                          const HoldersOptions& options) {
  if (!summary) return "  no snapshot was taken: who held what is not known\n";
  const Paint paint(options.has_color);
  std::string text = paint.bold(figures("retained", "blocks", "one is") + "held by") + "\n";
  uint64_t told = 0;
  for (const analyze::HolderFigures& holder : summary->holders) {
    const std::string start =
        figures(human_bytes(holder.bytes), human_count(holder.count), holder.block);
    const int room = std::max(options.width - width_of(start), kSmallestText);
    text += start + cut(printable(rendered(holder.text)), room) + "\n";
    told += holder.bytes;
  }
  const uint64_t known = told + summary->unexplained_bytes;
  text += rest_line(summary->all_bytes > known ? summary->all_bytes - known : 0, "other holders");
  text += rest_line(summary->unexplained_bytes, "no Python object leads there");
  text +=
      fmt::format("  of {} in blocks and {} Python objects; {} held by native code, {} garbage\n",
                  human_bytes(summary->all_bytes), human_count(summary->objects),
                  human_bytes(summary->native_bytes), human_bytes(summary->garbage_bytes));
  return text;
}

}  // namespace tenure::report
