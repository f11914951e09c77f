#include "cli/live_keys.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "report/live_lines.h"

namespace tenure::cli {
namespace {

using Kind = Key::Kind;
using report::LiveOrder;
using report::LivePage;
using report::LiveState;
using report::LiveView;

constexpr char kEscape = '\x1b';
constexpr size_t kLongestSequence = 16;  // of an escape sequence; what is longer is none
constexpr size_t kLongestFilter = 200;   // bytes

// ESC [ A and ESC O A, ESC [ 5 ~ and the like. Sequences for other keys are no key of ours.
std::optional<Kind> kind_of_sequence(std::string_view body) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"A", Kind::up},       {"B", Kind::down},      {"H", Kind::home}, {"F", Kind::end},
      {"1~", Kind::home},    {"7~", Kind::home},     {"4~", Kind::end}, {"8~", Kind::end},
      {"5~", Kind::page_up}, {"6~", Kind::page_down}};
  for (const auto& [name, kind] : kKinds) {
    if (body == name) return kind;
  }
  return std::nullopt;
}

// Bytes of the sequence that `text` starts with; 0: it is not complete.
size_t length_of_sequence(std::string_view text) {
  if (text.size() < 3) return 0;
  for (size_t at = 2; at < std::min(text.size(), kLongestSequence); ++at) {
    if (text[at] >= '@' && text[at] <= '~') return at + 1;
  }
  return text.size() < kLongestSequence ? 0 : kLongestSequence;
}

// Bytes that a character starting with this one has.
size_t length_of_character(char first) {
  const auto byte = static_cast<uint8_t>(first);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

std::optional<Key> control_key(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return Key{Kind::enter, ""};
    case '\x7f':
    case '\b':
      return Key{Kind::backspace, ""};
    case '\x03':
    case '\x1c':
      return Key{Kind::interrupt, ""};
    case '\x04':
      return Key{Kind::end_of_input, ""};
    case '\x1a':
      return Key{Kind::suspend, ""};
    default:
      return std::nullopt;
  }
}

bool is_control(char c) { return static_cast<uint8_t>(c) < 0x20 || c == '\x7f'; }

// Takes one key off the front of `text`. False: it is not complete.
bool take_key(std::string& text, std::vector<Key>& keys) {
  const bool is_sequence =
      text[0] == kEscape && text.size() > 1 && (text[1] == '[' || text[1] == 'O');
  if (text[0] == kEscape && text.size() == 1) return false;
  size_t length = 1;
  if (is_sequence) {
    length = length_of_sequence(text);
    if (length == 0) return false;
    if (auto kind = kind_of_sequence(std::string_view(text).substr(2, length - 2)))
      keys.push_back({*kind, ""});
  } else if (text[0] == kEscape) {
    keys.push_back({Kind::escape, ""});
  } else if (is_control(text[0])) {
    if (auto key = control_key(text[0])) keys.push_back(*key);
  } else {
    length = length_of_character(text[0]);
    if (length > text.size()) return false;
    keys.push_back({Kind::character, text.substr(0, length)});
  }
  text.erase(0, length);
  return true;
}

void remove_last_character(std::string& text) {
  while (!text.empty() && (static_cast<uint8_t>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

LiveAct apply_to_filter(const Key& key, LiveView& view) {
  switch (key.kind) {
    case Kind::character:
      if (view.filter.size() + key.text.size() <= kLongestFilter) view.filter += key.text;
      return LiveAct::none;
    case Kind::backspace:
      if (view.filter.empty()) view.is_typing = false;
      remove_last_character(view.filter);
      return LiveAct::none;
    case Kind::enter:
      view.is_typing = false;
      return LiveAct::none;
    case Kind::escape:
      view.is_typing = false;
      view.filter.clear();
      return LiveAct::none;
    case Kind::interrupt:
    case Kind::end_of_input:
      return LiveAct::quit;
    case Kind::suspend:
      return LiveAct::suspend;
    default:
      return LiveAct::none;
  }
}

void move(const LiveState& state, int64_t by, LiveView& view) {
  const auto lines = report::shown_lines(state, view);
  if (lines.empty()) return;
  const auto last = static_cast<int64_t>(lines.size()) - 1;
  const auto at = static_cast<int64_t>(report::selected_in(lines, view));
  view.selected =
      report::key_of(*lines[static_cast<size_t>(std::clamp<int64_t>(at + by, 0, last))]);
}

void turn_order(int by, LiveView& view) {
  const int order = (static_cast<int>(view.order) + by + report::kLiveOrders) % report::kLiveOrders;
  view.order = static_cast<LiveOrder>(order);
}

// One step back: from a page to the lines, or out of the filter.
void go_back(LiveView& view) {
  if (view.page == LivePage::lines) view.filter.clear();
  view.page = LivePage::lines;
}

LiveAct apply_character(const std::string& text, const LiveState& state, LiveView& view) {
  if (text == "q" || text == "Q") return LiveAct::quit;
  if (text == "s") return LiveAct::snapshot;
  if (text == "r") return LiveAct::page;
  if (text == "k") move(state, -1, view);
  if (text == "j") move(state, 1, view);
  if (text == "o") turn_order(1, view);
  if (text == "O") turn_order(-1, view);
  if (text == "?") view.page = view.page == LivePage::help ? LivePage::lines : LivePage::help;
  if (text == "/") {
    view.page = LivePage::lines;
    view.is_typing = true;
    view.filter.clear();
  }
  return LiveAct::none;
}

}  // namespace

std::vector<Key> KeyReader::read(std::string_view bytes) {
  std::vector<Key> keys;
  pending_ += bytes;
  while (!pending_.empty() && take_key(pending_, keys)) {
  }
  return keys;
}

std::vector<Key> KeyReader::flush() {
  std::vector<Key> keys;
  if (pending_.starts_with(kEscape)) keys.push_back({Kind::escape, ""});
  pending_.clear();
  return keys;
}

LiveAct apply(const Key& key, const LiveState& state, int page, LiveView& view) {
  constexpr int64_t kAll = 1 << 30;
  view.notice.clear();
  if (view.is_typing) return apply_to_filter(key, view);
  switch (key.kind) {
    case Kind::interrupt:
    case Kind::end_of_input:
      return LiveAct::quit;
    case Kind::suspend:
      return LiveAct::suspend;
    case Kind::up:
      move(state, -1, view);
      break;
    case Kind::down:
      move(state, 1, view);
      break;
    case Kind::page_up:
      move(state, -page, view);
      break;
    case Kind::page_down:
      move(state, page, view);
      break;
    case Kind::home:
      move(state, -kAll, view);
      break;
    case Kind::end:
      move(state, kAll, view);
      break;
    case Kind::enter:
      view.page = view.page == LivePage::lines ? LivePage::details : LivePage::lines;
      break;
    case Kind::escape:
    case Kind::backspace:
      go_back(view);
      break;
    case Kind::character:
      return apply_character(key.text, state, view);
  }
  return LiveAct::none;
}

}  // namespace tenure::cli
