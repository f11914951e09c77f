#!/usr/bin/env python3
"""Builds the wheel: one file for every CPython since 3.7 on every x86-64 Linux with glibc 2.17 or newer.

usage: build_wheel.py [--build FOLDER] [--out FOLDER]      default: build/wheel and dist; prints the wheel's path

The same commit gives the same bytes. Beside the wheel lies a zip with the debug files of its program and library; unpacked
beside them, debuggers find these by name (.gnu_debuglink).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import compiler
import envs
import extra_pythons
import recipe
import static_libraries
import wheel_file

ROOT = compiler.HERE.parent
UNAVAILABLE = 3  # exit code: the compiler or a source package cannot be had here
NATIVE = {
    "bin/tenure": "tenure/_native/bin/tenure",
    "lib/libtenure.so": "tenure/_native/lib/libtenure.so",
}
PACKAGES = ["fleet", "notebook", "pytest_plugin", "testing"]  # below python/tenure
LIBRARY_HEADERS = [
    "native_calls.h",
    "sentence.h",
    "vocabulary.h",
]  # what src/lib includes of src/base
SHELL_FILES = {  # of the environment: what they are told of the command line
    "man": "share/man/man1/tenure.1",
    "bash": "share/bash-completion/completions/tenure",
    "zsh": "share/zsh/site-functions/_tenure",
    "fish": "share/fish/vendor_completions.d/tenure.fish",
}
METADATA = """Metadata-Version: 2.1
Name: tenure
Version: {version}
Summary: Says which line makes the memory that grows, who holds it, and the fix
License: Apache-2.0
Platform: Linux
Classifier: Development Status :: 4 - Beta
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Software Development :: Debuggers
Requires-Python: >=3.7
Provides-Extra: fleet
Requires-Dist: duckdb; extra == "fleet"
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: tenure\nRoot-Is-Purelib: false\n"
ENTRY_POINTS = (
    "[console_scripts]\ntenure = tenure.__main__:main\n\n"
    # Named as what `-p` takes, so that pytest never loads it twice.
    "[pytest11]\ntenure.pytest_plugin = tenure.pytest_plugin\n"
)


def project_version() -> str:
    found = re.search(r"project\(tenure VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found, "CMakeLists.txt names no version"
    return found[1]


def epoch() -> int:
    """The time of all files in the wheel: SOURCE_DATE_EPOCH, else that of the commit."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return int(done.stdout) if done.returncode == 0 else wheel_file.EARLIEST


def run(environ: Dict[str, str], *command: str) -> None:
    if subprocess.run(command, env=environ, stdout=sys.stderr).returncode != 0:
        sys.exit("tenure: failed: " + " ".join(command))


def compile_all(tree: Path, libraries: Path) -> None:
    environ = compiler.environment()
    names = {ROOT: ".", tree: "build", libraries: "static", compiler.zig().parent: "zig"}
    maps = " ".join(f"-ffile-prefix-map={path}={name}" for path, name in names.items())
    flags = f"-O2 -g -DNDEBUG {maps}"
    options = {
        "CMAKE_TOOLCHAIN_FILE": compiler.HERE / "toolchain.cmake",
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "CMAKE_C_FLAGS_RELWITHDEBINFO": flags,
        "CMAKE_CXX_FLAGS_RELWITHDEBINFO": flags,
        "TENURE_STATIC_LIBRARIES": libraries,
    }
    words = [f"-D{name}={value}" for name, value in options.items()]
    run(environ, "cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(tree), *words)
    run(
        environ,
        "cmake",
        "--build",
        str(tree),
        "-j",
        static_libraries.JOBS,
        "--target",
        "tenure",
        "tenure_cli",
    )


def split_debug(built: Path, stripped: Path, debug: Path) -> None:
    """`built` without symbols, and these in a file of their own, to which the first refers by name and sum."""
    for folder in (stripped.parent, debug.parent):
        folder.mkdir(parents=True, exist_ok=True)
    environ = dict(os.environ)
    run(environ, "objcopy", "--only-keep-debug", str(built), str(debug))
    run(
        environ, "objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", str(built), str(stripped)
    )


def cpp_files() -> Iterator[Tuple[str, Path]]:
    """The C++ library as source, with what CMake finds it by: below the environment's prefix, where find_package looks."""
    for path in sorted((ROOT / "include" / "tenure").glob("*.h")):
        yield f"share/tenure/include/tenure/{path.name}", path
    for path in sorted((ROOT / "src" / "lib").glob("*")):
        yield f"share/tenure/src/lib/{path.name}", path
    for name in LIBRARY_HEADERS:
        yield f"share/tenure/src/base/{name}", ROOT / "src" / "base" / name
    yield "share/cmake/tenure/tenure-config.cmake", compiler.HERE / "tenure-config.cmake"


def python_files() -> Iterator[Tuple[str, Path]]:
    """The package without the adapters, which are inside the library."""
    yield "tenure/__init__.py", ROOT / "python" / "tenure" / "__init__.py"
    for folder in PACKAGES:
        for path in sorted((ROOT / "python" / "tenure" / folder).glob("*.py")):
            yield f"tenure/{folder}/{path.name}", path
    for path in sorted((ROOT / "python" / "tenure" / "fleet" / "queries").glob("*.sql")):
        yield f"tenure/fleet/queries/{path.name}", path


def cmake_version_file(version: str) -> bytes:
    """SameMinorVersion, as the library that CMake installs says it."""
    minor = ".".join(version.split(".")[:2])
    return (
        f'set(PACKAGE_VERSION "{version}")\n'
        f'if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION OR NOT "${{PACKAGE_FIND_VERSION}}." MATCHES "^{re.escape(minor)}[.]")\n'
        "  set(PACKAGE_VERSION_COMPATIBLE FALSE)\n"
        "else()\n"
        "  set(PACKAGE_VERSION_COMPATIBLE TRUE)\n"
        '  string(COMPARE EQUAL "${PACKAGE_FIND_VERSION}" "${PACKAGE_VERSION}" PACKAGE_VERSION_EXACT)\n'
        "endif()\n"
    ).encode()


def add_dist_info(wheel: wheel_file.Archive, version: str, libraries: Path) -> None:
    info = f"tenure-{version}.dist-info"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wheel.add(f"{info}/METADATA", (METADATA.format(version=version) + readme).encode())
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in recipe.PLATFORMS)
    wheel.add(f"{info}/WHEEL", (WHEEL + tags).encode())
    wheel.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    wheel.add_file(f"{info}/licenses/LICENSE", ROOT / "LICENSE")
    for path in sorted((libraries / "licenses").glob("*.txt")):
        wheel.add_file(f"{info}/licenses/linked/{path.name}", path)
    wheel.add_record(f"{info}/RECORD")


