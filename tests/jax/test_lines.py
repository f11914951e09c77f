"""Arrays whose memory XLA's threads made are told at the line that asked for them, with who keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict

import pytest

BYTES = 256 * 256 * 4  # of one array
STEPS = 60
KEPT_ARRAYS = """
import jax, jax.numpy as jnp
history = []
@jax.jit
def step(x):
    return jnp.tanh(x @ x.T) @ x, (x * x).sum()
def main():
    x = jnp.ones((256, 256)) * 0.001
    for n in range(60):
        x, energy = step(x)  # made
        history.append(x)  # kept
        if float(energy) < 0:
            print(n)
main()
"""
KEPT_VIEWS = """
import jax.numpy as jnp, numpy as np
views = []
def main():
    for n in range(60):
        x = jnp.ones((256, 256)) * n  # made
        x.block_until_ready()
        views.append(np.asarray(x))
        x.delete()
main()
"""


def line(source: str, mark: str) -> int:
    return next(n for n, text in enumerate(source.splitlines(), start=1) if "# " + mark in text)


def leak_of(
    source: str, python: str, run_tenure: Callable[..., Any], folder: Path
) -> Dict[str, Any]:
    program = folder / "program.py"
    program.write_text(source)
    run = run_tenure(["run", "--", python, str(program)])
    assert run.findings["verdict"] == "leak", run.stderr
    (leak,) = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    return leak


@pytest.mark.parametrize(
    "source", [KEPT_ARRAYS, KEPT_VIEWS], ids=["arrays", "views of deleted arrays"]
)
def test_kept_arrays_are_told_at_their_line(
    source: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    leak = leak_of(source, env("jax"), run_tenure, tmp_path)
    assert leak["where"][0]["line"] == line(source, "made")
    assert leak["bytes"] >= 0.8 * STEPS * BYTES


def test_the_list_that_keeps_arrays_is_named(
    env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    leak = leak_of(KEPT_ARRAYS, env("jax"), run_tenure, tmp_path)
    assert "`history`" in leak["holder"]["text"]
    kept = [place["line"] for place in leak["where"] if place["role"] == "kept at"]
    assert kept == [line(KEPT_ARRAYS, "kept")]
