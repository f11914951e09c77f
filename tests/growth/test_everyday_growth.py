"""Growth that every Python program may have, each leak with a clean twin: small objects, queues, families of growing blocks.

What small objects hold is only seen in the arenas they lie in: how much of it there is is told, not which line made how much.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Tuple

import pytest
from balance_truth import check_clean, leaks, told

HISTORIES = """
import random
class User:
    def __init__(self, name):
        self.name, self.history = name, []
    def visit(self, n):
        self.history.append((f"/page/{n * 31 % 9973}/{self.name}", n * 1000))
        TRIM
users = [User(f"user{i}") for i in range(300)]
rng = random.Random(1)
for n in range(150_000):
    users[rng.randrange(300)].visit(n)
    sum(range(200))
"""
DOCUMENTS = """
import json, random
class Service:
    def __init__(self):
        self.seen = []
    def handle(self, body):
        self.seen.append(json.loads(body))
        TRIM
def main():
    service, rng = Service(), random.Random(1)
    for n in range(2500):
        items = [{"sku": f"sku-{n}-{i}", "price": rng.random()} for i in range(25)]
        service.handle(json.dumps({"id": n, "items": items}))
        sum(i * i for i in range(3000))
main()
"""
LINKED_LIST = """
class Node:
    __slots__ = ("name", "stamp", "next")
    def __init__(self, name, stamp, following):
        self.name, self.stamp, self.next = name, stamp, following
head = None
for n in range(200_000):
    head = Node(f"event {n} of kind {n % 7}", n * 0.5, head)
    TRIM
    sum(range(150))
"""
QUEUE = """
from collections import deque
queue = deque()
for tick in range(900):
    for _ in range(6):
        queue.append(bytes(20_000 + tick % 7))
    for _ in range(TAKEN):
        queue.popleft()
    sum(range(20_000))
"""
FAMILY = """
series = {key: np.zeros(0) for key in range(40)}
for n in range(400):
    for key in range(40):
        series[key] = np.append(series[key], np.ones(64))
    TRIM
    work()
"""
FAILURES = """
failed = []
def job(n):
    body = bytes(60_000 + n % 7)
    if FAILS:
        failed.append(body)
    return body.count(1)
def main():
    for n in range(1200):
        job(n)
        del failed[:-200]
        sum(range(2_000))
main()
"""
RISING = """
def process(text):
    words, out = text.split(), ""
    for i in range(0, len(words), 40):
        out += " ".join(sorted(words[i:i + 40]))
    KEEP
    return len(out)
kept = []
for n in range(1, 81):
    process(f"w{n * 7919 % 1000} " * (1_500 * n))
"""

LINES = """
class Report:
    def __init__(self):
        self.text = ""
    def add(self, line):
        self.text = self.text + line + "\\n"
        TRIM
report = Report()
for n in range(400):
    report.add(f"{n} " * 8_000)
    sum(range(40_000))
"""
ROWS = """
class Table:
    def __init__(self):
        self.rows = []
    def row(self, *cells):
        self.rows.append(",".join(map(str, cells)))
        TRIM
def main():
    table = Table()
    for n in range(60_000):
        table.row(n, n * 2, f"name {n}", "a" * (n % 50))
    print(len(table.rows))
main()
"""

# name -> (what leaks, least and most bytes, a name of the holder or nothing; the same without the leak)
PROGRAMS: Dict[str, Tuple[str, float, float, str, str]] = {
    "small_objects_of_many_lists": (
        *(HISTORIES.replace("TRIM", "pass"), 15e6, 40e6, ""),
        HISTORIES.replace("TRIM", "del self.history[:-100]"),
    ),
    "documents_of_small_objects": (
        *(DOCUMENTS.replace("TRIM", "pass"), 10e6, 30e6, ""),
        DOCUMENTS.replace("TRIM", "del self.seen[:-400]"),
    ),
    "small_objects_without_a_table": (
        *(LINKED_LIST.replace("TRIM", "pass"), 20e6, 50e6, ""),
        LINKED_LIST.replace("TRIM", "head = head if n % 5000 else None"),
    ),
    "queue_that_is_emptied_too_slowly": (
        *(QUEUE.replace("TAKEN", "5"), 12e6, 24e6, "queue"),
        QUEUE.replace("TAKEN", "6"),
    ),
    "arrays_that_grow_side_by_side": (
        *(FAMILY.replace("TRIM", "pass"), 5e6, 18e6, ""),
        FAMILY.replace("TRIM", "series[n % 40] = np.zeros(0)"),
    ),
    "jobs_that_fail_in_the_last_fifth": (
        *(FAILURES.replace("FAILS", "n >= 1_000"), 11e6, 13e6, "failed"),
        FAILURES.replace("FAILS", "True"),
    ),
    "text_made_longer_in_two_sums": (
        *(LINES.replace("TRIM", "pass"), 6e6, 16e6, "text"),
        LINES.replace("TRIM", "self.text = self.text[-1_000:]"),
    ),
    "rows_in_few_arenas": (
        *(ROWS.replace("TRIM", "pass"), 4e6, 10e6, "rows"),
        ROWS.replace("TRIM", "del self.rows[:-1_000]"),
    ),
    "texts_of_rising_size": (
        *(RISING.replace("KEEP", "kept.append(out)"), 8e6, 40e6, "kept"),
        RISING.replace("KEEP", "pass"),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_a_leak(name, run_text):
    text, least, most, holder, _ = PROGRAMS[name]
    _, findings = run_text(text)
    assert findings["verdict"] == "leak", told(findings)
    found = leaks(findings)
    assert least <= sum(leak["bytes"] for leak in found) <= most, told(findings)
    assert any(Path(place["file"]).name == "program.py" for place in found[0]["where"])
    if holder:
        assert f"`{holder}`" in found[0]["holder"]["text"], told(findings)


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_twin_is_clean(name, run_text):
    check_clean(run_text(PROGRAMS[name][4])[1])
