"""Makes and drops arrays at random and keeps its own books. Prints them as JSON at the end.

`#= name`: the line that makes the arrays booked under that name. Arrays have at least 64 KiB, which are always
counted one by one. The peak is a burst far above all else, so that Python's own memory does not move it.
"""

import json
import os
import random

import numpy as np

FIGURES = ("live_bytes", "live_count", "total_bytes", "total_count", "at_peak_bytes", "at_peak_count")
NAMES = ("empty", "zeros", "ones", "product", "joined", "copied", "burst")
books = {name: dict.fromkeys(FIGURES, 0) for name in NAMES}
chance = random.Random(5)
arrays = []


def born(name, array):
    book = books[name]
    book["live_bytes"] += array.nbytes
    book["total_bytes"] += array.nbytes
    book["live_count"] += 1
    book["total_count"] += 1
    return name, array


def ended(item):
    name, array = item
    books[name]["live_bytes"] -= array.nbytes
    books[name]["live_count"] -= 1


def make():
    n = chance.randrange(8192, 24576)
    name = chance.choice(NAMES[:-1])
    old = arrays[-1][1] if arrays else np.empty(8192)
    if name == "empty":
        array = np.empty(n)  #= empty
    elif name == "zeros":
        array = np.zeros((n // 8, 8))  #= zeros
    elif name == "ones":
        array = np.ones(n, dtype=np.int64)  #= ones
    elif name == "product":
        array = old * 2  #= product
    elif name == "joined":
        array = np.concatenate([old.ravel()[:4096], old.ravel()[:6000]])  #= joined
    else:
        array = old.copy()  #= copied
    return born(name, array)


def live_at_random(rounds):
    for number in range(rounds):
        rises = number // 500 % 2 == 0
        if not arrays or chance.random() < (0.6 if rises else 0.4):
            arrays.append(make())
        else:
            ended(arrays.pop(chance.randrange(len(arrays))))


live_at_random(6000)
for _ in range(400):
    arrays.append(make())
burst = [born("burst", np.empty(8 << 20)) for _ in range(4)]  #= burst
for book in books.values():
    book["at_peak_bytes"], book["at_peak_count"] = book["live_bytes"], book["live_count"]
while burst:
    ended(burst.pop())
live_at_random(1000)
print(json.dumps(books), flush=True)
os._exit(0)  # as they are: not torn down
