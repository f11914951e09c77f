"""`make test` on a fresh machine: what apt can provide is installed before the tests, so that none is skipped for want of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List

import pytest
import setup as packages

ROOT = Path(__file__).resolve().parents[2]

# What a test is skipped without, and the package it comes in.
NEEDED = {
    "clang++-19": "clang-19",
    "libjemalloc.so.2": "libjemalloc2",
    "libtcmalloc_minimal.so.4": "libtcmalloc-minimal4",
    "libmimalloc.so.2": "libmimalloc2.0",
    "valgrind": "valgrind",
    "gdb": "gdb",
    "strace": "strace",
    "nm": "binutils",
    "pkg-config": "pkg-config",
    "go": "golang-go",
    "rustc": "rustc",
    "libzstd.so.1": "libzstd-dev",
}


def groups_of(target: str) -> List[str]:
    """The groups of tools/setup.py that `make TARGET` installs, with those of what it builds first."""
    found = re.search(rf"^{target}:(.*?)##.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
    assert found, target
    groups = [
        word for line in re.findall(r"\$\(SETUP\) ([a-z ]+)", found[2]) for word in line.split()
    ]
    return groups + [group for other in found[1].split() for group in groups_of(other)]


@pytest.mark.parametrize("what", NEEDED)
def test_make_test_installs_what_its_tests_need(what: str) -> None:
    installed = {name for group in groups_of("test") for name in packages.GROUPS[group]}
    assert NEEDED[what] in installed


def test_allocators_that_tests_preload_are_all_in_the_list() -> None:
    text = (ROOT / "tests" / "transparency" / "test_surroundings.py").read_text(encoding="utf-8")
    preloaded = set(re.findall(r'"(lib\w+\.so\.\d)"', text))
    assert preloaded and preloaded <= set(NEEDED)


def test_a_language_that_is_there_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages.shutil, "which", lambda name: f"/opt/{name}")
    assert packages.wanted(["go", "rust"]) == []
    monkeypatch.setattr(packages.shutil, "which", lambda name: None)
    assert packages.wanted(["go", "rust"]) == ["golang-go", "rustc"]
