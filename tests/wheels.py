"""The wheel for the tests that install it: built once, and put into fresh environments by pip, as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Optional

import pytest

import envs

ROOT = Path(__file__).resolve().parent.parent
UNAVAILABLE = 3  # of packaging/build_wheel.py: the compiler or a source package cannot be had

# Keeps 256 KiB a step, with nothing but Python.
LEAKY = """
kept = []
def work():
    kept.append(bytearray(262144))
for step in range(200):
    work()
print("kept", len(kept))
"""


def build_wheel(build: Path, out: Path, environ: Optional[Dict[str, str]] = None) -> Path:
    command = [sys.executable, str(ROOT / "packaging" / "build_wheel.py")]
    command += ["--build", str(build), "--out", str(out)]
    done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8")
    if done.returncode == UNAVAILABLE and not os.environ.get("TENURE_REQUIRE_ALL"):
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr[-4000:]
    return Path(done.stdout.strip())


def built_wheel() -> Path:
    """That of TENURE_WHEEL, else one of this tree."""
    if os.environ.get("TENURE_WHEEL"):
        return Path(os.environ["TENURE_WHEEL"]).absolute()
    return build_wheel(ROOT / "build" / "wheel", ROOT / "dist")


class Environment:
    """A venv of one interpreter, with the pip it brings. Debian's interpreters bring none: they get the newest there is."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder = folder
        self.python = str(folder / "bin" / "python")
        self._pip = [self.python, "-m", "pip"]
        options = []
        if subprocess.run([python, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode:
            options = ["--without-pip"]
            self._pip = [envs.path("installer"), "-m", "pip", "--python", self.python]
        subprocess.run([python, "-m", "venv", *options, str(folder)], check=True)

    def pip(self, *words: str) -> None:
        environ = clean_environ(PYTHONDONTWRITEBYTECODE="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
        done = subprocess.run([*self._pip, "-q", *words], env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def files(self) -> List[str]:
        """Of folders only those that are Tenure's: pip leaves empty ones such as share/man, whoever's package it was."""
        every = (path for path in self.folder.rglob("*") if not path.is_dir() or "_native" in path.parts)
        return sorted(str(path.relative_to(self.folder)) for path in every)


def clean_environ(**more: str) -> Dict[str, str]:
    """Of a user: nothing that this test run was given for itself."""
    own = ("PYTHON", "TENURE", "VIRTUAL_ENV", "LD_", "PIP_")
    return {**{k: v for k, v in os.environ.items() if not k.startswith(own)}, **more}
