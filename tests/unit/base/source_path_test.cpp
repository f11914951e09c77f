// tests/unit/base/source_path_test.cpp: whose code a Python file is, by its name.
#include <gtest/gtest.h>

#include "base/source_path.h"

namespace tenure {
namespace {

TEST(SourcePath, FilesOfPackagesAndTheInterpreterAreNotTheUsers) {
  EXPECT_TRUE(is_user_file("/work_of_me/train.py"));
  EXPECT_TRUE(is_user_file("<stdin>"));
  EXPECT_FALSE(
      is_user_file("/work_of_me/env/lib/python3.11/site-packages/torch/nn/modules/module.py"));
  EXPECT_FALSE(is_user_file("/usr/lib/python3.11/json/decoder.py"));
  EXPECT_FALSE(is_user_file(""));
}

TEST(SourcePath, WhatACompilerWroteIsNotTheUsersWhereverItLies) {
  EXPECT_FALSE(is_user_file(
      "/tmp/torchinductor_me/jf/cjfzxkl6b6wovclqeih57qsyog5rvftjgr2yzy7admjzp3gr7vhi.py"));
  EXPECT_FALSE(
      is_user_file("/data/cache/7f/c7fuxkl6b6wovclqeih57qsyog5rvftjgr2yzy7admjzp3gr7vhi.py"));
}

TEST(SourcePath, ShortNamesInShortFoldersAreTheUsers) {
  EXPECT_TRUE(is_user_file("/work_of_me/jf/cjf.py"));
  EXPECT_TRUE(is_user_file("ab/c.py"));
  EXPECT_TRUE(is_user_file("c.py"));
  // Another folder than its hash says.
  EXPECT_TRUE(is_user_file("/me/xx/cjfzxkl6b6wovclqeih57qsyog5rvftjgr2yzy7admjzp3gr7vhi.py"));
}

TEST(SourcePath, LibrariesOfNativeCodeAreToldByWhereTheirSourcesLie) {
  for (const char* path :
       {"/usr/include/c++/12/vector", "/usr/local/include/asio/io_context.hpp",
        "/opt/gcc/include/c++/14/bits/stl_vector.h",
        "/rustc/59807616e/library/alloc/src/vec/mod.rs",
        "/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/iter/mod.rs",
        "/me/.cargo/registry/src/a-1949cf8c6b5b557f/bytes-1.5.0/src/bytes.rs",
        "/me/.cargo/git/checkouts/tokio-2b2c/ab12/tokio/src/lib.rs"})
    EXPECT_TRUE(is_system_path(path)) << path;
  for (const char* path : {"/me/rustc/src/main.rs", "/me/app/src/main.rs", "/me/include/queue.h"})
    EXPECT_FALSE(is_system_path(path)) << path;
}

}  // namespace
}  // namespace tenure
