#!/usr/bin/env python3
"""Runs the gates of `make check`: each prints one line, and what is wrong when it fails.

usage: check.py [--only GATE[,GATE]] [--all] [--root DIR] [--format]

--format changes the files instead of checking them. CHECK_FAST=1 in the environment leaves
clang-tidy out, and says so. tests/gates holds a planted fault for every gate.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List

import check_exports
import check_layers
import check_modules
import check_no_files
import check_paths
import check_prose
import check_sentences
import check_thresholds
import check_tidy
import envs
import gen_acts
import gen_vocabulary

HERE = Path(__file__).resolve().parent.parent
CPP = (".h", ".hpp", ".cpp", ".cc", ".c")  # .inc files are tables or generated
SHOWN = 40  # lines of a failing gate
UNTOUCHED = ("tests/exam/", "build/")  # the exam's line numbers are truth


def files_of(root: Path, suffixes: tuple[str, ...]) -> List[str]:
    """Tracked files and new ones that are not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True).stdout
    return [
        name
        for name in listing.decode().split("\0")
        if name.endswith(suffixes) and not name.startswith(UNTOUCHED) and (root / name).is_file()
    ]


def tool(name: str) -> str:
    return str(Path(envs.path("tools")).parent / name)


def said_by(root: Path, command: List[str]) -> List[str]:
    """The output of a failing command as errors; nothing when it succeeds."""
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return []
    said = done.stdout.decode(errors="replace").strip().splitlines()
    return said or [f"exit code {done.returncode}"]


def clang_format(root: Path) -> List[str]:
    files = files_of(root, CPP)
    return said_by(root, [tool("clang-format"), "--dry-run", "-Werror", *files]) if files else []


def ruff(root: Path) -> List[str]:
    return said_by(root, [tool("ruff"), "check", "--quiet", "--output-format=concise", "."])


def ruff_format(root: Path) -> List[str]:
    return said_by(root, [tool("ruff"), "format", "--check", "--output-format=concise", "."])


def mypy(root: Path) -> List[str]:
    folders = [
        name for name in ("tools", "python", "packaging") if any((root / name).rglob("*.py"))
    ]
    return said_by(root, [tool("mypy"), "--config-file", "mypy.ini", *folders]) if folders else []


def layers(root: Path) -> List[str]:
    return check_layers.errors_in(root / "src")


def modules(root: Path) -> List[str]:
    return check_modules.errors_in(root / "src")


def no_files(root: Path) -> List[str]:
    return check_no_files.errors_in(root / "src")


def thresholds(root: Path) -> List[str]:
    return check_thresholds.errors_in(root / "src")


def exports(root: Path) -> List[str]:
    library = root / "build" / "lib" / "libtenure.so"
    return check_exports.errors_in(library, root / "src" / "inproc" / "exports.map")


def page(root: Path) -> List[str]:
    """The types of the report page. TypeScript comes with the build of the page; a build without it has nothing to check."""
    compiler = root / "build" / "web" / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists() or not shutil.which("node") or not (root / "web").exists():
        return []
    return said_by(root, ["node", str(compiler), "--noEmit", "--project", "web"])


GATES: Dict[str, Callable[[Path], List[str]]] = {
    "clang-format": clang_format,
    "ruff": ruff,
    "ruff-format": ruff_format,
    "mypy": mypy,
    "layers": layers,
    "modules": modules,
    "no-files": no_files,
    "thresholds": thresholds,
    "exports": exports,
    "vocabulary": gen_vocabulary.errors_in,
    "acts": gen_acts.errors_in,
    "sentences": check_sentences.errors_in,
    "prose": check_prose.errors_in,
    "page": page,
    "paths": check_paths.errors_in,
    "clang-tidy": check_tidy.errors_in,
}


def format_all(root: Path) -> int:
    files = files_of(root, CPP)
    commands = [[tool("clang-format"), "-i", *files]] if files else []
    for verb in (["check", "--fix"], ["format"]):
        commands.append([tool("ruff"), *verb, "--quiet", "."])
    return max([subprocess.run(command, cwd=root).returncode for command in commands])


def run_gate(name: str, root: Path, shown: int) -> bool:
    if name == "clang-tidy" and os.environ.get("CHECK_FAST"):
        print(f"{name:14} left out (CHECK_FAST)", flush=True)
        return True
    began = time.monotonic()
    try:
        errors = GATES[name](root)
    except envs.EnvError as problem:
        errors = [str(problem)]
    seconds = time.monotonic() - began
    print(f"{name:14} {'FAILED' if errors else 'ok':7} {seconds:6.1f} s", flush=True)
    lines = "\n".join(errors).splitlines()
    if len(lines) > shown:
        lines[shown:] = [f"... and {len(lines) - shown} lines more (check.py --only {name} --all)"]
    print("".join(f"  {line}\n" for line in lines), end="", flush=True)
    return not errors


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the gates of `make check`.")
    parser.add_argument("--only", default=",".join(GATES), help="gates: " + " ".join(GATES))
    parser.add_argument("--all", action="store_true", help="print all lines of a failing gate")
    parser.add_argument("--root", type=Path, default=HERE)
    parser.add_argument("--format", action="store_true", help="format the sources instead")
    args = parser.parse_args()
    root = args.root.resolve()
    if args.format:
        return format_all(root)
    names = args.only.split(",")
    unknown = [name for name in names if name not in GATES]
    if unknown:
        parser.error(f"no gate {' '.join(unknown)}; there are: {' '.join(GATES)}")
    shown = sys.maxsize if args.all else SHOWN
    results = [run_gate(name, root, shown) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
