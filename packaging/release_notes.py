#!/usr/bin/env python3
"""Prints what CHANGELOG.md says of a version, without its heading: the text of its tag.

usage: release_notes.py [VERSION]      default: the version of CMakeLists.txt
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def project_version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(tenure VERSION ([\d.]+)", text)
    if not found:
        raise ValueError("CMakeLists.txt names no version")
    return found[1]


def notes(changelog: str, version: str) -> str:
    """Empty: there is no section for it, or nothing in it."""
    head = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n"
    found = re.search(head + r"(.*?)(?=^## \[|\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() + "\n" if found and found[1].strip() else ""


def main() -> int:
    version = sys.argv[1] if len(sys.argv) > 1 else project_version()
    text = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not text:
        print(f"release_notes: CHANGELOG.md has no section [{version}] - DATE", file=sys.stderr)
        return 1
    print(f"Tenure {version}\n\n{text}", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
