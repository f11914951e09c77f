#include "base/version.h"

#include <features.h>

#include <string_view>

#define AS_TEXT_(x) #x
#define AS_TEXT(x) AS_TEXT_(x)

namespace tenure {
namespace {

constexpr std::string_view kCommit =
#include "commit.inc"
    ;

#ifdef __clang__
constexpr std::string_view kCompiler = "clang " AS_TEXT(__clang_major__) "." AS_TEXT(
    __clang_minor__) "." AS_TEXT(__clang_patchlevel__);
#else
constexpr std::string_view kCompiler =
    "g++ " AS_TEXT(__GNUC__) "." AS_TEXT(__GNUC_MINOR__) "." AS_TEXT(__GNUC_PATCHLEVEL__);
#endif
constexpr std::string_view kLibc = "glibc " AS_TEXT(__GLIBC__) "." AS_TEXT(__GLIBC_MINOR__);

}  // namespace

std::string version_words() {
  std::string words = TENURE_VERSION " (";
  if (!kCommit.empty()) words.append(kCommit).append(", ");
  return words.append(kCompiler).append(", ").append(kLibc).append(")");
}

}  // namespace tenure