def write_wheel(stage: Path, out: Path, libraries: Path) -> Path:
    version = project_version()
    wheel = wheel_file.Archive(epoch())
    for name in NATIVE.values():
        wheel.add_file(name, stage / name, is_executable=True)
    for name, path in python_files():
        wheel.add_file(name, path)
    wheel.add_file("tenure/__main__.py", compiler.HERE / "__main__.py")
    data = f"tenure-{version}.data/data"
    for name, path in cpp_files():
        wheel.add_file(f"{data}/{name}", path)
    wheel.add(f"{data}/share/cmake/tenure/tenure-config-version.cmake", cmake_version_file(version))
    for form, name in SHELL_FILES.items():
        program = stage / NATIVE["bin/tenure"]
        done = subprocess.run(
            [str(program), "--print-for", form], stdout=subprocess.PIPE, check=True
        )
        wheel.add(f"{data}/{name}", done.stdout)
    add_dist_info(wheel, version, libraries)
    path = out / f"tenure-{version}-py3-none-{'.'.join(recipe.PLATFORMS)}.whl"
    wheel.write(path)
    return path


def write_debug_files(debug: Path, out: Path) -> None:
    archive = wheel_file.Archive(epoch())
    for name in NATIVE.values():
        archive.add_file(f"{name}.debug", debug / f"{name}.debug")
    archive.write(out / f"tenure-{project_version()}-{recipe.PLATFORMS[-1]}-debug.zip")


def build(folder: Path, out: Path) -> Path:
    libraries = static_libraries.provide()
    compile_all(folder / "tree", libraries)
    if "TENURE_DATA" not in (folder / "tree" / "generated" / "page_shell.inc").read_text():
        raise extra_pythons.Unavailable(
            "the report page cannot be built: Node.js or npm is missing"
        )
    stage, debug = folder / "stage", folder / "debug"
    for place in (stage, debug):
        shutil.rmtree(place, ignore_errors=True)
    for built, name in NATIVE.items():
        split_debug(folder / "tree" / built, stage / name, debug / f"{name}.debug")
    out.mkdir(parents=True, exist_ok=True)
    write_debug_files(debug, out)
    return write_wheel(stage, out, libraries)


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description="Builds the wheel.")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "wheel")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    chosen = parser.parse_args(arguments)
    try:
        print(build(chosen.build.resolve(), chosen.out.resolve()))
    except (envs.EnvError, extra_pythons.Unavailable) as error:
        print(f"tenure: {error}", file=sys.stderr)
        return UNAVAILABLE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
