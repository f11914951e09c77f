"""Programs on libraries nobody here wrote: nothing is said of their caches, and a planted leak is named.

The light ones; tests/soak/test_real_libraries.py runs all of them, longer.
"""

from __future__ import annotations

from typing import Any, Callable

import pytest

LIGHT = [("numpy-apps", "sklearn_fits", 20)]


@pytest.mark.parametrize("words", [[], ["leak"]], ids=["clean", "leak"])
@pytest.mark.parametrize("env_name, program, steps", LIGHT, ids=[row[1] for row in LIGHT])
def test_the_report_is_that_of_the_golden_summary(
    env_name: str,
    program: str,
    steps: int,
    words: list[str],
    summary: Callable[..., Any],
    golden: Callable[[str], Any],
) -> None:
    expected = golden(program)["leak" if words else "clean"]
    told = summary(env_name, program, steps, *words)
    if words:  # small blocks are sampled: by chance a few of another line may be worth a warning beside the leak
        told["findings"] = [f for f in told["findings"] if f["severity"] != "warning"]
    assert told == expected
