"""Memory that looks like a leak and is none: loaded, given back, bounded, reused, replaced (design 4.5)."""

from __future__ import annotations

from typing import Dict, Tuple

import pytest
from balance_truth import cases, check_clean, told

LOAD_60 = """
table = []
def load():
    for n in range(60):
        table.append(np.ones(30_000 + sum(range(10_000)) * 0))
load()
"""

LOADED_THEN_WORKS: Dict[str, str] = {
    "pure_python": LOAD_60 + "print(sum(n * n % 7 for n in range(12_000_000)))\n",
    "numpy_in_place": LOAD_60
    + """
grid = np.ones((600, 600))
out = np.empty_like(grid)
for step in range(40):
    np.matmul(grid, grid, out=out)
""",
    "numpy_with_temporaries": LOAD_60
    + """
def epoch():
    return sum(float((row * 2.0).sum()) for row in table)
for step in range(250):
    epoch()
""",
    "class_that_sorts": LOAD_60
    + """
class Index:
    def __init__(self, rows):
        self.rows = rows
    def search(self, seed):
        return sorted(range(20_000), key=lambda n: n * seed % 1009)[0]
index = Index(table)
print(max(map(index.search, range(150))))
""",
    "threads": LOAD_60
    + """
import threading
def scan(part):
    for step in range(250):
        sum(float(row[:5_000].max()) for row in part)
        sum(range(40_000))
threads = [threading.Thread(target=scan, args=(table[n::2],)) for n in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
}

GIVEN_BACK_THEN_WORKS: Dict[str, str] = {
    "clear": """
kept = []
for n in range(80):
    kept.append(np.ones(20_000 + work()))
kept.clear()
for n in range(150):
    np.ones(2_000 + work())
""",
    "end_of_a_function": """
def collect():
    rows = {}
    for n in range(80):
        rows[n] = bytearray(150_000 + work())
    return sum(map(len, rows.values()))
print(collect())
print(sum(n * n % 7 for n in range(6_000_000)))
""",
    "close_of_a_class": """
class Store:
    def __init__(self):
        self.pages = []
    def load(self):
        self.pages.append(np.ones(20_000 + work()))
    def close(self):
        while self.pages:
            self.pages.pop()
def main():
    store = Store()
    for n in range(80):
        store.load()
    store.close()
    for n in range(150):
        sum(np.ones(2_000).tolist()) + work()
main()
""",
    "another_thread_takes_them": """
import queue, threading
waiting = queue.Queue()
def consume():
    for n in range(80):
        waiting.get()
        work()
for n in range(80):
    waiting.put(np.ones(20_000 + work()))
thread = threading.Thread(target=consume)
thread.start()
thread.join()
for n in range(100):
    np.ones(2_000 + work())
""",
}

# name -> program, the name and the limit that the note tells
BOUNDED: Dict[str, Tuple[str, str, str]] = {
    "deque": (
        """
import collections
recent = collections.deque(maxlen=5_000)
for n in range(80):
    recent.append(np.ones(20_000 + work()))
""",
        *("recent", "5000"),
    ),
    "deque_of_an_object": (
        """
import collections
class Monitor:
    def __init__(self):
        self.samples = collections.deque(maxlen=700)
    def measure(self):
        self.samples.append(bytes(150_000 + work()))
def main():
    monitor = Monitor()
    for n in range(80):
        monitor.measure()
    return monitor
monitor = main()
""",
        *("samples", "700"),
    ),
    "lru_cache": (
        """
import functools
@functools.lru_cache(maxsize=4_096)
def render(n):
    return np.ones(20_000 + work()) * n
for n in range(80):
    render(n)
""",
        *("render", "4096"),
    ),
    "lru_cache_of_a_method_in_threads": (
        """
import functools, threading
class Tiles:
    @functools.lru_cache(maxsize=900)
    def tile(self, n):
        return bytearray(150_000 + work())
tiles = Tiles()
def worker(first):
    for n in range(first, 80, 2):
        tiles.tile(n)
threads = [threading.Thread(target=worker, args=(n,)) for n in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
        *("tile", "900"),
    ),
    "queue": (
        """
import queue
backlog = queue.Queue(maxsize=2_000)
def accept(n):
    backlog.put(np.full(20_000 + work(), n))
for n in range(80):
    accept(n)
""",
        *("backlog", "2000"),
    ),
}

REUSED_BUFFER: Dict[str, str] = {
    "bytearray": """
buffer = bytearray()
while len(buffer) < 4_000_000:
    buffer += bytes(200_000 + work())
for n in range(250):
    buffer[n * 1_000:n * 1_000 + 500] = bytes(500 + work())
""",
    "bytes_io_from_the_start_again": """
import io
out = io.BytesIO()
def page(n):
    out.seek(0)
    for part in range(20):
        out.write(b"x" * 100_000)
    return work() + out.tell()
for n in range(150):
    page(n)
""",
    "list_emptied_in_each_round": """
rows = []
for n in range(150):
    del rows[:]
    for k in range(10):
        rows.extend([n] * 20_000)
    work()
""",
    "array_of_a_class": """
import array
class Ring:
    def __init__(self):
        self.data, self.at = array.array("d"), 0
    def put(self, values):
        if len(self.data) < 400_000:
            self.data.extend(values)
        else:
            self.data[self.at:self.at + len(values)] = values
            self.at = (self.at + len(values)) % 390_000
ring = Ring()
for n in range(250):
    ring.put(array.array("d", bytes(80_000 + work())))
""",
}

