"""The Debian package for the tests that look at it or install it: made by CPack of what is built, as `make deb` does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import List

import pytest

ROOT = Path(__file__).resolve().parent.parent


def built_deb(place: Path) -> Path:
    config = ROOT / "build" / "CPackConfig.cmake"
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("no dpkg-shlibdeps here: tools/setup.py wheel installs it")
    words = ["cpack", "-G", "DEB", "--config", str(config), "-B", str(place / "work")]
    done = subprocess.run(
        [*words, "-D", f"CPACK_OUTPUT_FILE_PREFIX={place}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (deb,) = place.glob("*.deb")
    return deb


def asked(deb: Path, *words: str) -> str:
    command = ["dpkg-deb", *words[:1], str(deb), *words[1:]]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def packages_needed(deb: Path) -> List[str]:
    """The names that it depends on."""
    return [part.split()[0] for part in asked(deb, "-f", "Depends").split(",")]
