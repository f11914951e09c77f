"""What the tests of the report page share: the browser, and whether this build has a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict

import pytest

HERE = Path(__file__).resolve().parent


def chromium() -> str:
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("no Chromium here: tools/setup.py browser installs it")


@pytest.fixture(scope="session")
def browser_folder(root: Path) -> Path:
    """Where playwright-core and axe-core are installed."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("no Node.js here: tools/setup.py page installs it")
    folder = root / "build" / "page-tests"
    folder.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = folder / "node_modules" / ".tenure-installed"
    if stamp.exists() and stamp.read_bytes() == lock:
        return folder
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copyfile(HERE / name, folder / name)
    words = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", timeout=300)
    if done.returncode != 0:
        pytest.skip(f"npm cannot install playwright-core here: {done.stderr.strip()[-200:]}")
    stamp.write_bytes(lock)
    return folder


@pytest.fixture
def browse(browser_folder: Path) -> Callable[..., Dict[str, Any]]:
    """browse("look", report) -> what is on the page."""
    executable = chromium()

    def run(what: str, report: Path) -> Dict[str, Any]:
        command = ["node", str(HERE / "browse.mjs"), executable, what, str(report)]
        shots = os.environ.get("TENURE_SCREENSHOTS")  # a folder
        if shots and what == "look":
            command.append(str(Path(shots) / f"{report.parent.name}.png"))
        done = subprocess.run(
            command, cwd=browser_folder, capture_output=True, encoding="utf-8", timeout=180
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def has_page(tenure: str) -> None:
    """Skips where this build has no page."""
    folder = Path(tenure).parent.parent / "web" / "dist"
    if not folder.exists() and not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("this build has no report page: no Node.js")