LOOKS_LIKE_A_LEAK: Dict[str, str] = {
    "cache_that_warms_up": """
import random
random.seed(7)
cache = {}
def lookup(key):
    if key not in cache:
        cache[key] = np.ones(20_000)
    return cache[key]
for n in range(400):
    lookup(int(random.random() ** 2 * 40))[0] + work()
""",
    "lru_by_hand": """
import collections
class Cache:
    def __init__(self, most):
        self.most, self.items = most, collections.OrderedDict()
    def get(self, key):
        if key not in self.items:
            self.items[key] = np.ones(20_000 + work())
            if len(self.items) > self.most:
                self.items.popitem(last=False)
        self.items.move_to_end(key)
        return self.items[key]
cache = Cache(25)
for n in range(250):
    cache.get(n * 7 % 90)
""",
    "ring": """
ring = [None] * 32
def put(n):
    ring[n % len(ring)] = bytearray(150_000 + work())
for n in range(250):
    put(n)
""",
    "double_buffer": """
class Screen:
    def __init__(self):
        self.front = self.back = np.zeros((400, 400))
    def draw(self, n):
        self.back = np.full((400, 400), n + work())
        self.front, self.back = self.back, self.front
screen = Screen()
for n in range(250):
    screen.draw(n)
""",
    "flushed_batches": """
import json
def flush(rows):
    text = json.dumps([len(row) for row in rows])
    rows.clear()
    return text
rows = []
for n in range(270):
    rows.append(np.ones(20_000 + work()))
    if len(rows) >= 50:
        flush(rows)
""",
    "flush_by_size_in_a_thread": """
import threading
class Writer(threading.Thread):
    def run(self):
        pending = {}
        for n in range(270):
            pending[n] = bytes(100_000 + work())
            if sum(map(len, pending.values())) > 4_000_000:
                pending = {}
writer = Writer()
writer.start()
writer.join()
""",
    "pool_of_objects": """
class Pool:
    def __init__(self):
        self.free = []
    def take(self):
        return self.free.pop() if self.free else np.empty(20_000)
    def give(self, item):
        self.free.append(item)
pool = Pool()
def request(n):
    taken = [pool.take() for _ in range(1 + n * 5 % 12)]
    work()
    for item in taken:
        pool.give(item)
for n in range(250):
    request(n)
""",
    "load_then_train": """
def load():
    return [np.random.rand(100, 200) for _ in range(60)]
def train(batches):
    weights = np.zeros(200)
    for epoch in range(8):
        for batch in batches:
            error = batch @ weights - 1.0
            weights = weights - 0.001 * (batch.T @ error) + work()
    return weights
train(load())
""",
    "work_that_grows_and_shrinks": """
def solve(size):
    grid = np.ones(size + work())
    return float((grid * 2 + 1).sum())
for n in list(range(1, 100)) + list(range(100, 0, -1)):
    solve(n * 2_000)
""",
    "work_that_grows": """
def solve(size):
    rows = [np.ones(2_000) for _ in range(size)]
    return sum(float(row[0]) for row in rows) + work()
for n in range(1, 180):
    solve(n)
""",
    "threads_that_come_and_go": """
import threading
def handle(n):
    own = [np.ones(20_000) for _ in range(5)]
    return work() + len(own)
for n in range(120):
    group = [threading.Thread(target=handle, args=(n,)) for _ in range(2)]
    for thread in group:
        thread.start()
    for thread in group:
        thread.join()
""",
    "results_that_are_taken": """
from concurrent.futures import ThreadPoolExecutor
def render(n):
    return np.full(20_000 + work(), n)
with ThreadPoolExecutor(max_workers=2) as pool:
    for first in range(0, 200, 10):
        print(sum(float(page[0]) for page in pool.map(render, range(first, first + 10))))
""",
    "window_of_a_running_mean": """
def smooth(values, width=20):
    window = []
    for value in values:
        window = (window + [value])[-width:]
        yield sum(float(v[0]) for v in window) / width
print(sum(smooth(np.ones(20_000 + work()) for n in range(250))))
""",
}


@pytest.mark.parametrize("program", LOADED_THEN_WORKS)
def test_what_is_loaded_before_the_work_is_no_leak(program, run_text):
    check_clean(run_text(LOADED_THEN_WORKS[program])[1])


@pytest.mark.parametrize("program", GIVEN_BACK_THEN_WORKS)
def test_what_is_given_back_before_the_work_is_no_leak(program, run_text):
    check_clean(run_text(GIVEN_BACK_THEN_WORKS[program])[1])


@pytest.mark.parametrize("program", cases(BOUNDED, {"queue": "survivors: maxsize is not read"}))
def test_a_holder_far_from_its_limit_is_told_with_the_limit(program, run_text):
    text, name, limit = BOUNDED[program]
    _, findings = run_text(text)
    check_clean(findings)
    notes = [f for f in findings["findings"] if f["severity"] == "note"]
    texts = [f"{n['holder'] and n['holder']['text']} {n['title']} {n['why']}" for n in notes]
    assert any(name in words and limit in words for words in texts), told(findings)


@pytest.mark.parametrize("program", REUSED_BUFFER)
def test_a_buffer_that_is_reused_is_no_leak(program, run_text):
    check_clean(run_text(REUSED_BUFFER[program])[1])


@pytest.mark.parametrize("program", LOOKS_LIKE_A_LEAK)
def test_what_only_looks_like_a_leak_is_clean(program, run_text):
    check_clean(run_text(LOOKS_LIKE_A_LEAK[program])[1])
