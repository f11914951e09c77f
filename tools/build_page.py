#!/usr/bin/env python3
"""Builds the report page from web/ and writes it as a C++ table, so that it travels inside the program.

usage: build_page.py [--without] WEB FOLDER PAGE.inc

FOLDER is where npm installs and Vite builds: the sources stay as they are. --without writes a table without a page. So does
a failure, with a warning: the program is whole without its page, and the next build tries again.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List

from embed_adapters import literal

NOT_SOURCES = ("node_modules", "dist")
PIECE = 8000  # bytes of a string literal; compilers take no very long ones
PER_LINE = 96
POLICY_MARK = "@TENURE_POLICY@"


def said_by_failure(command: List[str], folder: Path) -> str:
    """The end of what a failing command says; empty when it succeeds."""
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode == 0:
        return ""
    said = done.stdout.decode(errors="replace").strip().splitlines()
    return " ".join(said[-3:]) or f"exit code {done.returncode}"


def copy_sources(web: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.is_dir() and old.name not in NOT_SOURCES:
            shutil.rmtree(old)
    for path in web.iterdir():
        if path.name in NOT_SOURCES:
            continue
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        else:
            shutil.copyfile(path, folder / path.name)


def install(folder: Path) -> str:
    """What npm says if it fails. What is installed already for the same lock file is taken as it is."""
    lock = (folder / "package-lock.json").read_bytes()
    stamp = folder / "node_modules" / ".tenure-installed"
    digest = hashlib.sha256(lock).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return ""
    words = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    failure = said_by_failure(words, folder)
    if not failure:
        stamp.write_text(digest)
    return failure


def sources_of(html: str, element: str) -> List[str]:
    """Hashes of the inline elements, as a content security policy names them."""
    found = re.findall(
        rf"<{element}(?![^>]*application/octet-stream)[^>]*>(.*?)</{element}>", html, re.DOTALL
    )
    digests = (hashlib.sha256(text.encode()).digest() for text in found)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def with_policy(html: str) -> str:
    scripts, styles = sources_of(html, "script"), sources_of(html, "style")
    policy = (
        f"default-src 'none'; script-src {' '.join(scripts)}; style-src {' '.join(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return html.replace(POLICY_MARK, policy)


def build(web: Path, folder: Path) -> str:
    copy_sources(web, folder)
    failure = install(folder)
    if not failure:
        failure = said_by_failure(["node", "node_modules/vite/bin/vite.js", "build"], folder)
    if failure:
        raise RuntimeError(failure)
    return with_policy((folder / "dist" / "index.html").read_text(encoding="utf-8"))


def table(html: str) -> str:
    text = html.encode()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)] or [b""]
    rows = []
    for piece in pieces:
        lines = [piece[at : at + PER_LINE] for at in range(0, len(piece), PER_LINE)]
        rows.append(literal(lines) + ",")
    return "\n".join(["constexpr std::string_view kPageShell[] = {", *rows, "};", ""])


def main() -> int:
    is_without = sys.argv[1] == "--without"
    web, folder, target = (Path(word) for word in sys.argv[2 if is_without else 1 :])
    target.parent.mkdir(parents=True, exist_ok=True)
    failure = ""
    html = ""
    if not is_without:
        try:
            html = build(web, folder)
        except (RuntimeError, OSError) as problem:
            failure = str(problem)
    target.write_text(table(html))
    if failure:
        print(f"warning: tenure is built without its report page: {failure}", file=sys.stderr)
        os.utime(target, (0, 0))  # older than its sources: made again by the next build
    return 0


if __name__ == "__main__":
    sys.exit(main())
