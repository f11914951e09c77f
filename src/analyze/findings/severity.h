// analyze/findings/severity.h: how loud each judgement is told. The one place that sets it.
// World: offline. Pure.
#pragma once
#include "analyze/errors/errors.h"
#include "analyze/findings/findings.h"
#include "analyze/growth/judgement.h"

namespace tenure::analyze {

Severity severity_of(GrowthClass what);
Severity severity_of(const LifetimeError& error);

// Garbage and copied pages are judged by their amount before they get here: what is told of them is a leak.
inline constexpr Severity kSeverityOfPile = Severity::leak;
inline constexpr Severity kSeverityOfDeath = Severity::error;

}  // namespace tenure::analyze
