// analyze/findings/error_findings.h: lifetime errors and deaths for lack of memory, as findings.
// World: offline.
#pragma once
#include "analyze/errors/errors.h"
#include "analyze/findings/findings.h"

namespace tenure::analyze {

Finding describe_error(LifetimeError error);
Finding describe_death(OutOfMemory death);

}  // namespace tenure::analyze
