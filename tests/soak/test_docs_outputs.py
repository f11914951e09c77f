"""What pages say that programs of frameworks print is what they print today."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import gen_docs
import pytest
import told_rows

SHOWN = {folder: made for _, folder, made in gen_docs.shown()}
SLOW = [name for name in SHOWN if not told_rows.is_quick(name)]


@pytest.mark.parametrize("folder", SLOW)
def test_program_of_a_page_prints_what_the_page_says(
    folder: str, tenure: str, env: Callable[[str], str], tmp_path: Path
) -> None:
    program = gen_docs.Program(folder)
    env(program.case["env"])
    printed = gen_docs.run(program, tenure, tmp_path).split("\n", 1)[1]
    shown = SHOWN[folder].rsplit("```\n$ ", 1)[1].split("\n", 1)[1].rsplit("```", 1)[0]
    assert told_rows.told(shown), shown
    assert told_rows.told(printed) == told_rows.told(shown), printed
