#include "lib/mark.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

namespace tenure::lib {
namespace {

constexpr int kDeepest = 64;
constexpr int kOwnFrames = 3;  // this function, the marking one, the call into the library

std::shared_ptr<const std::vector<void*>> capture() noexcept {
  try {
    std::array<void*, kDeepest> found{};
    int depth = backtrace(found.data(), kDeepest);
    int first = depth > kOwnFrames ? kOwnFrames : 0;
    return std::make_shared<const std::vector<void*>>(found.begin() + first, found.begin() + depth);
  } catch (const std::bad_alloc&) {
    return nullptr;  // the line alone has to do
  }
}

std::string demangled(const char* name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                              &std::free);
  return status == 0 ? text.get() : name;
}

// "main" of "int main()", "Server::handle" of "void Server::handle(Request&) [with T = int]".
std::string short_name(std::string_view pretty) {
  std::string_view name = pretty.substr(0, pretty.find('('));
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == ' ' && depth == 0) start = i + 1;
  }
  return std::string(name.substr(start));
}

// The function a return address is in; empty when the loader has no name for it (programs need -rdynamic).
std::string function_at(const void* code) {
  Dl_info info{};
  const void* call = static_cast<const char*>(code) - 1;
  bool is_named = dladdr(call, &info) != 0 && info.dli_sname;
  return is_named ? short_name(demangled(info.dli_sname)) : std::string();
}

std::string place_at(const void* code) {
  if (std::string function = function_at(code); !function.empty()) return function;
  Dl_info info{};
  if (dladdr(code, &info) == 0 || !info.dli_fname) return "unknown code";
  auto offset = static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase);
  std::array<char, 24> digits{};
  std::snprintf(digits.data(), digits.size(), "+0x%tx", offset);
  return std::string(info.dli_fname) + digits.data();
}

Mark mark(SourceLine line, const void* code, bool has_full_stack) noexcept {
  return {line, code, std::this_thread::get_id(), std::chrono::steady_clock::now(),
          has_full_stack ? capture() : nullptr};
}

}  // namespace

Mark mark_line(SourceLine line, bool has_full_stack) noexcept {
  return mark(line, nullptr, has_full_stack);
}
Mark mark_code(const void* code, bool has_full_stack) noexcept {
  return mark(SourceLine(), code, has_full_stack);
}

Event to_event(const Mark& mark, std::string by) {
  Event event;
  event.line = mark.line.line();
  if (event.line != 0) {
    event.file = mark.line.file_name();
    event.function = short_name(mark.line.function_name());
  } else if (mark.code) {
    event.code = mark.code;
    event.function = function_at(mark.code);
  }
  event.by = std::move(by);
  event.thread = mark.thread;
  event.at = mark.at;
  if (mark.stack) {
    for (const void* code : *mark.stack) event.stack.push_back(place_at(code));
  }
  return event;
}

}  // namespace tenure::lib
