"""Every program of docs/cpp.md compiles, runs, and prints what the page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Dict, Tuple

import pytest

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "cpp.md"
NAMES = ["first_steps", "still_live", "budget", "threads", "tensors", "containers"]


def programs() -> Dict[str, Tuple[str, str]]:
    """Name -> program and output, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"```cpp\n(.*?)```\n```\n(.*?)```", text, re.DOTALL)
    assert len(found) == len(NAMES) == text.count("```cpp"), "a program has no output, or no name"
    return dict(zip(NAMES, found))


@pytest.mark.parametrize("name", NAMES)
def test_a_program_prints_what_the_page_says(name: str, build_cpp, tmp_path: Path) -> None:
    code, expected = programs()[name]
    source = tmp_path / f"{name}.cpp"
    source.write_text(code, encoding="utf-8")
    done = subprocess.run([build_cpp(source)], capture_output=True, encoding="utf-8", check=True)
    said = done.stdout.replace(f"{tmp_path}/", "")
    pattern = re.escape(expected).replace("…", r"\S+ \S+")  # a time
    assert re.fullmatch(pattern, said), said
