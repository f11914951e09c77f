// inproc/accounting/job_rank.h: which rank of a job of several processes this one is, as its environment says.
// World: inside. Reads the environment as getenv() does; nothing else.
#pragma once
#include <cstddef>

namespace tenure::inproc {

// "1/4" for rank 1 of 4. False where no launcher that is known said so: torchrun, Open MPI, MPICH, Slurm.
bool job_rank(char* text, size_t room) noexcept;

}  // namespace tenure::inproc
