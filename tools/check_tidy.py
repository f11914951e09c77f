#!/usr/bin/env python3
"""Runs clang-tidy over src/ and remembers what was clean: only changed files are looked at again.

usage: check_tidy.py [ROOT]     ROOT: a clone with build/compile_commands.json, this one by default

A file counts as unchanged when its text, the text of every header of src/ and include/ it reaches, its compile
command, the configuration and the version of clang-tidy are the same. The answers are kept in
build/tidy-clean.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Optional, Set

INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
COMPLAINT = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning):)", re.MULTILINE)


def find_clang_tidy() -> Optional[str]:
    """clang-tidy-19, else the newest there is."""
    versions = [19, *range(40, 14, -1)]
    names = [f"clang-tidy-{version}" for version in versions] + ["clang-tidy"]
    return next((path for path in map(shutil.which, names) if path), None)


def reached_from(source: Path, folders: List[Path]) -> Set[Path]:
    seen: Set[Path] = set()
    todo = [source]
    while todo:
        path = todo.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        names = [name.decode() for name in INCLUDE.findall(path.read_bytes())]
        todo += [folder / name for folder in folders for name in names]
    return seen


def fingerprint(source: Path, command: str, root: Path, common: bytes) -> str:
    digest = hashlib.sha256(common + command.encode())
    for path in sorted(reached_from(source, [root / "src", root / "include"])):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def commands_of(root: Path) -> Dict[Path, str]:
    """Source below src/ -> its compile command. A source built twice is checked once."""
    database = json.loads((root / "build" / "compile_commands.json").read_text(encoding="utf-8"))
    commands: Dict[Path, str] = {}
    for entry in database:
        path = Path(os.path.normpath(os.path.join(entry["directory"], entry["file"])))
        if (root / "src") in path.parents:
            commands.setdefault(path, entry.get("command") or " ".join(entry["arguments"]))
    return commands


def errors_in_file(tidy: str, source: Path, root: Path) -> str:
    """What clang-tidy said, or nothing when it was content."""
    command = [tidy, "-quiet", "-p", str(root / "build"), "--extra-arg=-Wno-unknown-warning-option"]
    command += ["--extra-arg=-Wno-unused-command-line-argument", str(source)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root)
    if done.returncode == 0:
        return ""
    said = done.stdout.decode(errors="replace") or done.stderr.decode(errors="replace")
    return said.strip() or f"{source.name}: clang-tidy ended with {done.returncode}"


def distinct(answers: List[str]) -> List[str]:
    """Each complaint once: a header's come again with every source that includes it."""
    complaints = [part for answer in answers for part in COMPLAINT.split(answer)]
    return list(dict.fromkeys(part.strip() for part in complaints if part.strip()))


def errors_in(root: Path) -> List[str]:
    tidy = find_clang_tidy()
    if not tidy:
        return ["clang-tidy is not installed: tools/setup.py check"]
    if not (root / "build" / "compile_commands.json").exists():
        return ["build/compile_commands.json does not exist: make build"]
    clean = root / "build" / "tidy-clean"
    clean.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([tidy, "--version"], stdout=subprocess.PIPE).stdout
    common = version + (root / ".clang-tidy").read_bytes()

    def look_at(source: Path, command: str) -> str:
        mark = clean / fingerprint(source, command, root, common)
        if mark.exists():
            return ""
        errors = errors_in_file(tidy or "", source, root)
        if not errors:
            mark.touch()
        return errors

    commands = commands_of(root)
    if not commands:
        return ["build/compile_commands.json names no source of src/"]
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 2)) as pool:
        answers = list(pool.map(look_at, commands.keys(), commands.values()))
    return distinct(answers)


def main() -> int:
    here = Path(__file__).resolve().parent.parent
    errors = errors_in(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "clang-tidy ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
