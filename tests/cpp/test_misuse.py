"""Misuse that C++ can see does not compile. Each program is compiled twice: as misuse, and corrected."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
PROGRAMS = sorted((HERE / "misuse").glob("*.cpp"))


def compile_only(source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Werror=unused-result", *flags]
    command += [f"-I{INCLUDE}", str(source)]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_misuse_does_not_compile_and_its_correction_does(source: Path) -> None:
    expected = source.read_text(encoding="utf-8").splitlines()[0].split("error: ")[1]
    misuse = compile_only(source, "-DMISUSE")
    assert misuse.returncode != 0, "this misuse compiles"
    assert expected in misuse.stderr
    corrected = compile_only(source)
    assert corrected.returncode == 0, corrected.stderr
