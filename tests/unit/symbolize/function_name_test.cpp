// tests/unit/symbolize/function_name_test.cpp: long names in, short names out.
#include "symbolize/function_name.h"

#include <gtest/gtest.h>

#include <utility>

namespace tenure::symbolize {
namespace {

TEST(FunctionName, DropsTemplateNoiseParametersAndReturnTypes) {
  const std::pair<const char*, const char*> cases[] = {
      {"main", "main"},
      {"leak(int)", "leak"},
      {"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"},
      {"void ns::C<int>::f<char>(char) const", "ns::C::f"},
      {"std::vector<std::pair<int, char>, A<B<C> > > ns::make<int>(int)", "ns::make"},
      {"ns::(anonymous namespace)::helper(char const*)", "ns::helper"},
      {"(anonymous namespace)::Cache::add(std::__cxx11::basic_string<char> const&)", "Cache::add"},
      {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
       ">::_M_create(unsigned long&, unsigned long)",
       "std::basic_string::_M_create"},
      {"name[abi:cxx11](int)", "name"},
      {"f(int) [clone .cold]", "f"},
      {"non-virtual thunk to Derived::run()", "Derived::run"},
      {"C::~C()", "C::~C"},
      {"void (anonymous namespace)::apply<(anonymous namespace)::G>((anonymous namespace)::G) &&",
       "apply"},
      {"decltype(auto) run<int>(int)", "run"},
  };
  for (const auto& [full, expected] : cases) EXPECT_EQ(short_function_name(full), expected) << full;
}

TEST(FunctionName, KeepsOperators) {
  const std::pair<const char*, const char*> cases[] = {
      {"operator new(unsigned long)", "operator new"},
      {"operator delete[](void*)", "operator delete[]"},
      {"ns::operator<<(std::ostream&, ns::A const&)", "ns::operator<<"},
      {"std::ostream& ns::operator<< <int>(std::ostream&, ns::A<int> const&)", "ns::operator<<"},
      {"bool ns::operator< <int>(ns::A<int> const&)", "ns::operator<"},
      {"ns::A::operator()(int) const", "ns::A::operator()"},
      {"ns::A::operator bool() const", "ns::A::operator bool"},
      {"ns::A::operator->() const", "ns::A::operator->"},
      {"ns::A::operator[](unsigned long)", "ns::A::operator[]"},
      {"ns::my_operator(int)", "ns::my_operator"},
  };
  for (const auto& [full, expected] : cases) EXPECT_EQ(short_function_name(full), expected) << full;
}

TEST(FunctionName, NamesLambdasAfterTheFunctionTheyStandIn) {
  EXPECT_EQ(short_function_name("main::{lambda()#1}::operator()() const"), "main::{lambda#1}");
  EXPECT_EQ(short_function_name("ns::f(int)::{lambda(int, char)#2}::operator()(int, char) const"),
            "ns::f::{lambda#2}");
  EXPECT_EQ(short_function_name("f(int) const::{lambda(auto:1)#1}::operator()<int>(int)"),
            "f::{lambda#1}");
  EXPECT_EQ(short_function_name("f::<lambda(int)>::operator()"), "f::{lambda}");
}

TEST(FunctionName, DropsTheHashOfRust) {
  EXPECT_EQ(short_function_name("app::main::h0d41e98aee948dd7"), "app::main");
  EXPECT_EQ(short_function_name("app::put::_$u7b$$u7b$closure$u7d$$u7d$::h70b3be3cf5f3291c"),
            "app::put::{closure}");
  EXPECT_EQ(short_function_name("app::hash"), "app::hash");
}

TEST(FunctionName, DemanglesSymbolsAndDropsCloneMarks) {
  EXPECT_EQ(function_name_of_symbol("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector::push_back");
  EXPECT_EQ(function_name_of_symbol("_ZZ4mainENKUlvE_clEv"), "main::{lambda#1}");
  EXPECT_EQ(function_name_of_symbol("_Z4leaki.part.0"), "leak");
  EXPECT_EQ(function_name_of_symbol("helper.constprop.0.isra.1"), "helper");
  EXPECT_EQ(function_name_of_symbol("qsort_r"), "qsort_r");
  EXPECT_EQ(function_name_of_symbol("glob@@GLIBC_2.27"), "glob");
  EXPECT_EQ(function_name_of_symbol("_Znwm"), "operator new");
  EXPECT_EQ(function_name_of_symbol("_Zbroken"), "_Zbroken");
}

TEST(FunctionName, SurvivesUnbalancedBrackets) {
  for (const char* odd :
       {"", "<", "f(", "f<a", ")", "operator", "operator<", "[", "a::", "(anonymous namespace)"}) {
    EXPECT_NO_THROW(short_function_name(odd)) << odd;
  }
}

}  // namespace
}  // namespace tenure::symbolize
