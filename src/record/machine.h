// record/machine.h: the facts of this machine that a record keeps.
// World: offline, beside the program.
#pragma once
#include "record/run_outcome.h"

namespace tenure::record {

MachineFacts this_machine();

}  // namespace tenure::record
