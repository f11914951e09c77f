// cli/report_output.h: where a report goes: the terminal as it is, and files that were asked for. For `run` and `show`.
// World: offline.
#pragma once
#include <string>

#include "record/record.h"
#include "report/terminal.h"

namespace tenure::cli {

inline constexpr size_t kSitesShown = 40;  // by `show --sites`

bool wants_color(int fd);

// Colours and width of the terminal behind `fd`. Paths are shown from where the program was started, so that the words do
// not depend on who reads them where.
report::TerminalOptions terminal_options(int fd, const record::Record& record);

// False, and told on stderr: it cannot be written. An empty path asks for nothing.
inline constexpr char kStandardOutput[] = "-";
bool write_asked(const std::string& path, const std::string& text);

}  // namespace tenure::cli
