"""Where a library calls the user's function again and again, a call of it is the unit; and what its tasks keep has their name."""

from __future__ import annotations

from typing import Any

import pytest

# What a line imports in its first run is no run of it, and neither is each of the small objects beside the large one.
IMPORTS_AT_ITS_LINE = """
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
results = []
def job(number):
    results.append((import_module("xml.dom.minidom"), [{i} for i in range(40)], bytearray(200_000)))
with ThreadPoolExecutor(3) as pool:
    for _ in pool.map(job, range(90)):
        pass
print(len(results))
"""

# Each thread evaluates one expression and waits: its rounds are no steps.
THREADS = """
import threading
stop = threading.Event()
def worker(number, ready):
    state = [float(i + number) for i in range(4000)]
    ready.set()
    stop.wait()
for number in range(120):
    ready = threading.Event()
    threading.Thread(target=worker, args=(number, ready), daemon=True).start()
    ready.wait()
print(threading.active_count())
"""
ONE_THREAD = """
import threading
def load():
    global table
    table = [bytearray(20_000 + sum(range(3000)) % 2) for i in range(800)]
thread = threading.Thread(target=load)
thread.start()
thread.join()
print(len(table))
"""

# asyncio.run() cancels at its end what is left, and each task gets a traceback.
TASKS = """
import asyncio
background = set()
async def linger(data):
    await asyncio.Event().wait()
    return data
async def main():
    for _ in range(200):
        background.add(asyncio.create_task(linger(bytes(40_000))))
        await asyncio.sleep(0)
asyncio.run(main())
print(len(background))
"""


@pytest.fixture
def told_of(run_tenure, tmp_path) -> Any:
    def run(text: str, python: str) -> Any:
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        return run_tenure(["run", "--", python, "program.py"]).findings

    return run


def test_a_call_of_a_pool_is_one_run(told_of, pythons) -> None:
    for python in (pythons[0], pythons[-1]):
        leak = told_of(IMPORTS_AT_ITS_LINE, python)["findings"][0]
        assert leak["per"] == "call of job() (program.py:6)", python
        assert leak["steps"] == 90, python


def test_rounds_of_one_expression_are_no_steps_of_its_threads(told_of, pythons) -> None:
    for python in (pythons[0], pythons[-1]):
        leak = told_of(THREADS, python)["findings"][0]
        assert leak["per"].startswith("call of worker()"), python
        assert leak["steps"] == pytest.approx(120, rel=0.1), python


def test_a_thread_that_makes_one_value_is_clean(told_of, pythons) -> None:
    for python in (pythons[0], pythons[-1]):
        assert told_of(ONE_THREAD, python)["verdict"] == "clean", python


def test_tasks_that_the_loop_cancelled_are_kept_tasks(told_of, pythons) -> None:
    for python in (pythons[0], pythons[-1]):
        leak = told_of(TASKS, python)["findings"][0]
        assert leak["kind"] == "retained-python", python
        assert "`background`" in leak["holder"]["text"], python
        assert "add_done_callback" in leak["fix"], python
