"""What a program came to hold between two snapshots is found again in the second: every byte has somebody who holds it."""

from __future__ import annotations

from typing import Any, Callable, Dict

import pytest

PROGRAMS = [
    ("torch", "losses", "['losses']"),
    ("numpy", "views", "['loader']"),
    ("tf2", "eager", "['metrics']"),
    ("torch", "traceback_kept", "['errors']"),
    ("torch", "cached", "['Model']"),
    ("torch", "hooks", "['net']"),
    ("torch", "graphs", "['total']"),
]


@pytest.mark.parametrize("name,program,holder", PROGRAMS)
def test_what_came_to_be_held_is_explained(
    name: str,
    program: str,
    holder: str,
    env: Callable[[str], str],
    take: Callable[..., Any],
) -> None:
    snapshots = [s for s in take(env(name), f"explained/{program}.py") if s["reason"] == 5]
    before, after = snapshots
    held = after["live_bytes"] - before["live_bytes"]
    assert held > 30 << 20
    assert explained_bytes(after) - explained_bytes(before) >= 0.99 * held
    ways = [(b["bytes"], b["way"]) for b in after["buffers"] if b["way"]]
    named = sum(n for n, way in ways if any(holder in step["label"] for step in way))
    assert named > held / 4, "much of it hangs from that name"


def explained_bytes(snapshot: Dict[str, Any]) -> int:
    return sum(b["bytes"] for b in snapshot["buffers"] if b["way"])
