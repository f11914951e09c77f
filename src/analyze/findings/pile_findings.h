// analyze/findings/pile_findings.h: garbage that waits and pages that workers copied, as findings.
// World: offline.
#pragma once
#include "analyze/findings/findings.h"
#include "analyze/growth/copy_on_write.h"
#include "analyze/growth/waiting_garbage.h"

namespace tenure::analyze {

Finding describe_garbage(const GarbagePile& pile);
Finding describe_copies(const CopiedMemory& copied);

}  // namespace tenure::analyze
