#!/usr/bin/env python3
"""Makes docs/report-page.png: the report page of examples/leaky_numpy.py in a real browser.

usage: page_picture.py [PICTURE.png]

Needs what tests/page needs: a build with the page, Node.js, and Chromium (tools/setup.py page browser).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import envs

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "page"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def install(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copyfile(TESTS / name, folder / name)
    words = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    subprocess.run(words, cwd=folder, check=True, stdout=sys.stderr)


def browse(what: str, report: Path, picture: Path) -> None:
    """Has tests/page/browse.mjs open the report; `picture` is the file or folder that it writes."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        sys.exit(f"{Path(sys.argv[0]).name}: no Chromium here; try tools/setup.py browser")
    folder = ROOT / "build" / "page-tests"
    if not (folder / "node_modules").exists():
        install(folder)
    words = ["node", str(TESTS / "browse.mjs"), browser, what, str(report), str(picture.resolve())]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    picture = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "report-page.png")
    with tempfile.TemporaryDirectory() as place:
        record = Path(place) / "leaky_numpy.tenure"
        tenure = [str(ROOT / "build" / "bin" / "tenure"), "run", "--report", "-o", str(record)]
        program = [envs.path("numpy"), "examples/leaky_numpy.py"]
        subprocess.run([*tenure, "--", *program], cwd=ROOT, check=True)
        browse("look", record / "report.html", picture)
    print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
