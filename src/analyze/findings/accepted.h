// analyze/findings/accepted.h: what the user knows of and accepts: told as such, never dropped, and no reason for a verdict.
// World: offline. Pure.
#pragma once
#include <string>
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/growth/judgement.h"

namespace tenure::analyze {

class Accepted {
 public:
  // `entries`: lines as "train.py:42", or names of holders as "losses" or "runner.buffer".
  explicit Accepted(const std::vector<std::string>& entries) : entries_(entries) {}

  // Growth of a line, or in a holder, that the user lists becomes accepted. True: it has.
  bool accept(Finding& finding) const;

  bool covers(const Judgement& judgement) const;

 private:
  const std::vector<std::string>& entries_;
};

}  // namespace tenure::analyze
