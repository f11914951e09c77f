#include "analyze/balance/process_role.h"

#include <charconv>

namespace tenure::analyze {

std::optional<ProcessRole> rank_in(std::string_view fact) {
  ProcessRole role{ProcessPart::rank};
  const char *at = fact.data(), *end = at + fact.size();
  auto [slash, first_error] = std::from_chars(at, end, role.number);
  if (first_error != std::errc() || slash == end || *slash != '/') return std::nullopt;
  auto [rest, error] = std::from_chars(slash + 1, end, role.count);
  const bool is_whole = error == std::errc() && rest == end;
  // A job of one is a program like any other.
  return is_whole && role.count > 1 && role.number < role.count ? std::optional(role)
                                                                : std::nullopt;
}

}  // namespace tenure::analyze
