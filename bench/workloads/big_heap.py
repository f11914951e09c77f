"""Two million Python objects, 3 GB of arrays, two busy threads; takes snapshots and prints how long each call took.

usage: big_heap.py ROUNDS [SCALE]. One line of milliseconds per round, then "done" when the last copy may be waited for.
"""

import sys
import threading
import time

import numpy as np
import tenure

rounds = int(sys.argv[1])
scale = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0


class Record:
    def __init__(self, number):
        self.number = number
        self.items = [number, (number, str(number))]
        self.by_name = {"number": number, "self": (number,)}


records = [
    Record(i) for i in range(int(330000 * scale))
]  # each: itself, 1 list, 1 dict, 2 tuples, 1 str
rows = [np.zeros(160) for _ in range(int(50000 * scale))]  # tracked blocks of 1.25 KiB
tensors = [np.ones(4 << 20) for _ in range(int(96 * scale))]  # of 32 MiB
stop = False


def train():
    weights = np.ones((256, 256))
    while not stop:
        weights = np.tanh(weights @ weights)


def count():
    total = 0
    while not stop:
        for i in range(1000):
            total += i


threads = [threading.Thread(target=work) for work in (train, count)]
for thread in threads:
    thread.start()
sys.setswitchinterval(0.0005)
for _ in range(rounds):
    start = time.perf_counter()
    assert tenure.snapshot()
    print((time.perf_counter() - start) * 1000, flush=True)
    time.sleep(6)
stop = True
for thread in threads:
    thread.join()
print("done", len(records), len(rows), len(tensors))
