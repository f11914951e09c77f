// base/source_path.h: whose code a Python file is: the user's, an installed package's or the interpreter's.
// World: both. Pure.
#pragma once
#include <string_view>

namespace tenure {

constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// ".../lib/python3.11/json/decoder.py"
constexpr bool is_standard_library(std::string_view file) {
  return contains(file, "/lib/python3.") || contains(file, "/lib64/python3.");
}

constexpr bool is_of_package(std::string_view file) {
  return contains(file, "/site-packages/") || contains(file, "/dist-packages/");
}

// Sources of Rust's standard library, and of crates that cargo has fetched.
constexpr bool is_of_rust_library(std::string_view path) {
  return path.substr(0, 7) == "/rustc/" || contains(path, "/rustlib/src/") ||
         contains(path, "/.cargo/registry/") || contains(path, "/.cargo/git/checkouts/");
}

// Headers and libraries of the system, and its own sources as debug information names them.
constexpr bool is_system_path(std::string_view path) {
  for (std::string_view start : {"/usr/include/", "/usr/local/include/", "/usr/lib", "/lib/",
                                 "/lib64/", "../sysdeps/", "./"}) {
    if (path.substr(0, start.size()) == start) return true;
  }
  return contains(path, "/include/c++/") || is_of_rust_library(path);
}

// Code without a file that a user typed, by the names that shells and notebooks give it. Libraries name what they
// generate in the same way: those names are theirs.
constexpr bool is_typed_code(std::string_view name) {
  for (std::string_view start : {"<string>", "<stdin>", "<ipython", "<cell", "<command-",
                                 "<console>", "<input", "<pyshell#", "<doctest ", "<notebook"}) {
    if (name.substr(0, start.size()) == start) return true;
  }
  return false;
}

// What torch.compile writes: ".../torchinductor_me/jf/cjfzxkl6b6w....py", a name that is a hash in a folder of two of its
// letters. The user may have the cache anywhere.
constexpr bool is_generated(std::string_view file) {
  constexpr size_t kName = 52 + 3;
  size_t slash = file.rfind('/');
  if (slash == std::string_view::npos || slash < 3 || file.size() != slash + 1 + kName)
    return false;
  std::string_view name = file;
  name.remove_prefix(slash + 1);
  return file[slash - 3] == '/' && file[slash - 2] == name[1] && file[slash - 1] == name[2] &&
         name[0] == 'c' && name.ends_with(".py");
}

// What runs the rounds of a test: of the package, wherever that is.
constexpr bool is_own_package(std::string_view file) {
  return contains(file, "/tenure/testing/") || contains(file, "/tenure/pytest_plugin/");
}

// A Python file, or a name like <string>, that the user wrote.
constexpr bool is_user_file(std::string_view file) {
  if (file.empty()) return false;
  if (file[0] == '<') return is_typed_code(file);
  return !is_of_package(file) && !is_standard_library(file) && !is_generated(file) &&
         !is_own_package(file);
}

// An executable or library that is CPython itself; no name: not known, so it may be.
constexpr bool is_interpreter(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  return name.empty() || name.substr(0, 6) == "python" || name.substr(0, 9) == "libpython";
}

// Tenure's own, as the preloaded library names it.
constexpr bool is_adapter_file(std::string_view file) { return file.substr(0, 8) == "<tenure>"; }

// The interpreter's own import machinery.
constexpr bool is_importlib(std::string_view file) {
  return file.substr(0, 17) == "<frozen importlib";
}

}  // namespace tenure
