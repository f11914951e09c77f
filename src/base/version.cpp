#include "base/version.h"

#include <string_view>

namespace tenure {
namespace {

constexpr std::string_view kCommit =
#include "commit.inc"
    ;

}  // namespace

std::string version_words() {
  std::string words = TENURE_VERSION;
  if (!kCommit.empty()) words.append(" (").append(kCommit).append(")");
  return words;
}

}  // namespace tenure
