#!/usr/bin/env python3
"""Finds a CPython interpreter of one version on this machine.

usage: find_python.py VERSION        for example 3.7

Prints its path, or says on stderr what to do and ends with 1.

Looked at, in this order: the variable TENURE_PY37 (TENURE_PY311, ...), python3.7 on PATH, pyenv,
uv, Tenure's cache. Each candidate is started once and asked for its own path. So a pyenv shim is
never the answer (a preloaded library would follow its dozens of shell processes), nor is a venv.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, Optional

SUPPORTED = ["3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"]

ASK = (
    "import platform, sys; "
    "print(platform.python_implementation(), '%d.%d' % sys.version_info[:2], "
    "getattr(sys, '_base_executable', None) or sys.executable)"
)


def variable_for(version: str) -> str:
    return "TENURE_PY" + version.replace(".", "")


def missing_hint(version: str) -> str:
    return f"CPython {version}: install it or set {variable_for(version)}"


def real_path(candidate: str, version: str) -> Optional[str]:
    """The interpreter behind `candidate`, or None when it is not CPython of that version."""
    try:
        answer = subprocess.run(
            [candidate, "-c", ASK], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = answer.stdout.decode(errors="replace").strip().split(" ", 2)
    if answer.returncode != 0 or words[:2] != ["CPython", version] or len(words) < 3:
        return None
    return words[2]


def newest_first(root: Path, pattern: str) -> List[Path]:
    def numbers(path: Path) -> List[int]:
        return [int(n) for n in "".join(c if c.isdigit() else " " for c in path.name).split()]

    return sorted(root.glob(pattern), key=numbers, reverse=True)


def cache_root() -> Path:
    """Where Tenure keeps what it made for its own tests, outside the clone."""
    if os.environ.get("TENURE_CACHE"):
        return Path(os.environ["TENURE_CACHE"]).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base).absolute() / "tenure"


def candidates(version: str) -> Iterator[str]:
    chosen = os.environ.get(variable_for(version))
    if chosen:
        yield chosen
    on_path = shutil.which("python" + version)
    if on_path:
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for prefix in newest_first(pyenv, version + ".*") + newest_first(pyenv, version):
        yield str(prefix / "bin" / ("python" + version))
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python")
    for prefix in newest_first(uv, f"cpython-{version}.*"):
        yield str(prefix / "bin" / ("python" + version))
    # Left there by extra_pythons.py: versions newer than the distribution.
    yield str(cache_root() / "pythons" / version / "usr" / "bin" / ("python" + version))


def find(version: str) -> Optional[str]:
    for candidate in candidates(version):
        found = real_path(candidate, version)
        if found:
            return found
    return None


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: find_python.py VERSION, for example: find_python.py 3.7", file=sys.stderr)
        return 2
    found = find(sys.argv[1])
    if not found:
        print("not found: " + missing_hint(sys.argv[1]), file=sys.stderr)
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
