// symbolize/function_name.h: function names as a person would say them.
// World: offline. Pure.
#pragma once
#include <string>
#include <string_view>

namespace tenure::symbolize {

// Demangled if it is a C++ symbol, then shortened: see below.
std::string function_name_of_symbol(std::string_view symbol);

// Without return type, parameters, template arguments, anonymous and versioned namespaces, and marks of cloned or split code:
// "void ns::(anonymous namespace)::C<int>::f<char>(char) const [clone .cold]" is "ns::C::f". A lambda is "f::{lambda#1}".
std::string short_function_name(std::string_view demangled);

}  // namespace tenure::symbolize
