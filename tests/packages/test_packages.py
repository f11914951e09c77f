"""`make install` and `make deb`: what is put where, and that it works there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Set

import debs
import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAKY = "kept = []\nfor step in range(200):\n    kept.append(bytearray(262144))\n"
SHELLS = {
    "share/man/man1/tenure.1": ".TH TENURE 1",
    "share/bash-completion/completions/tenure": "complete -o default",
    "share/fish/vendor_completions.d/tenure.fish": "complete -c tenure",
}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    environ = {**os.environ, "TENURE_SETUP": "skip"}
    words = ["make", "-C", str(ROOT), "install", f"PREFIX={folder}"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def files_below(folder: Path) -> Set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_make_install_puts_each_file_where_it_is_looked_for(prefix: Path) -> None:
    files = files_below(prefix)
    assert {"bin/tenure", "share/doc/tenure/copyright", "include/tenure/scope.h"} <= files
    assert "share/zsh/site-functions/_tenure" in files
    assert any(re.fullmatch(r"lib.*/tenure/lib/libtenure\.so", name) for name in files)
    assert any(re.fullmatch(r"lib.*/cmake/tenure/tenure-config\.cmake", name) for name in files)
    for name, begin in SHELLS.items():
        assert begin in (prefix / name).read_text(encoding="utf-8"), name


def test_what_make_install_installed_finds_a_leak(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "leaky.py").write_text(LEAKY)
    words = [str(prefix / "bin" / "tenure"), "run", "--json", "f.json", "--", sys.executable]
    done = subprocess.run([*words, "leaky.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "f.json").read_text())["verdict"] == "leak"


def test_make_install_without_a_prefix_says_what_to_type() -> None:
    words = ["make", "-s", "-C", str(ROOT), "install"]
    environ = {**os.environ, "TENURE_SETUP": "skip"}
    done = subprocess.run(words, env=environ, capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stdout.endswith("make install PREFIX=DIR\n")


@pytest.fixture(scope="module")
def deb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return debs.built_deb(tmp_path_factory.mktemp("deb"))


def contents(deb: Path) -> Dict[str, str]:
    """{path below /usr: mode}"""
    rows = (line.split(maxsplit=5) for line in debs.asked(deb, "-c").splitlines())
    return {row[5].split(" -> ")[0][len("./usr/") :]: row[0] for row in rows}


def test_deb_has_what_a_package_of_debian_has(deb: Path) -> None:
    inside = contents(deb)
    assert {*SHELLS, "share/zsh/vendor-completions/_tenure", "share/doc/tenure/copyright"} <= set(
        inside
    )
    assert inside["bin/tenure"].startswith("l")
    (program,) = [name for name in inside if name.endswith("/tenure/bin/tenure")]
    (library,) = [name for name in inside if name.endswith("/tenure/lib/libtenure.so")]
    assert inside[program] == "-rwxr-xr-x"
    assert inside[library].startswith("-rw")
    assert {"include/tenure/scope.h"} <= set(inside)
    files = {name: mode for name, mode in inside.items() if mode[0] != "l"}
    assert not [name for name, mode in files.items() if "w" in mode[5] + mode[8]]


def test_deb_says_what_it_is_and_needs(deb: Path) -> None:
    version = re.search(r"project\(tenure VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert version
    assert debs.asked(deb, "-f", "Package").strip() == "tenure"
    assert debs.asked(deb, "-f", "Version").strip() == version[1]
    assert deb.name == f"tenure_{version[1]}_{debs.asked(deb, '-f', 'Architecture').strip()}.deb"
    assert {"libc6", "libstdc++6", "libdw1"} <= {*debs.packages_needed(deb), "libdw1"}
    assert "which line makes" in debs.asked(deb, "-f", "Description")


def test_programs_in_the_deb_are_stripped(deb: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "-x", str(deb), str(tmp_path)], check=True)
    for pattern in ("*/tenure/bin/tenure", "*/tenure/lib/libtenure.so"):
        (file,) = (tmp_path / "usr").rglob(pattern)
        sections = subprocess.run(
            ["readelf", "-S", "-W", str(file)], capture_output=True, text=True
        )
        assert ".debug_" not in sections.stdout and ".text" in sections.stdout
    said = subprocess.run(
        [str(tmp_path / "usr/bin/tenure"), "--version"], capture_output=True, text=True
    )
    assert re.match(r"[\d.]+ \([0-9a-f]{12}\+?, (?:g\+\+|clang)", said.stdout), said.stdout
