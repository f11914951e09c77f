#!/usr/bin/env python3
"""Builds the static libraries of the wheel from Debian's source packages, and brings the headers of others.

usage: static_libraries.py      prints the folder: include, lib, licenses

The folder is in Tenure's cache, named after a hash of all that it is made by; one that is there is used as it is.
"""

from __future__ import annotations

import ast
import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, List

import compiler
import envs
import extra_pythons
import recipe

JOBS = os.environ.get("JOBS") or str(os.cpu_count() or 1)
MADE_BY = ["recipe.py", "static_libraries.py", "zig/zig-cc", "zig/zig-ar"]
# The parts of elfutils that libdw.a is made of, in the order of their needs. libcpu needs m4, and is missed only by the link.
ELFUTILS_PARTS = [
    ("lib", ""), ("libelf", "libelf.a"), ("libebl", ""), ("libdwelf", ""), ("libdwfl", ""), ("libcpu", ""),
    ("backends", "libebl_backends.a"), ("libdw", "libdw.a"),
]  # fmt: skip
ELFUTILS_OPTIONS = """--disable-debuginfod --disable-libdebuginfod --without-bzlib --without-lzma --with-zlib
    --with-zstd --disable-nls --disable-symbol-versioning --disable-demangler""".split()
ELFUTILS_HEADERS = ["libelf/libelf.h", "libelf/gelf.h", "libdw/dwarf.h"]
ELFUTILS_OWN_HEADERS = """libdw/libdw.h libdw/known-dwarf.h libdwelf/libdwelf.h libdwfl/libdwfl.h libebl/libebl.h
    libelf/elf-knowledge.h""".split()
CAPSTONE_OPTIONS = """-DCMAKE_BUILD_TYPE=Release -DCAPSTONE_ARCHITECTURE_DEFAULT=OFF -DCAPSTONE_X86_SUPPORT=ON
    -DCAPSTONE_BUILD_SHARED=OFF -DCAPSTONE_BUILD_TESTS=OFF -DCAPSTONE_BUILD_CSTOOL=OFF""".split()


def meaning(path: Path) -> str:
    """What changes the result: of Python the code, not its comments and layout."""
    text = path.read_text(encoding="utf-8")
    return ast.dump(ast.parse(text)) if path.suffix == ".py" else text


