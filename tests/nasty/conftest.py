"""Compiles the nasty little programs once a session."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Optional

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"


@pytest.fixture(scope="session")
def compiled(compile_program: Callable[..., str]) -> Callable[..., str]:
    """compiled("maps.c", "-DX") -> path of the program."""

    def compile_named(source: str, *flags: str, name: Optional[str] = None) -> str:
        return compile_program(PROGRAMS / source, *flags, name=name)

    return compile_named
