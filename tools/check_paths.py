#!/usr/bin/env python3
"""Fails when a tracked file holds a path of a machine or the host name of a package registry.

usage: check_paths.py [ROOT]        ROOT: a git work tree, this clone by default

Such words make a clone depend on where it was written. Names of registries belong into the user's
own settings.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import List

MACHINE_PATH = re.compile(r"(?<![\w.~$})/-])/(?:work|root|home)(?![\w.-])")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|(?:deb|security|ftp)[\w.]*\.debian\.org"
    r"|(?:archive|security)\.ubuntu\.com|repo1?\.maven\.(?:apache\.)?org|crates\.io",
    re.IGNORECASE,
)


def tracked_files(root: Path) -> List[str]:
    command = ["git", "ls-files", "-z"]
    listing = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True)
    return [name for name in listing.stdout.decode().split("\0") if name]


def errors_in_text(name: str, text: str) -> List[str]:
    errors = []
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            errors.append(f"{name}:{number}: path of a machine: {line.strip()[:100]}")
        if REGISTRY.search(line):
            errors.append(f"{name}:{number}: host name of a registry: {line.strip()[:100]}")
    return errors


def errors_in(root: Path) -> List[str]:
    errors: List[str] = []
    for name in tracked_files(root):
        path = root / name
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if b"\0" not in data[:4096]:
            errors += errors_in_text(name, data.decode("utf-8", errors="replace"))
    return errors


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = errors_in(root)
    print("\n".join(errors) or "paths ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
