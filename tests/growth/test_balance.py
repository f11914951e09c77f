"""Growth that is a leak, in programs of every style: no loop is needed, a wait at the end excuses nothing (design 4.5)."""

from __future__ import annotations

from typing import Dict

import pytest
from balance_truth import cases, check_leak

WITHOUT_A_LOOP: Dict[str, str] = {
    "thread_per_task": """
import threading
results = {}
def handle(task):
    results[task] = np.ones(20_000 + work())  #= 80 * 160_000
for task in range(80):
    thread = threading.Thread(target=handle, args=(task,))
    thread.start()
    thread.join()
""",
    "threads_of_a_class_keep_their_result": """
import threading
class Task(threading.Thread):
    def __init__(self, number):
        super().__init__()
        self.number = number
    def run(self):
        self.result = np.full(20_000 + work(), self.number)  #= 80 * 160_000
def serve():
    done = []
    for first in range(0, 80, 4):
        group = [Task(n) for n in range(first, first + 4)]
        for task in group:
            task.start()
        for task in group:
            task.join()
        done += group
    return done
done = serve()
""",
    "pool_of_threads": """
from concurrent.futures import ThreadPoolExecutor
archive = []
def handle(task):
    page = np.zeros(20_000 + work()) + task  #= 100 * 160_000
    archive.append(page)
    return page.sum()
with ThreadPoolExecutor(max_workers=3) as pool:
    total = sum(pool.map(handle, range(100)))
""",
    "futures_that_nobody_drops": """
from concurrent.futures import ThreadPoolExecutor
def render(task):
    return bytes(150_000 + work())  #= 100 * 150_000
class Renderer:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.futures = []
    def request(self, task):
        self.futures.append(self.pool.submit(render, task))
        return self.futures[-1].result()
renderer = Renderer()
for task in range(100):
    renderer.request(task)
""",
    "worker_with_a_queue": """
import queue, threading
tasks, seen = queue.Queue(), []
def worker():
    while (task := tasks.get()) is not None:
        seen.append(np.ones(20_000 + work()))  #= 90 * 160_000
thread = threading.Thread(target=worker)
thread.start()
for task in range(90):
    tasks.put(task)
tasks.put(None)
thread.join()
""",
    "map_with_a_side_effect": """
history = []
def double(n):
    history.append(np.arange(20_000 + work()))  #= 100 * 160_000
    return n * 2
print(sum(map(double, range(100))))
""",
    "substitution_by_a_function": """
import re
seen = {}
def expand(match):
    seen[match.start()] = text = bytearray(100_000 + work())  #= 120 * 100_000
    return str(len(text))
re.sub("x", expand, "x " * 120)
""",
    "fold": """
import functools
class Log:
    pages = []
def add(total, n):
    Log.pages.append(np.ones((100, 200 + work())))  #= 100 * 160_000
    return total + n
functools.reduce(add, range(100))
""",
    "signal_of_a_dispatcher": """
class Signal:
    def __init__(self):
        self.slots = []
    def connect(self, slot):
        self.slots.append(slot)
    def emit(self, *args):
        for slot in self.slots:
            slot(*args)
class Window:
    def __init__(self, clicked):
        self.undo = []
        clicked.connect(self.on_click)
    def on_click(self, x):
        self.undo.append(np.ones(20_000 + work()) * x)  #= 80 * 160_000
clicked = Signal()
window = Window(clicked)
def user(clicks):
    if clicks:
        clicked.emit(clicks)
    return clicks
list(map(user, range(1, 81)))
""",
    "timers_of_an_event_loop": """
import asyncio
frames = []
def on_timer(loop, left):
    frames.append(np.ones(20_000 + work()))  #= 80 * 160_000
    if left > 1:
        loop.call_soon(on_timer, loop, left - 1)
    else:
        loop.stop()
loop = asyncio.new_event_loop()
loop.call_soon(on_timer, loop, 80)
loop.run_forever()
""",
    "listeners_that_stay": """
class Page:
    listeners = []
    def __init__(self, n):
        self.data = bytearray(120_000 + work())  #= 100 * 120_000
        Page.listeners.append(self.changed)
    def changed(self):
        return len(self.data)
def show(n):
    return Page(n).changed()
print(max(map(show, range(100))))
""",
    "recursion": """
kept = []
def visit(depth):
    kept.append(np.ones(20_000 + work()))  #= 100 * 160_000
    return depth and visit(depth - 1)
visit(99)
""",
    "recursion_over_a_tree": """
class Walker:
    def __init__(self):
        self.marks = {}
    def visit(self, node):
        self.marks[node] = np.zeros(20_000 + work(), dtype=np.int64) + node  #= 127 * 160_000
        if node < 64:
            self.visit(2 * node)
            self.visit(2 * node + 1)
walker = Walker()
walker.visit(1)
""",
}

ADD_60 = """
kept = []
def handle(n):
    kept.append(np.ones(30_000 + work()))  #= 60 * 240_000
"""
BURST = ADD_60 + "for n in range(60):\n    handle(n)\n"

