"""A page of 100,000 lines and 262,144 calls: its size is held, its pace is told (bench/page_view.py writes it down)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]

import big_page  # noqa: E402
import build_page  # noqa: E402

MOST_BYTES, MOST_SHELL_BYTES = 5_000_000, 200_000


@pytest.fixture
def shell(has_page: None, tenure: str) -> str:
    dist = Path(tenure).parent.parent / "web" / "dist" / "index.html"
    if not dist.exists():
        pytest.skip("this tenure was not built here")
    return build_page.with_policy(dist.read_text(encoding="utf-8"))


def test_a_very_large_page_is_small_and_answers(shell, browse, tmp_path, capsys):
    page = tmp_path / "big.html"
    assert big_page.write(shell, page) <= MOST_BYTES
    assert len(shell.encode()) <= MOST_SHELL_BYTES
    seen = browse("big", page)
    assert seen["errors"] == [] and seen["requests"] == [] and seen["violations"] == []
    assert len(seen["rows"]) == 20
    assert seen["told"] == ["300 of 100,000 lines, by what they made in the selected range"]
    assert seen["calls_colors"] > 2
    with capsys.disabled():
        acts = ", ".join(f"{name} {one['drawn']:.0f} ms" for name, one in seen["acts"].items())
        print(f"\n  first screen {seen['first_screen_ms']:.0f} ms; {acts}")
