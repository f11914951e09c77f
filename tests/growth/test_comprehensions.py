"""A comprehension makes one value: its rounds are no steps of the program. What its items leave elsewhere is."""

from __future__ import annotations

from typing import Any

import pytest

WORK = """
def work(n):
    return sum(range(3000)) + n
"""
ONE_VALUE = {
    "list": WORK
    + "rows = [bytearray(20_000 + work(i) % 2) for i in range(800)]\nprint(len(rows))\n",
    "small objects": "rows = [i * 3 for i in range(2_000_000)]\nprint(len(rows))\n",
    "dict in a function": WORK
    + """
def load():
    return {
        i: bytearray(20_000 + work(i) % 2)
        for i in range(800)
    }
table = load()
print(len(table))
""",
    "items of a function": WORK
    + """
def make(i):
    return bytearray(20_000 + work(i) % 2)
rows = [make(i) for i in range(800)]
print(len(rows))
""",
}
LEAKS = {
    "kept by a function of the user's": WORK
    + """
kept = []
def handle(i):
    kept.append(bytearray(20_000))
    return work(i)
rows = [handle(i) for i in range(800)]
""",
    "written for its effect": WORK
    + "kept = []\n[kept.append(bytearray(20_000 + work(i) % 2)) for i in range(800)]\n",
    "in each task of a pool": WORK
    + """
from concurrent.futures import ThreadPoolExecutor
kept = {}
def table(key):
    kept[key] = [bytearray(2_000 + work(i) % 2) for i in range(20)]
    return key
with ThreadPoolExecutor(2) as pool:
    print(sum(pool.map(table, range(200))))
""",
    "in a loop": WORK
    + """
kept = []
for n in range(200):
    kept.append([bytearray(5_000 + work(i) % 2) for i in range(10)])
""",
}


def findings_of(text: str, python: str, run_tenure: Any, tmp_path: Any) -> Any:
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    return run_tenure(["run", "--", python, "program.py"]).findings


@pytest.mark.parametrize("name", ONE_VALUE)
def test_one_value_is_no_growth(name, pythons, run_tenure, tmp_path) -> None:
    for python in (pythons[0], pythons[-1]):
        told = findings_of(ONE_VALUE[name], python, run_tenure, tmp_path)
        assert told["verdict"] == "clean", (python, told["findings"])


@pytest.mark.parametrize("name", LEAKS)
def test_what_its_items_leave_elsewhere_is_a_leak(name, pythons, run_tenure, tmp_path) -> None:
    for python in (pythons[0], pythons[-1]):
        told = findings_of(LEAKS[name], python, run_tenure, tmp_path)
        assert told["verdict"] == "leak", (python, told["considered"][:4])
        assert "`kept`" in told["findings"][0]["holder"]["text"], python
