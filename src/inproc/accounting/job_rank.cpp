#include "inproc/accounting/job_rank.h"

#include <stdlib.h>
#include <string.h>

namespace tenure::inproc {
namespace {

struct Launcher {
  const char *rank, *ranks;
};
// Slurm last: it starts the other launchers, too.
constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"SLURM_PROCID", "SLURM_NTASKS"}};

bool is_number(const char* text) noexcept {
  size_t digits = text ? strspn(text, "0123456789") : 0;
  return digits > 0 && digits < 8 && text[digits] == 0;
}

}  // namespace

bool job_rank(char* text, size_t room) noexcept {
  for (const Launcher& launcher : kLaunchers) {
    const char *rank = getenv(launcher.rank), *ranks = getenv(launcher.ranks);
    if (!is_number(rank) || !is_number(ranks)) continue;
    if (strlen(rank) + 1 + strlen(ranks) + 1 > room) return false;
    char* end = stpcpy(text, rank);
    *end = '/';
    stpcpy(end + 1, ranks);
    return true;
  }
  return false;
}

}  // namespace tenure::inproc
