// symbolize/function_name.cpp: see the header.
#include "symbolize/function_name.h"

#include <cxxabi.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace tenure::symbolize {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// "operator" as a word of its own, not the end of "my_operator" or the start of "operators".
bool is_operator_at(std::string_view text, size_t at) {
  if (text.substr(at, kOperator.size()) != kOperator) return false;
  const size_t next = at + kOperator.size();
  return (at == 0 || !is_word(text[at - 1])) && (next == text.size() || !is_word(text[next]));
}

// Length of "operator" and its symbol, which may be made of brackets: operator(), operator[], operator<<, operator->.
size_t operator_length(std::string_view text, size_t at) {
  static constexpr std::array<std::string_view, 16> kBracketed = {
      " new[]", " delete[]", "()", "[]", "<=>", "<<=", ">>=", "->*",
      "<<",     ">>",        "<=", ">=", "->",  "<",   ">",   ","};
  const std::string_view rest = text.substr(at + kOperator.size());
  for (const std::string_view symbol : kBracketed) {
    if (rest.starts_with(symbol)) return kOperator.size() + symbol.size();
  }
  return kOperator.size();
}

// Past the bracket that closes the one at `at`. "->" and operators in template arguments are rare enough to be ignored.
size_t past_bracket(std::string_view text, size_t at) {
  const char open = text[at], close = open == '<' ? '>' : ')';
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  return text.size();
}

// What may follow a parameter list and belongs to the function's type, not to its name.
size_t past_qualifiers(std::string_view text, size_t at) {
  static constexpr std::array<std::string_view, 5> kQualifiers = {" const", " volatile", " &&",
                                                                  " &", " noexcept"};
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view qualifier : kQualifiers) {
      if (!text.substr(at).starts_with(qualifier)) continue;
      at += qualifier.size();
      found = true;
    }
  }
  return at;
}

// Everything in brackets dropped, but for operators; gcc's "<lambda(int)>" becomes "{lambda}".
std::string without_brackets(std::string_view text) {
  std::string kept;
  for (size_t i = 0; i < text.size();) {
    if (is_operator_at(text, i)) {
      const size_t length = operator_length(text, i);
      kept += text.substr(i, length);
      i += length;
    } else if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size();
      if (text.substr(i).starts_with("::")) i += 2;
    } else if (text.substr(i).starts_with("<lambda")) {
      kept += "{lambda}";
      i = past_bracket(text, i);
    } else if (text[i] == '<') {
      i = past_bracket(text, i);
    } else if (text[i] == '(') {
      i = past_qualifiers(text, past_bracket(text, i));
    } else if (text[i] == '[') {
      const size_t close = text.find(']', i);  // [abi:cxx11], [clone .cold]
      i = close == std::string_view::npos ? text.size() : close + 1;
    } else {
      kept += text[i++];
    }
  }
  return kept;
}

void replace_all(std::string& text, std::string_view part, std::string_view by) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
}

void remove_all(std::string& text, std::string_view part) { replace_all(text, part, ""); }

void trim(std::string& text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text.erase(0, text.find_first_not_of(' '));
}

// The return type of template functions and "non-virtual thunk to" stand before the name, with a space between.
void drop_leading_words(std::string& text) {
  size_t name_end = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_operator_at(text, i)) {
      name_end = i;
      break;
    }
  }
  const size_t space = text.rfind(' ', name_end);
  if (space != std::string::npos && space < name_end) text.erase(0, space + 1);
}

// Rust's names end with a hash ("::h70b3be3cf5f3291c") and write brackets as their numbers ("$u7b$" for '{').
void make_plain_rust(std::string& text) {
  constexpr size_t kHash = 3 + 16;
  if (text.size() < kHash) return;
  const std::string_view hash = std::string_view(text).substr(text.size() - kHash);
  const size_t beyond = hash.find_first_not_of("0123456789abcdef", 3);
  if (!hash.starts_with("::h") || beyond != std::string_view::npos) return;
  text.resize(text.size() - kHash);
  replace_all(text, "_$u7b$$u7b$", "{");
  replace_all(text, "$u7d$$u7d$", "}");
}

// gcc splits and copies functions under names like "f.part.0", "f.cold", "f.constprop.0.isra.1"; the linker adds versions
// ("glob@@GLIBC_2.27").
std::string_view without_clone_suffix(std::string_view symbol) {
  for (const std::string_view mark :
       {"@", ".cold", ".part.", ".isra.", ".constprop.", ".lto_priv.", ".llvm.", ".localalias"}) {
    symbol = symbol.substr(0, symbol.find(mark));
  }
  return symbol;
}

}  // namespace

std::string short_function_name(std::string_view demangled) {
  std::string name = without_brackets(demangled);
  trim(name);
  make_plain_rust(name);
  drop_leading_words(name);
  remove_all(name, "__cxx11::");
  remove_all(name, "__1::");
  constexpr std::string_view kCall = "}::operator()";
  if (name.ends_with(kCall)) name.resize(name.size() - kCall.size() + 1);
  return name.empty() ? std::string(demangled) : name;
}

std::string function_name_of_symbol(std::string_view symbol) {
  const std::string plain(without_clone_suffix(symbol));
  if (!plain.starts_with("_Z")) return plain.empty() ? std::string(symbol) : plain;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status), std::free);
  return demangled != nullptr ? short_function_name(demangled.get()) : plain;
}

}  // namespace tenure::symbolize
