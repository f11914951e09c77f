#include "analyze/findings/error_findings.h"

#include <utility>

#include "analyze/findings/rules.h"
#include "analyze/findings/severity.h"

namespace tenure::analyze {

Finding describe_error(LifetimeError error) {
  Finding f;
  f.kind = error.kind;
  f.severity = severity_of(error);
  f.title = std::move(error.title);
  f.why = std::move(error.why);
  f.fix = std::move(error.fix);
  f.confidence = f.severity == Severity::error ? kSureOfError : kSureOfCaughtError;
  f.where = std::move(error.where);
  if (!error.holder.empty()) f.holder = Holder{std::move(error.holder), {}, ""};
  f.count = error.count;
  f.error = std::move(error.error);
  return f;
}

Finding describe_death(OutOfMemory death) {
  Finding f;
  f.kind = Kind::out_of_memory;
  f.severity = kSeverityOfDeath;
  f.title = std::move(death.title);
  f.why = std::move(death.why);
  f.confidence = kSureOfDeath;
  f.where = std::move(death.where);
  f.bytes = death.bytes;
  f.count = death.count;
  f.error = std::move(death.error);
  return f;
}

}  // namespace tenure::analyze