def digest() -> str:
    text = compiler.version() + "".join(meaning(compiler.HERE / name) for name in MADE_BY)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Build:
    """One set of libraries: sources and objects below `work`, results below `prefix`."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.work = prefix / "work"
        for name in ("include", "lib", "licenses", "work"):
            (prefix / name).mkdir(parents=True, exist_ok=True)
        # No path of this machine in the objects: the same sources give the same bytes.
        flags = f"-O2 -fPIC -g0 -ffile-prefix-map={self.work}=."
        tools = {
            name: str(compiler.TOOLS / f"zig-{name.lower()}") for name in ("CC", "AR", "RANLIB")
        }
        self.environ = {**compiler.environment(), **tools, "CFLAGS": flags}

    def run(self, folder: Path, *command: str) -> None:
        log = self.work / (folder.relative_to(self.work).parts[0] + ".log")
        with open(log, "ab") as out:
            code = subprocess.run(
                command,
                cwd=folder,
                env=self.environ,
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
            ).returncode
        if code != 0:
            tail = "\n  ".join(log.read_text(errors="replace").splitlines()[-20:])
            raise RuntimeError(f"{' '.join(command)} in {folder} failed:\n  {tail}")

    def source(self, package: str) -> Path:
        """The unpacked source package."""
        name = recipe.SOURCES[package].split(":")[-1].rsplit("-", 1)[0]
        return self.work / f"{package}-{name}"

    def keep(self, target: str, *files: Path) -> None:
        folder = self.prefix / target
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(file, folder)


def bring_sources(build: Build, apt: extra_pythons.PrivateApt) -> None:
    wanted = [f"{name}={version}" for name, version in recipe.SOURCES.items()]
    apt.run(["source", *wanted], cwd=build.work)
    for name in recipe.SOURCES:
        shutil.copy(
            build.source(name) / "debian" / "copyright", build.prefix / "licenses" / f"{name}.txt"
        )


def bring_headers(build: Build, apt: extra_pythons.PrivateApt) -> None:
    wanted = [f"{name}={version}" for name, (version, _) in recipe.HEADERS.items()]
    root = build.work / "headers"
    extra_pythons.unpack(apt, wanted, root)
    for name, (_, what) in recipe.HEADERS.items():
        found = root / "usr" / "include" / what
        if found.is_dir():
            shutil.copytree(found, build.prefix / "include" / what, dirs_exist_ok=True)
        else:
            build.keep("include", found)
        shutil.copy(
            root / "usr/share/doc" / name / "copyright", build.prefix / "licenses" / f"{name}.txt"
        )


def build_zlib(build: Build) -> None:
    folder = build.source("zlib")
    build.run(folder, "sh", "./configure", "--static")
    build.run(folder, "make", f"-j{JOBS}", "libz.a")
    build.keep("lib", folder / "libz.a")
    build.keep("include", folder / "zlib.h", folder / "zconf.h")


def build_zstd(build: Build) -> None:
    folder = build.source("libzstd") / "lib"
    build.run(folder, "make", f"-j{JOBS}", "libzstd.a", "ZSTD_LEGACY_SUPPORT=0", "ZSTD_NO_ASM=1")
    build.keep("lib", folder / "libzstd.a")
    build.keep("include", *(folder / name for name in ("zstd.h", "zstd_errors.h", "zdict.h")))


def build_capstone(build: Build) -> None:
    source, folder = build.source("capstone"), build.work / "capstone-build"
    folder.mkdir(exist_ok=True)
    tools = [f"-DCMAKE_{name}={build.environ[name]}" for name in ("AR", "RANLIB")]
    build.run(folder, "cmake", str(source), "-G", "Ninja", *CAPSTONE_OPTIONS, *tools)
    build.run(folder, "ninja", f"-j{JOBS}", "capstone-static")
    build.keep("lib", folder / "libcapstone.a")
    build.keep("include/capstone", *(source / "include" / "capstone").glob("*.h"))


def build_elfutils(build: Build) -> None:
    source, folder = build.source("elfutils"), build.work / "elfutils-build"
    folder.mkdir(exist_ok=True)
    flags = f"{build.environ['CFLAGS']} -std=gnu99 -Wno-error -I{build.prefix}/include"
    build.run(
        folder,
        str(source / "configure"),
        *ELFUTILS_OPTIONS,
        f"CFLAGS={flags}",
        f"LDFLAGS=-L{build.prefix}/lib",
    )
    for part, target in ELFUTILS_PARTS:
        build.run(folder, "make", "-C", part, f"-j{JOBS}", *filter(None, [target]))
    build.keep("lib", folder / "libelf" / "libelf.a", folder / "libdw" / "libdw.a")
    build.keep("include", *(source / name for name in ELFUTILS_HEADERS))
    build.keep(
        "include/elfutils", *(source / name for name in ELFUTILS_OWN_HEADERS), folder / "version.h"
    )


def in_order(build: Build, *steps: Callable[[Build], None]) -> None:
    for step in steps:
        print(f"tenure: {step.__name__.replace('_', ' ')}", file=sys.stderr, flush=True)
        step(build)


def make(prefix: Path) -> None:
    build = Build(prefix)
    source = extra_pythons.debian_source(recipe.SUITE, "deb deb-src")
    apt = extra_pythons.PrivateApt(build.work / "apt", source)
    apt.run(["update"])
    bring_sources(build, apt)
    bring_headers(build, apt)
    with concurrent.futures.ThreadPoolExecutor() as pool:  # configure scripts use one core at most
        chains: List[List[Callable[[Build], None]]] = [
            [build_zlib, build_zstd, build_elfutils],
            [build_capstone],
        ]
        for done in [pool.submit(in_order, build, *chain) for chain in chains]:
            done.result()
    shutil.rmtree(build.work)


def provide() -> Path:
    """The folder of the libraries; made first when needed."""
    final = compiler.cache() / f"static-{digest()}"
    with envs.locked(final.with_suffix(".lock")):
        if not (final / "done").exists():
            shutil.rmtree(final, ignore_errors=True)
            make(final)
            (final / "done").touch()
    return final.resolve()


if __name__ == "__main__":
    print(provide())
