"""Programs of several processes: the first line tells the peak of all of them together, and each has its figures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

BLOCK = 1_000_000
PROGRAM = """
import multiprocessing, sys
def work(kept_blocks, barrier):
    kept = []
    for n in range(40):
        kept.append(bytearray(1_000_000 + n % 3))
        del kept[:-kept_blocks]
        sum(range(20_000))
    if barrier: barrier.wait(60)
    for n in range(200): bytearray(5000)  # a worker ends by _exit(): it was there until its last block, at least
    return len(kept)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    barrier = context.Barrier(3) if sys.argv[2] == "together" else None
    workers = [context.Process(target=work, args=(count, barrier)) for count in (40, 40, 3)]
    for worker in workers:
        worker.start()
        if not barrier: worker.join()
    for worker in workers:
        worker.join()
"""


def run_workers(run_tenure: Any, python: str, folder: Path, *words: str) -> Any:
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    return run_tenure(["run", "-o", "record", "--", python, "program.py", *words])


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_that_are_there_together_add_up(
    way: str, run_tenure: Callable[..., Any], env: Callable[[str], str], tmp_path: Path
) -> None:
    done = run_workers(run_tenure, env("numpy"), tmp_path, way, "together")
    memory = done.findings["memory"]
    peaks = [process["peak_bytes"] for process in done.findings["processes"]]
    assert 83 * BLOCK <= memory["joint_peak_bytes"] <= sum(peaks)
    first_line = next(line for line in done.stderr.splitlines() if line.startswith("tenure: "))
    assert re.search(r" Peak [\d.]+ MiB in [2-5] processes\.", first_line), first_line


def test_processes_one_after_the_other_do_not_add_up(
    run_tenure: Callable[..., Any], env: Callable[[str], str], tmp_path: Path
) -> None:
    done = run_workers(run_tenure, env("numpy"), tmp_path, "spawn", "in-turn")
    assert 40 * BLOCK <= done.findings["memory"]["joint_peak_bytes"] < 70 * BLOCK


def test_each_process_has_its_own_figures(
    run_tenure: Callable[..., Any], tenure: str, env: Callable[[str], str], tmp_path: Path
) -> None:
    done = run_workers(run_tenure, env("numpy"), tmp_path, "fork", "together")
    processes = done.findings["processes"]
    main = processes[0]
    workers = [p for p in processes if p["parent_pid"] == main["pid"]]
    assert len(workers) == 3, processes
    assert sorted(round(p["peak_bytes"] / BLOCK / 4) for p in workers) == [1, 10, 10]
    assert all(main["began_seconds"] <= p["began_seconds"] <= p["ended_seconds"] for p in workers)
    table = subprocess.run(
        [tenure, "show", "--processes", "record"], cwd=tmp_path, check=True, stdout=subprocess.PIPE
    )
    listed = [line for line in table.stdout.decode().splitlines() if "program.py, " in line]
    assert [int(line.split()[0]) for line in listed] == [p["pid"] for p in processes]
    assert [line.split("program.py, ")[1] for line in listed] == [p["role"] for p in processes]
    assert sorted(p["role"] for p in processes) == ["main"] + [
        f"worker {n} of 3" for n in (1, 2, 3)
    ]


RANKS = """
import os, sys
kept = []
def work(rank):
    for _ in range(300):
        block = bytearray(100_000)
        if rank in (1, 3): kept.append(block)
        sum(range(20_000))
if len(sys.argv) > 1:
    work(int(os.environ["RANK"]))
else:
    import subprocess
    ranks = [
        subprocess.Popen([sys.executable, __file__, "rank"], env={**os.environ, "RANK": str(n), "WORLD_SIZE": "4"})
        for n in range(4)
    ]
    sys.exit(max(rank.wait() for rank in ranks))
"""
FORKED = """
import os
kept = []
def work(number):
    for _ in range(300):
        block = bytearray(100_000)
        if number == 2: kept.append(block)
        sum(range(20_000))
workers = []
for number in (1, 2, 3):
    workers.append(os.fork())
    if workers[-1] == 0:
        work(number)
        os._exit(0)
for worker in workers:
    os.waitpid(worker, 0)
"""


@pytest.mark.parametrize(
    ("program", "roles", "words"),
    [
        (
            RANKS,
            {"rank 1 of 4", "rank 3 of 4"},
            r"in +ranks 1 and 3 of 4 \(processes \d+ and \d+\)",
        ),
        (FORKED, {"worker 2 of 3"}, r"in +worker 2 of 3 \(process \d+\)"),
    ],
    ids=["ranks", "forked"],
)
def test_a_finding_says_which_processes(
    program: str,
    roles: set[str],
    words: str,
    run_tenure: Callable[..., Any],
    env: Callable[[str], str],
    tmp_path: Path,
) -> None:
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    done = run_tenure(["run", "-o", "record", "--", env("numpy"), "program.py"])
    (leak,) = [f for f in done.findings["findings"] if f["severity"] == "leak"]
    role_of = {p["pid"]: p["role"] for p in done.findings["processes"]}
    assert {role_of[pid] for pid in leak["processes"]} == roles
    leaking = {p["pid"] for p in done.findings["processes"] if p["leaks"]}
    assert leaking == set(leak["processes"])
    assert 30_000_000 * len(roles) * 0.9 <= leak["bytes"] <= 30_000_000 * len(roles) * 1.1
    assert re.search(words, done.stderr), done.stderr
