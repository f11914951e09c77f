#include "analyze/findings/acts.h"

#include <algorithm>

#include "analyze/heap/holder_path.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

bool is_like_one(std::string_view text, std::string_view pattern) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  std::string_view rest = pattern.substr(star + 1);
  for (size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (is_like_one(text.substr(skipped), rest)) return true;
  }
  return false;
}

bool is_any_of(Kind kind, std::span<const Kind> kinds) {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// OWNER.NAME:TYPE. A pattern without a type is of any.
bool is_link(const HolderLink& link, std::string_view pattern) {
  std::string name = link.owner.empty() ? link.name : link.owner + "." + link.name;
  return is_like(name, pattern) || is_like(name + ":" + link.type, pattern);
}

bool passes(std::span<const HolderLink> links, std::span<const std::string_view> path,
            bool is_piled) {
  size_t at = 0;
  bool is_at_point = false;
  for (const HolderLink& link : links) {
    is_at_point |= link.is_point;
    bool may_be_last = at + 1 < path.size() || !is_piled || is_at_point;
    if (at < path.size() && may_be_last && is_link(link, path[at])) ++at;
  }
  return at == path.size();
}

std::span<const HolderLink> from_point(std::span<const HolderLink> links) {
  auto point =
      std::find_if(links.begin(), links.end(), [](const HolderLink& l) { return l.is_point; });
  return {point, links.end()};
}

// What the container has; plain containers in it are parts of an item.
const HolderLink* item_of(std::span<const HolderLink> links) {
  std::span<const HolderLink> below = from_point(links);
  for (size_t i = 1; i < below.size(); ++i) {
    if (!is_like(below[i].type, "tuple|list|dict|set")) return &below[i];
  }
  return nullptr;
}

bool has_own_instances(std::span<const HolderLink> links) {
  std::span<const HolderLink> below = from_point(links);
  const HolderLink* item = item_of(links);
  return item && below[0].is_of_class && short_type(item->type) == below[0].owner;
}

bool fits_links(const KnownAct& act, std::span<const HolderLink> links) {
  if (!passes(links, act.path, act.is_piled)) return false;
  std::span<const HolderLink> below = from_point(links);
  bool is_below = act.below.empty() || std::any_of(below.begin(), below.end(), [&](const auto& l) {
                    return is_link(l, act.below);
                  });
  if (!is_below) return false;
  if (!act.point.empty() && (below.empty() || !is_link(below[0], act.point))) return false;
  const HolderLink* item = act.items.empty() ? nullptr : item_of(links);
  if (!act.items.empty() && (!item || !is_like(item->type, act.items))) return false;
  return !act.is_own_class || has_own_instances(links);
}

bool fits(const KnownAct& act, const ActEvidence& evidence) {
  if (!is_any_of(evidence.kind, act.kinds)) return false;
  bool grows_so = act.growth == ActGrowth::any ||
                  std::find(evidence.growth.begin(), evidence.growth.end(), act.growth) !=
                      evidence.growth.end();
  if (!grows_so) return false;
  if (!act.library.empty() && !is_like(evidence.library, act.library)) return false;
  bool is_made = act.made.empty() ||
                 std::any_of(evidence.made.begin(), evidence.made.end(),
                             [&](const std::string& name) { return is_like(name, act.made); });
  return is_made && fits_links(act, evidence.links);
}

}  // namespace

bool is_like(std::string_view text, std::string_view pattern) {
  for (size_t end = pattern.find('|'); end != std::string_view::npos; end = pattern.find('|')) {
    if (is_like_one(text, pattern.substr(0, end))) return true;
    pattern.remove_prefix(end + 1);
  }
  return is_like_one(text, pattern);
}

std::string known_act(const ActEvidence& evidence) {
  for (const KnownAct& act : known_acts()) {
    if (fits(act, evidence)) return sentence(act.code);
  }
  return "";
}

}  // namespace tenure::analyze