THEN_WAITS: Dict[str, str] = {
    "sleep": BURST + "import time\ntime.sleep(1.2)\n",
    "sleep_after_threads": ADD_60
    + """
import threading, time
for n in range(60):
    thread = threading.Thread(target=handle, args=(n,))
    thread.start()
    thread.join()
time.sleep(1.2)
""",
    "polling": BURST
    + """
import time
def wait(until):
    while time.monotonic() < until:
        time.sleep(0.02)
wait(time.monotonic() + 1.2)
""",
    "event": BURST + "import threading\nthreading.Event().wait(1.2)\n",
    "select": BURST + "import os, select\nselect.select([os.pipe()[0]], [], [], 1.2)\n",
    "empty_queue": ADD_60
    + """
import queue, threading
tasks = queue.Queue()
def worker():
    try:
        while True:
            handle(tasks.get(timeout=1.2))
    except queue.Empty:
        pass
thread = threading.Thread(target=worker)
thread.start()
for n in range(60):
    tasks.put(n)
thread.join()
""",
    "asyncio": ADD_60
    + """
import asyncio
async def main():
    for n in range(60):
        handle(n)
        await asyncio.sleep(0)
    await asyncio.sleep(1.2)
asyncio.run(main())
""",
    "waits_between_bursts_too": ADD_60
    + """
import time
for burst in range(3):
    for n in range(20):
        handle(n)
    time.sleep(0.4)
""",
}

RELEASED_AT_THE_END: Dict[str, str] = {
    "return_of_main": """
def main():
    cache = {}
    for n in range(80):
        cache[n] = np.ones(20_000 + work())  #= 80 * 160_000
    return len(cache)
print(main())
""",
    "last_statement_clears": """
class Store:
    def __init__(self):
        self.rows = []
    def add(self):
        self.rows.append(bytearray(150_000 + work()))  #= 80 * 150_000
    def close(self):
        self.rows.clear()
def main():
    store = Store()
    for n in range(80):
        store.add()
    store.close()
main()
""",
    "with_block_around_all": """
import contextlib
@contextlib.contextmanager
def recording():
    frames = []
    yield frames
    del frames[:]
with recording() as frames:
    for n in range(80):
        frames.append(np.ones(20_000 + work()))  #= 80 * 160_000
""",
    "exit_handler": """
import atexit
kept = []
atexit.register(kept.clear)
for n in range(80):
    kept.append(np.ones(20_000 + work()))  #= 80 * 160_000
""",
}

ONE_BLOCK: Dict[str, str] = {
    "bytearray_plus": """
log = bytearray()
for n in range(200):
    log += b"x" * (20_000 + work())  #= 200 * 20_000
""",
    "bytearray_extend": """
class Log:
    def __init__(self):
        self.data = bytearray()
    def write(self, text):
        self.data.extend(text)  #= 200 * 20_000
log = Log()
for n in range(200):
    log.write(b"y" * (20_000 + work()))
""",
    "array_extend": """
import array
def record():
    samples = array.array("d")
    for n in range(200):
        samples.extend(array.array("d", bytes(8 * 2_500 + work())))  #= 200 * 20_000
    return samples
samples = record()
""",
    "bytes_io": """
import io
out = io.BytesIO()
for n in range(200):
    out.write(b"z" * (20_000 + work()))  #= 200 * 20_000
""",
    "string_io": """
import io
def report(out, n):
    out.write("\\u20ac" * (10_000 + work()))  #= 200 * 40_000
out = io.StringIO()
out.write("a")
out.read()
list(map(lambda n: report(out, n), range(200)))
""",
    "list_of_ints": """
codes = []
for n in range(200):
    codes.extend([n] * (5_000 + work()))  #= 200 * 40_000
""",
    "list_of_floats": """
import random
def sample(values):
    work()
    values.extend(random.random() for _ in range(2_000))  #= 200 * 2_000 * (8 + 32)
values = []
for n in range(200):
    sample(values)
""",
    "text_plus": """
def report():
    text = ""
    for n in range(200):
        text += "line " * (4_000 + work())  #= 200 * 20_000
    return text
text = report()
""",
    "numpy_resize": """
table = np.zeros(0)
for n in range(100):
    table.resize(len(table) + 5_000 + work(), refcheck=False)  #= 100 * 40_000
    table[-5_000:] = n
""",
}


NOT_YET = {
    "list_of_floats": "few-late-steps: the table is a leak, the arenas of its floats a warning",
}


@pytest.mark.parametrize("program", cases(WITHOUT_A_LOOP, NOT_YET))
def test_a_leak_needs_no_loop(program, run_text):
    check_leak(*run_text(WITHOUT_A_LOOP[program]))


@pytest.mark.parametrize("program", cases(THEN_WAITS, NOT_YET))
def test_growth_before_a_wait_is_a_leak(program, run_text):
    check_leak(*run_text(THEN_WAITS[program]))


@pytest.mark.parametrize("program", cases(RELEASED_AT_THE_END, NOT_YET))
def test_release_at_the_very_end_excuses_nothing(program, run_text):
    check_leak(*run_text(RELEASED_AT_THE_END[program]))


@pytest.mark.parametrize("program", cases(ONE_BLOCK, NOT_YET))
def test_one_block_that_grows_by_a_factor_is_a_leak(program, run_text):
    check_leak(*run_text(ONE_BLOCK[program]))
