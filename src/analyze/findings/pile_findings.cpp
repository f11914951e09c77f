#include "analyze/findings/pile_findings.h"

#include "analyze/findings/acts.h"
#include "analyze/findings/growth_findings.h"
#include "analyze/findings/rules.h"
#include "analyze/findings/severity.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {

Finding describe_garbage(const GarbagePile& pile) {
  Finding f;
  f.kind = Kind::retained_cycle;
  f.severity = kSeverityOfPile;
  f.title = sentence("garbage.title", {{"bytes", pile.bytes}});
  f.why = sentence("garbage.why", {{"count", pile.count}});
  std::string act = known_act({f.kind, {}, pile.links, "", {}});
  f.fix = act.empty() ? pile.fix : act;
  f.confidence = kSureOfGarbage;
  f.where = pile.where;
  f.holder = pile.holder;
  f.bytes = pile.bytes;
  f.count = pile.count;
  f.bytes_per_step = pile.bytes_per_step;
  f.steps = pile.steps;
  f.per = pile.per;
  return f;
}

Finding describe_copies(const CopiedMemory& copied) {
  Finding f;
  f.kind = Kind::copy_on_write;
  f.severity = kSeverityOfPile;
  f.title = sentence("copies.title", {{"bytes", copied.bytes}});
  f.why = sentence("copies.why", {{"count", copied.objects}});
  f.fix = sentence("copies.fix");
  f.confidence = kSureOfCopies;
  f.where.push_back(copied.read_at);
  if (copied.made_at) f.where.push_back(*copied.made_at);
  f.holder = copied.holder;
  f.bytes = copied.bytes;
  f.count = copied.objects;
  if (!copied.steps) return f;
  f.steps = copied.steps;
  f.per = copied.per;
  f.bytes_per_step = static_cast<double>(copied.bytes) / static_cast<double>(*copied.steps);
  f.title = growth_title(*f.bytes_per_step, f.bytes);
  return f;
}

}  // namespace tenure::analyze
