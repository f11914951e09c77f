"""What a program came to hold between two snapshots is found again in the second: every byte has somebody who holds it."""

from __future__ import annotations

from typing import Any, Callable, Dict

import pytest

# Of TensorFlow's, one tensor of 20 is kept by the tape in C++, where no Python object leads.
PROGRAMS = [
    ("torch", "losses", "['losses']", 0.99),
    ("numpy", "views", "['loader']", 0.99),
    ("tf2", "eager", "['metrics']", 0.94),
    ("torch", "traceback_kept", "['errors']", 0.99),
    ("torch", "cached", "['Model']", 0.99),
    ("torch", "hooks", "['net']", 0.99),
    ("torch", "graphs", "['total']", 0.99),
]


@pytest.mark.parametrize("name,program,holder,share", PROGRAMS)
def test_what_came_to_be_held_is_explained(
    name: str,
    program: str,
    holder: str,
    share: float,
    env: Callable[[str], str],
    take: Callable[..., Any],
) -> None:
    snapshots = [s for s in take(env(name), f"explained/{program}.py") if s["reason"] == 5]
    before, after = snapshots
    held = after["live_bytes"] - before["live_bytes"]
    assert held > 30 << 20
    assert explained_bytes(after) - explained_bytes(before) >= share * held
    ways = [(b["bytes"], b["way"]) for b in after["buffers"] if b["way"]]
    named = sum(n for n, way in ways if any(holder in step["label"] for step in way))
    assert named > held / 4, "much of it hangs from that name"


def explained_bytes(snapshot: Dict[str, Any]) -> int:
    return sum(b["bytes"] for b in snapshot["buffers"] if b["way"])
