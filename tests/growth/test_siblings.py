"""A line that several processes run: what it leaves behind in all of them is one leak, however the work was shared out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

PROGRAM = """
import multiprocessing, sys
kept = []
def handle(n):
    kept.append(bytearray(200_000 + n % 3))
    KEEP
    sum(range(20_000))
def serve(requests):
    for n in range(requests):
        handle(n)
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    workers = [multiprocessing.Process(target=serve, args=(n,)) for n in (50, 10)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
"""


def run_workers(
    run_tenure: Callable[..., Any], python: str, folder: Path, keep: str, way: str
) -> Any:
    (folder / "program.py").write_text(PROGRAM.replace("KEEP", keep), encoding="utf-8")
    return run_tenure(["run", "--", python, "program.py", way]).findings


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_the_worker_that_was_asked_rarely_counts_too(way, run_tenure, env, tmp_path) -> None:
    told = run_workers(run_tenure, env("numpy"), tmp_path, "pass", way)
    assert told["verdict"] == "leak"
    leaks = [f for f in told["findings"] if f["severity"] in ("leak", "warning")]
    assert len(leaks) == 1, leaks
    assert leaks[0]["bytes"] == pytest.approx(60 * 200_000, rel=0.1)
    assert "`kept`" in leaks[0]["holder"]["text"]


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers_that_keep_the_newest_are_clean(way, run_tenure, env, tmp_path) -> None:
    told = run_workers(run_tenure, env("numpy"), tmp_path, "del kept[:-3]", way)
    assert told["verdict"] == "clean", told["findings"]
