#!/usr/bin/env python3
"""Installs the Debian or Ubuntu packages that a part of the work needs, when they are missing.

usage: setup.py GROUP...        groups: build page test go rust browser check bench python exam wheel soak

As root it uses apt-get, else sudo. With neither it prints the line to run and ends with 1. On other
systems it names what is needed and goes on: CMake says what is missing. TENURE_SETUP=skip makes it
do nothing.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from typing import Dict, List, Optional, Set

# Linking libdw.a statically needs -ldw -lelf -lz -llzma -lbz2, in this order (tried with elfutils
# 0.188); -lzstd after them where elfutils was built with it.
GROUPS: Dict[str, List[str]] = {
    "build": """ninja-build cmake g++ pkg-config ccache libcli11-dev libfmt-dev nlohmann-json3-dev
        libdw-dev libelf-dev libzstd-dev zlib1g-dev liblzma-dev libbz2-dev libxxhash-dev
        libboost1.81-dev libcapstone-dev libprotozero-dev""".split(),
    "page": ["nodejs", "npm"],  # the report page; without them the program is built without it
    "browser": ["chromium-headless-shell"],  # to test the page; chromium where there is none
    # With what programs under test are made, preloaded or watched by: without them tests would be skipped.
    "test": """libgtest-dev libgmock-dev librapidcheck-dev gdb valgrind strace binutils clang-19
        libmimalloc2.0 libjemalloc2 libtcmalloc-minimal4""".split(),
    "go": ["golang-go"],  # its pprof reads what `tenure export` wrote
    "rust": ["rustc"],  # programs under test
    "check": "clang-19 clang-tidy-19 libclang-rt-19-dev".split(),
    "bench": "linux-perf heaptrack libbenchmark-dev libmimalloc2.0 libjemalloc2 libtcmalloc-minimal4".split(),
    "python": ["python3-venv"],
    "wheel": "ninja-build cmake make m4 dpkg-dev binutils git ccache".split(),
    "soak": [
        "debootstrap",
        "openjdk-17-jre-headless",
    ],  # other distributions, to install the wheel in; Spark
    "exam": ["gcc", "g++", "python3-dev"],  # cases with `build` compile extensions of Python
}

# Groups that nothing is installed for where one of these sets of programs is there, wherever it came from.
PROGRAMS: Dict[str, List[List[str]]] = {
    "page": [["node", "npm"]],
    "go": [["go"]],
    "rust": [["rustc"]],
    "browser": [["chromium-headless-shell"], ["chromium"], ["chromium-browser"], ["google-chrome"]],
}

# Packages named with a version: where that version is not offered, the newest that is.
VERSIONED = {
    "chromium-headless-shell": (r"chromium-headless-shell-(\d+)", "chromium"),
    "libboost1.81-dev": (r"libboost1\.(\d+)-dev", "libboost-dev"),
    "clang-19": (r"clang-(\d+)", "clang"),
    "clang-tidy-19": (r"clang-tidy-(\d+)", "clang-tidy"),
    "libclang-rt-19-dev": (r"libclang-rt-(\d+)-dev", "clang"),
}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def has_program(alternatives: List[List[str]]) -> bool:
    return any(all(shutil.which(name) for name in names) for names in alternatives)


def wanted(groups: List[str]) -> List[str]:
    names: List[str] = []
    for group in groups:
        # An interpreter that can make environments needs no package, wherever it came from.
        if group == "python" and importlib.util.find_spec("ensurepip"):
            continue
        if group in PROGRAMS and has_program(PROGRAMS[group]):
            continue
        names += GROUPS[group]
    return names


def output_of(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode(errors="replace")


def installed(names: List[str]) -> Set[str]:
    if not names:
        return set()
    form = "${Package} ${db:Status-Status}\n"
    lines = output_of("dpkg-query", "-W", "-f", form, *names).splitlines()
    return {line.split()[0] for line in lines if line.endswith(" installed")}


def newest(pattern: str, names: List[str]) -> Optional[str]:
    found = [(int(m[1]), m[0]) for m in (re.fullmatch(pattern, name) for name in names) if m]
    return max(found)[1] if found else None


def offered(name: str, packages: List[str]) -> str:
    """The package to ask apt for in place of `name`."""
    if name in packages or name not in VERSIONED:
        return name
    pattern, plain = VERSIONED[name]
    return newest(pattern, packages) or plain


def has_candidate(name: str) -> bool:
    return bool(re.search(r"Candidate: (?!\(none\))", output_of("apt-cache", "policy", name)))


def to_install(names: List[str]) -> List[str]:
    packages = output_of("apt-cache", "pkgnames").split()
    chosen = sorted({offered(name, packages) for name in names})
    present = installed(chosen)
    return [name for name in chosen if name not in present]


def as_root() -> Optional[List[str]]:
    """The words to put before a command that needs root, or None when there is no way."""
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        return None
    may_ask = sys.stdin.isatty()
    if may_ask or subprocess.run(["sudo", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return ["sudo"]
    return None


def install(names: List[str]) -> int:
    missing = to_install(names)
    if not missing:
        return 0
    line = "apt-get install -y --no-install-recommends " + " ".join(missing)
    root = as_root()
    if root is None:
        say("tenure: packages are missing, and only root may install them:\n  " + line)
        return 1
    say("tenure: " + line)
    apt = root + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
    apt += ["-o", "DPkg::Lock::Timeout=600"]
    if not all(has_candidate(name) for name in missing):
        subprocess.run(apt + ["update"], stdout=sys.stderr)
        missing = to_install(names)  # a fresh package list may offer the version that was asked for
    options = ["install", "-y", "--no-install-recommends"]
    return subprocess.run(apt + options + missing, stdout=sys.stderr).returncode


def main() -> int:
    groups = sys.argv[1:]
    unknown = [group for group in groups if group not in GROUPS]
    if not groups or unknown:
        say("usage: setup.py GROUP..., groups: " + " ".join(GROUPS))
        return 2
    names = wanted(groups)
    if os.environ.get("TENURE_SETUP") == "skip":
        return 0
    if not shutil.which("dpkg-query") or not shutil.which("apt-get"):
        say("tenure: no apt here; needed are the equivalents of: " + " ".join(names))
        return 0
    present = installed(names)
    missing = [name for name in names if name not in present]
    return install(missing) if missing else 0


if __name__ == "__main__":
    sys.exit(main())
