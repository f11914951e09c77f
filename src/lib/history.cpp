#include "tenure/history.h"

#include "lib/json_text.h"
#include "lib/words.h"

namespace tenure {
namespace {

std::string named(const History& history) {
  if (history.subject == History::Subject::scope) return history.name;
  return std::string(to_text(history.subject)) + " `" + history.name + "`";
}

std::string row(const char* role, const std::string& text) {
  return "\n     " + std::string(role) +
         std::string(9 - std::char_traits<char>::length(role), ' ') + text;
}

std::string born_text(const History& history) {
  std::string text = history.born.where();
  if (history.subject == History::Subject::scope) return text;
  text += ", " + lib::bytes_text(history.bytes);
  if (!history.scope.empty()) text += " in " + history.scope;
  return text;
}

std::string ended_text(const History& history) {
  std::string text = history.ended->where();
  if (!history.ended->by.empty()) text += (text.empty() ? "by " : ", by ") + history.ended->by;
  if (history.used && history.used->at > history.ended->at)
    text += ", " + lib::seconds_text(history.used->at - history.ended->at) + " earlier";
  return text;
}

std::string stack_text(const Event& event) {
  std::string text;
  for (const std::string& frame : event.stack) text += "\n                " + frame;
  return text;
}

}  // namespace

std::string Event::where() const {
  std::string called = function.empty() ? "" : "in " + function + "()";
  if (!has_line()) return called;
  std::string text = file + ":" + std::to_string(line);
  return called.empty() ? text : text + " " + called;
}

const char* to_text(State state) noexcept {
  switch (state) {
    case State::live:
      return "live";
    case State::detached:
      return "detached";
    case State::ended:
      return "ended";
  }
  return "";
}

const char* to_text(History::Subject subject) noexcept {
  switch (subject) {
    case History::Subject::buffer:
      return "buffer";
    case History::Subject::tensor:
      return "tensor";
    case History::Subject::scope:
      return "scope";
  }
  return "";
}

std::string History::title() const {
  bool is_scope = subject == Subject::scope;
  if (state == State::live)
    return named(*this) + (used && !is_scope ? " is in use" : is_scope ? " is open" : " is live");
  if (!ended) return named(*this) + (is_scope ? " is closing" : " was moved from");
  const char* end = is_scope ? "closed" : to_text(state);
  return named(*this) + " was " + end + (used ? " before this use" : "");
}

std::string History::text() const {
  std::string text = title();
  if (born.has_line()) text += row("born", born_text(*this)) + stack_text(born);
  if (ended)
    text += row(state == State::detached ? "detached" : "ended", ended_text(*this)) +
            stack_text(*ended);
  if (used) text += row("used", used->where()) + stack_text(*used);
  if (!fix.empty()) text += row("fix", fix);
  return text;
}

std::string History::json() const {
  using lib::quoted, lib::to_json;
  std::string out = "{\"subject\":" + quoted(to_text(subject)) + ",\"name\":" + quoted(name) +
                    ",\"scope\":" + quoted(scope) + ",\"state\":" + quoted(to_text(state)) +
                    ",\"bytes\":" + std::to_string(bytes) + ",\"born\":" + to_json(born);
  out += ",\"ended\":" + (ended ? to_json(*ended) : "null");
  out += ",\"used\":" + (used ? to_json(*used) : "null");
  return out + ",\"fix\":" + quoted(fix) + "}";
}

}  // namespace tenure
