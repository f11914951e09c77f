"""Growth over so few steps that their later half cannot tell: `unknown`, and no `clean`, where it is most of the memory."""

from __future__ import annotations

from typing import Any

import pytest

ROUNDS = """
archive = []
for number in range({rounds}):
    archive.append(bytes(8 << 20))
{after}
print(len(archive))
"""
WORKS_ON = "for _ in range(40): sum(range(400_000))"


@pytest.mark.parametrize(
    "rounds, after, verdict",
    [(5, "", "unknown"), (14, "", "unknown"), (30, "", "leak"), (14, WORKS_ON, "clean")],
)
def test_growth_over_few_rounds(rounds, after, verdict, run_tenure: Any, tmp_path: Any) -> None:
    (tmp_path / "program.py").write_text(ROUNDS.format(rounds=rounds, after=after))
    told = run_tenure(["run", "--", "python3", "program.py"]).findings
    assert told["verdict"] == verdict, told["considered"][:2]
